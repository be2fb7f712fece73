// The reviewers' search: what is typed is looked for at each key, the chosen passage stands whole beside the list, and
// one key makes it a candidate and hands it to the labelling page below. Built on text.js; no text is parsed as markup.

const SEARCH_PAUSE = 20; // milliseconds of silence before a search is sent: a held key costs one search

class Desk {
  constructor(data) {
    this.identity = deskIdentity(data);
    this.hits = [];
    this.at = -1;
    this.serial = 0; // of the last search sent
    this.drawn = 0; // of the last search drawn
    this.root = el("section", { className: "dk", "aria-label": "Search the corpus" });
    this.root.append(this.field(data), this.foundLine(), this.halves());
    this.update(data);
    this.input.value = data.text ?? "";
    this.search();
  }

  field({ sources, scopes }) {
    this.input = el("input", {
      type: "search", className: "dk-input", "data-testid": "desk-search", "aria-label": "Search the corpus",
      placeholder: "Words, \"a phrase\", ERR-4021, -without", autocomplete: "off", spellcheck: false, maxLength: 1000,
      role: "combobox", "aria-expanded": "true", "aria-controls": "dk-list", "aria-autocomplete": "list",
    });
    this.input.addEventListener("input", () => this.soon());
    this.input.addEventListener("keydown", (press) => this.key(press));
    const choice = (label, name, all, values) => {
      const made = el("select", { "aria-label": label, "data-testid": `desk-${name}`, onchange: () => this.search() },
        el("option", { value: "" }, all), ...values.map(([value, shown]) => el("option", { value }, shown)));
      return made;
    };
    this.source = choice("Source", "source", "Every source", sources.map((one) => [one, one]));
    this.scope = choice("Scope", "scope", "Every scope", scopes);
    this.day = el("input", { type: "date", "aria-label": "In force on", "data-testid": "desk-day", onchange: () => this.search() });
    return el("div", { className: "dk-field" }, this.input,
      el("div", { className: "dk-filters" }, this.source, this.scope, el("label", {}, "In force on ", this.day)));
  }

  foundLine() {
    this.count = el("span", { role: "status", "aria-live": "polite", "data-testid": "desk-count" });
    const key = (name, says) => el("span", {}, el("kbd", {}, name), ` ${says}`);
    return el("p", { className: "dk-line" }, this.count, el("span", { className: "dk-keys" }, key("S", "search"),
      key("↑↓", "choose"), key("Enter", "keep the search as evidence"), key("Ctrl Enter", "add and label"), key("Esc", "leave")));
  }

  halves() {
    this.list = el("ol", { id: "dk-list", className: "dk-list", role: "listbox", "aria-label": "Passages found",
      "data-testid": "desk-results" });
    this.title = el("h3", { dir: "auto" });
    this.about = el("p", { className: "dk-about" });
    this.text = el("div", { className: "dk-text", tabIndex: 0, role: "group", "aria-label": "Passage text",
      "data-testid": "desk-text" });
    this.addButton = el("button", { type: "button", className: "dk-add", "data-testid": "desk-add", onclick: () => this.add() },
      "Add and label");
    this.whole = el("article", { className: "dk-whole", hidden: true, "data-testid": "desk-passage" },
      el("header", {}, el("div", {}, this.title, this.about), this.addButton), this.text);
    return el("div", { className: "dk-halves" }, this.list, this.whole);
  }

  update({ token, url, onChanged }) {
    this.token = token;
    this.url = url ?? "/desk";
    this.changed = onChanged ?? this.changed;
    if (this.wasRefused) this.search();
  }

