"""Settings of all tests: the same draws in every run, no cache unasked, which tests only the gate runs."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import PurePosixPath

import pytest
from hypothesis import settings

os.environ["IB_CACHE"] = "off"  # tests read no answers of the user's scans, and leave none behind

# A shell lets a process in the background ignore Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

GATE = {
    "tests/browser": "opens pages in Chromium",
    "tests/demonstration": "makes the whole demonstration",
    "tests/delivery/recomputed": "computes every figure of a site again",
    "tests/delivery/test_attacked.py": "builds a site of hostile texts",
    "tests/injection": "tries hundreds of hostile transcripts and judges",
    "tests/providers": "starts servers that others wrote",
    "tests/real": "scans real transcripts",
    "tests/test_workflows.py": "builds the site on a fresh clone",
}
"""Files and folders of tests that `make check` runs and `make test` leaves out, each with its reason. A test
anywhere else can be marked with `pytest.mark.gate`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of GATE, so that `-m "not gate"` is what a newcomer runs."""
    for item in items:
        path = PurePosixPath(item.nodeid.partition("::")[0])
        if GATE.keys() & {str(part) for part in (path, *path.parents)}:
            item.add_marker("gate")


def pytest_collection_finish() -> None:
    """Leave what lives to the end, such as 9,000 tests and their modules, out of every collection of garbage.

    Without this, one full collection takes 0.3 seconds, and statsmodels asks for one at each call.
    """
    gc.freeze()
