"""Linting: every file of a benchmark, or scenarios from elsewhere against the checks of one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from ib.engine import golden
from ib.errors import DataError, Finding, Level, Place
from ib.exam.drawing import built_from, lines_of
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.definition import Definition
from ib.models.benchmark.jurisdiction import unchecked
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.twin_scenario import TwinScenario
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.lint.figures import figure_problems, prompt_problems, rule_problems
from ib.pipeline.lint.pilot import pilot_problems
from ib.pipeline.lint.scenarios import Linted, lint_files
from ib.pipeline.lint.versions import unnamed_schemas, version_problems
from ib.scenario.drawing import references
from ib.scenario.lint import Surroundings, corpus_problems, problems, set_counts
from ib.scenario.lint_families import family_problems, probe_problems, size_problems, twin_problems
from ib.scenario.lint_slots import slot_problems, spoken
from ib.scenario.listening import listening_problems
from ib.store.benchmark import lexical, supplementary
from ib.store.benchmark.calibration import load_published
from ib.store.benchmark.characters import character_paths, load_character
from ib.store.benchmark.drawing import Drawing
from ib.store.benchmark.estimates import load_estimates
from ib.store.benchmark.exam import READINGS, load_bases, stale_readings
from ib.store.benchmark.guides import load_guides
from ib.store.benchmark.listening import FOLDER as LISTENING
from ib.store.benchmark.listening import Listenings, load_listenings
from ib.store.benchmark.loading import benchmark_folder, label, load_benchmark
from ib.store.benchmark.prices import load_prices
from ib.store.benchmark.scenarios import (
    FOLDER,
    TWINS,
    load_contract,
    load_scenarios,
    load_twins,
    played_paths,
    scenario_paths,
)
from ib.store.benchmark.site import load_site
from ib.store.files.places import lines_in
from ib.store.files.reading import decode, read_bytes
from ib.store.folders import runs

Loaded = TypeVar("Loaded")
DRAFT = Finding(
    Place(path=("status",)), "is a draft, which no release uses", "delete `status` when nothing is missing"
)


def lint(paths: Sequence[Path] = (), folder: Path | None = None, *, callbacks: Callbacks = SILENT) -> Linted:
    """Lint the whole benchmark or, with `paths`, only these scenario files against the benchmark.

    If `folder` has scenarios but no checks, its scenarios are linted against the benchmark of the
    package. Raises DataError if the benchmark that scenarios are linted against cannot be loaded.
    """
    if paths or is_bare(folder):
        return lint_scenarios(paths, folder)
    return lint_benchmark(folder, callbacks=callbacks)


def is_bare(folder: Path | None) -> bool:
    """True if the given benchmark folder has no checks (only scenarios)."""
    return folder is not None and folder.is_dir() and not (folder / "checks").is_dir()


def lint_scenarios(paths: Sequence[Path], folder: Path | None = None) -> Linted:
    """Lint scenario files against a benchmark. Raises DataError if the benchmark cannot be loaded."""
    root = benchmark_folder() if folder is None or is_bare(folder) else folder
    if not paths and folder is not None:
        paths = [folder / FOLDER if (folder / FOLDER).is_dir() else folder]
    linted = lint_files(paths, surroundings(load_benchmark(root), root), scenario_paths(root))
    if folder is not None and is_bare(folder):
        found = "has no folder `checks`"
        cure = "its scenarios are linted against the benchmark of the package"
        linted.notices.insert(0, Finding.at(label(folder), None, "", found, cure))
    return linted


def surroundings(benchmark: Benchmark, root: Path) -> Surroundings:
    """The checks, rules, contract, canary and listenings that the scenarios of a benchmark must fit."""
    names = frozenset(Listenings(root))
    return Surroundings(benchmark.checks, benchmark.rules, load_contract(root), benchmark.canary, names)


def lint_benchmark(folder: Path | None = None, *, callbacks: Callbacks = SILENT) -> Linted:
    """Lint every file of a benchmark. Lists every file that cannot be read.

    Missing parts of a draft, and examples of a draft with an unexpected verdict, are only notices.
    """
    root = folder or benchmark_folder()
    linted = Linted(files=sum(1 for _ in _files(root)))
    whole = _attempt(linted, lambda: load_benchmark(root, drafts=None))
    scenarios = _attempt(linted, lambda: load_scenarios(root))
    twins = _attempt(linted, lambda: load_twins(root))
    _attempt(linted, lambda: played_paths(root))
    _attempt(linted, lambda: load_contract(root))
    _attempt(linted, lambda: load_prices(root))
    _attempt(linted, lambda: load_estimates(root))
    sound = not linted.unreadable
    if (root / runs.SYSTEM_PROMPT).is_file():
        _attempt(linted, lambda: system_prompt(root))
    if whole is None:
        return linted
    benchmark = whole.active()
    for path in character_paths(root).values():
        _attempt(linted, partial(load_character, path, benchmark.checks, benchmark.lexicons))
    if (root / lexical.CONFIG).is_file():
        _attempt(linted, lambda: lexical.load_lexical(root, whole))
        _sort(linted, lexical.without_rules(root, whole))
    else:
        linted.unreadable.extend(lexical.lexical_findings(root, whole))
    _attempt(linted, lambda: supplementary.load_supplementary(root, benchmark))
    _sort(linted, _attempt(linted, lambda: [*reading_findings(root, benchmark)]) or ())
    _attempt(linted, lambda: load_published(root, whole.checks))
    _attempt(linted, lambda: load_guides(root, load_site(root, benchmark.checks, character_paths(root))))
    if twins or (root / supplementary.OVER_ALARM_RULES).is_file():
        _attempt(linted, lambda: supplementary.load_over_alarm(root))
    _sort(linted, definition_findings(whole, root, callbacks))
    _sort(linted, profile_findings(benchmark, root))
    _sort(linted, _by_id(prompt_problems(whole.checks), root / "checks"))
    _sort(linted, _by_id(rule_problems(benchmark.rules), root / "configs" / "rules"))
    _sort(linted, figure_problems(root, whole))
    heard = _attempt(linted, lambda: load_listenings(root))
    if heard is not None:
        _sort(linted, _by_id(listening_problems(heard), root / LISTENING))
    _sort(linted, pilot_problems(root, whole))
    if sound and scenarios is not None:  # with files missing, sound scenarios would get findings
        _sort(linted, scenario_findings(benchmark, root, scenarios, twins or {}))
        _sort(linted, slot_findings(root))
        _sort(linted, _attempt(linted, lambda: [*version_problems(root, benchmark.version)]) or ())
    _sort(linted, unread_sources(benchmark, root))
    _sort(linted, unnamed_schemas(root))
    return linted


def _sort(linted: Linted, findings: Iterable[Finding]) -> None:
    """Add each finding to the findings or to the notices, by its level."""
    for finding in findings:
        (linted.notices if finding.level is Level.NOTICE else linted.findings).append(finding)


def _attempt(linted: Linted, load: Callable[[], Loaded]) -> Loaded | None:
    """The loaded value. Returns None if it cannot be loaded, and adds the reasons to `linted`."""
    try:
        return load()
    except DataError as error:
        linted.unreadable.extend(error.findings)
        return None


def _files(root: Path) -> Iterator[Path]:
    """Every file of the benchmark."""
    for folder in (
        "checks",
        "lexicons",
        "listening",
        "configs",
        "corpus",
        "reference",
        "calibration",
        "versions",
    ):
        yield from (path for path in (root / folder).rglob("*") if path.suffix in (".yaml", ".md"))
    yield from (root / FOLDER).rglob("*.json")
    yield from (root / TWINS).rglob("*.json")


def system_prompt(root: Path) -> str:
    """The system prompt, which a model gets before the first turn. Raises DataError if it is empty."""
    path = root / runs.SYSTEM_PROMPT
    text = decode(read_bytes(path, label(path)), label(path)).strip()
    if not text:
        raise DataError.one(label(path), None, "", "is empty", "write the system prompt into it")
    return text


def located(findings: Iterable[Finding], path: Path) -> Iterator[Finding]:
    """The same findings, with their file and line filled in."""
    lines = None
    for finding in findings:
        lines = lines or lines_in(path.read_text(encoding="utf-8") if path.is_file() else "")
        place = Place(label(path), lines(finding.place.path), finding.place.path)
        yield replace(finding, place=place)


def _by_id(findings: Iterable[Finding], folder: Path) -> Iterator[Finding]:
    """The same findings, placed in ID.yaml of a folder, where ID is the `file` of each finding."""
    for finding in findings:
        yield from located([finding], folder / f"{finding.file}.yaml")


def definition_findings(benchmark: Benchmark, root: Path, callbacks: Callbacks = SILENT) -> Iterator[Finding]:
    """Missing parts of drafts, and examples of lexicons and checks with an unexpected verdict."""
    files: list[tuple[Path, Definition, Iterator[Finding]]] = [
        (root / "lexicons" / f"{lexicon.name}.yaml", lexicon, golden.lexicon_findings(lexicon))
        for lexicon in benchmark.lexicons.values()
    ]
    files += [
        (root / "checks" / f"{check.id}.yaml", check, golden.example_findings(check, benchmark))
        for check in benchmark.checks.values()
    ]
    for path, definition, findings in callbacks.counted(files, len(files), "files with examples"):
        level = Level.NOTICE if definition.is_draft else Level.ERROR
        drafted = [*_draft_findings(definition)] if definition.is_draft else []
        yield from located((replace(finding, level=level) for finding in (*drafted, *findings)), path)


def _draft_findings(definition: Definition) -> Iterator[Finding]:
    """A notice that this is a draft, and one for each missing part."""
    yield DRAFT
    for lack in definition.lacks():
        yield Finding(Place(path=lack.path), str(lack), "add them before you delete `status`")


def reading_findings(root: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Readings of items that the exam no longer builds. Raises DataError if its files do not fit texts."""
    bases = [one for texts in load_bases(root, benchmark, benchmark.checks).values() for one in texts]
    if (root / READINGS).is_file():  # building all items takes a second
        items = (built.item for one in bases for built in built_from(one, lines_of(benchmark)))
        yield from stale_readings(root, benchmark.checks, items, bases)


