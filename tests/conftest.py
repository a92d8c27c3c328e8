"""Settings of all tests: hypothesis draws the same examples in every run, and no cache is used unasked."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ["IB_CACHE"] = "off"  # tests read no answers of the user's scans, and leave none behind

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
