"""Drafting queries from a corpus: a sample of its passages, what Claude writes for each, and what
checks say of it. Resumable, and paid once; nothing counts before a person has accepted it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labeler import asking, draft_checks
from labeler.asking import Asked
from labeler.errors import LabelerError
from labeler.judges import drafts as prompts
from labeler.judges.base import Model
from labeler.judges.leakage import leakage
from labeler.judges.reading import read_object
from labeler.judges.writer import Prompt, Writer
from labeler.judging import Progress, never
from labeler.model import Passage, Query, Rubric, content_hash
from labeler.stats import passage_draw
from labeler.stats.eligibility import bar
from labeler.stats.passage_draw import Distinct, Skipped, Told, Why
from labeler.store import corpora, drafts, replies, sources
from labeler.store.db import Store
from labeler.store.drafts import Draft
from labeler.store.frozen import Anchor
from labeler.store.replies import Kept

PASSAGES, MISSING = "draft from a passage", "draft of what is missing"
"""What replies are asked for, in their order; the checks come after."""

_AT_ONCE = 100


@dataclass(frozen=True)
class Wanted:
    """What to draft: `per_passage` queries for each of `n` passages drawn with `seed`, and so many
    on what the corpus lacks that they are the share `unanswerable` of all. `corpus` "" is all.
    """

    n: int = 150
    per_passage: int = 2
    seed: int = 0
    unanswerable: float = 0.1
    corpus: str = ""

    def __post_init__(self) -> None:
        most = 1 / (1 + self.per_passage)
        if not 0 <= self.unanswerable <= most:
            raise LabelerError(
                f"A share of {self.unanswerable:g} that nothing answers is more than one query for "
                f"each passage drawn: with {self.per_passage} others it is {most:.2f} at most"
            )


class Drawn(NamedTuple):
    """The passages drawn, in their order, each with its section; what was left out; how many were
    eligible, and the titles of each section in the corpus's order.
    """

    passages: list[Passage]
    sections: dict[str, str]
    skipped: list[Skipped]
    eligible: int
    titles: dict[str, list[str]]

    @property
    def counts(self) -> dict[str, int]:
        """How many passages were left out for which reason."""
        counted = Counter(one.why for one in self.skipped)
        return {why.value: counted[why] for why in Why}


class StageDone(NamedTuple):
    """What a stage did."""

    name: str
    asked: Asked


@dataclass(frozen=True)
class Done:
    """What a run did: `new` drafts; `nothing` passages of which the model said that nobody would
    ask anything. `stopped` and `problem` as in `judging.Summary`; `left` requests were not asked,
    those of later stages not counted. US dollars.
    """

    drawn: Drawn
    stages: list[StageDone]
    new: int
    nothing: int
    cost: float | None
    cost_uncertain: float
    stopped: str = ""
    problem: str = ""

    @property
    def left(self) -> int:
        """Requests of the stages that were begun which still lack a reply."""
        return sum(stage.asked.left + stage.asked.missed for stage in self.stages)


def draw(store: Store, wanted: Wanted) -> Drawn:
    """Draw the passages. Raises LabelerError where the corpus is unknown or nothing in it is fit
    to be asked about.
    """
    names = [corpus.name for corpus in corpora.current(store)]
    if wanted.corpus and wanted.corpus not in names:
        raise LabelerError(f"There is no corpus {wanted.corpus!r}; known: {', '.join(names)}")
    told, titles, out = _read(store, wanted.corpus or None)
    sifted = passage_draw.sift(told, repeated=passage_draw.repeated(told))
    order = passage_draw.in_order(sifted.eligible, seed=wanted.seed)
    distinct, taken = Distinct(), list[Passage]()
    near = []
    for start in range(0, len(order), _AT_ONCE):
        part = [one.passage_id for one in order[start : start + _AT_ONCE]]
        texts = corpora.passages(store, part)
        for passage_id in part:
            if len(taken) == wanted.n:
                break
            text = texts[passage_id].text
            if of := distinct.near(text):
                near.append(Skipped(passage_id, Why.NEAR_COPY, of))
            else:
                distinct.take(passage_id, text)
                taken.append(texts[passage_id])
        if len(taken) == wanted.n:
            break
    if not taken:
        raise LabelerError(
            f"None of {len(told) + len(out):,} passages is fit to be asked about: import a corpus "
            f"with passages of {passage_draw.SHORTEST} words or more"
        )
    sections = {one.passage_id: one.section for one in order}
    return Drawn(
        taken,
        {one.passage_id: sections[one.passage_id] for one in taken},
        [*out, *sifted.skipped, *near],
        len(sifted.eligible),
        titles,
    )


def _read(
    store: Store, corpus: str | None
) -> tuple[list[Told], dict[str, list[str]], list[Skipped]]:
    """The passages in force, the titles of each section, and what is not in force."""
    today = store.clock().date().isoformat()
    every = list(corpora.every_passage(store, corpus=corpus))
    levels = {_address(one): sources.levels(_address(one)) for one in every}
    deep = passage_draw.depth(levels.values())
    told, out = list[Told](), list[Skipped]()
    titles: dict[str, dict[str, None]] = {}
    for one in every:
        if bar(Query("", "", scope=one.scope), one, today=today):
            out.append(Skipped(one.passage_id, Why.NOT_IN_FORCE))
            continue
        section = next(reversed(levels[_address(one)][:deep]), "")
        source = sources.source_of(_address(one))
        told.append(Told(one.passage_id, one.text, source, section))
        if one.title:
            titles.setdefault(section, {})[one.title] = None
    return told, {section: list(found) for section, found in titles.items()}, out


def _address(passage: Passage) -> str:
    """Where a passage is from: its source, else its id where that is an address itself."""
    named = passage.passage_id if "/" in passage.passage_id else ""
    return passage.source_uri or named


class Asking(NamedTuple):
    """What is asked for drafts: of each passage drawn, and of what is missing."""

    passages: list[Prompt]
    missing: list[Prompt]


def asked(model: Model, drawn: Drawn, wanted: Wanted) -> Asking:
    """The requests for drafts, in the order of the draw."""
    share = wanted.unanswerable
    many = round(len(drawn.passages) * wanted.per_passage * share / (1 - share))
    return Asking(
        [prompts.from_passage(model, one, many=wanted.per_passage) for one in drawn.passages],
        [
            prompts.of_what_is_missing(
                model,
                one,
                section=drawn.sections[one.passage_id],
                titles=drawn.titles.get(drawn.sections[one.passage_id], []),
            )
            for one in drawn.passages[:many]
        ],
    )


def run(
    store: Store,
    writer: Writer,
    drawn: Drawn,
    wanted: Wanted,
    *,
    rubric: Rubric,
    limit: int | None = None,
    retry_unreadable: bool = False,
    progress: Callable[[str, Progress], None] | None = None,
    stop: Callable[[], bool] = never,
) -> Done:
    """Draft what has no draft yet, and check every draft that waits.

    At most `limit` requests in all. Never raises for the service, the budget or Ctrl-C.
    """
    stages: list[StageDone] = []
    spent: Counter[str] = Counter()

    def ask(name: str, todo: Sequence[Prompt]) -> bool:
        """Ask a stage's requests; whether the next stage may begin."""

        def tell(told: Progress) -> None:
            spent[name] = told.done
            if progress is not None:
                progress(name, told)

        done = asking.ask(
            store,
            writer,
            todo,
            purpose=name,
            limit=None if limit is None else limit - spent.total(),
            retry_unreadable=retry_unreadable,
            progress=tell,
            stop=stop,
        )
        stages.append(StageDone(name, done))
        return not done.stopped

    wants = asked(writer.model, drawn, wanted)
    go_on = ask(PASSAGES, wants.passages) and ask(MISSING, wants.missing)
    kept = collect(store, wants, drawn, wanted)
    if go_on:
        draft_checks.ask_all(store, writer.model, rubric, ask)
    last = next((stage.asked for stage in reversed(stages) if stage.asked.stopped), None)
    problems = (stage.asked.problem for stage in stages if stage.asked.problem)
    spending = writer.spending
    return Done(
        drawn,
        stages,
        kept.new,
        kept.nothing,
        None if spending.unpriced and not spending.known else spending.known,
        spending.uncertain,
        last.stopped if last else "",
        next(problems, ""),
    )


