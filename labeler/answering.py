"""Answers from a file to the store, and what a judge says of them: whether each is right, and
whether its context supports what it claims."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from labeler import asking, formats, judging, noticing, sifting
from labeler.asking import Asked
from labeler.config import Config
from labeler.errors import LabelerError, UsageError
from labeler.estimating import OUTPUT_TOKENS
from labeler.formats import AnswerRow, Reading
from labeler.hiring import Reached
from labeler.importing import Options, Outcome, named
from labeler.judges import claims, prices, shipped
from labeler.judges.answers import AnswerJudge
from labeler.judges.calls import CONCURRENCY
from labeler.judges.writer import Prompt, Writer
from labeler.judging import Progress, Summary, never
from labeler.model import CONTEXTS, Answer, Exhibit, Given, Judgment, Status, Verdict
from labeler.reports.render import counted
from labeler.store import answers, corpora, labels, queries, verdicts
from labeler.store.answers import Brought
from labeler.store.db import Store
from labeler.store.imports import Source
from labeler.store.pairs import Scope

RUBRIC = f"{shipped.CORRECTNESS}@1"
"""What grades that a file brings beside its answers are taken to follow."""


@dataclass(frozen=True)
class Whose:
    """What a file's answers are: whose, given what, and who gave its grades, a judge or a person
    (neither: grades are not read)."""

    system: str
    context: str = "production"
    judge: str = ""
    annotator: str = ""


def bring(store: Store, path: Path, *, whose: Whose, options: Options) -> Outcome:
    """Import the answers of one system, and the grades beside them where it is said whose they are.

    Raises as `importing` does, with nothing stored. A system's answer to a query that has another
    one in the same kind of context is superseded.
    """
    system = named(whose.system, "system")
    if whose.context not in CONTEXTS:
        raise UsageError(f"{whose.context!r} is no kind of context: one of {', '.join(CONTEXTS)}")
    if whose.judge and whose.annotator:
        raise UsageError("Grades are a judge's or a person's, not both's", needs="whose grades")
    judge = named(whose.judge, "judge") if whose.judge else ""
    annotator = named(whose.annotator, "annotator") if whose.annotator else ""
    whose = Whose(system, whose.context, judge, annotator)
    reading, file = Reading(skip_bad=options.skip_bad), options.name(path)
    found = [
        row.record
        for row in formats.read_answers(
            path,
            grades=options.grades,
            reading=reading,
            columns=options.columns,
            name=file,
            graded=bool(judge or annotator),
        )
    ]
    known = corpora.ids(store)
    asked = {query.query_id: query.text for query in queries.current(store)}
    brought = [
        Brought(
            Answer(row.query_id, system, whose.context, row.answer, _named(row.context, known)),
            row.query,
        )
        for row in found
    ]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    source = Source(file, digest, options.person, reading.problems, options.progress)
    beside = Source(file, digest, options.person)
    with store.write():  # the answers with their grades, or neither
        done = answers.record(store, brought, source=source)
        _grades(store, whose, list(zip(done.answers, found, strict=True)), beside)
    remarks = [*map(str, reading.notes), *_remarks(done.answers, found, known, asked)]
    return Outcome("answers", file, len(found), done.added, tuple(reading.problems), tuple(remarks))


def _named(context: tuple[Given, ...] | None, known: set[str]) -> tuple[Given, ...] | None:
    """The context, with the strings that are ids of passages read as such."""
    if context is None:
        return None
    return tuple(
        Given(one.text, "") if not one.passage_id and one.text in known else one for one in context
    )


def _grades(
    store: Store, whose: Whose, rows: Sequence[tuple[Answer, AnswerRow]], source: Source
) -> None:
    """Store the grades that the file has beside its answers, as verdicts or as labels."""
    graded = [(answer, row) for answer, row in rows if row.grade is not None]
    if whose.judge:
        said = [
            Verdict(
                answer.query_id,
                answer.answer_id,
                whose.judge,
                row.grade,
                Status.OK,
                rubric=RUBRIC,
                reason=row.reason,
            )
            for answer, row in graded
        ]
        judging.keep_rubric(store, judging.rubric(store, RUBRIC))
        verdicts.record(store, said)
    elif whose.annotator:
        given = [
            Judgment(answer.query_id, answer.answer_id, row.grade, note=row.reason)
            for answer, row in graded
        ]
        labels.bring(store, given, annotator=whose.annotator, source=source)


def _remarks(
    stood: Iterable[Answer],
    found: Sequence[AnswerRow],
    known: set[str],
    asked: Mapping[str, str],
) -> Iterable[str]:
    alone = {row.query for row in found if not row.query_id}
    yield from noticing.by_text(alone, asked, others="queries of their own")
    yield from noticing.other_texts({(row.query_id, row.query) for row in found}, asked)
    joins = formats.near_misses({row.query_id for row in found if row.query_id}, asked)
    if joins.joined < joins.brought:
        yield f"{joins.sentence('queries')}; the others are kept as ids without text"
    given = [one for answer in stood for one in answer.context or ()]
    ids = {one.passage_id for one in given if one.passage_id}
    if unknown := ids - known:
        yield f"{len(unknown):,} of {len(ids):,} passages of the contexts are not in the corpus"
    short = sum(not one.passage_id and not any(map(str.isspace, one.text)) for one in given)
    if short:
        what = counted(short, "context")
        yield f"read as texts, for no passage has such an id: {what} without a space in them"
    if missing := sum(row.context is None for row in found):
        what = counted(missing, "answer")
        yield f"without their context, which faithfulness needs: {what}"


def exhibits(store: Store, *, system: str = "") -> dict[str, Exhibit]:
    """The answers that stand, with what each is judged against, by id. Raises where none does."""
    found = answers.exhibits(store, answers.current(store, system=system))
    if not found:
        known = sorted({one.system for one in answers.current(store)})
        if known:
            raise LabelerError(f"There are no answers of {system!r}; known: {', '.join(known)}")
        raise LabelerError("There are no answers: import a system's", needs="answers")
    return found


def seat(
    store: Store,
    config: Config,
    reached: Reached,
    *,
    rubric: str = "",
    system: str = "",
    max_cost: float | None = None,
    concurrency: int | None = None,
) -> AnswerJudge:
    """The Claude judge of answers, by the newest `correctness` unless told; asks nothing."""
    return AnswerJudge(
        reached.line,
        model=reached.model,
        rubric=judging.rubric(store, rubric or shipped.CORRECTNESS),
        price=prices.table(config.table("prices")).get(reached.model.id),
        exhibits=exhibits(store, system=system),
        concurrency=concurrency or CONCURRENCY,
        max_cost=max_cost,
    )


class Checks(NamedTuple):
    """What faithfulness asks about: a prompt an answer whose context is known, and how many answers
    cannot be checked."""

    prompts: list[Prompt]
    unknown: int


def checks(store: Store, judge: AnswerJudge) -> Checks:
    """The prompts about the judge's answers; builds, and asks nothing."""
    shown = list(judge.exhibits.values())
    asked = queries.named(store, sorted({one.answer.query_id for one in shown}))
    prompts = [
        claims.prompt(judge.model, query=asked[one.answer.query_id], exhibit=one)
        for one in shown
        if one.answer.query_id in asked and claims.known(one)
    ]
    return Checks(prompts, len(shown) - len(prompts))


