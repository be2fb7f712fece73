"""How drafting went and how the drafts stand, for the terminal and the page alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from labeler import draft_checks
from labeler.draft_costs import Stage
from labeler.drafting import Done, Drawn
from labeler.reports.render import counted, money, short
from labeler.store import drafts
from labeler.store.db import Store
from labeler.store.drafts import Now, Standing


class State(StrEnum):
    """Where a draft stands. A person may take one that is set aside (it failed a check, or its
    passage has changed) or that the judge has still to check."""

    WAITING = "waiting"
    SET_ASIDE = "set aside"
    UNCHECKED = "unchecked"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Status:
    """All drafts, in the order in which they were drafted."""

    every: Sequence[Standing]

    def having(self, state: State) -> list[Standing]:
        """Those in a state."""
        return [one for one in self.every if state_of(one) is state]

    @property
    def counts(self) -> dict[str, int]:
        """How many are in which state."""
        counted = Counter(map(state_of, self.every))
        return {state.replace(" ", "_"): counted[state] for state in State}

    @property
    def failures(self) -> dict[str, int]:
        """How many undecided drafts each check set aside; one may fail several."""
        aside = self.having(State.SET_ASIDE)
        return dict(Counter(check.name for one in aside for check in one.failed))


def status(store: Store) -> Status:
    """How the drafts stand."""
    return Status(drafts.every(store))


def state_of(one: Standing) -> State:
    """A draft's state."""
    if one.decision is not None:
        return State(one.decision.decision)
    if one.failed or one.now is not Now.SAME:
        return State.SET_ASIDE
    return State.UNCHECKED if draft_checks.unchecked(one) else State.WAITING


def status_lines(found: Status) -> Iterator[str]:
    """How the drafts stand, and each one in a line or a few."""
    counts = {name.replace("_", " "): many for name, many in found.counts.items()}
    said = ", ".join(f"{many:,} {name}" for name, many in counts.items())
    yield f"{counted(len(found.every), 'draft')}: {said}"
    for one in found.every:
        draft = one.draft
        where = draft.passage_id or f"nothing ({draft.reason})"
        yield f"{draft.draft_id}  {state_of(one)}, {draft.kind}: {short(draft.query)}"
        yield f"  answered by {short(where)}{_stale(one)}"
        if one.decision is not None:
            yield f"  {one.decision.told}"
        for check in one.failed:
            yield f"  {check.name}: {check.reason}"


def _stale(one: Standing) -> str:
    told = {Now.SAME: "", Now.CHANGED: ", which has changed since", Now.GONE: ", which is gone"}
    return told[one.now]


def status_json(found: Status) -> dict[str, Any]:
    """The same as one object."""
    return {**found.counts, "failures": found.failures, "drafts": [_json(o) for o in found.every]}


def _json(one: Standing) -> dict[str, Any]:
    draft, decision = one.draft, one.decision
    return {
        "draft_id": draft.draft_id,
        "state": str(state_of(one)),
        "kind": draft.kind,
        "query": draft.query,
        "missing": draft.reason or None,
        "passage_id": draft.passage_id or None,
        "passage": str(one.now) if draft.passage_id else None,
        "passage_hash": draft.passage_hash or None,
        **draft.anchor._asdict(),
        "leakage": draft.leakage,
        "leakage_reason": None if draft.leakage is not None else _no_leakage(one),
        "seed": draft.seed,
        "model": draft.model,
        "checks": [
            {"name": check.name, "passed": check.passed, "reason": check.reason or None}
            for check in one.checks
        ],
        "decision": None
        if decision is None
        else {**decision._asdict(), "query_id": decision.query_id or None},
    }


def _no_leakage(one: Standing) -> str:
    if not one.draft.passage_id:
        return "nothing is to answer it"
    return "it has no word but identifiers and function words"


