// What is on the screen. The query, the grades and the progress keep their places; only the passage scrolls.

const ACTIONS = [
  { action: "unsure", key: "0", label: "Unsure" },
  { action: "later", key: "L", label: "Later" },
  { action: "undo", key: "U", label: "Undo" },
  { action: "note", key: "/", label: "Note" },
];

class View {
  // `does` has act(action, grade, event), go(task), note(task, text), keysWanted(on): what the page does about them.
  // `subject` is what is graded: "passage" or "answer".
  constructor(does, spotcheck, subject) {
    this.does = does;
    this.spotcheck = spotcheck;
    this.subject = subject;
    this.root = el("section", { className: "lb", "aria-label": "Labelling" });
    this.sheets = new Sheets((on) => does.keysWanted(on), subject);
    this.root.append(this.top(), this.card(), this.foot(), this.sheets.help, this.sheets.rubric);
  }

  // A button that answers to a pointer without keeping the focus: a later Space must not press it again.
  button(props, ...children) {
    const made = el("button", { type: "button", ...props }, ...children);
    made.addEventListener("pointerdown", (press) => press.preventDefault());
    made.addEventListener("mousedown", (press) => press.preventDefault());
    return made;
  }

  top() {
    this.fill = el("span", { className: "lb-fill" });
    this.count = el("span", { className: "lb-count" });
    const bar = el("span", { className: "lb-bar", "aria-hidden": "true" }, this.fill);
    this.progress = el("div", { className: "lb-progress", "data-testid": "progress" }, bar, this.count);
    this.save = el("span", { className: "lb-save", "data-testid": "save-state", "data-pending": "0" });
    this.announced = el("p", { className: "lb-unseen", role: "status", "aria-live": "polite" });
    const check = el("span", { className: "lb-check", dir: "auto", title: "Spot check", textContent: this.spotcheck });
    const open = (name) => () => this.sheets.toggle(name);
    return el("header", { className: "lb-top" }, this.progress, this.save, this.announced,
      el("span", { className: "lb-space" }), check,
      this.button({ className: "lb-quiet", "data-testid": "rubric", onclick: open("rubric"),
        "aria-keyshortcuts": "R" }, "Rubric", el("kbd", {}, "R")),
      this.button({ className: "lb-quiet", "data-testid": "help", onclick: open("help"),
        "aria-keyshortcuts": "?" }, "Keys", el("kbd", {}, "?")));
  }

  card() {
    this.query = el("h2", { className: "lb-query", dir: "auto" });
    this.asked = el("p", { className: "lb-about" });
    this.railList = el("ol", {});
    this.rail = el("nav", { className: "lb-rail", "aria-label": this.word("Passages of this query") },
      el("p", { className: "lb-eyebrow" }, this.word("Passages")), this.railList);
    this.title = el("h3", { className: "lb-title", dir: "auto" });
    this.about = el("p", { className: "lb-about" });
    this.own = el("span", { className: "lb-own", "data-testid": "own-grade" });
    this.columns = this.button({ className: "lb-quiet", "data-testid": "columns", title: "Show in columns (M)",
      onclick: () => this.setColumns(!this.inColumns) }, "Columns", el("kbd", {}, "M"));
    this.text = el("div", { className: "lb-text", tabIndex: 0, role: "group", "aria-label": this.word("Passage text"),
      "data-testid": "passage-text" });
    this.passage = el("article", { className: "lb-passage" },
      el("div", { className: "lb-head" }, el("div", { className: "lb-heading" }, this.title, this.about), this.own,
        this.columns), this.text, this.notePanel());
    this.pause = el("div", { className: "lb-pause", "data-testid": "pause", hidden: true });
    this.labelingCard = el("div", { className: "lb-card", "data-testid": "labeling-card" },
      el("div", { className: "lb-asked" }, el("p", { className: "lb-eyebrow" }, "Query"), this.query, this.asked),
      this.rail, this.passage);
    return el("div", { className: "lb-stage" }, this.labelingCard, this.pause);
  }

  notePanel() {
    this.noteField = el("textarea", { rows: 2, dir: "auto", maxLength: 4000, "data-testid": "note",
      "aria-label": this.word("Note on this passage"), placeholder: this.word("A note on this passage") });
    this.noteField.addEventListener("keydown", (press) => {
      if (press.key === "Escape") this.closeNote(false);
      else if (press.key === "Enter" && !press.shiftKey && !press.isComposing) this.closeNote(true);
      else return;
      press.preventDefault();
    });
    this.noteField.addEventListener("blur", () => this.closeNote(true));
    this.notes = el("div", { className: "lb-notepad", hidden: true }, this.noteField,
      el("p", { className: "lb-hint" }, el("kbd", {}, "Enter"), " keeps it, ", el("kbd", {}, "Esc"), " leaves it as it was"));
    return this.notes;
  }

  openNote(task, note) {
    this.noteTask = task;
    this.noteField.value = note;
    this.notes.hidden = false;
    this.noteField.focus();
  }