class Costs(NamedTuple):
    """What a run would take: `faithfulness` is None where it would not ask for claims."""

    correctness: asking.Estimate
    faithfulness: asking.Estimate | None


def estimate(
    store: Store,
    chosen: AnswerJudge,
    *,
    system: str = "",
    faithfulness: bool = True,
    limit: int | None = None,
    retry_unreadable: bool = False,
) -> Costs:
    """What `judge` would ask for and cost; buys nothing."""
    scope = Scope(answers=True, system=system)
    todo = sifting.pending(store, chosen, scope=scope, retry_unreadable=retry_unreadable)
    graded = [Prompt(one.passage.passage_id, one.request) for one in islice(todo, limit)]
    verdict = asking.estimate(graded, price=chosen.price, output_tokens=OUTPUT_TOKENS)
    if not faithfulness:
        return Costs(verdict, None)
    prompts = asking.pending(
        store,
        checks(store, chosen).prompts,
        purpose=claims.PURPOSE,
        retry_unreadable=retry_unreadable,
    )
    return Costs(
        verdict,
        asking.estimate(prompts[:limit], price=chosen.price, output_tokens=claims.OUTPUT_TOKENS),
    )


class Judging(NamedTuple):
    """What a run did: the verdicts, and the claims where they were asked for."""

    correctness: Summary
    faithfulness: Asked | None
    unknown: int

    @property
    def problem(self) -> str:
        """Why something is left that should not be; "" where nothing is."""
        return self.correctness.problem or (self.faithfulness.problem if self.faithfulness else "")


def judge(
    store: Store,
    chosen: AnswerJudge,
    *,
    system: str = "",
    faithfulness: bool = True,
    limit: int | None = None,
    retry_unreadable: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Judging:
    """Grade what has no verdict yet, then list the claims of what has none; at most `limit`
    answers each, within one budget. Resumable, and paid once. Never raises for the service: what
    stops the verdicts stops the claims.
    """
    graded = judging.run(
        store,
        chosen,
        scope=Scope(answers=True, system=system),
        limit=limit,
        retry_unreadable=retry_unreadable,
        progress=progress,
        stop=stop,
    )
    silent = graded.missed > 0 and not graded.judged
    if not faithfulness or silent or graded.stopped in ("interrupted", "budget", "service"):
        return Judging(graded, None, 0)
    todo = checks(store, chosen)
    writer = Writer(
        chosen.line,
        model=chosen.model,
        price=chosen.price,
        concurrency=chosen.concurrency,
    )
    writer.spending = chosen.spending
    asked = asking.ask(
        store,
        writer,
        todo.prompts,
        purpose=claims.PURPOSE,
        limit=limit,
        retry_unreadable=retry_unreadable,
        progress=progress,
        stop=stop,
    )
    return Judging(graded, asked, todo.unknown)
