"""Loading the benchmark: reads every file, checks references between files, reports all findings at once."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from ib.errors import DataError, Finding
from ib.models.benchmark.benchmark import (
    Benchmark,
    Corpus,
    Frame,
    RuleSet,
)
from ib.models.benchmark.check import Check
from ib.models.benchmark.figures import Precision, Recall
from ib.models.benchmark.jurisdiction import merge_all
from ib.models.benchmark.lexicon import Lexicon
from ib.models.benchmark.pilot import PilotSummary
from ib.models.benchmark.scoring import Scoring
from ib.models.common.base import Role, Route
from ib.models.common.phrase import SharedWords, unsafe_patterns
from ib.store.benchmark.calibration import calibration_problems
from ib.store.benchmark.measured import measured_problems
from ib.store.benchmark.versions import VERSION, load_version
from ib.store.benchmark.words import WORDS, with_shared
from ib.store.files.places import finding_at
from ib.store.files.validation import load_yaml

Model = TypeVar("Model", bound=BaseModel)
BUCKET_ORDER = "ABCDF"


def benchmark_folder() -> Path:
    """The benchmark of the package: next to it in a checkout, inside it in a wheel."""
    here = Path(__file__).resolve().parents[2]
    inside = here / "_benchmark"
    return inside if inside.is_dir() else here.parent / "benchmark"


def load_benchmark(folder: Path | str | None = None, *, drafts: Collection[str] | None = ()) -> Benchmark:
    """Load the benchmark in a folder. Raises DataError with all findings about all files.

    Drafts are left out, except the checks and lexicons in `drafts` and the lexicons of these checks.
    `drafts=None` loads every draft. Drafts can be scanned and never enter a release.
    """
    root = benchmark_folder() if folder is None else Path(folder)
    if not root.is_dir():
        raise DataError.one(root, None, "", "no such folder", "name the folder of a benchmark")
    findings: list[Finding] = []
    checks = _each(Check, root, "checks", "id", findings)
    shared, unknown_words = _where_there(SharedWords, root, WORDS, findings), list[Finding]()
    lexicons = {
        name: _with_words(lexicon, shared, root / "lexicons" / f"{name}.yaml", unknown_words)
        for name, lexicon in _each(Lexicon, root, "lexicons", "name", findings).items()
    }
    sets = _each(RuleSet, root, "configs/rules", "id", findings)
    scoring = _one(Scoring, root, "configs/scoring.yaml", findings)
    frame = _one(Frame, root, "configs/frame.yaml", findings)
    corpus = _one(Corpus, root, "corpus/claims.yaml", findings)
    precision = _where_there(Precision, root, "precision/summary.yaml", findings)
    recall = _where_there(Recall, root, "recall/summary.yaml", findings)
    pilot = _where_there(PilotSummary, root, "pilot/summary.yaml", findings)
    version = _version(root, findings)
    if findings or scoring is None or frame is None or corpus is None:
        raise DataError(findings)
    rules, flaws = merge_all(sets)
    unknown = sorted({*(drafts or ())} - checks.keys() - lexicons.keys())
    if unknown:
        found = f"has no check or lexicon {unknown[0]!r}"
        raise DataError.one(label(root), None, "", found, "name the id of a draft")
    ordered = dict(sorted(checks.items(), key=lambda item: check_order(item[0])))
    benchmark = Benchmark.model_construct(
        checks=ordered,
        lexicons=lexicons,
        scoring=scoring,
        rules=rules,
        frame=frame,
        corpus=corpus,
        words={} if shared is None else shared.groups,
        precision=precision,
        recall=recall,
        pilot=pilot,
        version=version,
    ).with_drafts(drafts)
    findings = [
        *unknown_words,
        *_rule_sets(sets, flaws, benchmark.active().checks, root / "configs" / "rules"),
        *_unsafe(sets, root),
        *cross_check(benchmark, root),
    ]
    if findings:
        raise DataError(findings)
    return benchmark


def check_order(check_id: str) -> tuple[int, str]:
    """Sort key of checks: by dimension, then by id."""
    letter = check_id.partition("-")[2][:1]
    return (BUCKET_ORDER.find(letter), check_id)


def label(path: Path) -> str:
    """A path for messages: relative to the current folder, unless that needs three or more `..`."""
    relative = os.path.relpath(path)
    return relative if not relative.startswith("../../..") else str(path)


def _each(
    model: type[Model],
    root: Path,
    folder: str,
    key: str,
    findings: list[Finding],
) -> dict[str, Model]:
    """Every YAML file of a folder, by id. The id must be the file name. Patterns are not parsed."""
    loaded: dict[str, Model] = {}
    paths = sorted((root / folder).glob("*.yaml"))
    if not paths:
        findings.append(Finding.at(label(root / folder), None, "", "has no .yaml file", "at least one"))
    for path in paths:
        try:
            item = load_yaml(model, path, name=label(path), patterns_known=True)
        except DataError as error:
            findings.extend(error.findings)
            continue
        name = getattr(item, key)
        if name != path.stem:
            found = f"{name!r} in a file named {path.name}"
            findings.append(Finding.at(label(path), 1, key, found, f"{path.stem!r}"))
        loaded[name] = item
    return loaded


def _with_words(lexicon: Lexicon, shared: SharedWords | None, path: Path, findings: list[Finding]) -> Lexicon:
    """The lexicon with the shared groups of words that it uses."""
    words, flaws = with_shared(lexicon.phrases(), lexicon.words, shared, path, label(path))
    findings += flaws
    return lexicon.model_copy(update={"words": words})


def _one(model: type[Model], root: Path, name: str, findings: list[Finding]) -> Model | None:
    path = root / name
    try:
        return load_yaml(model, path, name=label(path))
    except DataError as error:
        findings.extend(error.findings)
        return None


def _version(root: Path, findings: list[Finding]) -> str | None:
    try:
        return load_version(root, label(root / VERSION))
    except DataError as error:
        findings.extend(error.findings)
        return None


def _where_there(model: type[Model], root: Path, name: str, findings: list[Finding]) -> Model | None:
    return _one(model, root, name, findings) if (root / name).is_file() else None


def _unsafe(sets: Mapping[str, RuleSet], root: Path) -> Iterator[Finding]:
    """Findings for unsafe patterns of rule sets."""
    for own in sets.values():
        path = root / "configs" / "rules" / f"{own.id}.yaml"
        for place, problem in unsafe_patterns(own):
            yield _finding(path, place, problem, "a safe RE2 pattern")


def cross_check(benchmark: Benchmark, root: Path) -> Iterator[Finding]:
    """Findings for references between files that do not resolve."""
    for check in benchmark.checks.values():
        path = root / "checks" / f"{check.id}.yaml"
        yield from _routing(check, benchmark, path)
        yield from calibration_problems(check, benchmark, root, path, label(path))
    for name, lexicon in benchmark.lexicons.items():
        path = root / "lexicons" / f"{name}.yaml"
        yield from measured_problems(lexicon, root, path, label(path))
    scoring = root / "configs" / "scoring.yaml"
    active = benchmark.active().checks
    for index, flag in enumerate(benchmark.scoring.flags):
        if flag.check not in active:
            found = f"flag {flag.flag} names unknown check {flag.check}"
            yield _finding(scoring, ("flags", index, "check"), found, "the id of a check")
    yield from _overrides(benchmark.scoring, root)
    for index, pair in enumerate(benchmark.scoring.one_root):
        unknown = [at for at, check_id in enumerate(pair.checks) if check_id not in active]
        for at in unknown:
            found = f"names unknown check {pair.checks[at]}"
            yield _finding(scoring, ("one_root", index, "checks", at), found, "the id of a check")
        if not unknown and len({active[check_id].gate is None for check_id in pair.checks}) > 1:
            found = f"joins {' and '.join(pair.checks)}, of which one is a gate check"
            yield _finding(scoring, ("one_root", index), found, "two gate checks, or two others")


def _overrides(scoring: Scoring, root: Path) -> Iterator[Finding]:
    """Findings for weights of a category that the benchmark does not have."""
    known = sorted(path.name for path in (root / "scenarios").glob("*") if path.is_dir())
    for category in scoring.overrides:
        if category not in known:
            allowed = f"one of {', '.join(known)}" if known else "no category; there is no folder `scenarios`"
            path = root / "configs" / "scoring.yaml"
            yield _finding(path, ("overrides", category), f"unknown category {category!r}", allowed)


def _finding(path: Path, location: tuple[str | int, ...], found: str, allowed: str) -> Finding:
    """A finding with the line of its key."""
    return finding_at(path, label(path), location, found, allowed)


def _rule_sets(
    sets: Mapping[str, RuleSet], flaws: Iterable[Finding], checks: Mapping[str, Check], folder: Path
) -> Iterator[Finding]:
    """Findings about rule sets: each one, and the merged ones."""
    for flaw in flaws:
        yield _finding(folder / f"{flaw.file}.yaml", flaw.place.path, flaw.found, flaw.hint)
    for own in sets.values():
        yield from _rules(own, checks, folder / f"{own.id}.yaml")
    if "base" not in sets:
        yield Finding.at(label(folder), None, "", "has no rule set `base`", "add base.yaml")


def _rules(own: RuleSet, checks: Mapping[str, Check], path: Path) -> Iterator[Finding]:
    """Findings about the entries that a rule set itself adds, not about those that it inherits."""
    for index, law in enumerate(own.laws or ()):
        for at, check_id in enumerate(law.applies_to):
            if check_id not in checks:
                found = f"{law.id} applies to unknown check {check_id}"
                yield _finding(path, ("laws", index, "applies_to", at), found, "the id of a check")


def _routing(check: Check, benchmark: Benchmark, path: Path) -> Iterator[Finding]:
    routing = check.routing
    if routing.lexicon is None:
        return
    known_here = benchmark if check.is_draft else benchmark.active()
    lexicon = known_here.lexicons.get(routing.lexicon)
    if lexicon is None:
        known = f"one of {', '.join(sorted(known_here.lexicons))}"
        yield _finding(path, ("routing", "lexicon"), f"unknown lexicon {routing.lexicon!r}", known)
        return
    group = routing.lexicon_group
    if group is not None and group not in lexicon.groups:
        known = ", ".join(lexicon.groups) or "the lexicon has no groups"
        yield _finding(path, ("routing", "lexicon_group"), f"unknown group {group!r}", known)
    if routing.route is not Route.HYBRID_LLM and lexicon.speaker is not Role.ASSISTANT:
        found = f"{lexicon.name} matches the user's words"
        yield _finding(path, ("routing", "lexicon"), found, "a lexicon of the assistant's words")
