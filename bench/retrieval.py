"""Measuring 10,000 queries of 100 results, beside what ir_measures takes for the bare measures.

    python bench/retrieval.py [--queries 10000] [--results 100] [--repeats 3]

Everything is processor time of this run on this machine, told as ratios; each job has a process of
its own, so that its memory is its own too. The limits that must hold end with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

Labels = dict[str, dict[str, int]]
Lists = dict[str, list[str]]

MEMORY = 2.0
"""GB that no job may take."""


class Data(NamedTuple):
    """A golden set of about 20 labels a query, two runs (the second has a fifth of the lists in
    another order), and two slices."""

    golden: Labels
    first: Lists
    second: Lists
    slices: dict[str, dict[str, str]]


def data(queries: int, results: int) -> Data:
    """The same at every call."""
    random = np.random.default_rng(1)
    golden: Labels = {}
    first: Lists = {}
    second: Lists = {}
    for query in range(queries):
        ids = [f"p{n}" for n in random.permutation(results) * 997 + query]
        first[f"q{query}"] = ids
        second[f"q{query}"] = list(random.permutation(ids)) if query % 5 == 0 else ids
        gains = random.integers(0, 3, size=len(ids[::5])).tolist()
        golden[f"q{query}"] = dict(zip(ids[::5], gains, strict=True)) | {"x": 2}
    kinds = {query_id: f"kind {n % 6}" for n, query_id in enumerate(golden)}
    origins = {query_id: f"origin {n % 5}" for n, query_id in enumerate(golden)}
    return Data(golden, first, second, {"kind": kinds, "origin": origins})


def bare(found: Data) -> float:
    """ir_measures on the same measures of the first run: means only, one measure a call, because
    two forms of nDCG in one call come out wrong under some hash seeds."""
    import ir_measures

    scored = {q: {p: -float(n) for n, p in enumerate(ids)} for q, ids in found.first.items()}
    texts = ("R(rel=2)@5", "R(rel=2)@20", "P(rel=2)@5", "RR(rel=2)@10", "nDCG@10")
    measures = [ir_measures.parse_measure(text) for text in texts]
    measures += [ir_measures.Success(rel=2) @ 5, ir_measures.Judged @ 5]
    start = time.process_time()
    for each in measures:
        ir_measures.calc_aggregate([each], found.golden, scored)
    return time.process_time() - start


def evaluate(found: Data) -> float:
    """All measures of the first run, with intervals, slices and their intervals."""
    from labeler.stats import retrieval

    start = time.process_time()
    retrieval.evaluate(found.golden, found.first, slices=found.slices)
    return time.process_time() - start


def compare(found: Data) -> float:
    """Two runs measured and compared: tests, intervals, slices, most-changed queries."""
    from labeler.stats import retrieval, variants
    from labeler.stats.measures import measure

    start = time.process_time()
    first = retrieval.evaluate(found.golden, found.first, slices=found.slices)
    second = retrieval.evaluate(found.golden, found.second, slices=found.slices)
    variants.compare({"first": first, "second": second}, slices=found.slices)
    variants.most_changed(first, second, runs=(found.first, found.second), measure=measure("R@5"))
    return time.process_time() - start


def stored(found: Data) -> float:
    """What `labeler evaluate` does with a store: run and golden set read from it, everything of
    `evaluate`, and misses, clusters, the cut of scores."""
    from labeler.model import GRADES, GoldenEntry, RunRow
    from labeler.reports import retrieval
    from labeler.store import goldens, runs
    from labeler.store.db import open_store

    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder) / "bench.duckdb") as store,
    ):
        rows = (
            RunRow(query_id, passage_id, rank, 1 / rank)
            for query_id, ids in found.first.items()
            for rank, passage_id in enumerate(ids, start=1)
        )
        runs.record(store, rows, system="first")
        entries = [
            GoldenEntry(query_id, passage_id, GRADES[gain])
            for query_id, labels in found.golden.items()
            for passage_id, gain in labels.items()
        ]
        goldens.record(store, "golden", entries, origin="bench", person="bench")
        start = time.process_time()
        retrieval.build(store, "first")
        return time.process_time() - start


JOBS: dict[str, Callable[[Data], float]] = {
    "bare": bare,
    "evaluate": evaluate,
    "compare": compare,
    "stored": stored,
}

LIMITS = {"evaluate": 1.0, "compare": 2.0}
"""The most that a job may take, in times of `bare`; `stored` reads a store besides: none."""


class Taken(NamedTuple):
    """Seconds of processor time (the median of the repeats), and GB at most."""

    seconds: float
    memory: float


def job(name: str, queries: int, results: int) -> Taken:
    """Run one job in this process."""
    seconds = JOBS[name](data(queries, results))
    return Taken(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)


def apart(name: str, arguments: argparse.Namespace) -> Taken:
    """Run one job in a process of its own."""
    words = [sys.executable, __file__, "--job", name]
    words += ["--queries", str(arguments.queries), "--results", str(arguments.results)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return Taken(*json.loads(done.stdout))


def main(words: Sequence[str] | None = None) -> int:
    """Measure, say it, and whether the limits hold."""
    parser = argparse.ArgumentParser(description="Speed and memory of retrieval measures.")
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--results", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--job", choices=JOBS, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.job:
        sys.stdout.write(json.dumps(job(arguments.job, arguments.queries, arguments.results)))
        return 0
    # Round by round, so that what else the machine does falls on all jobs alike.
    rounds = [{name: apart(name, arguments) for name in JOBS} for _ in range(arguments.repeats)]
    taken = {
        name: Taken(
            statistics.median(each[name].seconds for each in rounds),
            max(each[name].memory for each in rounds),
        )
        for name in JOBS
    }
    good = True
    sys.stdout.write(f"retrieval: {arguments.queries:,} queries of {arguments.results} results\n")
    for name, (seconds, memory) in taken.items():
        ratio = seconds / taken["bare"].seconds
        line = f"  {name:<9} {seconds:6.2f} s  {ratio:5.2f} of bare  {memory:5.2f} GB"
        if name in LIMITS:
            holds = ratio <= LIMITS[name] and memory <= MEMORY
            good = good and holds
            line += f"  (at most {LIMITS[name]:g}, {MEMORY:g} GB: {'holds' if holds else 'FAILS'})"
        sys.stdout.write(line + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
