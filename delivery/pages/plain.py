"""Pages that need no data but what every page has."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.figures.tables import TABLES
from delivery.pages.page import Page
from delivery.release.view import Release


def pages(release: Release) -> Iterator[Page]:
    """About, limits, accessibility, and the list of data files."""
    yield Page("about.md", "about.html", "About")
    yield Page("limits.md", "limits.html", "What this is not")
    yield Page("accessibility.md", "accessibility.html", "Accessibility")
    yield Page("data.md", "data.html", "Data", {"tables": TABLES})