  closeNote(keep) {
    if (this.notes.hidden) return;
    this.notes.hidden = true;
    if (keep) this.does.note(this.noteTask, this.noteField.value.trim());
    if (this.root.contains(document.activeElement)) document.activeElement.blur();
  }

  foot() {
    this.message = el("p", { className: "lb-say", role: "status", "aria-live": "polite", "data-testid": "message" });
    this.presses = {};
    const one = ({ grade, action = "label", key, other, label, says }) => {
      const name = grade ?? action;
      const made = this.button({
        className: `lb-press lb-${name.toLowerCase()}`, "data-testid": grade ? `grade-${grade}` : action,
        "aria-keyshortcuts": other ? `${key} ${other}` : key, title: says?.[this.subject] ?? label,
        onclick: (click) => this.does.act(action, grade ?? null, click),
      }, el("kbd", {}, key), el("span", { className: "lb-name" }, grade ?? label));
      if (grade) made.append(el("span", { className: "lb-says" }, says[this.subject]));
      this.presses[name] = made;
      return made;
    };
    this.refused = el("div", { className: "lb-refused", "data-testid": "refused", hidden: true, role: "alert" });
    this.elsewhere = el("p", { className: "lb-elsewhere", hidden: true });
    return el("footer", { className: "lb-foot" }, this.elsewhere, this.refused, this.message,
      el("div", { className: "lb-grades", role: "group", "aria-label": "Grade" }, ...GRADES.map(one)),
      el("div", { className: "lb-actions", role: "group", "aria-label": "Other answers" }, ...ACTIONS.map(one)));
  }

  // Fits the page to what its place leaves of the window, now and when what is above it changes.
  settle(host) {
    this.above ??= new ResizeObserver(() => this.fit());
    this.above.disconnect();
    this.above.observe(host);
    if (host.offsetParent) this.above.observe(host.offsetParent);
    this.fit();
  }

  fit() {
    if (!this.root.isConnected) return;
    const scrolled = this.root.closest("[data-testid=stMain]")?.scrollTop ?? window.scrollY;
    this.root.style.setProperty("--lb-top", `${Math.round(this.root.getBoundingClientRect().top + scrolled)}px`);
  }

  // Draws a task's {query, passage} and the person's own answer.
  draw({ query, passage }, own) {
    this.pattern = query.query_id === this.query.dataset.of ? this.pattern : markPattern(query.text);
    if (query.query_id !== this.query.dataset.of) {
      this.query.dataset.of = query.query_id;
      this.query.replaceChildren();
      writeText(this.query, query.text || `(no text: query ${query.query_id})`);
      this.toTop(this.query.parentElement);
      this.facts(this.asked, [["As of", query.as_of], ["Asked by", query.scope]]);
    }
    this.title.replaceChildren();
    writeText(this.title, passage.title || passage.passage_id);
    this.facts(this.about, [["", passage.source_uri], ["", passage.locator], ["For", passage.scope],
      ["From", passage.effective_from], ["Until", passage.effective_to]]);
    this.drawn = passage.text || this.word("(no text: passage ") + `${passage.passage_id})`;
    this.setColumns(false);
    this.toTop(this.text);
    this.labelingCard.dataset.queryId = query.query_id;
    this.labelingCard.dataset.passageId = passage.passage_id;
    this.labelingCard.hidden = false;
    this.pause.hidden = true;
    this.answer(own);
  }

  // Back to the beginning. Asking for a place costs a layout, so only what was scrolled is moved.
  toTop(scroller) {
    if (scroller.dataset.scrolled) scroller.scrollTop = 0;
    delete scroller.dataset.scrolled;
    scroller.onscroll ??= scroller.onwheel ??= scroller.ontouchmove ??= () => (scroller.dataset.scrolled = "yes");
  }

  facts(host, pairs) {
    host.replaceChildren(...pairs.filter(([, value]) => value).map(([name, value]) =>
      writeText(el("span", { dir: "auto" }, name ? `${name} ` : ""), value)));
  }

  setColumns(on) {
    this.inColumns = on;
    this.columns.setAttribute("aria-pressed", on);
    drawPassage(this.text, this.drawn, { pattern: this.pattern, mono: on });
  }

  // Shows the person's own answer on the card and its button.
  answer(own) {
    const name = own?.state === "labelled" ? own.grade : own?.state;
    for (const [one, button] of Object.entries(this.presses)) {
      if (one !== "undo" && one !== "note") button.setAttribute("aria-pressed", one === name);
    }
    this.presses.note.classList.toggle("lb-has", Boolean(own?.note));
    const said = { unsure: "Unsure", later: "Put off" }[name] ?? (own?.grade || "");
    this.own.textContent = said ? `You said ${said}` : "";
    this.own.hidden = !said;
    if (said) this.own.dataset.said = name;
  }

