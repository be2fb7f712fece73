"""The report on answers in words and as tables; `answers_json` has it as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from labeler.answering import Costs, Judging
from labeler.model import Decision
from labeler.reports import judging
from labeler.reports.answer_cases import Case
from labeler.reports.answers import Compared, Group, Report
from labeler.reports.render import counted, judge_name, money, share, short, split, table
from labeler.stats.answers import MEANING, Accuracy, Advice, Fate
from labeler.stats.explanation import percent
from labeler.stats.intervals import Estimate
from labeler.stats.needs import SMALL

HEADER = ("system", "context", "answers", "judge", "people", "corrected", "faithful", "end to end")
"""The columns of `rows`."""

NOTHING_TO_COMPARE = (
    "Not known: import the answers to the same queries with the right passages in hand, chosen by "
    'a person (the context "selected").'
)
"""What stands for advice where a system has one kind of context alone."""

SHOWN = 10
"""Wrong answers that the terminal lists for each group."""


def judged(done: Judging) -> str:
    """What a run of the judge came to."""
    lines, asked = [judging.summary(done.correctness, "answers")], done.faithfulness
    if asked is not None:
        lines.append(f"claims: {asked.kept:,} answers checked against their contexts")
        others = {
            "checked before": asked.before,
            "with an unreadable reply, to be asked again when that is wanted": asked.unreadable,
            "without a reply": asked.missed,
            "left": asked.left,
            "came without a context that is known": done.unknown,
        }
        lines += [f"  {count:,} {what}" for what, count in others.items() if count]
        lines.append(f"  {money(asked.cost)} with the verdicts")
    return "\n".join(lines)


def costs(cost: Costs) -> Iterator[str]:
    """What a run would take, estimated."""
    for name, one in (("verdicts", cost.correctness), ("claims", cost.faithfulness)):
        if one is not None:
            tokens = f"~{one.input_tokens:,} tokens in, ~{one.output_tokens:,} out"
            yield f"{name}: {one.requests:,} requests, {tokens}, {money(one.dollars)}"


def rows(report: Report) -> list[tuple[str, ...]]:
    """A row a system and kind of context: right answers three ways, faithfulness, all queries."""
    return [_row(group) for group in report.groups]


def _row(group: Group) -> tuple[str, ...]:
    right = group.strict.corrected
    return (
        group.system,
        group.context,
        f"{len(group.cases):,}",
        _cell(right.judge_only),
        _cell(right.people_only),
        _cell(right.corrected),
        _cell(group.faithfulness.mean),
        _cell(best(group.overall)) if group.overall else "",
    )


def best(found: Accuracy) -> Estimate:
    """The corrected share where people have labelled any, else the judge's alone."""
    right = found.corrected
    return right.judge_only if right.people_only.value is None else right.corrected


def _cell(estimate: Estimate) -> str:
    value, interval = split(estimate, share=True)
    return f"{value} ({interval})" if estimate.interval else value


def quoted(found: Accuracy) -> str:
    """Which of the three shares to quote, and why."""
    right = found.corrected
    said = f"quote {right.quote}: {right.why}"
    if found.uncovered and right.labelled:
        grades = " and ".join(map(str, found.uncovered))
        said += f"; no answer judged {grades} is labelled, so that little is known of those"
    return said


def advice(one: Compared) -> str:
    """Which stage to work on, from the same queries answered with another context."""
    found = one.found
    if not found.needs:
        return (
            f"{one.system}: no query has a graded answer both in production and with the "
            f"{one.context} context"
        )
    p, s = (percent(of.value or 0.0) for of in (found.production, found.other))
    on = f"on {counted(found.needs, 'need')}"
    gap = _gap(found.difference)
    few = f" Fewer than {SMALL} needs tell little." if found.needs < SMALL else ""
    if one.context == "frozen":
        better = {1: "the frozen context is better", -1: "production's context is better"}
        verdict = better.get(found.apart, "not told apart")
        return (
            f"{one.system}: with the frozen context {s} are right, against {p} in production "
            f"({gap}, {on}): {verdict}.{few}"
        )
    lost = percent(found.beyond.value or 0.0)
    if found.advice is Advice.RETRIEVAL:
        return (
            f"{one.system}: with the right passages in hand {s} are right, against {p} in "
            f"production ({gap}, {on}): work on retrieval. Generation loses {lost} even so.{few}"
        )
    if found.advice is Advice.GENERATION:
        return (
            f"{one.system}: even with the right passages in hand only {s} are right, against {p} "
            f"in production ({gap}, {on}): work on generation, which loses {lost}.{few}"
        )
    if found.advice is Advice.NEITHER:
        return f"{one.system}: neither stage loses anything {on}.{few}"
    return (
        f"{one.system}: with the right passages in hand {s} are right, against {p} in production "
        f"({gap}, {on}); generation loses {lost} even so. Which stage loses more is not told "
        f"apart.{few}"
    )


def caution(report: Report) -> str:
    """What the advice rests on, where the judge may not be believed; "" where it may."""
    if report.judged is None or report.judged.decision is Decision.TRUSTED:
        return ""
    return (
        "This rests on the judge's grades where people have given none, and the gate says "
        f"{report.judged.decision} of that judge."
    )


