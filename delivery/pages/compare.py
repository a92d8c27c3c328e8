"""The list of pairs of models, and the page of each pair."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.figures.compare import (
    cases_of,
    checks_of,
    gates_of,
    pairs,
    phrases_only,
    sections_of,
    slugs_of_pairs,
)
from delivery.figures.dumbbells import bells
from delivery.pages.page import Page
from delivery.release.view import Release

WHOLE, ARTICLES = 1, 8
"""Of the checks on which two models differ, the first one shows its words, the next ones fold them, and all
others are folded together: the page has at most six screens."""
LISTED = 28
"""Up to so many pairs, those of eight models, are listed with what is established of each."""


def pages(release: Release) -> Iterator[Page]:
    """The pages of all pairs. Models of open logs are not compared."""
    if release.board.open_logs:
        return
    found = pairs(release)
    verdicts = [(pair, bells(release, pair).verdict) for pair in found[: LISTED + 1]]
    view: dict[str, object] = {
        "pair_of": slugs_of_pairs(found),
        "verdicts": verdicts if len(found) <= LISTED else [],
    }
    yield Page("compare/index.md", "compare.html", "Compare models", view)
    cases, phrases = cases_of(release), phrases_only(release)
    for pair in found:
        rows = checks_of(release, pair)
        view = {
            "pair": pair,
            "picture": bells(release, pair),
            "whole": WHOLE,
            "articles": ARTICLES,
            "rows": [row for row in rows if row[0].id not in phrases],
            "phrase_rows": [row for row in rows if row[0].id in phrases],
            "gates": gates_of(release, pair),
            "carried": bool(release.transcripts),
            "sections": sections_of(release, pair, cases, phrases),
        }
        title = f"{pair.first.model} and {pair.second.model} compared"
        yield Page(f"compare/{pair.slug}.md", "pair.html", title, view, search=False)
