"""Answers apart from retrieval: how many are right, how far their contexts support them, what
became of each query, and which stage to work on. One object for the page and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from labeler.errors import LabelerError
from labeler.judges import claims
from labeler.model import CONTEXTS, Decision, Grade
from labeler.reports import agreement, answer_cases
from labeler.reports import basis as bases
from labeler.reports.answer_cases import Case
from labeler.reports.basis import Basis
from labeler.stats import answers as stats
from labeler.stats.answers import Accuracy, Contrast, Fate, Graded
from labeler.stats.intervals import Estimate
from labeler.stats.measures import Reading
from labeler.store import answers, goldens, holdouts, spotchecks, verdicts
from labeler.store.comparison import Selection
from labeler.store.db import Store

PRODUCTION = CONTEXTS[0]


class Faithfulness(NamedTuple):
    """Supported claims over claims, the mean over the `answers` that claim something, by need.

    `without_claims` answers claim nothing and have none, of `unknown` ones the context is not
    known, `unchecked` ones have no readable reply. The counts of `claims` are over all answers.
    """

    mean: Estimate
    answers: int
    without_claims: int
    unknown: int
    unchecked: int
    claims: Mapping[str, int]


class Refusals(NamedTuple):
    """Queries that nothing answers: `right` were refused, `wrong` answered all the same, `ungraded`
    have no grade, `missing` no answer. `refused` of the `checked` answers to queries that can be
    answered refuse; None where no claims were listed."""

    unanswerable: int
    right: int
    wrong: int
    ungraded: int
    missing: int
    refused: int | None
    checked: int


class Kind(NamedTuple):
    """The answers to queries of one kind: those with a grade, and the share of right ones."""

    kind: str
    answers: int
    graded: int
    right: Estimate


class Judged(NamedTuple):
    """The judge of the answers, and what the gate says of it there."""

    selection: Selection
    decision: Decision
    sentence: str
    n: int


@dataclass(frozen=True)
class Group:
    """The answers of a system in one kind of context. `overall` is over every golden query, None
    where nothing says which those are; `outside` answers are to other queries."""

    system: str
    context: str
    cases: Sequence[Case]
    strict: Accuracy
    lenient: Accuracy
    overall: Accuracy | None
    missing: int
    outside: int
    faithfulness: Faithfulness
    refusals: Refusals
    fates: Mapping[Fate, int]
    kinds: Sequence[Kind]

    @property
    def wrong(self) -> list[Case]:
        """The answers that are not right, NO before PART."""
        found = [case for case in self.cases if case.right is False]
        return sorted(found, key=lambda case: case.grade is Grade.PART)

    @property
    def stale(self) -> int:
        """Verdicts on what has changed since."""
        return sum(case.stale for case in self.cases)


class Compared(NamedTuple):
    """A system's answers with another kind of context against those in production."""

    system: str
    context: str
    found: Contrast


@dataclass(frozen=True)
class Report:
    """What is known of the answers. `basis` is None where there is no golden set and no label of a
    passage; `judged` where no judge has graded an answer. `checker` is the model that listed the
    claims, "" for none."""

    basis: Basis | None
    judged: Judged | None
    checker: str
    groups: Sequence[Group]
    compared: Sequence[Compared]
    left_alone: int
    """Answers to queries that the golden set holds out."""


def choose(
    store: Store, *, judge: str | None = None, rubric: str | None = None, model: str | None = None
) -> Selection | None:
    """The newest judge, rubric and model with verdicts on answers that fit, on its newest spot
    check where one was drawn; None where nobody has judged an answer and none was asked for."""
    known = verdicts.judges(store, answers=True)
    for found in known:
        if all(
            asked is None or asked == value
            for asked, value in zip((judge, rubric, model), found[:3], strict=True)
        ):
            checks = [
                check.name
                for check in spotchecks.history(store)
                if (check.judge, check.rubric, check.model) == found[:3]
            ]
            return Selection(*found[:3], checks[0] if checks else None, answers=True)
    if judge is None and rubric is None and model is None:
        return None
    asked_for = " ".join(filter(None, (judge, rubric, model)))
    names = ", ".join(" ".join(filter(None, found[:3])) for found in known) or "none"
    raise LabelerError(f"There are no verdicts of {asked_for} on answers; known: {names}")


