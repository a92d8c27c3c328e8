"""Recorded votes from disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from ib.errors import DataError, Finding
from ib.models.votes import VoteRecord
from ib.store.lines import raw_lines
from ib.store.validation import model_of_line

PATTERNS = ("*.votes.jsonl", "*.votes.jsonl.gz")


def vote_files(path: Path) -> tuple[Path, ...]:
    """The votes files that a path means: itself, or those of a folder, by name."""
    if not path.is_dir():
        return (path,)
    found = sorted(file for pattern in PATTERNS for file in path.glob(pattern))
    if not found:
        allowed = f"a file, or a folder that holds {' or '.join(PATTERNS)}"
        raise DataError.one(path, None, "", "holds no votes file", allowed)
    return tuple(found)


def load_votes(
    paths: tuple[Path, ...], known_checks: Mapping[str, object]
) -> tuple[tuple[VoteRecord, ...], str]:
    """Every record of every file, and a hash of their content that ignores their order."""
    findings: list[Finding] = []
    records: dict[tuple[str, str, int | None, str], VoteRecord] = {}
    digests: list[str] = []
    for path in paths:
        name = str(path)
        hashed = hashlib.sha256()
        count = 0
        try:
            for number, raw in raw_lines(path, name):
                count += 1
                hashed.update(raw.strip() + b"\n")
                parsed = model_of_line(VoteRecord, raw, name, number)
                if not isinstance(parsed, VoteRecord):
                    findings.extend(parsed)
                    continue
                key = (parsed.model_id, parsed.scenario_id, parsed.epoch, parsed.check_id)
                if parsed.check_id not in known_checks:
                    found = f"unknown check {parsed.check_id!r}"
                    findings.append(Finding.at(name, number, "check_id", found, "a known check"))
                elif key in records:
                    found = f"{parsed.check_id} on {parsed.scenario_id} stands twice"
                    findings.append(Finding.at(name, number, "check_id", found, "one record each"))
                records[key] = parsed
        except DataError as error:
            findings.extend(error.findings)
        else:
            if count == 0:
                findings.append(Finding.at(name, None, "", "holds no vote", "at least one line"))
        digests.append(hashed.hexdigest())
    if findings:
        raise DataError(findings)
    whole = hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()
    return tuple(records[key] for key in sorted(records, key=str)), whole
