"""Four LLM judges on 4,423 pairs of TREC Deep Learning 2023, against the published figures.

Reached through LABELER_TEST_DATA, the folder that holds data/llmjudge.
"""

from __future__ import annotations

import csv
import os
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from labeler.model import Decision
from labeler.stats.agreement import Agreement, measure
from labeler.stats.bootstrap import number
from labeler.stats.consistency import alpha, label_counts
from labeler.stats.gate import decide
from labeler.stats.kappa import Weighting, confusion, kappa, merged
from labeler.stats.sampling import draw, weigh

DATA = os.environ.get("LABELER_TEST_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="LABELER_TEST_DATA is not set")

LENIENT_MAP = np.array([0, 0, 1, 2], dtype=np.int8)
"""0 and 1 are NO, 2 PART, 3 YES."""

STRICT_MAP = np.array([0, 0, 0, 2], dtype=np.int8)
"""Only 3 is YES, all else NO."""

JUDGES = ["NISTRetrieval-reason0", "RMITIR-llama70B", "h2oloo-fewself", "willia-umbrela1"]


class Judged(NamedTuple):
    """The same pairs twice: grades 0 to 3 by people and by a judge."""

    pairs: list[tuple[str, str]]
    human: np.ndarray
    judge: np.ndarray

    def measured(self, grades: np.ndarray, pairs: slice | list[int] = slice(None)) -> Agreement:
        """The agreement on (some of) the pairs, grades mapped."""
        queries = number([q for q, _ in self.pairs])[pairs]
        return measure(grades[self.human[pairs]], grades[self.judge[pairs]], queries=queries)


def grades(path: Path) -> dict[tuple[str, str], int]:
    """The grades of a qrels file, over 3 clipped to 3."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(query, passage): min(int(grade), 3) for query, _, passage, grade in rows}


def read(judge: str) -> Judged:
    """The pairs in the order of their ids."""
    folder = Path(str(DATA)) / "data" / "llmjudge"
    human, verdicts = grades(folder / "human.qrels"), grades(folder / "verdicts" / f"{judge}.txt")
    pairs = sorted(human)
    assert len(pairs) == 4423
    assert set(verdicts) == set(human)
    return Judged(
        pairs, np.array([human[p] for p in pairs]), np.array([verdicts[p] for p in pairs])
    )


@pytest.mark.parametrize("judge", JUDGES)
def test_the_published_kappas_and_alphas_come_out(judge):
    path = Path(str(DATA)) / "data" / "llmjudge" / "published.csv"
    with path.open() as file:
        published = {row["submission"]: row for row in csv.DictReader(file)}[judge]
    data = read(judge)
    table = confusion(data.human, data.judge, classes=4)
    places = np.tile(np.arange(4423), 2)
    counts = label_counts(places, np.concatenate([data.human, data.judge]), classes=4)
    found = {
        "kappa4": kappa(table).value,
        "alpha": alpha(counts, "ordinal").value,
        "k_0_123": kappa(merged(table, 1)).value,
        "k_01_23": kappa(merged(table, 2)).value,
        "k_012_3": kappa(merged(table, 3)).value,
    }
    assert {k: f"{v:.4f}" for k, v in found.items()} == {k: published[k] for k in found}


@pytest.mark.parametrize(
    ("judge", "disagreement", "plain", "linear", "strict", "lenient"),
    [
        ("willia-umbrela1", 0.251865, 0.336944, 0.375906, 0.314543, 0.398530),
        ("h2oloo-fewself", 0.292562, 0.326225, 0.385345, 0.304812, 0.427999),
        ("NISTRetrieval-reason0", 0.325571, 0.250972, 0.281980, 0.009663, 0.339015),
    ],
)
def test_the_judges_on_all_pairs(judge, disagreement, plain, linear, strict, lenient):
    found = read(judge).measured(LENIENT_MAP)
    assert (found.n, found.queries) == (4423, 25)
    assert found.disagreement.value == pytest.approx(disagreement, abs=5e-7)
    assert found.kappa.value == pytest.approx(plain, abs=5e-7)
    assert found.kappa_linear.value == pytest.approx(linear, abs=5e-7)
    assert found.kappa_strict.value == pytest.approx(strict, abs=5e-7)
    assert found.kappa_lenient.value == pytest.approx(lenient, abs=5e-7)
    assert found.constant_judge.grade == 0
    assert found.constant_judge.disagreement == pytest.approx(0.26792, abs=5e-6)
    gate = decide(found.disagreements, found.n, constant=found.constant_judge)
    assert gate.decision is Decision.REJECTED


def test_the_interval_over_queries_is_five_times_wider_than_the_closed_form():
    data = read("willia-umbrela1")
    queries = number([q for q, _ in data.pairs])
    found = measure(data.human, data.judge, queries=queries, classes=4)
    assert found.kappa.value == pytest.approx(0.286272, abs=5e-7)
    assert found.kappa_closed_form.interval == pytest.approx((0.2653, 0.3072), abs=5e-5)
    assert found.kappa.interval == pytest.approx((0.17, 0.39), abs=0.01)
    closed = np.diff(found.kappa_closed_form.interval)[0]
    assert 4.5 < np.diff(found.kappa.interval)[0] / closed < 6


@pytest.mark.parametrize(
    ("judge", "counts", "plain", "linear", "quadratic"),
    [
        (
            "willia-umbrela1",
            [[22, 1, 0], [3, 1, 2], [1, 0, 0]],
            0.270833,
            0.333333,
            0.404762,
        ),
        ("h2oloo-fewself", [[19, 2, 2], [1, 4, 1], [0, 1, 0]], 0.468354, 0.442149, 0.410876),
    ],
)
def test_thirty_pairs_in_the_order_of_their_hashes(judge, counts, plain, linear, quadratic):
    data = read(judge)
    by_hash = [sha256(f"{query}\t{passage}".encode()).digest() for query, passage in data.pairs]
    thirty = sorted(range(4423), key=by_hash.__getitem__)[:30]
    found = data.measured(LENIENT_MAP, thirty)
    assert found.counts.tolist() == counts
    assert found.disagreements == 7
    assert found.kappa.value == pytest.approx(plain, abs=5e-7)
    assert found.kappa_linear.value == pytest.approx(linear, abs=5e-7)
    assert found.kappa_quadratic.value == pytest.approx(quadratic, abs=5e-7)
    gate = decide(found.disagreements, found.n, constant=found.constant_judge)
    assert gate.decision is Decision.REJECTED


def test_a_judge_that_finds_two_of_377_is_not_trusted_though_it_rarely_disagrees():
    found = read("NISTRetrieval-reason0").measured(STRICT_MAP)
    assert found.counts.tolist() == [[4046, 0, 0], [0, 0, 0], [375, 0, 2]]
    assert f"{found.disagreement.value:.2%}" == "8.48%"
    assert f"{found.constant_judge.disagreement:.2%}" == "8.52%"
    assert f"{found.yes_recall.value:.2%}" == "0.53%"
    assert found.kappa.value == pytest.approx(0.009663, abs=5e-7)
    gate = decide(found.disagreements, found.n, constant=found.constant_judge)
    assert gate.bounds.hi < 0.10
    assert gate.decision is Decision.UNDECIDED
    assert "not shown to beat one that always says NO" in gate.sentence


def test_spot_checks_drawn_by_verdict_are_right_on_average_once_reweighted():
    data = read("willia-umbrela1")
    human, verdicts = LENIENT_MAP[data.human], LENIENT_MAP[data.judge]
    sizes = np.bincount(verdicts).tolist()
    queries = number([q for q, _ in data.pairs])
    naive, weighted = [], []
    for seed in range(100):
        drawn = draw(data.pairs, verdicts, n=90, per_verdict=30, seed=seed)
        here = drawn.chosen
        assert weigh(sizes, verdicts[here]).weights.tolist() == drawn.weights.tolist()
        found = measure(
            human[here], verdicts[here], queries=queries[here], weights=drawn.weights, draws=2
        )
        naive.append(found.disagreement.value)
        weighted.append(found.weighted_disagreement.value)
    # The rare PART and YES are where this judge is wrong: thirty of each look far worse than all.
    error = np.std(weighted) / 10
    assert np.mean(weighted) == pytest.approx(0.251865, abs=4 * error)
    assert np.mean(naive) > 0.35


def test_every_weighting_of_four_grades_is_defined():
    data = read("h2oloo-fewself")
    table = confusion(data.human, data.judge, classes=4)
    plain, linear, quadratic = (kappa(table, weighting).value for weighting in Weighting)
    assert plain < linear < quadratic
