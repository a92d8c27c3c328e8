"""The edit of a benchmark that a comparison proposes, as a patch. It is never applied here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import yaml

from ib.errors import DataError
from ib.models.benchmark.calibration import Calibration
from ib.pipeline.calibrate.calibrate import Compared
from ib.store.files.reading import decode, read_bytes

_BLOCK = re.compile(r"^calibration:.*\n(?:\n*[ \t].*\n)*", re.MULTILINE)
"""The key `calibration` at the top of a file, with everything that is indented below it."""


def patch(compared: Compared) -> str:
    """The proposed edit for `git apply` or `patch -p1` in the folder of the benchmark.

    It replaces the block `calibration` of each compared check, and adds the file of items that it names.
    """
    parts = (_of_check(compared.root, name, told) for name, told in compared.checks.items())
    files = (
        _difference(compared.root, told.measured.file, compared.lines[name].decode())
        for name, told in compared.checks.items()
        if told.measured is not None
    )
    return "".join((*parts, *files))


def _of_check(root: Path, name: str, told: Calibration) -> str:
    file = f"checks/{name}.yaml"
    text = decode(read_bytes(root / file), file)
    text += "" if text.endswith("\n") else "\n"
    if len(_BLOCK.findall(text)) != 1:
        raise DataError.one(root / file, None, "calibration", "is not a block of its own", "one block")
    return _difference(root, file, _BLOCK.sub(lambda _: block(told), text))


def block(told: Calibration) -> str:
    """The block `calibration` of a check, as YAML."""
    value = {"calibration": told.model_dump(mode="json", exclude_defaults=True)}
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)


def _difference(root: Path, file: str, text: str) -> str:
    """The difference between a file and its new text, in the form of git."""
    path = root / file
    old = decode(read_bytes(path), file) if path.is_file() else ""
    before = f"a/{file}" if path.is_file() else "/dev/null"
    head = f"diff --git a/{file} b/{file}\n" + ("" if path.is_file() else "new file mode 100644\n")
    lines = list(_marked(unified_diff(_lines(old), _lines(text), before, f"b/{file}")))
    return head + "".join(lines) if lines else ""


def _lines(text: str) -> list[str]:
    """The lines of a text. Only a newline ends one: other separators may stand in the words of a check."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def _marked(lines: Iterator[str]) -> Iterator[str]:
    """The lines of a difference, with the mark of a file that has no newline at its end."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