def scenario_findings(
    benchmark: Benchmark,
    root: Path,
    scenarios: Mapping[str, Scenario],
    twins: Mapping[str, TwinScenario],
) -> Iterator[Finding]:
    """Findings about the scenarios and twins of a benchmark: each by itself, its folder, and all together."""
    around = surroundings(benchmark, root)
    paths = played_paths(root)
    for scenario in scenarios.values():
        path = paths[scenario.scenario_id]
        wanted = f"{scenario.category}/{scenario.theme}/{path.name}"
        if not path.as_posix().endswith(f"/{wanted}"):
            found_in = "the file is not in the folder of its category and theme"
            yield Finding.at(label(path), 1, "theme", found_in, f"move it to scenarios/{wanted}")
        yield from _own_findings(scenario, probe_problems(scenario), around, path)
    for twin in twins.values():
        told = twin_problems(twin, scenarios, around)
        yield from _own_findings(twin, told, around, paths[twin.scenario_id])
    active = {name: scenario for name, scenario in scenarios.items() if not scenario.is_draft}
    active_twins = {name: twin for name, twin in twins.items() if not twin.is_draft}
    yield from _other_files(root)
    if active:
        together = (*corpus_problems(active, around), *family_problems({**active, **active_twins}))
        counted = set_counts(active.values(), active_twins.values(), around.contract)
        for problem in (*together, *counted):
            yield from located([problem], paths.get(problem.file, root / FOLDER))


