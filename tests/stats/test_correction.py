"""A measure corrected for the judge's errors."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kurtosis, skew, t
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant

from labeler.stats.correction import ENOUGH, Quote, correct
from labeler.stats.intervals import Z95, wilson
from labeler.stats.measures import Reading, measure
from labeler.stats.retrieval import evaluate

DATA = os.environ.get("LABELER_TEST_DATA")
NAN = float("nan")


def population(n, *, noise, seed=0):
    """Values of people, and of a judge that reads high and is off by `noise`."""
    random = np.random.default_rng(seed)
    people = random.beta(3, 2, n)
    judge = np.clip(people + 0.1 + random.normal(0, noise, n), 0, 1)
    return people, judge


def test_the_value_the_weight_and_the_variance_are_those_of_the_formula():
    people, judge = population(200, noise=0.1)
    labelled = np.arange(0, 200, 5)
    h, j = people[labelled], judge[labelled]
    found = correct(judge, h, labelled=labelled)
    lam = np.cov(h, j, ddof=0)[0, 1] / ((1 + 40 / 200) * j.var())
    m = lam * judge.mean() + (h - lam * j).mean()
    # A residual over 1 - its leverage on lam: the hat matrix's diagonal without the mean's 1/n.
    rest = h - lam * j
    leverage = OLS(h, add_constant(j)).fit().get_influence().hat_matrix_diag - 1 / 40
    assert leverage.sum() == pytest.approx(1)
    spread = (((rest - rest.mean()) / (1 - leverage)) ** 2).sum() / 39 / 40
    variance = lam**2 * judge.var(ddof=1) / 200 + spread
    assert found.weight == pytest.approx(lam)
    assert found.corrected.value == pytest.approx(m)
    # Wilson at the number of yes-or-no queries that the variance is worth.
    worth = h.mean() * (1 - h.mean()) / variance
    known = variance * 40 / (h.mean() * (1 - h.mean()))
    heavy = 80 / max(kurtosis(rest, fisher=False) - 37 / 39, 80 / 38)
    z = t.ppf(0.975, 1 / (known / 38 + (1 - known) / heavy))
    lo, hi = wilson(m * worth, worth, z=z)
    # The residuals' tail is on the left: their middle is to be off by the skewness of their mean
    # times (1 + 2 z^2) / 6 standard errors, where Wilson's is off by less.
    lean = skew(rest) / 40**0.5 * (1 + 2 * Z95**2) / 6 * variance**0.5
    own = (lo + hi) / 2 - m
    assert lean < own < 0
    assert list(found.corrected.interval) == pytest.approx([lo + lean - own, hi])
    # Away from the bounds that is the symmetric interval, nearly.
    half = t.ppf(0.975, 38) * variance**0.5
    assert list(found.corrected.interval) == pytest.approx([m - half, m + half], abs=0.01)
    assert found.people_only.value == pytest.approx(h.mean())
    assert found.judge_only.value == pytest.approx(judge.mean())
    assert (found.judged, found.labelled) == (200, 40)


def test_a_good_judge_narrows_the_interval_and_is_to_be_quoted_with_its_lean_said():
    people, judge = population(1000, noise=0.05)
    labelled = np.arange(0, 1000, 20)
    found = correct(judge, people[labelled], labelled=labelled)
    width = {
        name: getattr(found, name).interval.hi - getattr(found, name).interval.lo
        for name in ("people_only", "corrected")
    }
    assert width["corrected"] < 0.6 * width["people_only"]
    assert found.quote is Quote.CORRECTED
    assert found.why.startswith("the judge's values (weight 0.9")
    assert found.why.endswith("too high")
    assert found.corrected.interval.lo < people.mean() < found.corrected.interval.hi


def test_a_judge_that_tells_nothing_leaves_the_people_alone():
    people, _ = population(500, noise=0.1)
    labelled = np.arange(0, 500, 10)
    found = correct(np.full(500, 0.9), people[labelled], labelled=labelled)
    assert found.weight == 0
    assert found.corrected == found.people_only
    assert found.quote is Quote.PEOPLE
    assert "tells too little" in found.why
    # One that says the opposite is clipped to nothing, not used backwards.
    assert correct(1 - people, people[labelled], labelled=labelled).weight == 0


def test_the_weight_is_never_over_one():
    people, _ = population(500, noise=0.1)
    labelled = np.arange(0, 500, 10)
    assert correct(0.5 + people / 4, people[labelled], labelled=labelled).weight == 1


def test_labels_of_every_query_leave_nothing_to_correct():
    people, judge = population(30, noise=0.1)
    found = correct(judge, people, labelled=np.arange(30))
    assert found.weight == 0
    assert found.corrected == found.people_only
    assert found.quote is Quote.PEOPLE
    assert "every query" in found.why


def test_too_few_labelled_queries_are_not_quoted_at_all():
    people, judge = population(100, noise=0.1)
    found = correct(judge, people[:4], labelled=np.arange(4))
    assert found.quote is Quote.NONE
    assert found.why == f"only 4 labelled queries have the measure: label {ENOUGH - 4} more"
    all_of_4 = correct(judge[:4], people[:4], labelled=np.arange(4))
    assert all_of_4.why.endswith(f"and none is left to label: {ENOUGH} are wanted")
    nobody = correct(judge, np.array([]), labelled=np.array([], dtype=np.intp))
    assert nobody.corrected.value is None
    assert nobody.quote is Quote.NONE
    one = correct(judge, people[:1], labelled=np.array([0]))
    assert one.people_only.interval is None
    assert one.people_only.reason == "one labelled query has no spread"


def test_heavy_tails_leave_the_variance_less_known_and_the_interval_wider():
    # 29 at .1 and one at .9: mean .126667, variance (n - 1) .021333, kurtosis 1 / (p q) - 3 = 28.03
    # of a two-point value with p = 1/30: 60 / (28.0345 - 27 / 29) = 2.2137 degrees for what is not
    # of the yes-or-no sort, which is 1 - .021333 / 30 * 30 / (.126667 * .873333) of it.
    people = np.full(30, 0.1)
    people[0] = 0.9
    found = correct(np.full(300, 0.5), people, labelled=np.arange(30))
    mean, variance = people.mean(), people.var(ddof=1) / 30
    known = variance * 30 / (mean * (1 - mean))
    degrees = 1 / (known / 29 + (1 - known) / (60 / (900 / 29 - 3 - 27 / 29)))
    worth = mean * (1 - mean) / variance
    z = t.ppf(0.975, degrees)
    lo, hi = wilson(mean * worth, worth, z=z)
    # And the tail is on the right: skewness (q - p) / sqrt(p q), 5.19948, of the mean over sqrt 30.
    # The middle is to be off by that times (1 + 2 z^2) / 6 standard errors, where Wilson's is off
    # by less.
    lean = (29 - 1) / 29**0.5 / 30**0.5 * (1 + 2 * Z95**2) / 6 * variance**0.5
    assert (lo + hi) / 2 - mean < lean
    moved = hi + lean - ((lo + hi) / 2 - mean)
    assert list(found.people_only.interval) == pytest.approx([lo, moved])
    # With the tail on the left it is the lower end.
    other = correct(np.full(300, 0.5), 1 - people, labelled=np.arange(30))
    assert list(other.people_only.interval) == pytest.approx([1 - moved, 1 - lo])


def test_yes_or_no_values_keep_the_ends_of_wilson():
    people = np.repeat([0.0, 1.0], [26, 4])
    found = correct(np.full(300, 0.5), people, labelled=np.arange(30)).people_only.interval
    # Their variance over n - 1 is worth 29 of them.
    assert list(found) == pytest.approx(list(wilson(29 * 4 / 30, 29, z=t.ppf(0.975, 29))))


def test_a_judge_that_leaves_the_interval_no_narrower_is_left_out():
    # Of 30 queries three have anything to do with the judge, and one of them decides lam.
    random = np.random.default_rng(4)
    people = random.beta(2, 2, 30)
    judge = np.full(300, 0.5)
    judge[[0, 1, 2]] = 0.55, 0.45, 1.0
    people[[0, 1, 2]] = 0.6, 0.4, 0.95
    found = correct(judge, people, labelled=np.arange(30))
    assert found.weight == 0
    assert found.corrected == found.people_only


def test_labels_that_are_all_at_a_bound_still_leave_room():
    # 30 of 30 at 1: Wilson's lower end 30 / (30 + t^2), t of 29 degrees, 2.04523.
    judge = np.random.default_rng(1).random(300)
    found = correct(judge, np.ones(30), labelled=np.arange(30))
    assert list(found.corrected.interval) == pytest.approx([30 / (30 + 2.0452296**2), 1.0])
    same = correct(judge, np.full(30, 0.4), labelled=np.arange(30))
    assert same.corrected.interval is None
    assert same.corrected.reason == "every labelled query has the same value"


def test_a_judge_is_not_tuned_on_one_or_two_odd_queries():
    seldom, often = np.tile([0.0] + [1.0] * 14, 20), np.tile([0.0] + [1.0] * 9, 30)
    two, three = np.ones(30), np.ones(30)
    two[[0, 10]] = three[[0, 10, 20]] = 0
    # Two odd ones by people, then by the judge; then three by both, on which they agree.
    assert correct(often, two, labelled=np.arange(30)).weight == 0
    assert correct(seldom, three, labelled=np.arange(30)).weight == 0
    assert correct(often, three, labelled=np.arange(30)).weight > 0.9


def test_a_difference_of_variants_is_corrected_within_its_own_bounds():
    random = np.random.default_rng(5)
    people = random.choice([-1.0, -0.5, 0, 0, 0.5, 1.0], 400)
    judge = np.clip(people + random.normal(0, 0.2, 400), -1, 1)
    labelled = np.arange(0, 400, 10)
    found = correct(judge, people[labelled], labelled=labelled, bounds=(-1, 1))
    lo, hi = found.corrected.interval
    assert -1 < lo < people.mean() < hi < 1
    h, j = people[labelled], judge[labelled]
    m = found.weight * judge.mean() + (h - found.weight * j).mean()
    assert found.corrected.value == pytest.approx(m)


def test_queries_drawn_with_unequal_chances_are_reweighted():
    # Two halves with means 0 and 1; the first half was drawn three times as often.
    people = np.concatenate([np.zeros(300), np.ones(300)])
    judge = people * 0.8 + np.random.default_rng(2).normal(0, 0.05, 600)
    labelled = np.concatenate([np.arange(30), 300 + np.arange(10)])
    weights = np.concatenate([np.full(30, 10.0), np.full(10, 30.0)])
    found = correct(judge, people[labelled], labelled=labelled, weights=weights)
    assert found.people_only.value == pytest.approx(0.5)
    assert found.corrected.value == pytest.approx(0.5, abs=0.02)
    naive = correct(judge, people[labelled], labelled=labelled)
    assert naive.people_only.value == pytest.approx(0.25)


def test_a_query_without_the_measure_is_in_no_mean_and_the_correction_knows():
    """A quarter of the queries are unanswerable; the judge finds a relevant passage in half of
    those, and misses all in some others."""
    random = np.random.default_rng(6)
    held, off = 0, []
    people = random.beta(3, 2, 600)
    judge = np.clip(people + random.normal(0.1, 0.1, 600), 0, 1)
    people[:150] = NAN
    judge[:75], judge[590:] = 0.2, NAN
    truth = np.nanmean(people)
    for _ in range(300):
        labelled = random.choice(600, 60, replace=False)
        found = correct(judge, people[labelled], labelled=labelled)
        held += found.corrected.interval.lo <= truth <= found.corrected.interval.hi
        off.append(found.corrected.value - truth)
        assert found.people_only.value == pytest.approx(np.nanmean(people[labelled]))
    # Three standard errors of 300 draws at 95%; and no lean beside the draws' own error.
    assert held >= 273
    assert abs(np.mean(off)) < 3 * np.std(off) / 300**0.5


def test_a_judge_that_calls_nothing_relevant_has_no_value_of_its_own():
    people, _ = population(40, noise=0.1)
    found = correct(np.full(100, NAN), people, labelled=np.arange(40))
    assert found.judge_only.value is None
    assert found.judge_only.reason == "the judge calls nothing relevant"
    assert found.quote is Quote.PEOPLE


def test_what_does_not_fit_together_is_refused():
    judge = np.zeros(5)
    with pytest.raises(ValueError, match="2 values, 1 positions"):
        correct(judge, np.zeros(2), labelled=np.array([1]))
    with pytest.raises(ValueError, match="repeats"):
        correct(judge, np.zeros(2), labelled=np.array([1, 1]))
    with pytest.raises(ValueError, match="not positive"):
        correct(judge, np.zeros(1), labelled=np.array([1]), weights=np.array([0.0]))


JUDGES = ("NISTRetrieval-reason0", "RMITIR-llama70B", "h2oloo-fewself", "willia-umbrela1")
ASKED = tuple(measure(text) for text in ("R@5", "P@5", "RR@5", "nDCG@5"))


def grades(path):
    """Grades 0 and 1 as NO, 2 as PART, 3 and over as YES."""
    found = {}
    for line in Path(DATA, "data/llmjudge", path).read_text("utf-8").splitlines():
        query_id, _, passage_id, grade = line.split()
        found[query_id, passage_id] = max(0, min(int(grade), 3) - 1)
    return found


def dealt(sizes, *, noise, times=1):
    """Each of the 25 queries' pools dealt into queries of some of `sizes` passages, `times` over,
    each ranked by the human grade plus noise: rankings of which people and judges say different
    things, and the query that each is from."""
    human = grades("human.qrels")
    random = np.random.default_rng(0)
    pools: dict[str, list[str]] = {}
    for query_id, passage_id in human:
        pools.setdefault(query_id, []).append(passage_id)
    run, origin = {}, {}
    for again in range(times):
        for query_id, pool in pools.items():
            left = random.permutation(pool).tolist()
            while len(left) >= (size := int(random.choice(sizes))):
                name = f"{again}.{query_id}.{len(left)}"
                of = {p: human[query_id, p] + random.normal(0, noise) for p in left[:size]}
                run[name], origin[name] = sorted(of, key=of.__getitem__, reverse=True), query_id
                left = left[size:]
    return run, origin


@pytest.fixture(scope="module")
def rankings():
    """282 queries of 15 passages."""
    return dealt([15], noise=2)


@pytest.fixture(scope="module")
def deeper():
    """Some 500 queries of 15 to 40 passages, of many of which more than 5 are relevant."""
    return dealt(range(15, 41), noise=2, times=3)


def measured(rankings, path, *, asked=ASKED, reading=Reading.LENIENT):
    """The measures of every ranking under one judge's or the people's grades, NaN undefined."""
    run, origin = rankings
    given = grades(path)
    golden = {q: {p: given[origin[q], p] for p in ranking} for q, ranking in run.items()}
    done = evaluate(golden, run, measures=asked, reading=reading, draws=2)
    places = {query_id: place for place, query_id in enumerate(run)}
    values = np.full((len(run), len(asked)), NAN)
    values[[places[query_id] for query_id in done.query_ids]] = done.values
    return values


@pytest.mark.skipif(not DATA, reason="LABELER_TEST_DATA is not set")
@pytest.mark.parametrize("judge", JUDGES)
def test_corrected_intervals_hold_what_all_people_say_and_are_narrower_than_theirs(rankings, judge):
    people, verdicts = (
        measured(rankings, "human.qrels"),
        measured(rankings, f"verdicts/{judge}.txt"),
    )
    covers(people, verdicts, draws=250, least=0.93)


def covers(people, verdicts, *, draws, least):
    """Whether intervals from 30 labelled queries hold the value of all, and are narrower than those
    of people alone, or as wide where the judge is of no use."""
    random = np.random.default_rng(1)
    for column in range(people.shape[1]):
        truth = np.nanmean(people[:, column])
        held, widths, weight = 0, np.zeros(2), 0.0
        for _ in range(draws):
            labelled = random.choice(len(people), 30, replace=False)
            found = correct(verdicts[:, column], people[labelled, column], labelled=labelled)
            held += found.corrected.interval.lo <= truth <= found.corrected.interval.hi
            widths += [e.interval.hi - e.interval.lo for e in (found.corrected, found.people_only)]
            weight += found.weight
        assert held / draws >= least
        assert widths[0] < widths[1] if weight else widths[0] == widths[1]


@pytest.mark.skipif(not DATA, reason="LABELER_TEST_DATA is not set")
@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("judge", JUDGES)
def test_they_hold_it_too_where_recall_is_small_but_for_a_few_queries(deeper, judge, reading):
    asked = tuple(measure(text) for text in ("R@5", "R@20", "P@5", "RR@10", "nDCG@10"))
    people, verdicts = (
        measured(deeper, path, asked=asked, reading=reading)
        for path in ("human.qrels", f"verdicts/{judge}.txt")
    )
    # Forty times 200 draws: three of their standard errors below 95%.
    covers(people, verdicts, draws=200, least=0.904)


@pytest.mark.skipif(not DATA, reason="LABELER_TEST_DATA is not set")
def test_the_weight_of_a_judge_that_finds_nothing_falls_toward_the_people_alone(rankings):
    # With 3 alone as YES this judge finds 2 of 377 relevant passages.
    run, origin = rankings
    weights = {}
    for judge in ("NISTRetrieval-reason0", "willia-umbrela1"):
        by = {}
        for path in ("human.qrels", f"verdicts/{judge}.txt"):
            given = grades(path)
            golden = {q: {p: given[origin[q], p] for p in ranking} for q, ranking in run.items()}
            done = evaluate(golden, run, measures=ASKED[1:2], draws=2)
            by[path] = np.array([done.of(q).values["P@5"] or 0.0 for q in run])
        people, verdicts = by.values()
        random = np.random.default_rng(1)
        drawn = [random.choice(len(people), 30, replace=False) for _ in range(200)]
        found = [correct(verdicts, people[at], labelled=at).weight for at in drawn]
        weights[judge] = float(np.mean(found))
    assert weights["NISTRetrieval-reason0"] < 0.02
    assert weights["willia-umbrela1"] > 0.3