  async request(path, body) {
    const answer = await fetch(`${this.url}/${path}`, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${this.token}`, ...(body ? { "Content-Type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    const said = await answer.json();
    if (answer.status === 401) {
      this.wasRefused = true;
      this.changed?.();
    }
    if (!answer.ok) throw new Error(said.error);
    this.wasRefused = false;
    return said;
  }

  asked() {
    return { text: this.input.value, source: this.source.value, scope: this.scope.value, as_of: this.day.value };
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(), SEARCH_PAUSE);
  }

  // Draws what the newest search found; an answer that was overtaken is dropped.
  async search() {
    clearTimeout(this.timer);
    const serial = ++this.serial;
    const asked = this.asked();
    try {
      const found = await this.request(`search?${new URLSearchParams(asked)}`);
      if (serial < this.drawn) return;
      this.drawn = serial;
      this.draw(found);
    } catch (problem) {
      this.say(`The search failed: ${problem.message}`);
    }
  }

  say(text) {
    this.count.textContent = text;
  }

  draw({ text, with_all, with_some, milliseconds, hits }) {
    this.pattern = markPattern(text);
    this.hits = hits;
    const many = (count) => `${count.toLocaleString()} passage${count === 1 ? "" : "s"}`;
    const some = with_some > with_all ? `, ${many(with_some)} with some of them` : "";
    this.say(!text.trim() ? many(with_all) : `${many(with_all)} with every word${some} (${milliseconds} ms)`);
    this.list.replaceChildren(...hits.map((hit, index) => this.row(hit, index)));
    this.list.dataset.text = text;
    this.choose(hits.length ? 0 : -1);
  }

  row(hit, index) {
    const marks = [[hit.barred, "dk-barred"], [hit.own ? `you said ${hit.own}` : hit.candidate ? "candidate" : "", "dk-known"]];
    return el("li", { id: `dk-${index}`, role: "option", "aria-selected": "false", "data-passage-id": hit.passage_id,
      onclick: () => { this.choose(index); this.input.focus(); } },
      writeText(el("span", { className: "dk-title", dir: "auto" }), hit.title || hit.passage_id, this.pattern),
      ...marks.filter(([said]) => said).map(([said, name]) => el("span", { className: `dk-mark ${name}` }, said)),
      writeText(el("span", { className: "dk-snippet", dir: "auto" }), hit.snippet, this.pattern));
  }

  choose(index) {
    this.list.children[this.at]?.setAttribute("aria-selected", "false");
    this.at = index;
    const row = this.list.children[index];
    this.whole.hidden = !row;
    if (!row) return this.input.removeAttribute("aria-activedescendant");
    row.setAttribute("aria-selected", "true");
    row.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", row.id);
    return this.open(this.hits[index].passage_id);
  }

  // The chosen passage whole, between its neighbours.
  async open(passageId) {
    try {
      const { passage, barred, before, after } = await this.request(`passage?${new URLSearchParams({ id: passageId })}`);
      if (this.hits[this.at]?.passage_id !== passageId) return;
      this.title.replaceChildren();
      writeText(this.title, passage.title || passage.passage_id);
      const facts = [[passage.passage_id], [passage.source_uri], [passage.locator], [passage.scope, "For"],
        [passage.effective_from, "From"], [passage.effective_to, "Until"]];
      this.about.replaceChildren(...facts.filter(([value]) => value)
        .map(([value, name]) => writeText(el("span", { dir: "auto" }, name ? `${name} ` : ""), value)));
      if (barred) this.about.append(el("span", { className: "dk-mark dk-barred" }, `${barred} for this query: cannot be expected`));
      const around = (one, where) => el("section", { className: "dk-around", "aria-label": where },
        writeText(el("h4", { dir: "auto" }, `${where}: `), one.title || one.passage_id), this.drawnText(one.text));
      this.text.replaceChildren(...before.map((one) => around(one, "Before")),
        el("section", { className: "dk-here" }, this.drawnText(passage.text)), ...after.map((one) => around(one, "After")));
      this.whole.dataset.passageId = passageId;
      this.text.scrollTop = Math.max(0, this.text.querySelector(".dk-here").offsetTop - this.text.offsetTop - 40);
    } catch (problem) {
      this.say(`The passage could not be opened: ${problem.message}`);
    }
  }

  drawnText(text) {
    const host = el("div", {});
    drawPassage(host, text || "(no text)", { pattern: this.pattern, mono: false });
    return host;
  }

  key(press) {
    if (press.isComposing || press.keyCode === 229) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[press.key];
    if (step) this.choose(Math.max(0, Math.min(this.hits.length - 1, this.at + step)));
    else if (press.key === "Enter" && (press.ctrlKey || press.metaKey)) this.add();
    else if (press.key === "Enter" && !press.repeat) this.keep();
    else if (press.key === "PageDown" || press.key === "PageUp") {
      this.text.scrollBy(0, (press.key === "PageDown" ? 0.8 : -0.8) * this.text.clientHeight);
    } else if (press.key === "Escape") this.input.blur();
    else return;
    press.preventDefault();
  }

  // Keeps the search as evidence of what was tried.
  async keep() {
    try {
      const { kept } = await this.request("searches", this.asked());
      this.say(`Kept as evidence: ${kept}`);
      this.changed?.();
    } catch (problem) {
      this.say(problem.message);
    }
  }

  // Makes the chosen passage a candidate, and draws it on the labelling page.
  async add() {
    const hit = this.hits[this.at];
    if (!hit) return;
    try {
      const { task } = await this.request("candidates", { passage_id: hit.passage_id });
      hit.candidate = true;
      this.list.children[this.at].replaceWith(this.row(hit, this.at));
      this.list.children[this.at].setAttribute("aria-selected", "true");
      this.say(`Added: label it below with 1, 2 or 3`);
      const page = window.labelerLabeling?.page;
      const ready = page?.view.root.isConnected && page.spotcheck === this.spotcheck;
      if (ready) await page.refill({ fresh: true });
      if (ready) page.show(task);
      this.input.blur();
      page?.view.root.scrollIntoView({ block: "nearest" });
      this.changed?.();
    } catch (problem) {
      this.say(`Not added: ${problem.message}`);
    }
  }
}

function deskIdentity({ store, spotcheck }) {
  return JSON.stringify([store, spotcheck]);
}

// S goes to the search from anywhere but a place for typing, and never from within a dialog.
function deskKey(press) {
  const desk = window.labelerDesk?.desk;
  const target = press.composedPath()[0];
  if (!desk?.root.isConnected || press.key.toLowerCase() !== "s" || press.repeat) return;
  if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing) return;
  const typing = "textarea,select,input:not([type=checkbox],[type=radio]),[contenteditable=true],[role=textbox],[role=combobox]";
  if (target instanceof Element && target.matches(typing)) return;
  if (document.querySelector("dialog[open],[role=dialog]")) return;
  press.preventDefault();
  press.stopImmediatePropagation();
  desk.input.focus();
  desk.input.select();
}

// Streamlit calls this on every run of the page; what is typed and found outlives it.
export default function ({ data, parentElement, setTriggerValue }) {
  const shared = (window.labelerDesk ??= { desk: null });
  if (!shared.listening) {
    shared.listening = true;
    addEventListener("keydown", deskKey, { capture: true });
  }
  if (shared.desk?.identity !== deskIdentity(data)) shared.desk = new Desk(data);
  const { desk } = shared;
  desk.spotcheck = data.spotcheck;
  desk.update({ ...data, onChanged: () => setTriggerValue("changed", Date.now()) });
  const host = parentElement.querySelector(".dk-mount") ?? parentElement;
  if (desk.root.parentElement !== host) host.replaceChildren(desk.root);
}
