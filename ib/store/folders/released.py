"""Reading the files of a release. Files of another version of their form are refused with one message.

A release is made again from its scan, so no older form is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import orjson

from ib.errors import DataError
from ib.models.common.base import Stage
from ib.models.release.leaderboard import SCHEMA_VERSION, Evidence, Leaderboard
from ib.models.release.qa import Qa
from ib.models.release.transcripts import Transcripts
from ib.models.release.verified import Signature
from ib.store.files.reading import decode, read_bytes
from ib.store.files.signing import checked
from ib.store.files.validation import model_of_json

LEADERBOARD = "leaderboard.json"
QA = "qa.json"
SIGNATURE = "qa.json.sig"
"""The signature over qa.json, which lists the hash of every other file, if somebody signed the release."""

Model = TypeVar("Model", Leaderboard, Evidence, Transcripts, Qa)


def load_released(model: type[Model], path: Path) -> Model:
    """Load a file of a release. Raises DataError as `released_of_json` does."""
    return released_of_json(model, decode(read_bytes(path), str(path)), str(path))


def released_of_json(model: type[Model], text: str, name: str) -> Model:
    """The text of a file of a release as a model. Raises DataError with all findings.

    A file of another version gives a single finding, which says so.
    """
    version = _mapping(text).get("schema_version")
    if isinstance(version, int) and version != SCHEMA_VERSION:
        hint = "publish the scan again" if version < SCHEMA_VERSION else "use the ib that wrote the file"
        found = f"is {version}, and this ib reads {SCHEMA_VERSION}"
        raise DataError.one(name, None, "schema_version", found, hint)
    return model_of_json(model, text, name)


def signature_of(folder: Path, signers: Path | None) -> Signature:
    """Whether the release in a folder is signed, and by whom. Raises as `ib.store.files.signing.checked`."""
    path = folder / SIGNATURE
    there = read_bytes(path) if path.exists() else None
    return checked(read_bytes(folder / QA), there, signers, str(path))


def stage_of_any(path: Path) -> Stage:
    """The stage in a leaderboard of any version, so that an older release can be replaced."""
    stage = _mapping(decode(read_bytes(path), str(path))).get("stage")
    if stage not in tuple(Stage):
        raise DataError.one(path, None, "stage", f"found {stage!r}", ", ".join(Stage))
    return Stage(stage)


def board_of_any(path: Path) -> dict[str, Any]:
    """A leaderboard of any version, as it is in its file."""
    return _mapping(decode(read_bytes(path), str(path)))


def listed_in_any(path: Path) -> frozenset[str]:
    """The files that a qa.json of any version lists; none if it lists no files."""
    listed = _mapping(decode(read_bytes(path), str(path))).get("released")
    return frozenset(listed) if isinstance(listed, dict) else frozenset()


def _mapping(text: str) -> dict[str, Any]:
    """A JSON document as a mapping; empty if it is none."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