def slot_findings(root: Path) -> Iterator[Finding]:
    """Findings about the keyed slots of every scenario and twin."""
    paths = played_paths(root)
    drawing = Drawing(root, paths)
    templates = {path: drawing.template(Scenario, path) for path in paths.values()}
    used: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for path, template in templates.items():
        if path.stem != template.family:
            used[template.family].update(
                one for _, text in spoken(template.value) for one in references(text)
            )
    for path, template in templates.items():
        if template.slots:
            elsewhere = used[path.stem]
            faults = slot_problems(template.value, template.slots, template.inherited, elsewhere)
            yield from located((Finding.at("", None, *fault) for fault in faults), path)


def _own_findings(
    scenario: Scenario, further: Iterable[Finding], around: Surroundings, path: Path
) -> Iterator[Finding]:
    """The findings about one scenario or twin. For a draft they are notices."""
    level = Level.NOTICE if scenario.is_draft else Level.ERROR
    sizes = None if around.contract is None else around.contract.sizes_of(scenario.set)
    drafted = (DRAFT,) if scenario.is_draft else ()
    found = (*drafted, *problems(scenario, around), *size_problems(scenario, sizes), *further)
    yield from located((replace(finding, level=level) for finding in found), path)


def _other_files(root: Path) -> Iterator[Finding]:
    """Notices for files in the folders of scenarios and twins that are neither."""
    for path in sorted(path for folder in (FOLDER, TWINS) for path in (root / folder).rglob("*")):
        if path.is_file() and path.suffix != ".json":
            hint = "a scenario is a .json file"
            yield Finding.at(label(path), None, "", "is ignored", hint, Level.NOTICE)


def profile_findings(benchmark: Benchmark, root: Path) -> Iterator[Finding]:
    """Profiles that contradict themselves."""
    for name, profile in benchmark.scoring.profiles.items():
        if profile.may_publish and profile.stamp:
            found = "has `may_publish` and a `stamp`"
            told = Finding(Place(path=("profiles", name)), found, "keep one of the two")
            yield from located([told], root / "configs" / "scoring.yaml")


def unread_sources(benchmark: Benchmark, root: Path) -> Iterator[Finding]:
    """Notices for laws, crisis resources and intervals whose source has not been read for this project."""
    by_file: dict[Path, list[Finding]] = {}
    for item in unchecked(benchmark.rules):
        path = root / "configs" / "rules" / f"{item.rule_set}.yaml"
        place = Place(path=tuple(int(part) if part.isdigit() else part for part in item.key.split(".")))
        found = f"the source of {item.name!r} has not been read"
        told = Finding(place, found, "read it, then set `checked` to the date", Level.NOTICE)
        by_file.setdefault(path, []).append(told)
    for path, several in by_file.items():
        yield from located(several, path)
