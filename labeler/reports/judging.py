"""What a judge's run comes to, for the terminal and the page alike."""

from __future__ import annotations

from labeler.judges import lexical
from labeler.judging import Summary
from labeler.reports.render import counted, money


def title(name: str) -> str:
    """What a judge is called wherever it shows: the lexical one is a baseline and says so."""
    return lexical.TITLE if name == lexical.NAME else name


def summary(done: Summary, what: str = "pairs") -> str:
    """A run in a few lines; `what` was judged."""
    who = ", ".join(filter(None, (title(done.judge), done.rubric, done.model)))
    grades = ", ".join(f"{done.grades[grade]:,} {grade}" for grade in ("YES", "PART", "NO"))
    lines = [f"{who}: {done.judged:,} {what} judged ({grades})"]
    others = {
        "unreadable": done.unreadable,
        "without a reply": done.missed,
        "taken over from the same text elsewhere": done.copied,
        "judged before": done.judged_before,
        "waiting in open batches": done.in_batches,
        "without text": done.without_text,
        "left": done.left,
    }
    lines += [f"  {count:,} {what}" for what, count in others.items() if count]
    if done.model:
        tokens = f"{done.input_tokens:,} tokens in, {done.output_tokens:,} out"
        lines.append(f"  {money(done.cost)} ({tokens})")
    if done.cost_uncertain:
        lines.append(f"  up to {money(done.cost_uncertain)} more for calls without an account")
    if done.unreadable + done.unreadable_kept:
        count = done.unreadable + done.unreadable_kept
        kept = counted(count, "unreadable reply", plural="unreadable replies")
        lines.append(f"  {kept} kept, to be asked again when that is wanted")
    return "\n".join(lines)
