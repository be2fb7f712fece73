// The labelling page: a press labels the passage that is drawn, the next one is drawn at once from what was fetched
// ahead, and the outbox carries the press to the server.

const DWELL = 120; // milliseconds a passage must have been on the screen before a press counts
const LULL = 20000; // milliseconds between looks for tasks that others give back
const RENEWAL = 5000; // milliseconds between asking for one token and for another
const SIGN_OF_LIFE = 300000; // milliseconds between signs that the reserved tasks are being worked on

class Labeling {
  constructor(data) {
    this.identity = identityOf(data);
    this.spotcheck = data.spotcheck;
    this.mode = "fetching"; // or "drawn", "finished", "broken"
    this.here = null; // the task that was drawn last
    this.wanted = null; // while fetching: the task to draw, null for whichever comes next
    this.stalled = ""; // why the last fetch failed, in words
    this.misses = 0;
    this.active = performance.now();
    this.deck = new Deck();
    this.view = new View(this, data.spotcheck, data.subject ?? "passage");
    this.outbox = new Outbox({ ...data, url: data.url ?? "/labeling", tell: this });
    this.tabs = new BroadcastChannel(this.outbox.prefix);
    this.tabs.onmessage = ({ data: news }) => this.heard(news);
    this.singleKeys = setting("labeler:keys") !== "off";
    this.view.sheets.keysBox.checked = this.singleKeys;
    this.outbox.open();
    this.show(null);
    this.timer = setInterval(() => this.look(), LULL);
  }

  // Streamlit has run the page again: there is another token, and perhaps another rubric.
  update(data, setTriggerValue) {
    this.setTriggerValue = setTriggerValue;
    this.links = data.links ?? [];
    this.view.sheets.drawRubric(data.rubric);
    this.outbox.renewed(data.token);
    if (this.stalled) this.refill();
    this.changed();
  }

  retire() {
    this.retired = true;
    this.outbox.close();
    this.tabs.close();
    clearInterval(this.timer);
    clearTimeout(this.again);
  }

  // Asks Streamlit for another token, by a run of the page that brings one.
  unauthorised() {
    if (this.retired || performance.now() - (this.askedRenewal ?? -RENEWAL) < RENEWAL) return;
    this.askedRenewal = performance.now();
    this.setTriggerValue?.("renew", Date.now());
  }

  // --- fetching ahead ---

  async refill({ fresh = false } = {}) {
    if (this.asking || this.retired) return;
    const lacking = this.deck.lacking(this.here);
    if (this.mode === "fetching" && this.wanted !== null) lacking.unshift(this.wanted);
    const more = fresh || !this.deck.loaded || this.deck.needsMore(this.here);
    if (!more && !lacking.length) return;
    this.asking = true;
    clearTimeout(this.again);
    const asked = performance.now();
    try {
      const query = more ? `limit=${AHEAD + this.outbox.waiting.size}` : `tasks=${lacking.join(",")}`;
      const answer = await this.outbox.request(`window?${query}`, { signal: AbortSignal.timeout(PATIENCE) });
      if (answer.status === 401) this.unauthorised();
      const said = await answer.json();
      if (!answer.ok) throw new Refusal(said.error);
      this.deck.merge(said, asked, this.here);
      if (more) this.lastSign = asked;
      this.stalled = "";
      this.misses = 0;
    } catch (problem) {
      this.stalled = problem instanceof Refusal ? problem.message : "the server does not answer";
      this.misses += 1;
    }
    this.asking = false;
    this.refilled();
  }

  refilled() {
    this.drawAround();
    if (this.mode === "fetching" || this.mode === "finished") this.show(this.wanted);
    const wait = this.stalled ? BACKOFF[Math.min(this.misses, BACKOFF.length - 1)] : 60;
    if (this.stalled || this.mode === "fetching" || this.deck.lacking(this.here).length || this.deck.needsMore(this.here)) {
      this.again = setTimeout(() => this.refill(), wait);
    }
  }

  // Keeps the reserved tasks while the person is at them, and looks for those that others gave back.
  look() {
    const alive = performance.now() - this.active < 2 * SIGN_OF_LIFE && !document.hidden;
    const due = performance.now() - (this.lastSign ?? 0) > SIGN_OF_LIFE;
    if ((alive && due) || (this.mode === "finished" && this.deck.waiting)) this.refill({ fresh: true });
  }

  // --- what is drawn ---

