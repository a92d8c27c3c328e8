"""The page of licenses: every locked package once, with the license of its metadata."""

from __future__ import annotations

import re
from pathlib import Path

from tools.generate import MADE
from tools.licenses import PAGE, UNKNOWN, license_of, page

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_names_every_package_of_the_lock_file() -> None:
    """And is the one in the repository."""
    made = page(ROOT)
    locked = re.findall(
        r"^([A-Za-z0-9._-]+)==", (ROOT / "requirements" / "run.txt").read_text("utf-8"), re.MULTILINE
    )
    named = re.findall(r"^\| ([\w.-]+) \| \d", made, re.MULTILINE)
    assert sorted(named) == sorted(locked)
    assert (ROOT / PAGE).read_text("utf-8") == MADE + made


def test_a_license_is_that_of_the_metadata() -> None:
    """A package that is not installed keeps what the page said of it, else nothing is claimed."""
    assert license_of("click", {}) == "BSD-3-Clause"
    assert license_of("no-such-package", {"no-such-package": "MIT"}) == "MIT"
    assert license_of("no-such-package", {}) == UNKNOWN
