"""What people will say of a pair, given what the judges said: P(grade | verdicts).

One judge: the rates of its verdict among the labelled pairs. Several: a multinomial logistic
regression on their verdicts, one 0-or-1 column a judge and verdict, with an L2 penalty. Either
starts from a prior, PRIOR made-up labels for each verdict of the first judge that say it is mostly
right, which real labels soon outweigh.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeler.stats.measures import Values

PRIOR = 5.0
"""How many labels the prior is worth for each verdict."""

MOSTLY_RIGHT = np.array([[0.80, 0.15, 0.05], [0.30, 0.40, 0.30], [0.10, 0.20, 0.70]])
"""The prior's chances of NO, PART, YES (columns) under the verdicts NO, PART, YES (rows)."""

NONE = -1
"""Stands for no verdict, and for no label."""

Gains = NDArray[np.integer[Any]]


def chances(verdicts: Gains, labels: Gains) -> Values:
    """The chances (pairs, 3) that people say NO, PART, YES of each pair, by its verdicts alone: a
    labelled pair's own label is one among many that they are read from.

    `verdicts` (pairs, judges) are gains 0, 1, 2, the judge that is to be corrected first, `labels`
    (pairs) what people said; NONE where there is none. Raises ValueError when lengths differ.
    """
    if verdicts.ndim != 2 or len(verdicts) != len(labels):
        raise ValueError(f"verdicts {verdicts.shape} of {len(labels)} pairs")
    known = labels != NONE
    # A judge that nobody can be compared with tells nothing beside the first.
    told = [n for n in range(verdicts.shape[1]) if not n or (verdicts[known, n] != NONE).any()]
    return (_regression if len(told) > 1 else _rates)(verdicts[:, told], labels)


def _rates(verdicts: Gains, labels: Gains) -> Values:
    """The smoothed rates of each verdict; those of all labels where there is no verdict."""
    first, known = verdicts[:, 0], labels != NONE
    counts = PRIOR * MOSTLY_RIGHT
    both = known & (first != NONE)
    np.add.at(counts, (first[both], labels[both]), 1)
    overall = PRIOR * MOSTLY_RIGHT.mean(axis=0) + np.bincount(labels[known], minlength=3)
    table = np.vstack([counts, overall])
    rates: Values = table / table.sum(axis=1, keepdims=True)
    return rates[first]


def _regression(verdicts: Gains, labels: Gains) -> Values:
    from sklearn.linear_model import LogisticRegression

    known = labels != NONE
    columns, prior = _columns(verdicts), np.repeat(np.arange(3), 3)
    made_up = np.full((9, verdicts.shape[1]), NONE)
    made_up[:, 0] = prior
    model = LogisticRegression(max_iter=1000)
    model.fit(
        np.vstack([columns[known], _columns(made_up)]),
        np.concatenate([labels[known], np.tile(np.arange(3), 3)]),
        sample_weight=np.concatenate([np.ones(known.sum()), PRIOR * MOSTLY_RIGHT.ravel()]),
    )
    found: Values = model.predict_proba(columns)
    return found


def _columns(verdicts: Gains) -> Values:
    """One column of 0 or 1 a judge and verdict, (pairs, 3 * judges); none is 0 throughout."""
    of_each = verdicts[:, :, None] == np.arange(3)
    columns: Values = of_each.reshape(len(verdicts), -1).astype(np.float64)
    return columns
