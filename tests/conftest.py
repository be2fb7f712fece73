"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# A deadline fails a test because the machine was busy; speed is measured in the bench.
settings.register_profile("labeler", deadline=None)
settings.load_profile("labeler")
