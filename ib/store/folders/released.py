"""Reading the files of a release. Files of another version of their form are refused with one message.

A release is made again from its scan, so no older form is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import orjson

from ib.errors import DataError
from ib.models.common.base import Stage
from ib.models.release.leaderboard import SCHEMA_VERSION, Evidence, Leaderboard, ScenarioEntry
from ib.models.release.qa import Qa
from ib.models.release.rows import RowsHeader, TranscriptRow, joined
from ib.models.release.transcripts import Transcripts
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import model_of_json, model_of_line

LEADERBOARD = "leaderboard.json"
QA = "qa.json"
SCENARIOS = "scenarios.jsonl"


def rows_name(slug: str) -> str:
    """The file with the rows of a model, by its slug."""
    return f"rows/{slug}.jsonl"


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
    if model is Leaderboard:
        _refuse_rows(_mapping(text), name)
    return model_of_json(model, text, name)


def stage_of_any(path: Path) -> Stage:
    """The stage in a leaderboard of any version, so that an older release can be replaced."""
    stage = _mapping(decode(read_bytes(path), str(path))).get("stage")
    if stage not in tuple(Stage):
        raise DataError.one(path, None, "stage", f"found {stage!r}", ", ".join(Stage))
    return Stage(stage)


def _refuse_rows(board: Mapping[str, Any], name: str) -> None:
    """Raises DataError if a leaderboard.json lists what is in other files, where it is checked."""
    in_rows = [key for key, field in Leaderboard.model_fields.items() if field.exclude]
    models = board.get("models")
    kept = models if isinstance(models, list) else []
    listed = [key for key in in_rows if key in board]
    listed += ["models.scenarios"] if any("scenarios" in one for one in kept if isinstance(one, dict)) else []
    if listed:
        found = "is in the file"
        raise DataError.one(name, None, listed[0], found, f"rows/ and {SCENARIOS}, which have it")


def load_joined(folder: Path) -> Leaderboard:
    """The leaderboard of a release with its rows and scenarios. Raises DataError as `load_released` does."""
    board = load_released(Leaderboard, folder / LEADERBOARD)
    names = (SCENARIOS, *(rows_name(model.slug) for model in board.models))
    files = {name: read_bytes(folder / name) for name in names}
    return joined(board, rows_of(board, files, folder), scenarios_of(files, folder))


def rows_of(
    board: Leaderboard, files: Mapping[str, bytes], folder: Path
) -> dict[str, tuple[TranscriptRow, ...]]:
    """The rows of each model of a release, by its slug. `files` has the bytes of its files, by name.

    Raises DataError for a missing file, a line that is no row, or the rows of another model.
    """
    found = {}
    for model in board.models:
        name = rows_name(model.slug)
        header, lines = _lines_of(TranscriptRow, files, name, folder)
        if header.model_id != model.model_id:
            said = f"the rows are those of {header.model_id!r}"
            raise DataError.one(folder / name, 1, "model_id", said, repr(model.model_id))
        found[model.slug] = lines
    return found


def scenarios_of(files: Mapping[str, bytes], folder: Path) -> tuple[ScenarioEntry, ...]:
    """The scenarios of a release. Raises DataError as `rows_of` does."""
    return _lines_of(ScenarioEntry, files, SCENARIOS, folder)[1]


Line = TypeVar("Line", TranscriptRow, ScenarioEntry)


def _lines_of(
    model: type[Line], files: Mapping[str, bytes], name: str, folder: Path
) -> tuple[RowsHeader, tuple[Line, ...]]:
    """The header and the lines of a file."""
    path = str(folder / name)
    if name not in files:
        raise DataError.one(path, None, "", "is missing", "every file of the release")
    first, *rest = files[name].splitlines() or [b""]
    header = _line(RowsHeader, first, path, 1)
    return header, tuple(_line(model, line, path, number) for number, line in enumerate(rest, start=2))


Parsed = TypeVar("Parsed", RowsHeader, TranscriptRow, ScenarioEntry)


def _line(model: type[Parsed], line: bytes, path: str, number: int) -> Parsed:
    parsed = model_of_line(model, line, path, number)
    if isinstance(parsed, list):
        raise DataError(parsed)
    return parsed


def board_of_any(path: Path) -> dict[str, Any]:
    """A leaderboard of any version, as it is in its file."""
    return _mapping(decode(read_bytes(path), str(path)))


def qa_of_any(path: Path) -> dict[str, Any]:
    """A qa.json of any version, as it is in its file; empty if it is no JSON object."""
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
