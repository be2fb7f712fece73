// Which key means what, and when a key is not ours: while typing, in a dialog, with a modifier, held down.

const GRADE_KEYS = { y: "YES", p: "PART", n: "NO", 1: "YES", 2: "PART", 3: "NO" };
const COMMAND_KEYS = {
  0: "unsure", l: "later", u: "undo", "/": "note", "?": "help", r: "rubric", m: "columns",
  arrowleft: "back", arrowright: "forward",
};
const SCROLL_KEYS = new Set([" ", "PageDown", "PageUp", "ArrowDown", "ArrowUp", "Home", "End"]);
const TYPING = "textarea,select,[contenteditable=''],[contenteditable=true],[role=textbox],[role=combobox]," +
  "[role=slider],[role=spinbutton],input:not([type=checkbox],[type=radio],[type=button],[type=submit])";
const DIALOGS = "dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]," +
  "body > :not(#root) :is([role=menu],[role=listbox])"; // what drops down from a widget hangs outside the page

// What a key says: {grade} or {command}, null when nothing. A keyboard of another script answers by place.
function meaning(press) {
  const key = press.key.toLowerCase();
  const place = /^Key[A-Z]$/.test(press.code) && !/^[\x20-\x7e]$/.test(key) ? press.code.slice(3).toLowerCase()
    : /^Digit\d$/.test(press.code) && !press.shiftKey && !/^\d$/.test(key) ? press.code.slice(5) : null;
  for (const one of [key, place]) {
    if (Object.hasOwn(GRADE_KEYS, one)) return { grade: GRADE_KEYS[one] };
    if (Object.hasOwn(COMMAND_KEYS, one)) return { command: COMMAND_KEYS[one] };
  }
  return null;
}

function dialogOpen() {
  return [...document.querySelectorAll(DIALOGS)].some((one) => one.checkVisibility({ visibilityProperty: true }));
}

// The one keydown listener of the page. `page` has view, singleKeys, act(), command(), on the screen or not.
function listen(page, press) {
  const target = press.composedPath()[0];
  if (!page.view.root.isConnected || press.isComposing || press.keyCode === 229) return;
  if (press.ctrlKey || press.metaKey || press.altKey) return;
  if (target instanceof Element && target.matches(TYPING)) return;
  const said = meaning(press);
  const ours = () => {
    press.preventDefault();
    press.stopImmediatePropagation(); // Streamlit has meanings of its own for some letters
  };
  if (page.view.sheets.open) {
    if (press.key.length === 1) press.stopImmediatePropagation();
    if (!press.repeat && ["help", "rubric"].includes(said?.command)) page.command(said.command, press, ours());
    return;
  }
  if (dialogOpen()) return;
  const inside = target instanceof Element && page.view.root.contains(target);
  const pressable = target instanceof Element && target.closest("button,a,summary,input");
  if (press.repeat && pressable && inside && (press.key === "Enter" || press.key === " ")) return ours();
  if (SCROLL_KEYS.has(press.key)) {
    if (pressable && press.key === " ") return;
    if (target !== document.body && !inside) return;
    if (page.view.text.contains(target) && press.key !== " ") return;
    ours();
    page.view.scroll(press.key, press.shiftKey);
    return;
  }
  if (press.key === "c" || press.key === "C") return press.stopImmediatePropagation(); // Streamlit would offer to clear its cache
  if (!said || (!page.singleKeys && said.command !== "help")) return;
  if (["back", "forward"].includes(said.command) && target instanceof Element && target.closest(".lb-mono")) return;
  ours();
  if (press.repeat) return;
  if (said.grade) page.act("label", said.grade, press);
  else page.command(said.command, press);
}
