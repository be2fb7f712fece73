// Text as it was imported, made readable: nothing here parses it, loads from it or changes it.
// Every function builds DOM text nodes; `textContent` of what is drawn equals the text given.

const MARK_LIMIT = 400; // marks in one passage: beyond that they say nothing and cost layout
const BLOCK_SIZE = 6000; // characters; blocks out of sight are not laid out (content-visibility)

const COMMON = new Set(
  ("a about after all also an and any are as at be been before but by can could did do does for from get give had has " +
    "have how i if in into is it its many may me much must my no not of on or our out over should so than that the " +
    "their them then there these they this to under up us was we were what when where which who why will with would " +
    "you your").split(" "),
);

// Characters that are invisible or reorder what is around them, except those that a script needs (ZWJ, ZWNJ, LRM, RLM).
const HIDDEN = new RegExp(
  "\\r(?!\\n)|[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u200B\\u202A-\\u202E\\u2060" +
    "\\u2066-\\u2069\\uFEFF]|[\\u{E0000}-\\u{E007F}]+",
  "gu",
);
const CONTROLS = ("NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB " +
  "ESC FS GS RS US").split(" ");
const NAMES = {
  0x7f: "DEL",
  0x200b: "ZWSP", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO", 0x2060: "WJ",
  0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xfeff: "BOM",
};

// An element with attributes, properties (className, textContent, on...) and children.
function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in node && !name.includes("-") && name !== "role") node[name] = value;
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function symbolOf(characters) {
  const code = characters.codePointAt(0);
  if (code >= 0xe0000) return "⟦TAGS⟧";
  return `⟦${CONTROLS[code] ?? NAMES[code] ?? "U+" + code.toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

// The words of a query worth marking in its passages, as one pattern; null when there are none.
function markPattern(query) {
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
  const patterns = new Map();
  for (const word of query.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}_.:/-]*/gu) ?? []) {
    if (unspaced.test(word)) {
      if (!Intl.Segmenter) continue;
      for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(word)) {
        if (isWordLike && segment.length > 1) patterns.set(segment, escaped(segment));
      }
      continue;
    }
    const term = word.toLowerCase().replace(/[_.:/-]+$/u, "");
    if (COMMON.has(term) || (term.length < 3 && !/\p{N}/u.test(term))) continue;
    const stem = term.length > 4 && /^[a-z]+$/.test(term) ? term.replace(/(?:ies|ing|ed|es|s|e|y)$/, "") : term;
    const ending = stem === term && term.length < 4 ? "s?" : "\\p{L}{0,3}";
    patterns.set(term, `(?<![\\p{L}\\p{N}])${escaped(stem)}${/\p{L}$/u.test(stem) ? ending : ""}(?![\\p{L}\\p{N}])`);
  }
  const longest = [...patterns].sort((a, b) => b[0].length - a[0].length).slice(0, 24);
  return longest.length ? new RegExp(longest.map(([, pattern]) => pattern).join("|"), "giu") : null;
}

function escaped(word) {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

// Appends `text` to `host`: hidden characters drawn as symbols (kept in the text), words of `pattern` marked.
function writeText(host, text, pattern = null, budget = { marks: MARK_LIMIT }) {
  let from = 0;
  const plain = (until) => {
    if (until > from) writeMarked(host, text.slice(from, until), pattern, budget);
  };
  for (const found of text.matchAll(HIDDEN)) {
    const flag = found[0].codePointAt(0) >= 0xe0000 && text.slice(0, found.index).endsWith("\u{1F3F4}");
    if (flag) continue; // the flags of England, Scotland and Wales are spelt with these
    plain(found.index);
    const characters = found[0].codePointAt(0) >= 0xe0000 ? [found[0]] : [...found[0]];
    for (const one of characters) {
      host.append(el("span", { className: "lb-hidden", "data-symbol": symbolOf(one), textContent: one }));
    }
    from = found.index + found[0].length;
  }
  plain(text.length);
  return host;
}

function writeMarked(host, text, pattern, budget) {
  let from = 0;
  if (pattern && budget.marks > 0) {
    for (const found of text.matchAll(pattern)) {
      if (budget.marks-- <= 0) break;
      if (found.index > from) host.append(text.slice(from, found.index));
      host.append(el("mark", { textContent: found[0] }));
      from = found.index + found[0].length;
    }
  }
  if (from < text.length) host.append(text.slice(from));
}

const TABLE = /^\s*\|.*\|\s*$|\t.*\S|[\u2500-\u257F]|^[^,]*\S {3,}\S/u;
const INDENTED = /^(?: {4}|\t)\s*\S/u;
const CODE = /[{};]\s*$|^\s*(?:def|class|import|from|return|if|for|while|const|let|var|func|SELECT|INSERT|UPDATE|CREATE|#include|\$|>>>|<\/?\w+)[\s(>]|=>|::/u;

// Cuts text into runs of prose and of what needs columns (code, tables): [{mono, text}], which join to the text.
function cutText(text) {
  const lines = text.split(/(?<=\n)/u);
  const written = lines.filter((line) => line.trim());
  const code = written.length > 2 && written.filter((line) => CODE.test(line)).length > 0.4 * written.length;
  const runs = [];
  let fenced = false;
  for (const line of lines) {
    const fence = /^\s*(?:```|~~~)/u.test(line);
    const blank = !line.trim() && runs.length > 0;
    const mono = code || fenced || fence || (blank ? runs.at(-1).mono : TABLE.test(line) || INDENTED.test(line));
    if (fence) fenced = !fenced;
    const last = runs.at(-1);
    if (last && last.mono === mono) {
      last.text += line;
      last.lines += blank ? 0 : 1;
      last.sure ||= code || fence;
    } else runs.push({ mono, text: line, lines: 1, sure: code || fence });
  }
  for (const [index, run] of runs.entries()) {
    if (run.mono && run.lines < 2 && !run.sure) run.mono = false;
    const blank = run.mono && runs[index + 1] ? (run.text.match(/(?<=\n)(?:[^\S\n]*\n)+$/u)?.[0] ?? "") : "";
    run.text = run.text.slice(0, run.text.length - blank.length);
    if (blank) runs[index + 1].text = blank + runs[index + 1].text; // the box ends where its content does
  }
  const joined = [];
  for (const run of runs) {
    if (joined.at(-1)?.mono === run.mono) joined.at(-1).text += run.text;
    else joined.push({ mono: run.mono, text: run.text });
  }
  return joined;
}

// Draws a passage's text into `host`; `mono` true shows all of it in columns, false as it was recognised.
function drawPassage(host, text, { pattern, mono }) {
  const budget = { marks: MARK_LIMIT };
  const blocks = document.createDocumentFragment();
  for (const run of mono ? [{ mono: true, text }] : cutText(text)) {
    const outer = run.mono ? el("div", { className: "lb-mono", tabIndex: -1 }) : blocks;
    for (let from = 0; from < run.text.length; ) {
      let until = from + BLOCK_SIZE;
      until = until >= run.text.length ? run.text.length : run.text.indexOf("\n", until) + 1 || run.text.length;
      const block = el("div", { className: run.mono ? "lb-columns" : "lb-prose", dir: "auto" });
      outer.append(writeText(block, run.text.slice(from, until), pattern, budget));
      from = until;
    }
    if (run.mono) blocks.append(outer);
  }
  host.replaceChildren(blocks);
  host.classList.toggle("lb-long", text.length > 3 * BLOCK_SIZE);
}
