// The two sheets over the page: what the keys do, and the rubric.

// What is graded is a passage, or the answer that a system gave.
const GRADES = [
  { grade: "YES", key: "1", other: "Y", says: { passage: "answers it by itself", answer: "right and complete" } },
  { grade: "PART", key: "2", other: "P", says: { passage: "answers a part of it", answer: "right, not complete" } },
  { grade: "NO", key: "3", other: "N", says: { passage: "does not help", answer: "wrong" } },
];
const MEANING = {
  passage: [
    [["1", "Y"], "YES: the passage answers the query by itself"],
    [["2", "P"], "PART: it answers a part of it, or needs another passage beside it"],
    [["3", "N"], "NO: it does not help"],
  ],
  answer: [
    [["1", "Y"], "YES: right and complete, or rightly refused"],
    [["2", "P"], "PART: right as far as it goes, something required is missing"],
    [["3", "N"], "NO: wrong, unsupported, or wrongly refused"],
  ],
};

// The page's own words, written for passages, said of what is graded. Never for text that people or files brought.
function worded(subject, words) {
  if (subject !== "answer") return words;
  return words.replace("of this query", "to this query").replace(/([Pp])assage/g, (_, p) => (p === "P" ? "Answer" : "answer"));
}

const HELP = [
  [["0"], "Unsure: you can't tell. Never counted as NO"],
  [["L"], "Later: it comes again after the others"],
  [["U"], "Undo: back to the passage before. Its label stands until you press another"],
  [["←", "→"], "Move among your passages without labelling"],
  [["/"], "Write a note. Enter keeps it, Esc leaves it as it was"],
  [["Space", "↑", "↓"], "Scroll the passage"],
  [["M"], "Show the passage in columns, for code and tables"],
  [["R"], "The rubric"],
  [["?"], "This sheet"],
];

class Sheets {
  // `keysWanted(on)` is called when the person turns the single keys on or off; `subject` is what is graded.
  constructor(keysWanted, subject) {
    this.subject = subject;
    const keys = el("dl", {}, ...[...MEANING[subject], ...HELP].flatMap(([pressed, says]) =>
      [el("dt", {}, ...pressed.map((key) => el("kbd", {}, key))), el("dd", {}, worded(subject, says))]));
    this.keysBox = el("input", { type: "checkbox", onchange: () => keysWanted(this.keysBox.checked) });
    this.help = this.sheet("help", "Keys", keys, el("label", { className: "lb-hint" }, this.keysBox,
      " Single keys label. Without them, use the buttons (Tab, Space)."));
    this.rubricText = el("div", { className: "lb-rubric", dir: "auto" });
    this.rubric = this.sheet("rubric", "Rubric", this.rubricText);
  }

  sheet(name, title, ...content) {
    const close = el("button", { type: "button", className: "lb-quiet", onclick: () => sheet.close() }, "Close",
      el("kbd", {}, "Esc"));
    const sheet = el("dialog", { className: "lb-sheet", "data-testid": `${name}-sheet`, "aria-label": title },
      el("header", {}, el("h2", {}, title), close), ...content);
    sheet.addEventListener("click", (click) => click.target === sheet && sheet.close());
    return sheet;
  }

  toggle(name) {
    if (this[name].open) this[name].close();
    else this[name].showModal();
  }

  get open() {
    return this.help.open || this.rubric.open;
  }

  drawRubric(rubric) {
    this.rubricText.replaceChildren();
    const plain = GRADES.map(({ grade, says }) => `${grade}: ${says[this.subject]}.`).join("\n");
    writeText(this.rubricText, rubric?.text || `This spot check's judge has no rubric to show. The grades mean:\n\n${plain}`);
    this.rubric.querySelector("h2").textContent = rubric?.ref ? `Rubric ${rubric.ref}` : "Rubric";
  }
}