  // Draws `task` (null: the next one that is open), or says that it is being fetched, or that all is done.
  show(task) {
    const next = task ?? this.deck.ahead(this.here)[0];
    if (next !== undefined && this.deck.texts.has(next)) return this.draw(next);
    if (next === undefined && this.deck.loaded && this.deck.exhausted) return this.finish();
    this.mode = "fetching";
    this.wanted = task;
    this.view.rest("fetching", [this.view.word("Fetching the next passage…"), ...(this.stalled ? [`Trying again: ${this.stalled}.`] : [])]);
    return this.refill();
  }

  // A press labels what is drawn: `here` changes only once the passage is on the page.
  draw(task) {
    this.mode = "broken";
    this.wanted = task;
    try {
      this.view.draw(this.deck.texts.get(task), this.deck.own(task));
    } catch (problem) {
      this.view.rest("broken", [this.view.word("This passage could not be drawn"), `${problem}`, "← and → go to the others."]);
      throw problem;
    }
    this.mode = "drawn";
    this.here = task;
    this.wanted = null;
    this.drawnAt = performance.now();
    this.drawAround();
    setTimeout(() => this.refill(), AFTER_PAINT);
  }

  drawAround() {
    this.view.drawProgress(this.deck.counted());
    if (this.mode !== "drawn") return;
    const { query } = this.deck.texts.get(this.here);
    const entries = this.deck.ofQuery(query.query_id);
    this.view.drawRail(entries.map(({ task, title }) =>
      ({ task, title: title || this.deck.texts.get(task)?.passage.title, own: this.deck.own(task) })), this.here);
  }

  finish() {
    if (this.mode !== "finished" && this.deck.waiting) setTimeout(() => this.look(), 1000);
    this.mode = "finished";
    this.wanted = null;
    const { done, total } = this.deck.counted();
    const { unsure, later } = this.deck.tally();
    const saved = this.outbox.waiting.size ? "saving the last ones…" : "saved";
    const all = later ? `${done} of ${total} labelled, ${saved}` : total ? `All ${done} labelled, ${saved}` : "Nothing to label here";
    const lines = [all];
    if (!total) lines.push(`${this.view.word("Every passage of")} “${this.spotcheck}” is labelled, or is with somebody else.`);
    if (unsure) lines.push(`You were unsure of ${unsure}: a reviewer sees ${unsure === 1 ? "it" : "them"}.`);
    if (later) lines.push(`${later} put off for later.`);
    if (this.deck.waiting) lines.push(`${this.deck.waiting} with other people: what they give back appears here.`);
    if (total && !later) lines.push("You can still go back with U or ← and change any of them.");
    const choices = [];
    if (later) choices.push([`Go through the ${later} put off`, () => this.reoffer()]);
    const last = this.deck.presses.at(-1);
    if (last !== undefined) choices.push(["Look back", () => this.go(last)]);
    this.view.rest("finished", lines, [...choices, ...(this.links ?? []).map(({ label, href }) => [label, href])]);
  }

  reoffer() {
    this.here = null;
    this.deck.reoffered.clear();
    this.show(null);
  }

  // --- what the person does ---

  act(action, grade, event) {
    this.active = performance.now();
    if (action === "undo" || action === "note") return this.command(action, event);
    const name = grade ?? action;
    if (this.mode !== "drawn") {
      return this.refusePress(name, this.view.word(this.mode === "fetching"
        ? "The next passage is not here yet: that press did not count." : "No passage is drawn: U or ← goes back to one."));
    }
    if (event.detail > 1) return this.refusePress(name, "A double click counts once.");
    if (event.timeStamp - this.drawnAt < DWELL) {
      return this.refusePress(name, "Too quick to have read it: that press did not count.");
    }
    this.view.closeNote(true);
    const task = this.here;
    const note = this.deck.own(task)?.note ?? "";
    const state = action === "label" ? "labelled" : action;
    this.record(task, action, grade, note);
    this.deck.say(task, { state, grade, note });
    this.view.flash(name);
    this.view.say(`${name === "later" ? "Put off" : name === "unsure" ? "Unsure" : name}: ${this.titleOf(task)}`);
    return this.show(null);
  }

  refusePress(name, words) {
    this.view.say(words, "refused");
    this.view.flash(name, true);
  }

