"""The agreement report beside scikit-learn's single kappa on the same pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import cohen_kappa_score

from bench.files import Files
from bench.table import LABELER, Bench, Row, beside, row, run, timed
from labeler.reports import agreement
from labeler.stats.agreement import measure as measure_arrays
from labeler.store.db import open_reader


def measure(bench: Bench) -> Iterator[Row]:
    """All estimates with their bootstrap of 2,000 draws from arrays; then from the store; then the
    whole command, and the list of cases that the page shows."""
    luck = np.random.default_rng(3)
    human, judge = luck.integers(0, 3, bench.rows), luck.integers(0, 3, bench.rows)
    query = np.repeat(np.arange(bench.rows // bench.per_query), bench.per_query)
    single, ours = [], []
    for _ in range(2 * bench.times):
        single += timed(lambda: cohen_kappa_score(human, judge), 1)
        ours += timed(lambda: measure_arrays(human, judge, queries=query), 1)
    name = "one kappa of scikit-learn"
    what = f"agreement of {bench.rows:,} pairs"
    yield beside(f"{what}, from arrays", ours, name, single, limit="ratio < 10")
    files = Files.filled(bench)
    with open_reader(files.store) as store:
        selection = agreement.choose(store)
        built = timed(lambda: agreement.build(store, selection), bench.times)
        yield beside(f"{what}, from the store, with slices", built, name, single)
        page = timed(lambda: agreement.first_cases(store, selection, limit=200), bench.times)
        yield row("the page's first 200 disagreements", page)
    asked = [
        run([*LABELER, "--db", files.store, "agreement", "--json"]) for _ in range(bench.times)
    ]
    yield beside(
        "`labeler agreement --json`, whole command",
        [one.wall for one in asked],
        name,
        single,
        memory=max(one.memory for one in asked),
        limit="peak < 2,000 MB",
    )
    for arguments in (("export", "labels"), ("export", "pairs")):
        to = bench.folder / "exported.csv"
        ran = run([*LABELER, "--db", files.store, *arguments, "--to", to])
        yield row(" ".join(arguments), [ran.wall], memory=ran.memory, limit="peak < 2,000 MB")
