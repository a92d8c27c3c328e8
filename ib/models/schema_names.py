"""The JSON Schema of each data file, and the first line of a data file, which names it."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

FOLDER = "schemas"
SUFFIX = ".schema.json"
FILES: Mapping[str, str] = {
    "checks/*.yaml": "check",
    "lexicons/*.yaml": "lexicon",
    "words.yaml": "words",
    "configs/rules/*.yaml": "rule-set",
    "configs/scoring.yaml": "scoring",
    "configs/frame.yaml": "frame",
    "configs/scenarios.yaml": "corpus-contract",
    "configs/lexical.yaml": "lexical",
    "configs/supplementary.yaml": "supplementary",
    "configs/over_alarm.yaml": "over-alarm",
    "configs/prices.yaml": "prices",
    "configs/estimates.yaml": "estimates",
    "corpus/claims.yaml": "claims",
    "reference/*.yaml": "character",
    "listening/*.yaml": "listening",
    "scenarios/*.json": "scenario",
    "twins/*.json": "twin",
    "precision/summary.yaml": "precision",
    "recall/summary.yaml": "recall",
    "pilot/written.yaml": "pilot-written",
    "pilot/changes.yaml": "pilot-changes",
    "pilot/base_rates.yaml": "pilot-base-rates",
    "pilot/no_failures.yaml": "pilot-no-failures",
    "pilot/summary.yaml": "pilot",
    "versions/[0-9]*.yaml": "version",
    "versions/notes.yaml": "version-notes",
}
"""The data files of a benchmark by their paths, each with the name of its schema."""


def schema_name(path: str) -> str | None:
    """The name of the schema of a data file, by its path in the benchmark; None for other files."""
    for pattern, name in FILES.items():
        if fnmatchcase(path, pattern):
            return name
    return None


def schema_line(path: str) -> str | None:
    """The first line of a YAML data file, which tells editors its schema."""
    name = schema_name(path)
    up = "../" * path.count("/")
    return None if name is None else f"# yaml-language-server: $schema={up}{FOLDER}/{name}{SUFFIX}"
