"""Loading listenings: what the conditions of branches listen for, one strict YAML file each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ib.errors import DataError, Finding, Findings
from ib.store.benchmark.loading import label
from ib.store.benchmark.words import load_words, with_shared
from ib.store.files.validation import load_yaml

if TYPE_CHECKING:
    from ib.models.conversation.listening import Listening
    from ib.models.conversation.scenario import Scenario

FOLDER = "listening"
Played = TypeVar("Played", bound="Scenario")


class Listenings(Mapping[str, "Listening"]):
    """The listenings of a benchmark, by name; the name is the file name. Each is loaded on first use."""

    def __init__(self, root: Path) -> None:
        self.paths = {path.stem: path for path in sorted((root / FOLDER).glob("*.yaml"))}
        self._root = root
        self._loaded: dict[str, Listening] = {}

    def __getitem__(self, name: str) -> Listening:
        if name not in self._loaded:
            self._loaded[name] = _load(self.paths[name], self._root)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def heard_by(self, scenario: Played, path: Path) -> Played:
        """The scenario of a file with the listenings that it names. Raises DataError for unknown names."""
        findings = Findings()
        allowed = f"one of {', '.join(self.paths)}" if self.paths else f"a file in {FOLDER}/"
        for place, name in scenario.named_listenings():
            if name not in self.paths:
                findings.add(Finding.at(str(path), None, place, f"unknown listening {name!r}", allowed))
        if findings:
            raise DataError(findings)
        return scenario.hearing(self)


def load_listenings(root: Path) -> dict[str, Listening]:
    """All listenings of a benchmark. Raises DataError with all findings about all files."""
    findings, loaded, listenings = Findings(), {}, Listenings(root)
    for name in listenings:
        try:
            loaded[name] = listenings[name]
        except DataError as error:
            findings.extend(error.findings)
    if findings:
        raise DataError(findings)
    return loaded


def _load(path: Path, root: Path) -> Listening:
    from ib.models.conversation.listening import Listening  # slow to import, and few commands need one

    listening = load_yaml(Listening, path, name=label(path))
    if listening.name != path.stem:
        found = f"{listening.name!r} in a file named {path.name}"
        raise DataError.one(label(path), 1, "name", found, repr(path.stem))
    words, findings = with_shared(
        listening.each_phrase(), listening.words, load_words(root), path, label(path)
    )
    if findings:
        raise DataError(findings)
    return listening.model_copy(update={"words": words})
