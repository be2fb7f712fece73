"""What holds for every test."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# What is set for a developer's own store and judge must not reach the tests.
for name in ("LABELER_DB", "LABELER_AS", "LABELER_MODEL", "LABELER_OPEN", "ANTHROPIC_API_KEY"):
    os.environ.pop(name, None)

# A deadline fails a test because the machine was busy; speed is measured in the bench.
settings.register_profile("labeler", deadline=None)
settings.load_profile("labeler")

# A shell's background job is born deaf to Ctrl-C, and so would be every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