class Collected(NamedTuple):
    """`new` drafts from replies; `nothing` replies said that there is nothing to ask."""

    new: int
    nothing: int


def collect(store: Store, wants: Asking, drawn: Drawn, wanted: Wanted) -> Collected:
    """Make drafts of the readable replies to these requests, and check what needs no model."""
    known = {one.passage_id: one for one in drawn.passages}
    anchors = drafts.anchors(store, list(known))
    found, nothing = list[Draft](), 0
    for purpose, asked_for in ((PASSAGES, wants.passages), (MISSING, wants.missing)):
        readable = replies.readable(store, purpose)
        for prompt in asked_for:
            kept = readable.get(prompt.request.request_id)
            if kept is None:
                continue
            passage = known[prompt.subject]
            anchor, text_hash = anchors[passage.passage_id]
            section = drawn.sections[passage.passage_id]
            if purpose == MISSING:
                anchored = _Anchored("", Anchor(anchor.corpus, anchor.corpus_version, section), "")
            else:
                anchored = _Anchored(passage.passage_id, anchor, text_hash)
            made = _drafts(kept, passage, anchored, seed=wanted.seed)
            nothing += not made
            found += made
    new = drafts.keep(store, found)
    draft_checks.measure(store)
    return Collected(new, nothing)


class _Anchored(NamedTuple):
    passage_id: str
    anchor: Anchor
    passage_hash: str


def _drafts(kept: Kept, passage: Passage, anchored: _Anchored, *, seed: int) -> list[Draft]:
    """The drafts that a reply holds."""
    told = read_object(kept.raw).found
    assert told is not None, "only readable replies come here"
    return [
        Draft(
            "d-" + content_hash([kept.request_id, place]).removeprefix("b1:")[:12],
            one.kind,
            one.text,
            *anchored,
            seed,
            kept.request_id,
            kept.model,
            one.missing,
            leakage(one.text, passage).share if anchored.passage_id else None,
        )
        for place, one in enumerate(prompts.drafted(told))
    ]
