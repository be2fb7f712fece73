"""Hypothesis without a deadline: the first call of an oracle loads its library."""

from hypothesis import settings

settings.register_profile("stats", deadline=None)
settings.load_profile("stats")
