"""The pages of the site: every kind of page, in the order in which it is rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from delivery.figures.tables import tables_of
from delivery.pages import (
    caregivers,
    checks,
    compare,
    contrast,
    conversations,
    guides,
    home,
    leaderboard,
    models,
    references,
    releases,
    scenarios,
    transcript_lists,
    transcripts,
)
from delivery.pages.method import audit, judges, methodology, sure
from delivery.pages.page import Page
from delivery.release.source import source
from delivery.release.view import Release


def plain_pages(release: Release) -> Iterator[Page]:
    """Pages that need no data but what every page has: about, limits, accessibility, data files."""
    yield Page("about.md", "about.html", "About")
    yield Page("limits.md", "limits.html", "What this is not")
    yield Page("accessibility.md", "accessibility.html", "Accessibility")
    yield Page("data.md", "data.html", "Data", {"tables": tables_of(release), "source": source(release)})


KINDS: tuple[Callable[[Release], Iterator[Page]], ...] = (
    home.pages,
    caregivers.pages,
    guides.pages,
    leaderboard.pages,
    models.pages,
    checks.pages,
    scenarios.pages,
    conversations.pages,
    compare.pages,
    contrast.pages,
    transcripts.pages,
    transcript_lists.pages,
    references.pages,
    methodology.pages,
    sure.pages,
    judges.pages,
    audit.pages,
    plain_pages,
    releases.pages,
)
"""A kind of page is a function from the release to its pages. It yields none if the release has none."""


def pages(release: Release) -> Iterator[Page]:
    """Every page of the site, in a fixed order."""
    for kind in KINDS:
        yield from kind(release)
