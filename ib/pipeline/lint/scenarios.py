"""Linting scenario files, old or current in form, against the checks, rules and tags of a benchmark."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ib.errors import DataError, Finding, Level, OutputExists
from ib.errors import Path as Keys
from ib.models.common.canonical import pretty
from ib.models.conversation.contract import CorpusContract, Sizes
from ib.models.conversation.scenario import Scenario
from ib.scenario.lint import Surroundings, problems, tolerant
from ib.scenario.nodes import Known
from ib.store.benchmark.legacy import Foreign, load_foreign, scenario_files
from ib.store.benchmark.loading import label
from ib.store.files import writing as files

SHOWN = 40
"""A notice about several places in a file lists at most this many."""


@dataclass
class Linted:
    """The findings, notices and read errors of several files."""

    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    notices: list[Finding] = field(default_factory=list)
    unreadable: list[Finding] = field(default_factory=list)
    sound: list[Scenario] = field(default_factory=list)
    """The scenarios of files without findings."""

    @property
    def summary(self) -> str:
        """One line of counts."""
        unread = f"{count(self.unreadable, 'error')}, " if self.unreadable else ""
        counted = f"{count(self.findings, 'finding')}, {count(self.notices, 'notice')}"
        return f"{count(range(self.files), 'file')}: {unread}{counted}"


def count(items: Sequence[object], name: str) -> str:
    """A number with its noun: 1 file, 2 files."""
    return f"1 {name}" if len(items) == 1 else f"{len(items)} {name}s"


def lint_files(paths: Sequence[Path], around: Surroundings, ids: Iterable[str]) -> Linted:
    """Lint every scenario file in `paths`. A variant may name a scenario in `ids` as its origin.

    Files that cannot be read are listed, and the others are linted.
    """
    linted, read = Linted(), list[Foreign]()
    known = Known(frozenset(around.checks), around.vocabulary(), _categories(around), around.canary)
    for path in paths:
        if path.is_dir() and next(scenario_files([path]), None) is None:
            empty = Finding.at(label(path), None, "", "has no .json file", "name a folder of scenarios")
            linted.unreadable.append(empty)
    for file in scenario_files(paths):
        linted.files += 1
        try:
            read.append(load_foreign(file, known))
        except DataError as error:
            linted.unreadable.extend(error.findings)
    free = replace(around, contract=unbound(around.contract))
    for foreign, others in zip(read, _together(read, {*ids}), strict=True):
        several = [*foreign.findings, *_faults(foreign, free), *others]
        errors = [finding for finding in several if finding.level is Level.ERROR]
        linted.findings += errors
        linted.notices += told_once(finding for finding in several if finding.level is Level.NOTICE)
        if foreign.scenario is not None and not errors:
            linted.sound.append(foreign.scenario)
    return linted


def _categories(around: Surroundings) -> frozenset[str]:
    counts = None if around.contract is None else around.contract.counts
    return frozenset() if counts is None else frozenset(counts.categories)


def unbound(contract: CorpusContract | None) -> CorpusContract | None:
    """A contract with only its tags. Its counts and sizes apply only to the benchmark's own corpus."""
    if contract is None:
        return None
    sizes = Sizes(turns_least=1, turns_most=10_000, message_chars=2_000_000)
    sets = {name: one.model_copy(update={"sizes": sizes}) for name, one in contract.sets.items()}
    free = {"counts": None, "persona_context": dict[str, str](), "sizes": sizes, "sets": sets}
    return contract.model_copy(update=free)


def _faults(foreign: Foreign, around: Surroundings) -> Iterator[Finding]:
    """The findings about a scenario, except at assumed values. Tolerated findings and drafts give notices."""
    if foreign.scenario is None:
        return
    strict = {*tolerant(foreign.scenario, around)}
    for problem in problems(foreign.scenario, around):
        place = problem.place.path
        if not foreign.upgraded.is_assumed(place):
            draft = foreign.scenario.is_draft
            fine = draft or problem not in strict or tolerable(place, foreign.scenario, around)
            yield from foreign.located([problem], Level.NOTICE if fine else None)