def drawn_json(drawn: Drawn) -> dict[str, Any]:
    """What was drawn and what was left out."""
    return {
        "passages": [one.passage_id for one in drawn.passages],
        "eligible": drawn.eligible,
        "sections": dict(Counter(drawn.sections.values())),
        "skipped": drawn.counts,
        "skipped_passages": [
            {"passage_id": one.passage_id, "why": one.why.value, "of": one.of or None}
            for one in drawn.skipped
        ],
    }


def drawn_lines(drawn: Drawn) -> Iterator[str]:
    """The same in two lines."""
    sections = len(set(drawn.sections.values()))
    yield (
        f"{counted(len(drawn.passages), 'passage')} drawn of {drawn.eligible:,} fit to be asked "
        f"about, from {counted(sections, 'section')}"
    )
    if drawn.skipped:
        left = ", ".join(f"{many:,} {why}" for why, many in drawn.counts.items() if many)
        yield f"  left out: {left}"


def plan_json(drawn: Drawn, stages: Sequence[Stage]) -> dict[str, Any]:
    """What would be asked, and what it would cost."""
    costs = [stage.estimate.dollars for stage in stages]
    return {
        **drawn_json(drawn),
        "stages": [
            {"stage": one.name, "expected": one.expected, **one.estimate._asdict()}
            for one in stages
        ],
        "requests": sum(one.estimate.requests for one in stages),
        "dollars": None if None in costs else sum(cost or 0.0 for cost in costs),
        "dollars_reason": "no price of this model is known" if None in costs else None,
    }


def plan_lines(drawn: Drawn, stages: Sequence[Stage]) -> Iterator[str]:
    """The same as a table."""
    yield from drawn_lines(drawn)
    yield f"{'stage':28} {'requests':>9} {'tokens in':>12} {'tokens out':>12} {'cost':>10}"
    for one in stages:
        told = one.estimate
        yield (
            f"{one.name:28} {told.requests:>9,} {'~' + f'{told.input_tokens:,}':>12} "
            f"{'~' + f'{told.output_tokens:,}':>12} {_price(told.dollars):>10}"
        )
    total = plan_json(drawn, stages)
    yield (
        f"{total['requests']:,} requests, about {_price(total['dollars'])}; nothing was bought. "
        "Checks of drafts still to come are included"
    )


def _price(dollars: float | None) -> str:
    return "?" if dollars is None else money(dollars)


def done_json(done: Done, found: Status, seconds: float) -> dict[str, Any]:
    """A run as one object."""
    return {
        **drawn_json(done.drawn),
        "stages": [{"stage": one.name, **asdict(one.asked)} for one in done.stages],
        "new": done.new,
        "nothing_to_ask": done.nothing,
        **found.counts,
        "failures": found.failures,
        "left": done.left,
        "cost": done.cost,
        "cost_uncertain": done.cost_uncertain,
        "stopped": done.stopped,
        "problem": done.problem,
        "seconds": round(seconds, 3),
    }


def done_lines(done: Done, found: Status) -> Iterator[str]:
    """A run in a few lines."""
    yield from drawn_lines(done.drawn)
    for one in done.stages:
        told = one.asked
        others = {"before": told.before, "unreadable": told.unreadable, "left": told.left}
        rest = "".join(f", {many:,} {what}" for what, many in others.items() if many)
        yield f"  {one.name}: {told.kept:,} replies{rest}"
    yield f"{counted(done.new, 'new draft')}, {money(done.cost)}"
    if done.cost_uncertain:
        yield f"  up to {money(done.cost_uncertain)} more for calls without an account"
    if done.nothing:
        yield f"  {counted(done.nothing, 'passage')} of which nobody would ask anything"
    if any(one.asked.unreadable for one in done.stages):
        yield "  unreadable replies are kept, to be asked again when that is wanted"
    counts = found.counts
    yield (
        f"{counts['waiting']:,} drafts wait on the Drafts page, {counts['set_aside']:,} are set "
        f"aside, {counts['unchecked']:,} are to be checked"
    )
