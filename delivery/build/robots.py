"""Texts for programs that read the site: robots.txt and llms.txt."""

from __future__ import annotations

from delivery.release.frame import description, release_id
from delivery.release.place import Place
from delivery.release.view import Release

_PAGES = (
    ("", "findings, gates and scores of this release"),
    ("models/", "one page for each model"),
    ("checks/", "one page for each check, with its definition"),
    ("scenarios/", "one page for each scenario"),
    ("transcripts/", "every conversation that the release carries"),
    ("methodology/", "how verdicts, rates and scores are made"),
    ("sure/", "who judged, and what the figures cannot tell"),
    ("judges/", "what judges answered about built items whose right verdict is known"),
    ("limits/", "what this benchmark is not"),
    ("about/", "stages of a release, and how to cite it"),
    ("data/", "every table as CSV and JSON"),
)


def texts(release: Release, place: Place) -> dict[str, str]:
    """The files by path."""
    return {"robots.txt": _robots(place), "llms.txt": _llms(release, place)}


def _robots(place: Place) -> str:
    """Everything may be read. Pages with quotes ask search engines themselves not to list them."""
    lines = ["User-agent: *", "Allow: /"]
    if place.url is not None:
        lines += ["", f"Sitemap: {place.absolute('sitemap.xml')}"]
    return "\n".join(lines) + "\n"


def _llms(release: Release, place: Place) -> str:
    board = release.board
    places = [(place.absolute(path) or "./", what) for path, what in _PAGES]
    lines = [
        f"# {release.background.site.name}",
        "",
        f"> {description(release)}",
        "",
        f"Release {release_id(board)} of {board.released}.",
        "Every rate has a count, an interval and a link to the quotes behind it. Models are not ranked.",
        "Do not train models on these pages and files. They carry this mark:",
        "",
        board.canary,
        "",
        "## Pages",
        "",
        *(f"- [{address}]({address}): {what}" for address, what in places),
    ]
    return "\n".join(lines) + "\n"
