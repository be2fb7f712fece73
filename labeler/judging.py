"""A judge's run over pairs: resumable, and paid once (`sifting` says what a pair still needs)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from labeler.errors import JudgeServiceError, LabelerError
from labeler.judges import shipped
from labeler.judges.base import Asked, Judge, Missed
from labeler.judges.lexical import Lexical
from labeler.judges.spending import OutOfBudget, Spending
from labeler.model import Grade, Rubric, Verdict
from labeler.sifting import Need, Survey, pending, sift, survey
from labeler.store import corpora, rubrics, verdicts
from labeler.store.db import Store
from labeler.store.pairs import POOL, Scope


class Progress(NamedTuple):
    """How far a run is: pairs with a reply or without one, of `total` to ask; US dollars."""

    done: int
    total: int
    unreadable: int
    missed: int
    cost: float


@dataclass(frozen=True)
class Summary:
    """What a run did. Money in US dollars; `cost_uncertain` is for calls that may be charged, at
    most.

    `stopped` is "", "limit", "interrupted", "budget" or "service", and `problem` says in words why
    pairs are left that should not be.
    """

    judge: str
    rubric: str
    model: str
    pairs: int
    judged_before: int
    copied: int
    judged: int
    unreadable: int
    missed: int
    left: int
    in_batches: int
    without_text: int
    grades: dict[str, int]
    unreadable_kept: int
    cost: float | None
    cost_uncertain: float
    input_tokens: int
    output_tokens: int
    stopped: str = ""
    problem: str = ""


def never() -> bool:
    """The stop button of a run that has none."""
    return False


def rubric(store: Store, ref: str = "") -> Rubric:
    """The rubric `name@version`, or the newest of `name`: from the store, else from the package."""
    name = ref or shipped.DEFAULT
    found = rubrics.named(store, name)
    if found is None and name.partition("@")[2] in ("", "1"):
        found = shipped.rubric(name.partition("@")[0])
    if found is None:
        known = ", ".join(entry.rubric.ref for entry in rubrics.history(store))
        raise LabelerError(f"There is no rubric {ref!r}; known: {known or shipped.DEFAULT + '@1'}")
    return found


def lexical(store: Store) -> Lexical:
    """The lexical baseline, with its terms weighed by the store's corpus."""
    return Lexical(rubric(store, shipped.LEXICAL), corpora.every_passage(store))


def run_lexical(store: Store, *, scope: Scope = POOL) -> Summary:
    """Let the lexical baseline judge a scope. Offline, and for nothing."""
    return run(store, lexical(store), scope=scope)


@dataclass
class _Tally:
    """What came in so far."""

    total: int
    progress: Callable[[Progress], None] | None
    spending: Spending
    grades: Counter[Grade] = field(default_factory=Counter)
    unreadable: int = 0
    missed: list[Missed] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0

    def kept(self, came: Sequence[Verdict]) -> None:
        for verdict in came:
            if verdict.grade is None:
                self.unreadable += 1
            else:
                self.grades[verdict.grade] += 1
            self.input_tokens += verdict.input_tokens or 0
            self.output_tokens += verdict.output_tokens or 0
        self.tell()

    def miss(self, one: Missed) -> None:
        self.missed.append(one)
        self.tell()

    def tell(self) -> None:
        if self.progress is not None:
            done = self.grades.total() + self.unreadable
            missed, cost = len(self.missed), self.spending.known
            self.progress(Progress(done + missed, self.total, self.unreadable, missed, cost))


