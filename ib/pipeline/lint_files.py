"""Linting scenarios from elsewhere: each against the checks, the rules and the tags of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ib.errors import DataError, Finding
from ib.models.contract import CorpusContract, Sizes
from ib.models.scenario import Scenario
from ib.scenario.lenient import Known, Location, Remark
from ib.scenario.lint import Surroundings, problems, tolerant
from ib.store.benchmark import label
from ib.store.legacy import Foreign, load_foreign, scenario_files


@dataclass
class Linted:
    """What a linting came to."""

    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    notices: list[Finding] = field(default_factory=list)
    unreadable: list[Finding] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """One line that counts what there is."""
        unread = f"{len(self.unreadable)} reasons why a file cannot be read, " if self.unreadable else ""
        files = "1 file" if self.files == 1 else f"{self.files} files"
        return f"{files}: {unread}{count(self.findings, 'finding')}, {count(self.notices, 'notice')}"


def count(items: Sequence[object], name: str) -> str:
    """How many there are, in words."""
    return f"1 {name}" if len(items) == 1 else f"{len(items)} {name}s"


def lint_files(paths: Sequence[Path], around: Surroundings, ids: Iterable[str]) -> Linted:
    """Every scenario file of the paths; `ids` are scenarios of the benchmark that a variant may name.

    Raises nothing for a file that cannot be read: it is listed, and the others are linted.
    """
    linted = Linted()
    known = Known(frozenset(around.checks), around.vocabulary(), _categories(around), around.canary)
    read: list[Foreign] = []
    for path in paths:
        if path.is_dir() and next(scenario_files([path]), None) is None:
            empty = Finding.at(label(path), None, "", "holds no .json file", "a folder of scenarios")
            linted.unreadable.append(empty)
    for file in scenario_files(paths):
        linted.files += 1
        try:
            read.append(load_foreign(file, known))
        except DataError as error:
            linted.unreadable.extend(error.findings)
    free = replace(around, contract=unbound(around.contract))
    for foreign in read:
        linted.notices.extend(foreign.notices)
        linted.findings.extend(foreign.findings)
        _held(foreign, free, linted)
    _together(read, {*ids}, linted)
    return linted


def _categories(around: Surroundings) -> frozenset[str]:
    counts = None if around.contract is None else around.contract.counts
    return frozenset() if counts is None else frozenset(counts.categories)


def unbound(contract: CorpusContract | None) -> CorpusContract | None:
    """The tags of a contract alone: its counts and sizes are what one corpus holds itself to."""
    if contract is None:
        return None
    sizes = Sizes(turns_least=1, turns_most=10_000, message_chars=2_000_000)
    return contract.model_copy(update={"counts": None, "persona_context": {}, "sizes": sizes})


def _held(foreign: Foreign, around: Surroundings, linted: Linted) -> None:
    """Sort what is wrong with a scenario into findings and notices, except where a value was assumed."""
    if foreign.scenario is None or foreign.adopted is None:
        return
    notes = foreign.adopted.notes
    strict = {*tolerant(foreign.scenario, around)}
    for problem in problems(foreign.scenario, around):
        place = problem.place.path
        if not notes.is_assumed(place):
            fine = problem not in strict or tolerable(place, foreign.scenario, around)
            remark = Remark(notes.origin(place), problem.found, problem.hint)
            (linted.notices if fine else linted.findings).extend(foreign.located([remark]))


def tolerable(place: Location, scenario: Scenario, around: Surroundings) -> bool:
    """True if a scenario from elsewhere may have this fault.

    Its canary may be another one. A tag that no check asks for has no effect, and neither has an
    anchor for a check that is not due or that is not judged in event windows.
    """
    if place == ("country",):
        return scenario.country is None
    if place[0] == "anchors" and "checks" in place:
        return scenario.anchors[int(place[1])].checks[int(place[3])] in around.checks
    return place[0] in ("canary", "tags") or (place[0] == "risk_triggers" and place[-1] == "cue")


def _together(read: Iterable[Foreign], ids: set[str], linted: Linted) -> None:
    """Ids that several files have, names that are not ids, and variants of nothing."""
    first: dict[str, Path] = {}
    for foreign in read:
        scenario = foreign.scenario
        if scenario is None or foreign.adopted is None:
            continue
        name = scenario.scenario_id
        if foreign.adopted.notes.is_assumed(("scenario_id",)):
            continue
        if name in first:
            found = f"{name!r} is the id of {label(first[name])} as well"
            remark = Remark(("scenario_id",), found, "one file a scenario")
            linted.findings.extend(foreign.located([remark]))
        elif foreign.path.stem != name:
            remark = Remark(("scenario_id",), "is not the name of the file", f"read as {name!r}")
            linted.notices.extend(foreign.located([remark]))
        first.setdefault(name, foreign.path)
    for foreign in read:
        origin = None if foreign.scenario is None else foreign.scenario.variant_of
        if origin is not None and origin not in ids | first.keys() and foreign.adopted is not None:
            place = foreign.adopted.notes.origin(("variant_of",))
            found = f"no scenario {origin!r} among the files"
            linted.notices.extend(foreign.located([Remark(place, found, "its difference cannot be told")]))


def folded(notices: Iterable[Finding]) -> Iterator[str]:
    """Notices in words, those of one file that say the same of the same kind of place as one line."""
    alike: dict[tuple[str, str, str, str], list[Finding]] = {}
    for notice in notices:
        # Of `turns.3.t` and `turns.4.t`, and of several tags, the same is said.
        kind = ".".join("*" if part.isdigit() else part for part in notice.key.split("."))
        alike.setdefault((notice.file, kind, notice.found, notice.hint), []).append(notice)
    for several in alike.values():
        more = f" ({len(several)} times in this file)" if len(several) > 1 else ""
        yield f"{several[0]}{more}"
