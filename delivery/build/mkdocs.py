"""Let mkdocs build a folder of finished pages."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from delivery.build.policy import with_policy
from delivery.pages.caregivers import help_page
from delivery.release.frame import frame
from delivery.release.place import Place, site_source
from delivery.release.view import Release
from delivery.words.escape import entity
from ib.errors import Refused
from ib.models.release.leaderboard import Leaderboard
from ib.store.files.clock import EPOCH, pinned

_UNUSED = ("assets/javascripts/lunr/", "assets/stylesheets/", "partials/")
"""Files of the theme that the site never loads: word lists of languages other than English, its style sheets,
and parts of pages."""


_MAP = re.compile(r"\n?(?://|/\*)# sourceMappingURL=\S+(?: \*/)?\s*\Z")


class Finished(BasePlugin):  # type: ignore[no-untyped-call,type-arg] # mkdocs has no types for plugins
    """Puts the body of each page into the theme as it is, and keeps at most one body in memory."""

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Leave out the files that no page uses, and source maps. Make one of the site's own style sheets."""
        for file in list(files):
            if file.src_uri.startswith(_UNUSED) or file.src_uri.endswith(".map"):
                files.remove(file)
        config.extra["assets"] = _assets([file.src_uri for file in files])
        _join_sheets(files, config)
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, **_: Any) -> str:
        """Give the Markdown parser nothing to do.

        Raises PluginError if the front matter could not be read: mkdocs then drops all of it without a word.
        """
        if "title" not in page.meta:
            raise PluginError(f"the front matter of {page.file.src_uri} cannot be read")
        return ""

    @event_priority(100)
    def _before_search(self, /, context: Any, *, page: Page, **_: Any) -> Any:
        """Give the search what it may index: the body, or only the title."""
        page.content = f"<h1>{page.title}</h1>" if page.meta.get("search_title") else _body(page)
        return context

    @event_priority(-100)
    def _after_search(self, /, context: Any, *, page: Page, **_: Any) -> Any:
        """Give the theme the body."""
        page.content = _body(page)
        return context

    on_page_context = CombinedEvent(_before_search, _after_search)

    def on_post_page(self, output: str, *, page: Page, **_: Any) -> str:
        """Let go of the body, and give the finished page its policy."""
        page.content = ""
        return with_policy(output)

    def on_post_template(self, output: str, *, template_name: str, **_: Any) -> str:
        """Give the page for missing addresses its policy."""
        return with_policy(output) if template_name.endswith(".html") else output

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Remove the comments that name source maps, because the maps are left out."""
        for path in (Path(config.site_dir) / "assets").rglob("*"):
            if path.suffix in {".css", ".js"}:
                path.write_text(_MAP.sub("", path.read_text("utf-8")), "utf-8")


def _body(page: Page) -> str:
    """The body of a page: its file without the front matter."""
    return page.file.content_string.split("---\n", 2)[2]


def _assets(names: list[str]) -> dict[str, object]:
    """The files of the theme that pages load. Their names carry hashes that change with each version."""
    return {
        "bundle": _one(names, "assets/javascripts/bundle.", ".min.js"),
        "worker": _one(names, "assets/javascripts/workers/search.", ".min.js"),
    }


def _join_sheets(files: Files, config: MkDocsConfig) -> None:
    """Put the style sheets of `ib/` together, in the order of their names: each page loads one of them."""
    own = sorted(
        (file for file in files.css_files() if file.src_uri.startswith("ib/")), key=lambda f: f.src_uri
    )
    for file in own:
        files.remove(file)
    text = "".join(file.content_string for file in own)
    files.append(File.generated(config, "ib/site.css", content=text))


def _one(names: list[str], start: str, end: str) -> str:
    """The only name of a form. Raises PluginError if the theme has none, or several."""
    found = [name for name in names if name.startswith(start) and name.endswith(end)]
    if len(found) != 1:
        raise PluginError(f"the theme has {len(found)} files {start}*{end}; the site needs exactly one")
    return found[0]


_OF_LOGS = {"index.md": "Results", "scenarios/index.md": "Conversations"}
"""Entries of the navigation that have another name in a release of open logs."""
_COMPARING = {"leaderboard.md", "compare/index.md", "contrast/index.md"}
"""Pages that compare models. A release of open logs has none of them."""


def _navigation(nav: Iterable[Mapping[str, str]], release: Release) -> list[dict[str, str]]:
    """The entries of the navigation whose pages this release has, by the names that they have there."""
    is_log = release.board.open_logs
    missing = _COMPARING if is_log else set[str]()
    page = help_page(release)
    last = [] if page is None else [{str(entity(page.name)): f"{page.path}.md"}]
    found = [
        {(_OF_LOGS.get(path, name) if is_log else name): path}
        for entry in nav
        for name, path in entry.items()
        if path not in missing
    ]
    history = [] if release.history is None else [{"Releases": "releases.md"}]
    return found + history + last


def run_mkdocs(docs: Path, site: Path, release: Release, place: Place) -> None:
    """Run mkdocs in strict mode. Raises Refused with every warning of mkdocs."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.commands.build import build as run
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    from delivery.build.mkdocs import Finished

    board, said_by_frame = release.board, frame(release, place)
    with _pinned_time(board), _warnings() as said:
        try:
            # mkdocs takes relative paths as relative to mkdocs.yml, not to the current folder.
            config = load_config(
                str(site_source() / "mkdocs.yml"),
                docs_dir=str(docs.resolve()),
                site_dir=str(site.resolve()),
                site_url=place.url or "",
                strict=True,
            )
            config.extra["frame"] = said_by_frame
            config.site_name = str(said_by_frame["name"])
            config.nav = _navigation(config.nav or (), release)
            config.plugins["finished"] = Finished()
            run(config)
        except MkDocsException as error:
            raise Refused("mkdocs could not build the pages", [*said, str(error)]) from error


def build_time(board: Leaderboard) -> datetime:
    """The time of a build: SOURCE_DATE_EPOCH, else the beginning of the day of the release.

    No page shows it. Raises UsageError if SOURCE_DATE_EPOCH is no time.
    """
    return pinned() or datetime.combine(board.released, time(tzinfo=UTC))


@contextlib.contextmanager
def _pinned_time(board: Leaderboard) -> Iterator[None]:
    """Set the time of the build for mkdocs."""
    named = os.environ.get(EPOCH)
    os.environ[EPOCH] = str(int(build_time(board).timestamp()))
    try:
        yield
    finally:
        os.environ.pop(EPOCH)
        if named is not None:
            os.environ[EPOCH] = named


@contextlib.contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collect the warnings of mkdocs instead of printing them."""
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign] # one line needs no class
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)
