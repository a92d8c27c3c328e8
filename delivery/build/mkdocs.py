"""Let mkdocs build a folder of finished pages."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime, time
from pathlib import Path

from delivery.release.frame import frame
from delivery.release.place import Place
from delivery.release.source import site_source
from delivery.release.view import Release
from ib.errors import Refused
from ib.models.release.leaderboard import Leaderboard
from ib.store.files.clock import EPOCH, pinned

_OF_LOGS = {"index.md": "Results", "scenarios/index.md": "Conversations"}
"""Entries of the navigation that have another name in a release of open logs."""
_COMPARING = {"leaderboard.md", "compare/index.md", "contrast/index.md"}
"""Pages that compare models. A release of open logs has none of them."""


def run_mkdocs(docs: Path, site: Path, release: Release, place: Place) -> None:
    """Run mkdocs in strict mode. Raises Refused with every warning of mkdocs."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.commands.build import build as run
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    from delivery.build.finished import Finished

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
            if board.open_logs:
                config.nav = [
                    {_OF_LOGS.get(path, name): path}
                    for entry in config.nav or ()
                    for name, path in entry.items()
                    if path not in _COMPARING
                ]
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