  // Nothing to label is drawn: `lines` say why, `choices` are [label, what it does].
  rest(kind, lines, choices = []) {
    delete this.labelingCard.dataset.queryId;
    delete this.labelingCard.dataset.passageId;
    delete this.query.dataset.of;
    this.labelingCard.hidden = true;
    this.answer(null);
    this.pause.hidden = false;
    this.pause.dataset.kind = kind;
    const [first, ...more] = lines;
    this.pause.replaceChildren(el("h2", {}, first), ...more.map((line) => el("p", {}, line)),
      el("div", { className: "lb-choices" }, ...choices.map(([label, chosen]) =>
        typeof chosen === "string" ? el("a", { href: chosen, target: "_self" }, label)
          : this.button({ className: "lb-choice", onclick: chosen }, label))));
  }

  // The passages of the query that is drawn: [{task, title, own}].
  drawRail(entries, task) {
    this.railList.replaceChildren(...entries.map(({ task: one, title, own }, index) => {
      const grade = own?.state === "labelled" ? own.grade : own?.state === "open" ? "" : own?.state ?? "";
      const name = writeText(el("span", { className: "lb-railname", dir: "auto" }), title || this.word(`Passage ${index + 1}`));
            return el("li", {}, this.button({ "aria-current": one === task ? "true" : null, "data-task": one,
        onclick: () => this.does.go(one) }, el("span", { className: "lb-railnumber" }, String(index + 1)), name,
        el("span", { className: "lb-railgrade", "data-said": grade }, grade || "open")));
    }));
    clearTimeout(this.railTimer);
    this.railTimer = setTimeout(() => {
      const at = entries.findIndex((entry) => entry.task === task);
      const which = this.word(`Passage ${at + 1} of ${entries.length} of this query`);
      this.announce(`${which}: ${this.title.textContent}`);
      const here = this.railList.querySelector("[aria-current]")?.parentElement;
      if (!here) return;
      this.railList.scrollTop = here.offsetTop - this.railList.clientHeight / 2;
      this.railList.scrollLeft = here.offsetLeft - this.railList.clientWidth / 2;
    }, AFTER_PAINT); // where things are is known without cost once they are painted
  }

  drawProgress({ done, total }) {
    Object.assign(this.progress.dataset, { done, total });
    this.count.textContent = `${done} of ${total}`;
    this.fill.style.inlineSize = total ? `${(100 * done) / total}%` : "0";
  }

  drawSave(pending, { trouble, unkept }) {
    const state = !pending ? "saved" : trouble ? "trouble" : "saving";
    if (state === "trouble" && this.save.dataset.state !== state) this.announce(`Not saved yet: ${trouble}`);
    Object.assign(this.save.dataset, { pending, state });
    const where = unkept ? "not saved: keep this tab open" : "kept on this computer";
    this.save.textContent = !pending ? "Saved" : trouble ? `${pending} ${where} (${trouble})` : `Saving ${pending}`;
  }

  drawRefused(refused, dismiss) {
    this.refused.hidden = !refused.length;
    this.refused.replaceChildren(el("p", {}, `${refused.length} not stored:`), el("ul", {}, ...refused.map(
      ({ grade, action, query_id, passage_id, why }) =>
        el("li", {}, `${grade ?? action} on ${passage_id} for ${query_id}: ${why}`))),
    this.button({ className: "lb-quiet", onclick: dismiss }, "I have read this"));
  }

  // `counts` are events of this person that wait on this computer for other spot checks.
  drawElsewhere(counts) {
    const names = Object.keys(counts);
    this.elsewhere.hidden = !names.length;
    this.elsewhere.replaceChildren(...names.map((name) => el("a", { href: `?${new URLSearchParams({ ...Object.fromEntries(
      new URLSearchParams(location.search)), spotcheck: name })}`, target: "_self" },
    `${counts[name]} not sent yet for “${name}”: open it to send`)));
  }

  word(words) {
    return worded(this.subject, words);
  }

  // For screen readers: what the eye sees by itself.
  announce(words) {
    this.announced.textContent = words;
  }

  say(words, kind = "") {
    this.message.textContent = words;
    this.message.dataset.kind = kind;
  }

  // A short sign on the button that was pressed; `refused` shows that it did not count.
  flash(name, refused = false) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const frames = refused
      ? { transform: ["none", "translateX(-4px)", "translateX(4px)", "none"] }
      : { boxShadow: ["0 0 0 3px currentColor", "0 0 0 8px transparent"] };
    this.presses[name].animate(frames, { duration: refused ? 160 : 260, easing: "ease-out" });
  }

  scroll(key, shift) {
    this.text.dataset.scrolled = "yes";
    const page = this.text.clientHeight * 0.85;
    const by = { " ": shift ? -page : page, PageDown: page, PageUp: -page, ArrowDown: 56, ArrowUp: -56 }[key];
    if (key === "Home") this.text.scrollTop = 0;
    else if (key === "End") this.text.scrollTop = this.text.scrollHeight;
    else this.text.scrollBy({ top: by });
  }
}
