"""Runs: which passages a system ranked for each query, in the retriever's own order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from labeler.errors import InputError
from labeler.formats.fields import (
    NEEDS,
    PASSAGE_IDS,
    Row,
    Shape,
    called,
    checked_id,
    float_of,
    identifier,
    integer_of,
    is_plain,
    kind_of,
    shown,
    unpadded,
)
from labeler.formats.reading import Numbered, Reading, Refused
from labeler.formats.records import REPEATED, placed
from labeler.formats.source import Source
from labeler.formats.tables import delimiter_of, is_json, rows, values
from labeler.formats.trec import (
    RUN,
    RUN_WIDTH,
    fields_of,
    require_run,
    trec_fields,
)
from labeler.model import RunRow

RUN_COLUMNS = ("query_id", "passage_id", "rank", "score")
RUN_SHAPE = Shape(
    "a run",
    {
        "query_id": ("qid", "topic", "topic_id"),
        "passage_id": (
            *PASSAGE_IDS,
            *("_id", "id"),
        ),
        "rank": ("position", "pos"),
        "score": ("similarity", "sim", "relevance_score", "rsv"),
    },
    ("query_id", "passage_id"),
    (RUN_COLUMNS,),
)


FROM_ZERO = "ranks count from 0; they were shifted to count from 1"
CONTRADICTED = "a query's scores contradict its ranks; the ranks decide"


class _Hit(NamedTuple):
    """One row of a run before its place in the ranking is settled."""

    line: int
    passage_id: str
    rank: int | None
    score: float | None


_Ranking = list[_Hit]


def read_run(
    path: str | Path,
    *,
    reading: Reading | None = None,
    columns: Mapping[str, str] | None = None,
    name: str = "",
) -> Iterator[Numbered[RunRow]]:
    """Read a TREC run, or JSON, CSV or TSV rows with a rank, a score, or both.

    Rows come query by query, in the order in which the queries first appear, ranks counting from
    1 without gaps. An explicit rank decides, wherever it starts, and a score that contradicts it
    is noted; ranks that are all the same say nothing. Scores alone are sorted, ties by passage id
    from the last to the first, as trec_eval has it. A passage that is ranked twice for one query
    keeps both slots and is noted; two passages on one rank are refused. The whole run is held in
    memory (about 250 MB for a million rows), for rows of a query need not stand together.
    """
    reading = reading or Reading()
    source = Source(path, reading, name=name)
    rankings: dict[str, _Ranking] = {}
    hits = (
        _named_hits(source, columns or {})
        if is_named(source, columns or {})
        else _trec_hits(source)
    )
    for query_id, hit in hits:
        ranking = rankings.get(query_id)
        if ranking is None:
            ranking = rankings[query_id] = []
        ranking.append(hit)
    if not rankings and not reading.problems:
        source.note(0, "no rows")
    ranked = _ranks_speak(rankings, source)
    for query_id, ranking in rankings.items():
        ordered = _by_rank(query_id, ranking, source) if ranked else _by_score(ranking)
        for rank, hit in enumerate(_without_repeats(ordered, source), 1):
            row = RunRow(query_id, hit.passage_id, rank, hit.score)
            yield Numbered(hit.line, row)
    reading.finish()


def is_named(source: Source, columns: Mapping[str, str]) -> bool:
    """Whether the columns have names; a table without them is told so rather than read as TREC."""
    if columns or is_json(source) or delimiter_of(source, RUN_SHAPE, columns) is not None:
        return True
    return source.suffix in (".csv", ".tsv") and len(fields_of(source.first_line())) != RUN_WIDTH


def _trec_hits(source: Source) -> Iterator[tuple[str, _Hit]]:
    require_run(source.first_line(), source)
    make = _Hit._make
    tags: dict[str, None] = {}
    for line, (query_id, _, passage_id, rank, score, tag) in trec_fields(
        source, RUN_WIDTH, expected=RUN
    ):
        tags[tag] = None
        try:
            for field, value in (("query_id", query_id), ("passage_id", passage_id)):
                if not is_plain(value):
                    unpadded(checked_id(value, field), field, source=source, line=line)
            if not (rank.isdigit() and rank.isascii()) or len(rank) > 9:
                raise Refused(f"rank {shown(rank)}", "a whole number from 0 or 1")
            number = float(score)
            if number - number != 0 or "_" in score or not score.isascii():
                raise Refused(f"score {shown(score)}", "a finite number")
        except ValueError:
            source.refuse(line, Refused(f"score {shown(score)}", "a finite number"))
        except Refused as why:
            source.refuse(line, why)
        else:
            yield query_id, make((line, passage_id, int(rank), number))
    if len(tags) > 1:
        first = ", ".join(map(called, list(tags)[:3]))
        source.note(0, f"the last column has {len(tags):,} names ({first}); it is read as one run")


def _named_hits(source: Source, columns: Mapping[str, str]) -> Iterator[tuple[str, _Hit]]:
    read = _mapped(source) if _is_mapping(source, columns) else None
    for line, cells in read or rows(source, RUN_SHAPE, columns=columns):
        if cells.keys().isdisjoint(("rank", "score")) and not is_json(source):
            expected = "one of them, or to be told which column it is"
            source.stop(0, found="no column for a rank or a score", expected=expected, needs=NEEDS)
        try:
            query_id = identifier(cells, "query_id", source=source, line=line)
            passage_id = identifier(cells, "passage_id", source=source, line=line)
            rank, score = integer_of(cells, "rank"), float_of(cells, "score")
            if rank is not None and rank < 0:
                raise Refused(f"rank {rank}", "a whole number from 0 or 1")
            if rank is None and score is None:
                raise Refused("neither rank nor score", "one of them")
        except Refused as why:
            source.refuse(line, placed(why, cells))
        else:
            yield query_id, _Hit(line, passage_id, rank, score)


def _is_mapping(source: Source, columns: Mapping[str, str]) -> bool:
    """Whether the file is {query: {passage: score}}, as BEIR, pytrec_eval and ranx keep a run."""
    if columns or not is_json(source):
        return False
    try:
        _, first = next(values(Source(source.path, Reading(), name=source.name)), (0, None))
    except InputError:
        return False  # broken JSON: reading it as rows names the place
    if not isinstance(first, dict) or not first or RUN_SHAPE.headings().intersection(first):
        return False
    return all(isinstance(scores, dict) for scores in first.values())


def _mapped(source: Source) -> Iterator[Row]:
    for line, document in values(source):
        if not isinstance(document, dict):
            source.refuse(line, Refused(kind_of(document), "{query: {passage: score}}"))
            continue
        for query_id, scores in document.items():
            if not isinstance(scores, dict):
                found = f"{kind_of(scores)} under query {shown(query_id)}"
                source.refuse(line, Refused(found, "{passage: score}"))
            elif not scores:
                source.note(line, "a query without passages was left out")
            else:
                for passage_id, score in scores.items():
                    cells = {"query_id": query_id, "passage_id": passage_id, "score": score}
                    yield Row(line, cells | {"where": f"query {shown(query_id)}"})


def _ranks_speak(rankings: dict[str, _Ranking], source: Source) -> bool:
    """Whether the ranks order the file; when they do, rows without one are refused and removed."""
    constant = {hit.rank for ranking in rankings.values() for hit in ranking}
    if constant <= {None}:
        return False
    scored = all(hit.score is not None for ranking in rankings.values() for hit in ranking)
    if len(constant) == 1 and scored and any(len(ranking) > 1 for ranking in rankings.values()):
        source.note(0, f"every rank is {constant.pop()}; the scores were sorted instead")
        return False
    if None in constant:
        for query_id, ranking in rankings.items():
            for hit in ranking:
                if hit.rank is None:
                    why = Refused("no rank", "one, as other rows of the file have")
                    source.refuse(hit.line, why)
            rankings[query_id] = [hit for hit in ranking if hit.rank is not None]
    return True


def _by_rank(query_id: str, ranking: _Ranking, source: Source) -> _Ranking:
    ranks = [hit.rank or 0 for hit in ranking]
    count = len(ranks)
    if ranks != list(range(1, count + 1)):
        ranking = _settled(query_id, ranking, source)
        ranks = [hit.rank or 0 for hit in ranking]
        if ranks and ranks[0] == 0:
            source.note(ranking[0].line, FROM_ZERO)
        if ranks and (ranks[0] > 1 or ranks[-1] - ranks[0] >= len(ranks)):
            source.note(ranking[0].line, "a query's ranks have gaps, which were closed")
    scores = [hit.score for hit in ranking if hit.score is not None]
    if scores != sorted(scores, reverse=True):
        source.note(ranking[0].line, CONTRADICTED)
    return ranking


def _settled(query_id: str, ranking: _Ranking, source: Source) -> _Ranking:
    """The hits in order of rank; a second passage on a rank is refused, an identical row stays."""
    taken: dict[int, _Hit] = {}
    settled: _Ranking = []
    for hit in sorted(ranking, key=lambda hit: (hit.rank or 0, hit.line)):
        first = taken.setdefault(hit.rank or 0, hit)
        if first.passage_id == hit.passage_id and first.score == hit.score:
            settled.append(hit)
            continue
        found = f"rank {hit.rank} of {called(query_id)} again, which line {first.line} has"
        source.refuse(hit.line, Refused(found, "each rank once a query"))
    return settled


def _by_score(ranking: _Ranking) -> _Ranking:
    ties_from_last = sorted(ranking, key=lambda hit: hit.passage_id, reverse=True)
    return sorted(ties_from_last, key=lambda hit: -(hit.score or 0.0))


def _without_repeats(ranking: _Ranking, source: Source) -> _Ranking:
    if len({hit.passage_id for hit in ranking}) == len(ranking):
        return ranking
    kept: dict[tuple[str, int | None, float | None], _Hit] = {}
    seen: set[str] = set()
    for hit in ranking:
        if kept.setdefault((hit.passage_id, hit.rank, hit.score), hit) is not hit:
            source.note(hit.line, REPEATED)
        elif hit.passage_id in seen:
            source.note(hit.line, "a passage ranked twice for its query; it keeps both slots")
        seen.add(hit.passage_id)
    return list(kept.values())
