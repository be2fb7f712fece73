"""Make the sample's three runs: keyword BM25, TF-IDF over characters, and the fusion of both.

    python data/sample/make_runs.py [--out DIR]

The systems see titles and texts only. They know nothing of scopes and dates, as many a first
retriever: that they return restricted and superseded passages is what the sample is there to show.
The same input gives the same bytes: scores are rounded before they are ranked, and equal scores
are ranked by passage id.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

SAMPLE = Path(__file__).resolve().parent
DEPTH = 20
"""Passages kept per query."""

K1, B = 1.2, 0.75
"""BM25: how soon repetition stops to count, and how much length does."""

RRF_K = 60
"""Reciprocal rank fusion: the constant of Cormack, Clarke and Buettcher (SIGIR 2009)."""

Ranking = list[tuple[str, float]]
"""Passage ids with scores, best first."""


class Ids(NamedTuple):
    """The names of a score matrix's rows (queries) and columns (passages)."""

    queries: list[str]
    passages: list[str]


def read_lines(name: str) -> list[dict[str, str]]:
    """Read a JSONL file of the sample."""
    with (SAMPLE / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def bm25(texts: Sequence[str], queries: Sequence[str]) -> NDArray[np.float64]:
    """Score every query (rows) against every text (columns) by Okapi BM25.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), never negative. A term that a query repeats counts
    as often as it is repeated.
    """
    words = CountVectorizer(token_pattern=r"\w+")
    counts = words.fit_transform(texts).toarray().astype(float)
    lengths = counts.sum(axis=1, keepdims=True)
    found_in = (counts > 0).sum(axis=0)
    idf = np.log1p((len(texts) - found_in + 0.5) / (found_in + 0.5))
    saturated = counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / lengths.mean()))
    scores: NDArray[np.float64] = words.transform(queries).toarray() @ (saturated * idf).T
    return scores


def tfidf(texts: Sequence[str], queries: Sequence[str]) -> NDArray[np.float64]:
    """Score by the cosine of TF-IDF vectors over the 3 to 5 character pieces of words."""
    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    by_text = pieces.fit_transform(texts)
    scores: NDArray[np.float64] = (pieces.transform(queries) @ by_text.T).toarray()
    return scores


def rank(scores: Mapping[str, float]) -> Ranking:
    """Order by score, then passage id; drop what has no score; cut at `DEPTH`."""
    rounded = {passage: round(score, 6) for passage, score in scores.items()}
    found = [(passage, score) for passage, score in rounded.items() if score > 0]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:DEPTH]


def rank_all(scores: NDArray[np.float64], ids: Ids) -> dict[str, Ranking]:
    """Rank each row of a score matrix."""
    return {
        query: rank(dict(zip(ids.passages, row.tolist(), strict=True)))
        for query, row in zip(ids.queries, scores, strict=True)
    }


def fuse(runs: Sequence[Mapping[str, Ranking]]) -> dict[str, Ranking]:
    """Fuse runs by reciprocal rank: the sum of 1 / (`RRF_K` + rank) over the runs."""
    fused: dict[str, Ranking] = {}
    for query in runs[0]:
        sums: dict[str, float] = {}
        for run in runs:
            for position, (passage, _) in enumerate(run[query], start=1):
                sums[passage] = sums.get(passage, 0.0) + 1 / (RRF_K + position)
        fused[query] = rank(sums)
    return fused


def write_run(path: Path, run: Mapping[str, Ranking], *, system: str) -> None:
    """Write a TREC run: query, Q0, passage, rank from 1, score, system."""
    lines = [
        f"{query} Q0 {passage} {position} {score:.6f} {system}\n"
        for query, ranking in run.items()
        for position, (passage, score) in enumerate(ranking, start=1)
    ]
    path.write_bytes("".join(lines).encode())


def main() -> None:
    """Read the sample, run the three systems, write their runs."""
    parser = argparse.ArgumentParser(description="Make the sample's three runs.")
    parser.add_argument("--out", type=Path, default=SAMPLE / "runs", help="folder of the runs")
    out: Path = parser.parse_args().out

    passages, queries = read_lines("corpus.jsonl"), read_lines("queries.jsonl")
    texts = [f"{passage['title']}\n{passage['text']}" for passage in passages]
    asked = [query["query"] for query in queries]
    ids = Ids([query["query_id"] for query in queries], [p["passage_id"] for p in passages])

    by_word = rank_all(bm25(texts, asked), ids)
    by_piece = rank_all(tfidf(texts, asked), ids)
    runs = {"bm25": by_word, "tfidf": by_piece, "fusion": fuse([by_word, by_piece])}

    out.mkdir(parents=True, exist_ok=True)
    for system, run in runs.items():
        write_run(out / f"{system}.trec", run, system=system)
        print(f"{system}.trec: {sum(map(len, run.values()))} rows, {len(run)} queries")


if __name__ == "__main__":
    main()
