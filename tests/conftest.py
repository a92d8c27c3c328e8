"""Settings of all tests: hypothesis draws the same examples in every run, and no cache is used unasked."""

from __future__ import annotations

import gc
import os

from hypothesis import settings

os.environ["IB_CACHE"] = "off"  # tests read no answers of the user's scans, and leave none behind

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    """Leave what lives to the end, such as 9,000 tests and their modules, out of every collection of garbage.

    Without this, one full collection takes 0.3 seconds, and statsmodels asks for one at each call.
    """
    gc.freeze()