def _gap(difference: Estimate) -> str:
    """A difference in percentage points, with its interval."""
    value = 100 * (difference.value or 0.0)
    if difference.interval is None:
        return f"{value:+.1f} points"
    lo, hi = (100 * end for end in difference.interval)
    return f"{value:+.1f} points, {lo:+.1f} to {hi:+.1f}"


def lines(report: Report) -> Iterator[str]:
    """The report for the terminal."""
    yield from head(report)
    yield ""
    yield from table(HEADER, rows(report))
    for group in report.groups:
        yield ""
        yield f"{group.system}, {group.context} context"
        yield from (f"  {line}" for line in details(group))
        for header, found in ((FATES, fates(group)), (KINDS, kinds(group))):
            yield ""
            yield from (f"  {line}" for line in table(header, found))
        yield ""
        for case in group.wrong[:SHOWN]:
            yield from (f"  {line}" for line in wrong(case))
        hidden = len(group.wrong) - SHOWN
        if hidden > 0:
            yield f"  and {hidden:,} more answers that are not right (the JSON holds all)"
    yield ""
    yield "Which stage to work on"
    yield from (f"  {advice(one)}" for one in report.compared)
    if not report.compared:
        yield f"  {NOTHING_TO_COMPARE}"
    elif said := caution(report):
        yield f"  {said}"


def head(report: Report) -> Iterator[str]:
    """What was graded by whom, and whether that one may be trusted."""
    if report.judged is None:
        yield "No judge has graded an answer: `labeler answers judge`"
    else:
        of = report.judged.selection
        yield f"Judge      {judge_name(of.judge, of.rubric, of.model)}"
        yield f"           {report.judged.sentence}"
    yield f"Claims     {report.checker or 'nobody has listed them: `labeler answers judge`'}"
    basis = report.basis
    if basis is None:
        yield "Golden set none: without one it is not known which queries lack an answer"
    else:
        size = counted(len(basis.golden), "query", plural="queries")
        left = f"; {report.left_alone:,} answers to held-out ones" if report.left_alone else ""
        yield f"Golden set {basis.ref}, {size}" + (f"{left} are left alone" if left else "")


def details(group: Group) -> Iterator[str]:
    """A group's numbers that are not in the table, line by line."""
    graded = any(of.graded for of in group.kinds)
    if graded:
        yield f"right answers: {quoted(group.strict)}"
        yield f"right, PART counting too: {share(best(group.lenient))}"
    else:
        yield "right answers: none is graded yet"
    if graded and group.overall is not None:
        yield (
            f"end to end, over every golden query ({group.missing:,} without an answer count as "
            f"wrong): {quoted(group.overall)}"
        )
    if group.outside:
        yield f"{group.outside:,} answers are to queries outside the golden set"
    if group.stale:
        yield (
            f"{group.stale:,} verdicts are on what has changed since: `labeler answers judge` "
            "grades those again"
        )
    yield from _faithful(group)
    yield from _refused(group)


FATES = ("what became of it", "queries", "that is")
"""The columns of `fates`."""

KINDS = ("kind", "answers", "graded", "right")
"""The columns of `kinds`."""


def fates(group: Group) -> list[tuple[str, ...]]:
    """What became of the queries, and how many there are of each."""
    return [
        (str(fate), f"{group.fates[fate]:,}", MEANING[fate])
        for fate in Fate
        if group.fates.get(fate)
    ]


def kinds(group: Group) -> list[tuple[str, ...]]:
    """Right answers by the kind of their query."""
    return [
        (of.kind or "(no kind)", f"{of.answers:,}", f"{of.graded:,}", share(of.right))
        for of in group.kinds
    ]


def _faithful(group: Group) -> Iterator[str]:
    found = group.faithfulness
    total = sum(found.claims.values())
    if found.answers:
        counts = ", ".join(f"{n:,} {name}" for name, n in found.claims.items())
        yield f"faithful to its context: {share(found.mean)}, {total:,} claims: {counts}"
    left = {
        "claim nothing": found.without_claims,
        "came without a context that is known": found.unknown,
        "are not checked": found.unchecked,
    }
    said = ", ".join(f"{n:,} {what}" for what, n in left.items() if n)
    if said:
        yield f"left out of faithfulness: {said}"


def _refused(group: Group) -> Iterator[str]:
    found = group.refusals
    if found.unanswerable:
        counts = {"refused": found.right, "answered all the same": found.wrong}
        counts |= {"not graded": found.ungraded, "without an answer": found.missing}
        said = ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)
        yield f"{counted(found.unanswerable, 'query', plural='queries')} nothing answers: {said}"
    if found.refused:
        yield f"{found.refused:,} of {found.checked:,} answers refuse what can be answered"


def wrong(case: Case) -> Iterator[str]:
    """An answer that is not right, as lines."""
    who = "people" if case.people else "judge"
    yield f"{case.answer.query_id}: {case.grade} ({who}), {case.fate}"
    yield f"  query   {short(case.query.text)}"
    yield f"  answer  {short(case.answer.text)}"
    if case.reason:
        yield f"  judge   {short(case.reason)}"
    for claim in case.claims.claims if case.claims else ():
        if claim.support != "supported":
            yield f"  claim   {claim.support}: {short(claim.text)}"
