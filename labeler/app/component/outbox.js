// The outbox: every press is kept here, and in localStorage under a key of its own, until the server acknowledges
// its uuid. One key an event means that tabs never overwrite each other, and that any tab of the same person can send
// what a closed one left; a uuid that arrives twice adds nothing on the server. What was pressed first is sent first,
// whichever tab it was pressed in: the last that the server hears of a passage stands.

const SEND_LIMIT = 200; // events in one request
const AFTER_PAINT = 20; // milliseconds: asking the network costs 2 ms, which the next passage need not wait for
const PATIENCE = 15000; // milliseconds until a request counts as lost
const BACKOFF = [400, 800, 1600, 3200, 6400, 10000]; // milliseconds between tries
const FOREIGN_AGE = 4000; // milliseconds after which an event of another tab is taken to be left behind

function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is missing without https
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

class Outbox {
  // `tell` has changed(), found(events), answered(answer, sent), unauthorised(): what the page does when these happen.
  constructor({ store, annotator, spotcheck, token, url, tell }) {
    this.person = `labeler:${[store, annotator].map(encodeURIComponent).join(":")}:`;
    this.prefix = `${this.person}${encodeURIComponent(spotcheck)}:`;
    this.token = token;
    this.url = url;
    this.tell = tell;
    this.waiting = new Map(); // uuid -> event with its serial, in the order of the presses
    this.refused = new Map(); // uuid -> {event, why}: shown until the person has read them
    this.trouble = ""; // why the last try failed, in words
    this.unkept = false; // localStorage did not take an event
    this.failures = 0;
    this.busy = false;
    this.serial = 0; // of the last press here; milliseconds, so that tabs agree on the order
    this.closing = new AbortController();
  }

  open() {
    const { signal } = this.closing;
    this.gather(0);
    addEventListener("online", () => this.retry(), { signal });
    addEventListener("pagehide", () => this.parting(), { signal });
    addEventListener("beforeunload", (leaving) => {
      if (this.unkept && this.waiting.size) leaving.preventDefault();
    }, { signal });
    const timer = setInterval(() => this.gather(FOREIGN_AGE), FOREIGN_AGE);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  // Another page has taken this one's place. What waits is still sent, for as long as the pass holds: then it is in
  // localStorage for the next page of its person.
  close() {
    this.closing.abort();
  }

  add(event) {
    this.serial = Math.max(this.serial + 1, Date.now());
    const kept = { ...event, event: uuid(), at: new Date().toISOString(), serial: this.serial };
    this.waiting.set(kept.event, kept);
    try {
      localStorage.setItem(this.prefix + kept.event, JSON.stringify(kept));
    } catch {
      this.unkept = true;
    }
    this.tell.changed();
    setTimeout(() => this.send(), AFTER_PAINT);
    return kept;
  }

  // Sends what a reload or a closed tab left.
  gather(age) {
    if (this.takeUp(age)) this.send();
  }

  // Takes up events of this person and spot check that are in localStorage but not here; whether there were any.
  takeUp(age) {
    const found = [];
    for (const key of this.keys(this.prefix)) {
      if (this.waiting.has(key.slice(this.prefix.length))) continue;
      try {
        const event = JSON.parse(localStorage.getItem(key));
        if (event?.why) this.refused.set(event.event, event);
        else if (event && Date.now() - Date.parse(event.at) >= age) found.push(event);
      } catch {
        this.drop(key.slice(this.prefix.length)); // not ours, or cut short: nothing that could be sent
      }
    }
    if (!found.length) return false;
    const all = [...found, ...this.waiting.values()].sort((a, b) => a.serial - b.serial);
    this.waiting = new Map(all.map((event) => [event.event, event]));
    const tasks = new Set(found.map(({ task }) => task));
    this.tell.found(all.filter(({ task }) => tasks.has(task))); // with what was said here of the same tasks after it
    this.tell.changed();
    return true;
  }

  // The body of a POST: the first events that wait.
  body(events) {
    return JSON.stringify({ events: events.map(({ serial, ...event }) => event) });
  }

  keys(prefix) {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    } catch {
      return [];
    }
  }

  // How many events of this person wait for each other spot check: {name: count}.
  elsewhere() {
    const counts = {};
    for (const key of this.keys(this.person)) {
      if (key.startsWith(this.prefix)) continue;
      const name = decodeURIComponent(key.slice(this.person.length).split(":")[0]);
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  drop(id) {
    this.waiting.delete(id);
    this.refused.delete(id);
    try {
      localStorage.removeItem(this.prefix + id);
    } catch {
      // nothing was kept there
    }
  }

  request(path, options = {}) {
    const headers = { Authorization: `Bearer ${this.token}`, ...(options.body && { "Content-Type": "application/json" }) };
    return fetch(`${this.url}/${path}`, { cache: "no-store", credentials: "same-origin", ...options, headers });
  }

  async send() {
    if (this.busy || !this.waiting.size) return;
    this.busy = true;
    clearTimeout(this.timer);
    if (!this.closing.signal.aborted) this.takeUp(0);
    const events = [...this.waiting.values()].slice(0, this.limit ?? SEND_LIMIT);
    try {
      const answer = await this.request("events", {
        method: "POST",
        body: this.body(events),
        signal: AbortSignal.timeout(PATIENCE),
      });
      await this.read(answer, events);
    } catch {
      this.failed(navigator.onLine ? "the server does not answer" : "no network");
    }
    this.busy = false;
    this.tell.changed();
    if (this.waiting.size && !this.trouble) this.send();
  }

  async read(answer, events) {
    if (answer.status === 401) {
      if (this.closing.signal.aborted && !this.unkept) return this.waiting.clear();
      this.failed("the page's pass has expired; fetching another");
      return this.tell.unauthorised();
    }
    if (answer.status === 413 && events.length > 1) {
      this.limit = Math.ceil(events.length / 2);
      return;
    }
    if (!answer.ok) {
      const said = await answer.json().catch(() => ({}));
      this.failed(said.error ?? `the server answered ${answer.status}`);
      return;
    }
    const said = await answer.json();
    this.failures = 0;
    this.trouble = "";
    for (const id of said.acknowledged) this.drop(id);
    for (const { event, why } of said.refused) this.refuse(event, why);
    this.tell.answered(said, events);
  }

  refuse(id, why) {
    const event = this.waiting.get(id);
    if (!event) return;
    this.waiting.delete(id);
    this.refused.set(id, { ...event, why });
    try {
      localStorage.setItem(this.prefix + id, JSON.stringify({ ...event, why }));
    } catch {
      // the list on the page still has it
    }
  }

  failed(why) {
    this.trouble = why;
    const wait = BACKOFF[Math.min(this.failures, BACKOFF.length - 1)] * (0.75 + Math.random() / 2);
    this.failures += 1;
    this.timer = setTimeout(() => this.retry(), wait);
  }

  retry() {
    this.trouble = "";
    this.send();
  }

  renewed(token) {
    if (token === this.token) return;
    this.token = token;
    this.retry();
  }

  // The page goes away: one last try that outlives it. What does not arrive is in localStorage for the next page.
  parting() {
    if (!this.waiting.size) return;
    const body = this.body([...this.waiting.values()].slice(0, 100));
    if (body.length < 60000) this.request("events", { method: "POST", body, keepalive: true }).catch(() => {});
  }
}