def run(
    store: Store,
    judge: Judge,
    *,
    scope: Scope = POOL,
    limit: int | None = None,
    retry_unreadable: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Summary:
    """Judge what the scope's pairs need, at most `limit` of them, and store each verdict as it
    comes.

    Never raises for the service, the budget or Ctrl-C: the summary says what stopped the run.
    `progress` is called after each commit, from the thread that stores.
    """
    keep_rubric(store, judge.rubric)
    found = survey(store, judge, scope=scope, retry_unreadable=retry_unreadable)
    spending = getattr(judge, "spending", None) or Spending()
    total = found.needs[Need.REPLY] if limit is None else min(limit, found.needs[Need.REPLY])
    tally = _Tally(total, progress, spending)
    copied = _copy(store, judge, scope, retry_unreadable) if found.needs[Need.COPY] else 0

    def keep(came: Sequence[Verdict]) -> None:
        verdicts.keep(store, came)
        tally.kept(came)

    def work() -> None:
        todo = pending(store, judge, scope=scope, retry_unreadable=retry_unreadable)
        if total:
            judge.answer(islice(todo, total), keep, missed=tally.miss, stop=stop)

    stopped, problem = until_stopped(work)
    if found.needs[Need.TWIN] and not stopped:
        copied += _copy(store, judge, scope, retry_unreadable)
    return _summary(judge, found, tally, copied=copied, stopped=stopped, problem=problem, stop=stop)


class Ended(NamedTuple):
    """What stopped a run before its end, "budget", "service" or "interrupted", and the problem in
    words; both "" where nothing did."""

    stopped: str
    problem: str


def until_stopped(work: Callable[[], None]) -> Ended:
    """Do what buys replies, and say what stopped it: the service, the budget, or Ctrl-C."""
    try:
        work()
    except OutOfBudget as error:
        return Ended("budget", str(error))
    except JudgeServiceError as error:
        return Ended("service", str(error))
    except KeyboardInterrupt:
        return Ended("interrupted", "")
    return Ended("", "")


def keep_rubric(store: Store, used: Rubric) -> None:
    """Store a rubric of the package on its first use, so that its verdicts have it beside them."""
    if used.name in shipped.RUBRICS and rubrics.named(store, used.name) is None:
        rubrics.add(store, used.name, text=used.text, examples=used.examples, by="labeler")


def _copy(store: Store, judge: Judge, scope: Scope, retry_unreadable: bool) -> int:
    """Let pairs take over the verdicts of the same request elsewhere."""
    sifted = sift(store, judge, scope=scope, retry_unreadable=retry_unreadable)
    wanting = (one.asked for one in sifted if one.need is Need.COPY and one.asked is not None)
    copied = 0
    while part := list(islice(wanting, 500)):
        found = verdicts.readable(store, [asked.request.request_id for asked in part])
        verdicts.keep(store, [_copied(judge, a, found[a.request.request_id]) for a in part])
        copied += len(part)
    return copied


def _copied(judge: Judge, asked: Asked, verdict: Verdict) -> Verdict:
    subject = asked.subject
    return replace(
        verdict,
        query_id=subject.query_id,
        passage_id=subject.passage_id,
        query_hash=subject.query_hash,
        passage_hash=subject.passage_hash,
        judge=judge.name,
        rubric=judge.rubric.ref,
        model=judge.model_id,
        input_tokens=None,
        output_tokens=None,
        cost=0.0,
        latency_ms=None,
        usage="",
        judged_at=None,
    )


def _summary(
    judge: Judge,
    found: Survey,
    tally: _Tally,
    *,
    copied: int,
    stopped: str,
    problem: str,
    stop: Callable[[], bool],
) -> Summary:
    needs, judged = found.needs, tally.grades.total()
    twins_left = max(0, needs[Need.COPY] + needs[Need.TWIN] - copied)
    left = needs[Need.REPLY] - judged - tally.unreadable + twins_left
    if not stopped and left > len(tally.missed):
        stopped = "interrupted" if stop() else "limit"
    if not problem and tally.missed:
        first = tally.missed[0]
        problem = (
            f"{len(tally.missed)} pairs got no reply and stay pending; the first: "
            f"query {first.query_id}, passage {first.passage_id}: {first.why}"
        )
    spending = tally.spending
    return Summary(
        judge.name,
        judge.rubric.ref,
        judge.model_id,
        found.pairs,
        needs[Need.NOTHING] + needs[Need.UNREADABLE],
        copied,
        judged,
        tally.unreadable,
        len(tally.missed),
        left,
        needs[Need.BATCH],
        needs[Need.TEXT],
        {grade.value: tally.grades[grade] for grade in Grade},
        needs[Need.UNREADABLE],
        None if spending.unpriced and not spending.known else spending.known,
        spending.uncertain,
        tally.input_tokens,
        tally.output_tokens,
        stopped,
        problem,
    )
