// The deck: this person's tasks in the spot check's order (task numbers ascend in it, and the pairs of one query are
// together), what the person said of each, and which one comes next. What was said here and is not acknowledged yet
// goes before what the server says, whose answer may be older.

const AHEAD = 10; // texts held ahead of the passage that is drawn

const isDone = (own) => own?.state === "labelled" || own?.state === "unsure";
const isOpen = (own) => !own || own.state === "open";

class Deck {
  constructor() {
    this.order = []; // [{task, query_id, passage_id, title}], ascending
    this.texts = new Map(); // task -> {query, passage}
    this.stored = new Map(); // task -> own, as the server last said
    this.said = new Map(); // task -> {own, settled}: settled is when it was acknowledged, Infinity before
    this.presses = []; // tasks answered, in the order of the last answer
    this.putOff = []; // tasks marked later, in the order in which they were
    this.reoffered = new Set(); // tasks put off twice: they wait for the end screen
    this.progress = { done: 0, total: 0 };
    this.waiting = 0; // tasks that are with others and may come back
    this.exhausted = false; // nothing more to hand out now
    this.loaded = false;
  }

  own(task) {
    return this.said.get(task)?.own ?? this.stored.get(task) ?? null;
  }

  place(task) {
    return this.order.findIndex((entry) => entry.task === task);
  }

  // Takes an answer of GET /labeling/window that was asked for at `asked` (performance.now()).
  merge(answer, asked, drawn) {
    for (const { task, query, passage } of answer.tasks) this.texts.set(task, { query, passage });
    if (!answer.order) return;
    const held = this.order.filter(({ task }) => task === drawn || this.said.get(task)?.settled > asked);
    const given = new Map(held.map((entry) => [entry.task, entry]));
    for (const { own, ...entry } of answer.order) {
      const { task } = entry;
      given.set(task, entry);
      this.stored.set(task, own);
      if (this.said.get(task)?.settled < asked) this.said.delete(task);
      if (isDone(this.own(task)) && !this.presses.includes(task)) this.presses.push(task);
      if (this.own(task)?.state === "later" && !this.putOff.includes(task)) this.putOff.push(task);
    }
    this.order = [...given.values()].sort((a, b) => a.task - b.task);
    this.progress = answer.progress;
    this.waiting = answer.waiting;
    this.exhausted = answer.exhausted;
    this.loaded = true;
  }

  // What the person said of a task, here or in another tab.
  say(task, own, settled = Infinity) {
    this.said.set(task, { own, settled });
    this.presses = this.presses.filter((one) => one !== task);
    const before = this.putOff.includes(task);
    this.putOff = this.putOff.filter((one) => one !== task);
    if (isDone(own)) this.presses.push(task);
    if (own.state === "later") {
      this.putOff.push(task);
      if (before) this.reoffered.add(task);
    } else this.reoffered.delete(task);
  }

  note(task, note) {
    this.said.set(task, { own: { state: "open", grade: null, ...this.own(task), note }, settled: Infinity });
  }

  // The server has stored what was said of these tasks, and counted it in `progress`, with all that it acknowledged
  // before: a window that was asked for earlier may have come between, and said otherwise.
  settle(tasks, progress) {
    for (const [task, said] of this.said) {
      if (tasks.includes(task)) said.settled = performance.now();
      if (said.settled < Infinity) this.stored.set(task, said.own);
    }
    this.progress = progress;
  }

  // The server did not take what was said of a task: what it has stands.
  unsay(task) {
    this.said.delete(task);
  }

  // {done, total} with what is not acknowledged yet counted in.
  counted() {
    let { done } = this.progress;
    for (const [task, { own }] of this.said) done += isDone(own) - isDone(this.stored.get(task));
    return { done: Math.max(0, Math.min(done, this.progress.total)), total: this.progress.total };
  }

  tally() {
    const tally = { labelled: 0, unsure: 0, later: 0, open: 0 };
    for (const { task } of this.order) tally[this.own(task)?.state ?? "open"] += 1;
    return tally;
  }

  // Open tasks after `task`, then those before it, then what was put off: the order in which they will come.
  ahead(task) {
    const open = this.order.map((entry) => entry.task).filter((one) => isOpen(this.own(one)));
    const here = task ?? 0;
    const later = this.exhausted ? this.putOff.filter((one) => one !== task && !this.reoffered.has(one)) : [];
    return [...open.filter((one) => one > here), ...open.filter((one) => one < here), ...later];
  }

  // The task beside `task` in the order (step 1 or -1), null at either end.
  beside(task, step) {
    const at = task === null ? this.order.length : this.place(task);
    return this.order[at + step]?.task ?? null;
  }

  // The task answered before `task`, or the last one answered where `task` is not.
  answeredBefore(task) {
    const at = this.presses.indexOf(task);
    return at === 0 ? null : this.presses.at(at < 0 ? -1 : at - 1) ?? null;
  }

  // The tasks whose texts should be asked for now.
  lacking(task) {
    return this.ahead(task).slice(0, AHEAD).filter((one) => !this.texts.has(one));
  }

  needsMore(task) {
    return !this.exhausted && this.ahead(task).length < AHEAD;
  }

  ofQuery(queryId) {
    return this.order.filter((entry) => entry.query_id === queryId);
  }
}