def build(
    store: Store,
    *,
    system: str = "",
    golden: str | None = None,
    judged: Selection | None = None,
) -> Report:
    """Everything about the answers that stand, of every system or of one.

    Raises LabelerError where there is no answer, and for a golden set that is not there.
    """
    shown = answers.exhibits(store, answers.current(store, system=system))
    if not shown:
        known = ", ".join(sorted({one.system for one in answers.current(store)}))
        none = f"There are no answers of {system!r}; known: {known}" if known else ""
        raise LabelerError(none or "There are no answers: import a system's", needs="answers")
    basis = _basis(store, golden)
    held = _held_out(store, basis)
    everything, shown = shown, {k: v for k, v in shown.items() if v.answer.query_id not in held}
    cases, checker = answer_cases.read(store, list(shown.values()), basis, judged)
    against = answers.yardsticks(store, basis.golden) if basis else {}
    refusing = {query_id for query_id, of in against.items() if of.unanswerable}
    groups = [
        _group(*key, list(of), basis, refusing)
        for key, of in groupby(
            cases, key=lambda case: (case.answer.system, case.answer.context_kind)
        )
    ]
    decided = None
    if judged is not None:
        gate = agreement.build(store, judged, by=())
        decided = Judged(judged, gate.gate.decision, gate.gate.sentence, gate.agreement.n)
    left_alone = len(everything) - len(shown)
    return Report(basis, decided, checker, groups, list(_compared(groups)), left_alone)


def _basis(store: Store, golden: str | None) -> Basis | None:
    """What answers are expected to; None where nothing says so and nothing was asked for."""
    try:
        return bases.read(store, golden)
    except LabelerError:
        if golden is not None:
            raise
        return None


def _held_out(store: Store, basis: Basis | None) -> frozenset[str]:
    """The queries that the golden set holds out: their answers are left alone too."""
    if basis is None or not basis.left_alone:
        return frozenset()
    return holdouts.part(store, goldens.named(store, basis.ref)).held_out


def _group(
    system: str, context: str, cases: list[Case], basis: Basis | None, refusing: set[str]
) -> Group:
    golden = list(basis.golden) if basis else []
    needs = {case.query.query_id: case.query.need_id for case in cases}
    if basis:
        needs |= basis.needs
    rows = [Graded(case.answer.query_id, case.judge, case.people) for case in cases]
    asked, there = set(golden), {case.answer.query_id for case in cases}
    within = [row for row in rows if row.query_id in asked]
    return Group(
        system,
        context,
        cases,
        stats.accuracy(rows, needs=needs),
        stats.accuracy(rows, needs=needs, reading=Reading.LENIENT),
        stats.accuracy(within, needs=needs, asked=golden) if golden else None,
        len(asked - there),
        len(there - asked) if golden else 0,
        _faithfulness(cases, needs),
        _refusals(cases, refusing - there),
        Counter(case.fate for case in cases),
        list(_kinds(cases, needs)),
    )


def _faithfulness(cases: Sequence[Case], needs: Mapping[str, str]) -> Faithfulness:
    told = [(case, case.claims) for case in cases if case.claims is not None]
    values = {
        case.answer.query_id: of.faithfulness for case, of in told if of.faithfulness is not None
    }
    counts = Counter(str(claim.support) for _, of in told for claim in of.claims)
    unknown = sum(not case.checkable for case in cases)
    return Faithfulness(
        stats.mean(values, needs=needs, reason="no answer with a claim has been checked"),
        len(values),
        len(told) - len(values),
        unknown,
        len(cases) - len(told) - unknown,
        {str(each): counts[each] for each in claims.Support},
    )


def _refusals(cases: Sequence[Case], missing: set[str]) -> Refusals:
    nothing = [case for case in cases if case.unanswerable]
    rights = Counter(case.right for case in nothing)
    checked = [
        case.claims.refuses for case in cases if case.claims is not None and not case.unanswerable
    ]
    return Refusals(
        len(nothing) + len(missing),
        rights[True],
        rights[False],
        rights[None],
        len(missing),
        sum(checked) if checked else None,
        len(checked),
    )


def _kinds(cases: Sequence[Case], needs: Mapping[str, str]) -> Iterator[Kind]:
    for kind in sorted({case.query.kind for case in cases}):
        of = [case for case in cases if case.query.kind == kind]
        values = _rights(of)
        yield Kind(
            kind, len(of), len(values), stats.mean(values, needs=needs, reason="none is graded")
        )


def _rights(cases: Sequence[Case]) -> dict[str, float]:
    return {c.answer.query_id: float(c.right) for c in cases if c.right is not None}


def _compared(groups: Sequence[Group]) -> Iterator[Compared]:
    """Each system's other contexts against production, on the queries that have a grade in both."""
    for group in groups:
        if group.context == PRODUCTION:
            continue
        for other in groups:
            if (other.system, other.context) == (group.system, PRODUCTION):
                needs = {case.query.query_id: case.query.need_id for case in other.cases}
                found = stats.contrast(_rights(other.cases), _rights(group.cases), needs=needs)
                yield Compared(group.system, group.context, found)
