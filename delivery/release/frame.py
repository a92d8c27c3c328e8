"""What the frame of every page says: release, stage, date, version, source and citation.

The theme does not escape text, so every text that `frame` returns is escaped here.
"""

from __future__ import annotations

from delivery.release.place import Place
from delivery.release.references import field, noun_of
from delivery.release.view import Release
from delivery.words.escape import entity
from ib.models.benchmark.site import SiteConfig
from ib.models.common.base import Stage
from ib.models.release.leaderboard import Leaderboard

STAGES = {Stage.DEMO: "Demonstration", Stage.RESEARCH: "Research", Stage.PUBLIC: "Public"}
STAGE_SAID = {
    Stage.DEMO: "DEMONSTRATION. Says nothing about any product.",
    Stage.RESEARCH: "RESEARCH. Some verdicts are not settled.",
    Stage.PUBLIC: "",
}
"""What a page or a picture of a release says of its stage before anything else."""
STAGE_IN_FILES = {Stage.DEMO: "DEMONSTRATION", Stage.RESEARCH: "research", Stage.PUBLIC: "public"}
"""What each table file says of the stage of its release."""
_WORDS = {
    "clipboard.copy": "Copy",
    "clipboard.copied": "Copied",
    "search.result.placeholder": "Type to search",
    "search.result.none": "No page found",
    "search.result.one": "1 page found",
    "search.result.other": "# pages found",
    "search.result.more.one": "1 more on this page",
    "search.result.more.other": "# more on this page",
    "search.result.term.missing": "Missing",
    "select.version": "Select a version",
}
"""The words of the theme's search."""


def frame(release: Release, place: Place) -> dict[str, object]:
    """The values for the theme; every text is escaped."""
    board = release.board
    return {
        "stage": board.stage.value,
        "stage_name": STAGES[board.stage],
        "open_logs": board.open_logs,
        "release": entity(release_id(board)),
        "date": entity(board.released.isoformat()),
        "version": entity(f"version {board.benchmark_version}" if board.benchmark_version else "no version"),
        "source": None if place.source is None else entity(place.source),
        "description": entity(description(release)),
        "dataset": dataset(release, place) if place.url is not None else None,
        "words": _WORDS,
        **_site(release.background.site),
    }


def _site(site: SiteConfig) -> dict[str, object]:
    """How the site introduces itself, escaped; `help` and `help_page` are None without them."""
    line = None if site.help is None else site.help.model_dump(exclude={"page"})
    page = None if site.help is None or site.help.page is None else site.help.page.model_dump()
    return {
        "name": entity(site.name),
        "title": entity(site.title),
        "disputes": None if site.disputes is None else entity(site.disputes),
        "help": None if line is None else {key: entity(text) for key, text in line.items()},
        "help_page": None if page is None else {key: entity(text) for key, text in page.items()},
    }


def release_id(board: Leaderboard) -> str:
    """The short name of a release: the start of the hash of its results."""
    return board.results_hash[:12]


def people(release: Release) -> str:
    """Who the assistants talk with: people are invented in scenarios, and may be real in open logs."""
    audience = release.background.site.audience
    return audience if release.board.open_logs else f"invented {audience}"


def description(release: Release) -> str:
    """What the release covers, in one sentence without a result, as the first page counts it."""
    board = release.board
    what = f"{board.transcripts} conversations of {field(release)} with {people(release)}"
    said = f"{what}, examined for what the {noun_of(release)}s fail to notice."
    return f"Demonstration, not a result about any product. {said}" if board.stage is Stage.DEMO else said


def dataset(release: Release, place: Place) -> dict[str, object]:
    """The release as a schema.org Dataset."""
    board, site = release.board, release.background.site
    mark = " (demonstration)" if board.stage is Stage.DEMO else ""
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": f"{site.name} release {release_id(board)}{mark}",
        "description": description(release),
        "url": place.absolute(""),
        "identifier": board.results_hash,
        "license": "https://spdx.org/licenses/MIT.html",
        "isAccessibleForFree": True,
        **({"creator": {"@type": "Organization", "name": site.author}} if site.author else {}),
        **({"version": board.benchmark_version} if board.benchmark_version else {}),
        "datePublished": board.released.isoformat(),
        "distribution": [
            {
                "@type": "DataDownload",
                "encodingFormat": "application/json",
                "contentUrl": place.absolute("data/leaderboard.json"),
            }
        ],
    }


def bibtex(release: Release, place: Place) -> str:
    """The citation of a release, in the name of its benchmark."""
    board, site = release.board, release.background.site
    mark = ", demonstration" if board.stage is Stage.DEMO else ""
    fields = {
        "title": f"{{{site.name}: {site.title}}}",
        "author": f"{{{site.author}}}" if site.author else None,
        "year": str(board.released.year),
        "date": board.released.isoformat(),
        "version": board.benchmark_version,
        "note": f"Release {release_id(board)}{mark}",
        "url": place.url,
    }
    lines = [f"  {key} = {{{value}}}" for key, value in fields.items() if value]
    key = "".join(char for char in site.name.lower() if char.isascii() and char.isalnum()) or "benchmark"
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"
