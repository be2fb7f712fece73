"""What each labelled unit stands for, where lists of what to label next were drawn.

A list is a sample, drawn with known chances, of what was not labelled when it was drawn. So what
was labelled without a list, or by an earlier one, stands for itself, and the list's labelled units
stand together for all the rest, each in proportion to 1 / its chance. Several lists are as many
such estimates, averaged in proportion to how many of their units are labelled (Raj's estimator of
successive draws without replacement, Sankhya, 1956, with those proportions as its coefficients).

A list may count what was labelled before it as drawn at random, in which case both are one sample:
with a share c of everything labelled before, and p the chance that a unit has in the list, it is in
the one or the other with chance c + (1 - c) p. Of a list that is labelled in part, so far the first
m of n, p is m / n of what it was drawn with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labeler.stats.measures import Values


def represented(
    labelled: Sequence[int],
    lists: Sequence[Mapping[int, float]],
    *,
    everything: int,
    at_random: Sequence[Mapping[int, float]] = (),
) -> Values | None:
    """How many of the `everything` units each labelled one stands for, in the order of `labelled`;
    they sum to `everything`.

    `lists`, the oldest first, hold 1 / the chance with which each unit was drawn; a unit of several
    belongs to the first. `at_random`, for each list, holds the units labelled before that it counts
    as drawn at random, with 1 / the chance that the list would have given them. None where no
    labelled unit is in a list: then nothing says how they were drawn, and all weigh the same.
    """
    of = {unit: number for number, drawn in reversed(list(enumerate(lists))) for unit in drawn}
    place = np.array([of.get(unit, -1) for unit in labelled], dtype=np.intp)
    used = sorted(set(place[place >= 0].tolist()))
    if not used:
        return None
    by_chance = np.array([lists[of[unit]][unit] if unit in of else 1.0 for unit in labelled])
    for number, before in zip(used, [at_random[n] if at_random else {} for n in used], strict=True):
        joined = [n for n, unit in enumerate(labelled) if place[n] < 0 and unit in before]
        if joined:
            drawn, many = np.flatnonzero(place == number), len(lists[number])
            place[joined] = number
            by_chance[joined] = [before[labelled[n]] for n in joined]
            both = np.concatenate([drawn, joined])
            chance = np.minimum(1, len(drawn) / many / by_chance[both])
            share = len(joined) / everything
            by_chance[both] = 1 / (share + (1 - share) * chance)
    stands_for = np.zeros(len(labelled))
    for number in used:
        own, before = place == number, place < number
        share = own.sum() / (place >= 0).sum()
        rest = everything - before.sum()
        stands_for[before] += share
        stands_for[own] += share * by_chance[own] * rest / by_chance[own].sum()
    return stands_for
