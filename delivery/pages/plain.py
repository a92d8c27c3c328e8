"""Pages that need no data but what every page has."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release import Release
from delivery.tables import TABLES


def pages(release: Release) -> Iterator[Page]:
    """About, and the list of data files."""
    yield Page("about.md", "about.html", "About and limits")
    yield Page("data.md", "data.html", "Data", {"tables": TABLES})