  command(name, event) {
    this.active = performance.now();
    if (name === "help" || name === "rubric") return this.view.sheets.toggle(name);
    if (name === "back") return this.move(-1);
    if (name === "forward") return this.move(1);
    if (name === "undo") return this.undo();
    if (name === "unsure" || name === "later") return this.act(name, null, event);
    if (this.mode !== "drawn") return undefined;
    if (name === "columns") return this.view.setColumns(!this.view.inColumns);
    return this.view.openNote(this.here, this.deck.own(this.here)?.note ?? "");
  }

  // Back to the passage answered before. What was said of it stands until another grade is pressed.
  undo() {
    const task = this.deck.answeredBefore(this.mode === "drawn" ? this.here : null);
    if (task === null) return this.view.say("There is nothing to undo.");
    this.record(task, "undo", null, "");
    this.show(task);
    const { grade, state } = this.deck.own(task);
    return this.view.say(`Back: you said ${grade ?? state}. It stands until you press another.`);
  }

  move(step) {
    const task = this.deck.beside(this.mode === "finished" ? null : this.wanted ?? this.here, step);
    if (task !== null) return this.go(task);
    if (step > 0 && this.mode === "drawn" && !this.deck.ahead(this.here).length) return this.show(null);
    return this.view.say(this.view.word(step < 0 ? "This is your first passage." : "This is the last passage you have now."));
  }

  go(task) {
    this.active = performance.now();
    this.view.closeNote(true);
    this.view.say("");
    return this.show(task);
  }

  note(task, note) {
    if (note === (this.deck.own(task)?.note ?? "")) return;
    this.record(task, "note", null, note);
    this.deck.note(task, note);
    if (task === this.here) this.view.answer(this.deck.own(task));
    this.view.say(note ? "Note kept." : "Note removed.");
  }

  keysWanted(on) {
    this.singleKeys = on;
    setting("labeler:keys", on ? "on" : "off");
  }

  record(task, action, grade, note) {
    const { query_id, passage_id } = this.deck.order[this.deck.place(task)];
    const read = this.deck.texts.get(task)?.passage.hash; // an import may change it meanwhile
    const event = this.outbox.add({ task, query_id, passage_id, action, grade, note, read });
    this.tabs.postMessage({ said: event });
  }

  titleOf(task) {
    const { passage } = this.deck.texts.get(task);
    return passage.title || passage.passage_id;
  }

  // --- what becomes of it ---

  // An event that is not stored yet: recovered from localStorage, or said in another tab.
  hear({ task, action, grade, note }) {
    const own = this.deck.own(task);
    if (action === "note") this.deck.note(task, note);
    else if (action !== "undo") this.deck.say(task, { state: action === "label" ? "labelled" : action, grade, note: note || own?.note || "" });
  }

  found(events) {
    events.forEach((event) => this.hear(event));
    this.drawAround();
  }

  heard({ said, settled, progress, unsaid }) {
    if (said) this.hear(said);
    if (settled) this.deck.settle(settled, progress);
    unsaid?.forEach((task) => this.deck.unsay(task));
    if (said?.task === this.here && this.mode === "drawn" && said.action !== "undo") {
      this.view.answer(this.deck.own(this.here));
      this.view.say(`You said ${said.grade ?? said.action} in another tab.`);
      if (document.hidden && said.action !== "note") this.show(null); // nobody is reading it here
    }
    this.drawAround();
    if (this.mode === "finished") this.show(null);
  }

  // The server's answer to `events`: what it stored, what it refused and why.
  answered({ refused, progress }, events) {
    const waiting = new Set([...this.outbox.waiting.values()].map(({ task }) => task));
    const notStored = new Set(refused.map(({ event }) => event));
    const tasks = (taken) => [...new Set(events.filter(({ event }) => notStored.has(event) !== taken)
      .map(({ task }) => task))].filter((task) => !waiting.has(task));
    const [settled, unsaid] = [tasks(true), tasks(false)];
    this.deck.settle(settled, progress);
    unsaid.forEach((task) => this.deck.unsay(task));
    this.tabs.postMessage({ settled, progress, unsaid });
    this.drawAround();
    if (unsaid.length) this.refill({ fresh: true });
  }

  changed() {
    const dismiss = () => {
      [...this.outbox.refused.keys()].forEach((id) => this.outbox.drop(id));
      this.changed();
    };
    this.view.drawSave(this.outbox.waiting.size, this.outbox);
    this.view.drawRefused([...this.outbox.refused.values()], dismiss);
    this.view.drawElsewhere(this.outbox.elsewhere());
    if (this.mode === "finished") this.finish();
  }
}

class Refusal extends Error {}