def tolerable(place: Keys, scenario: Scenario, around: Surroundings) -> bool:
    """True if a finding at this place of a scenario from elsewhere is only a notice.

    Its canary may differ. Tags that no check uses have no effect. Anchors have no effect if their
    check is not due or not judged in event windows.
    """
    if place == ("country",):
        return scenario.country is None
    if place[0] == "anchors" and "checks" in place:
        return scenario.anchors[int(place[1])].checks[int(place[3])] in around.checks
    return place[0] in ("canary", "tags") or (place[0] == "risk_triggers" and place[-1] == "cue")


def _together(read: Sequence[Foreign], ids: Collection[str]) -> Iterator[list[Finding]]:
    """For each file, the findings about its id and its origin, given the other files."""
    first: dict[str, Foreign] = {}
    for foreign in read:
        if foreign.scenario is not None:
            first.setdefault(foreign.scenario.scenario_id, foreign)
    for foreign in read:
        told = [] if foreign.scenario is None else _of_id(foreign, foreign.scenario, first, ids)
        yield [*foreign.located(told)]


def _of_id(
    foreign: Foreign, scenario: Scenario, first: dict[str, Foreign], ids: Collection[str]
) -> Iterator[Finding]:
    name, origin = scenario.scenario_id, scenario.variant_of
    if first[name] is not foreign:
        found = f"{name!r} is also the id of {first[name].name}"
        yield Finding.at("", None, ("scenario_id",), found, "one file per scenario")
    elif foreign.path.stem != name:
        found, read = "is not the name of the file", f"read as {name!r}"
        yield Finding.at("", None, ("scenario_id",), found, read, Level.NOTICE)
    if origin is not None and origin not in ids and origin not in first:
        found = f"there is no scenario {origin!r} to compare with"
        hint = "add its file, or remove `variant_of`"
        yield Finding.at("", None, ("variant_of",), found, hint, Level.NOTICE)


def told_once(notices: Iterable[Finding]) -> Iterator[Finding]:
    """Merge the notices of one kind in one file into one: the first place, then a list of the others."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for notice in notices:
        kind = re.sub(r"'[^']*'|\"[^\"]*\"|\[.*|\{.*|\S*\d\S*|True|False", "*", notice.found)
        alike.setdefault((notice.file, kind), []).append(notice)
    for (_, kind), several in alike.items():
        first = several[0]
        others = [name for name in dict.fromkeys(_words(notice, kind) for notice in several)][1:]
        cut = [*others[:SHOWN], *([f"{len(others) - SHOWN} more"] if len(others) > SHOWN else [])]
        also = f". Also {'. '.join(cut)}" if cut else ""
        times = f" ({len(several)} times)" if len(several) > 1 else ""
        yield replace(first, found=first.found + times, hint=first.hint + also)


def _words(notice: Finding, kind: str) -> str:
    """The part of a notice that its kind does not say, with every index replaced by a star."""
    found = "" if notice.found == kind else f"{notice.found}; "
    return re.sub(r"(?<=[.`])\d+(?=[.`:])", "*", f"{notice.key}: {found}{notice.hint}")


def write_upgraded(linted: Linted, folder: Path) -> list[Path]:
    """Write every sound scenario, in the current form, to `CATEGORY/THEME/ID.json` in a folder.

    Raises OutputExists before writing anything if one of the files exists with other content.
    """
    made: dict[Path, bytes] = {}
    for scenario in linted.sound:
        name = f"{scenario.scenario_id.replace('/', '__')}.json"
        data = pretty(scenario.model_dump(mode="json", exclude_none=True, exclude_defaults=True))
        made[folder / scenario.category / scenario.theme / name] = data
    there = [path for path, data in made.items() if path.exists() and path.read_bytes() != data]
    if there:
        named = "\n".join(f"  {path}" for path in there)
        raise OutputExists(f"--write: these files exist with other content; choose another folder\n{named}")
    for path, data in made.items():
        files.replace(path, data)
    return list(made)
