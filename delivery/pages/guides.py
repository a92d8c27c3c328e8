"""Guides for the people whom a benchmark is about: a page for each that both roles have signed."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release.view import Release
from ib.store.benchmark.guides import LoadedGuide


def pages(release: Release) -> Iterator[Page]:
    """A page for each signed guide; none for a draft."""
    for one in signed(release):
        yield Page(path(one), "guide.html", one.guide.title, {"one": one, "guide": one.guide})


def signed(release: Release) -> tuple[LoadedGuide, ...]:
    """The guides that have a page."""
    return tuple(one for one in release.background.guides if not one.unsigned)


def path(one: LoadedGuide) -> str:
    """The path of its page in the build folder."""
    return f"guides/{one.entry.guide}-{one.entry.language}.md"


def outdated_signatures(release: Release) -> tuple[str, ...]:
    """A warning for each guide that was signed and then changed."""
    return tuple(
        f"{one.entry.file} has changed since {', '.join(one.outdated)} signed it, so it has no page"
        for one in release.background.guides
        if one.outdated and one.unsigned
    )
