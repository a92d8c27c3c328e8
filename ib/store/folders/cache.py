"""The cache of answers across scans: a SQLite file of the user. A hit costs nothing.

An answer is found by the key of its request, which is a hash of all that can change the answer: the judge
with its address and parameters, the rendered prompt, and which of the repetitions it is. The cache holds
answers only, never faults, and no key material of a provider. Several processes may use it at once. If the
file cannot be used, the caller is told once, and work goes on without a cache.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ib.models.scan.judge import Answer

VARIABLE = "IB_CACHE"
"""The environment variable with the path of the cache, or OFF."""
OFF = "off"
FORM = 1
"""The number of the table's form, kept in the file."""
BUSY_SECONDS = 5.0
"""How long to wait while another process writes."""
_MAKE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"
_GET = "SELECT answer FROM answers WHERE key = ?"
_PUT = "INSERT OR IGNORE INTO answers VALUES (?, ?)"


def usual_place() -> Path | None:
    """The path in IB_CACHE, or else a file in the user's cache folder. Returns None for IB_CACHE=off."""
    given = os.environ.get(VARIABLE)
    if given == OFF:
        return None
    if given:
        return Path(given)
    usual = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return Path(os.environ.get("XDG_CACHE_HOME") or usual) / "ib" / "answers.sqlite"


def cache_path(chosen: str | Path | bool) -> Path | None:
    """The path of the cache: the one chosen, the usual one for True, None for False."""
    if isinstance(chosen, bool):
        return usual_place() if chosen else None
    return Path(chosen)


class AnswerCache:
    """Answers by the key of their request. Close it in the thread that opened it."""

    def __init__(self, path: Path, notice: Callable[[str], None]) -> None:
        """Open or create a cache. `notice` is called with one sentence if the file cannot be used."""
        self.path = path
        self._notice = notice
        self._file: sqlite3.Connection | None = None
        try:
            self._file = _opened(path)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def get(self, key: str) -> Answer | None:
        """The answer to a request. Returns None if there is none."""
        if self._file is None:
            return None
        try:
            row = self._file.execute(_GET, (key,)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return Answer(row[0]) if row is not None and isinstance(row[0], str) else None

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer. An answer that is there already stays."""
        if self._file is None:
            return
        try:
            self._file.execute(_PUT, (key, answer.text))
        except sqlite3.Error as error:
            self._give_up(error)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _give_up(self, error: Exception) -> None:
        """Go on without a cache, and say so."""
        with suppress(sqlite3.Error):
            self.close()
        self._file = None
        self._notice(
            f"{self.path}: the cache of answers cannot be used ({error}); going on without it. "
            "Delete the file, or choose another with --cache"
        )


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to a cache. Raises sqlite3.Error or OSError if the file is not one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # answers quote private conversations
    with suppress(FileExistsError):
        path.touch(mode=0o600, exist_ok=False)
    # In a notebook the work runs in a thread of its own (`ib.pipeline.common.loop`), never both at once.
    file = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        (form,) = file.execute("PRAGMA user_version").fetchone()
        if form not in (0, FORM):
            raise sqlite3.DatabaseError(f"it has form {form}, and this version reads form {FORM}")
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")  # a power cut loses the last answers, no older ones
        file.execute(_MAKE)
        file.execute(f"PRAGMA user_version = {FORM}")
    except BaseException:
        file.close()
        raise
    return file
