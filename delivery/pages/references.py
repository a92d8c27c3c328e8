"""The page of the reference assistants."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release.references import assistants
from delivery.release.view import Release


def pages(release: Release) -> Iterator[Page]:
    """One page for all reference assistants of the benchmark."""
    view = {"assistants": assistants(release)}
    yield Page("reference/index.md", "references.html", "Reference assistants", view)
