"""Makes `docs/licenses.md`: the license of the project, and that of every package that it installs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

_LOCKED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^ ;\\]+)", re.MULTILINE)
_ROW = re.compile(r"^\| ([\w.-]+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
PAGE = "docs/licenses.md"
_CLASSIFIER = "License :: "
UNKNOWN = "not stated by the package"
"""What the page says of a package without a license in its metadata."""


def page(root: Path) -> str:
    """The page, from the lock file of the package and the metadata of what is installed."""
    locked = dict(_LOCKED.findall((root / "requirements" / "run.txt").read_text("utf-8")))
    before = _before(root / PAGE)
    rows = [
        f"| {name} | {version} | {license_of(name, before)} |" for name, version in sorted(locked.items())
    ]
    return "\n".join(
        [
            "# Licenses",
            "",
            "Code, benchmark and data of this repository have the MIT license (`LICENSE`). The fonts of the",
            "site have the SIL Open Font License 1.1; its text stands beside them. Conversations of models",
            "in a release are replies of those models: whoever publishes them answers for the terms of their",
            "providers.",
            "",
            f"`make install` installs these {len(locked)} packages, by `requirements/run.txt`. Each license",
            "is what the metadata of the package says.",
            "",
            "| package | version | license |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _before(path: Path) -> dict[str, str]:
    """What the page says already, by package: a lock file also names packages of other versions of Python."""
    return dict(_ROW.findall(path.read_text("utf-8"))) if path.is_file() else {}


def license_of(name: str, before: Mapping[str, str]) -> str:
    """The license of a package in the words of its metadata, on one line; `before` if it is not installed."""
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return before.get(name, UNKNOWN)
    classified = _classified(told.get_all("Classifier") or [])
    stated = _said(told, "License-Expression") or _short(_said(told, "License")) or classified
    return (stated or UNKNOWN).replace("|", "/")


def _said(told: PackageMetadata, key: str) -> str | None:
    found = told.get_all(key)
    return found[0] if found else None


def _short(text: str | None) -> str | None:
    """A license given as its name; None for one given as its whole text."""
    return text.strip() if text and "\n" not in text.strip() and len(text) < 80 else None


def _classified(classifiers: Iterable[str]) -> str | None:
    names = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith(_CLASSIFIER)]
    return ", ".join(names) or None
