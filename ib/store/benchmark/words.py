"""The named groups of words that the phrases of data files may use."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ib.errors import Finding
from ib.models.common.phrase import Groups, SharedWords
from ib.store.files.places import finding_at
from ib.store.files.validation import load_yaml
from ib.text.phrases import groups_of, groups_used

WORDS = "words.yaml"
Place = tuple[str | int, ...]


def with_shared(
    phrases: Iterable[tuple[Place, str]], own: Groups, shared: SharedWords | None, path: Path, name: str
) -> tuple[Groups, list[Finding]]:
    """The groups that the phrases of a file use, its own and the shared ones, and what is wrong with them.

    `name` is the name of the file in messages.
    """
    known = {} if shared is None else shared.groups
    findings = [
        finding_at(path, name, ("words", group), f"<{group}> stands in {WORDS} too", "another name")
        for group in own.keys() & known.keys()
    ]
    placed = tuple(phrases)
    words = groups_used((one for _, one in placed), known, own)
    for place, phrase in placed:
        for group in groups_of(phrase):
            if group not in words:
                allowed = f"a group of {WORDS} or of `words` in this file"
                findings.append(finding_at(path, name, place, f"unknown group <{group}>", allowed))
    return words, findings


def load_words(root: Path) -> SharedWords | None:
    """The shared groups of a benchmark; None if it has none."""
    path = root / WORDS
    return load_yaml(SharedWords, path) if path.is_file() else None
