"""The money of one run.

What is spent, what may have been, and what the calls in flight may still cost.
"""

from __future__ import annotations

from labeler.errors import JudgeServiceError


class OutOfBudget(JudgeServiceError):
    """The next call could cost more than is left of the budget."""


class Spending:
    """US dollars.

    For one thread. A call is let in only if even its worst case keeps within `most`.
    """

    def __init__(self, most: float | None = None) -> None:
        self.most = most
        self.known = 0.0
        """What the replies say was used."""
        self.uncertain = 0.0
        """At most this much more, for calls whose reply never came but may be charged."""
        self.unpriced = 0
        """Replies whose cost is unknown, for want of a price or of an account of tokens."""
        self._reserved = 0.0
        self._flying = 0

    def fits(self, worst: float) -> bool:
        """Whether a call that costs at most `worst` keeps within the budget."""
        if self.most is None:
            return True
        return self.known + self.uncertain + self._reserved + worst <= self.most

    @property
    def idle(self) -> bool:
        """Whether no call is in flight, so that waiting frees nothing."""
        return self._flying == 0

    def over(self) -> str:
        """That the budget is used up, in words."""
        spent = self.known + self.uncertain
        budget = f"the budget of ${self.most:g}"
        return f"Stopped before {budget} could be exceeded; ${spent:.4f} is spent"

    def reserve(self, worst: float) -> None:
        """A call goes out."""
        self._reserved += worst
        self._flying += 1

    def lost(self, worst: float) -> None:
        """A call's reply never came, and it may be charged."""
        self.uncertain += worst

    def settle(self, worst: float, cost: float | None, *, replied: bool = True) -> None:
        """A call is over; `cost` as the reply accounts for it."""
        self._flying -= 1
        self._reserved = self._reserved - worst if self._flying else 0.0
        if cost is not None:
            self.known += cost
        elif replied:
            self.unpriced += 1
            self.uncertain += worst
