"""`ib lint`: every file of the benchmark, every finding at once, and every example played.

Or scenarios from elsewhere, in whatever older form, against the checks of a benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from ib.commands.common import benchmark_option, emit, json_option, say
from ib.engine.engine import ModeEngine
from ib.engine.golden import play
from ib.engine.lexicons import Matcher, pattern_regex
from ib.errors import DataError, Finding, Refused
from ib.models.base import Route, Verdict
from ib.models.benchmark import Benchmark
from ib.models.check import Check
from ib.models.judge import JudgeSpec
from ib.models.jurisdiction import unchecked
from ib.models.lexicon import Lexicon
from ib.models.scenario import Scenario
from ib.pipeline.lint_files import Linted, count, folded, lint_files
from ib.scenario.lint import Problem, Surroundings, corpus_problems, problems
from ib.store import lexical, runs, supplementary
from ib.store.benchmark import benchmark_folder, label, load_benchmark
from ib.store.characters import character_paths, load_character
from ib.store.scenarios import FOLDER, load_contract, load_scenarios, scenario_paths
from ib.store.yaml_json import decode, line_of, read_bytes
from ib.text.normalize import normalize
from ib.text.patterns import compile_pattern

Loaded = TypeVar("Loaded")


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@benchmark_option
@json_option
def lint(paths: tuple[Path, ...], benchmark_dir: Path | None, as_json: bool) -> None:
    """Check every file of the benchmark, and play every example through its verifier.

    With PATHS, check these scenario files, and those of these folders, against the benchmark instead.
    Older spellings are read, each with a notice; docs/scenarios.md lists them. The folder of
    --benchmark may hold scenarios alone: they are checked against the benchmark of the package.

    Exit 3 where a file cannot be read, 1 where something in it does not hold, 0 where there are only
    notices.
    """
    linted = scenarios_of(paths, benchmark_dir) if paths or bare(benchmark_dir) else whole(benchmark_dir)
    rows = [
        {"level": level, "file": f.file, "line": f.line, "key": f.key, "found": f.found, "hint": f.hint}
        for level, listed in (
            ("error", [*linted.unreadable, *linted.findings]),
            ("notice", linted.notices),
        )
        for f in listed
    ]
    lines = [*map(str, linted.findings), *(f"notice: {line}" for line in folded(linted.notices))]
    emit(rows, as_json=as_json, text=lambda _: "\n".join([*lines, linted.summary]))
    if as_json:
        say(linted.summary)
    if linted.unreadable:
        raise DataError(linted.unreadable)
    if linted.findings:
        raise Refused(count(linted.findings, "finding"))


def bare(folder: Path | None) -> bool:
    """Whether a folder given as a benchmark is one of scenarios alone."""
    return folder is not None and folder.is_dir() and not (folder / "checks").is_dir()


def scenarios_of(paths: Sequence[Path], folder: Path | None) -> Linted:
    """Scenario files, against a benchmark; DataError where that itself cannot be loaded."""
    root = benchmark_folder() if folder is None or bare(folder) else folder
    benchmark = load_benchmark(root)
    around = Surroundings(benchmark.checks, benchmark.rules, load_contract(root), benchmark.canary)
    if not paths and folder is not None:
        paths = [folder / FOLDER if (folder / FOLDER).is_dir() else folder]
    linted = lint_files(paths, around, scenario_paths(root))
    if folder is not None and bare(folder):
        found = "holds no folder `checks`"
        cure = "its scenarios are linted against the benchmark of the package"
        linted.notices.insert(0, Finding.at(label(folder), None, "", found, cure))
    return linted


def whole(folder: Path | None) -> Linted:
    """Every file of a benchmark; those that cannot be read are listed, all of them."""
    root = folder or benchmark_folder()
    linted = Linted(files=sum(1 for _ in _files(root)))
    benchmark = _attempt(linted, lambda: load_benchmark(root, afresh=True))
    scenarios = _attempt(linted, lambda: load_scenarios(root))
    _attempt(linted, lambda: load_contract(root))
    sound = not linted.unreadable
    if (root / runs.SYSTEM_PROMPT).is_file():
        _attempt(linted, lambda: system_prompt(root))
    if benchmark is None:
        return linted
    for path in character_paths(root).values():
        _attempt(linted, partial(load_character, path, benchmark.checks, benchmark.lexicons))
    if (root / lexical.RULES).is_file():
        _attempt(linted, lambda: lexical.load_lexical(root, benchmark))
    _attempt(linted, lambda: supplementary.load_supplementary(root, benchmark))
    linted.findings.extend(
        [*lexicon_findings(benchmark), *example_findings(benchmark), *counts(benchmark)],
    )
    if sound and scenarios is not None:  # without its tags and its siblings a scenario seems wrong
        linted.findings.extend(scenario_findings(benchmark, root, scenarios))
    linted.notices.extend(unread_sources(benchmark, root))
    return linted


def _attempt(linted: Linted, load: Callable[[], Loaded]) -> Loaded | None:
    """What is loaded, or None where it cannot be, with every reason noted."""
    try:
        return load()
    except DataError as error:
        linted.unreadable.extend(error.findings)
        return None


def _files(root: Path) -> Iterator[Path]:
    """Every file that the whole benchmark is read from."""
    for folder in ("checks", "lexicons", "configs", "corpus", "reference"):
        yield from (path for path in (root / folder).rglob("*") if path.suffix in (".yaml", ".md"))
    yield from (root / FOLDER).rglob("*.json")


def system_prompt(root: Path) -> str:
    """What a model is told before the first turn; DataError where it is no text, or nothing."""
    path = root / runs.SYSTEM_PROMPT
    text = decode(read_bytes(path, label(path)), label(path)).strip()
    if not text:
        raise DataError.one(label(path), None, "", "is empty", "what a model is told before the first turn")
    return text


def unread_sources(benchmark: Benchmark, root: Path) -> Iterator[Finding]:
    """Laws, resources and intervals of the rules whose source nobody has read for this project."""
    for item in unchecked(benchmark.rules):
        path = root / "configs" / "rules" / f"{item.rule_set}.yaml"
        location = [int(part) if part.isdigit() else part for part in item.key.split(".")]
        line = line_of(path, location) if path.is_file() else None
        found = f"nobody has read the source of {item.name!r}"
        yield Finding.at(label(path), line, item.key, found, "`checked` is null until somebody has")


def lexicon_findings(benchmark: Benchmark) -> Iterator[Finding]:
    """Examples that a lexicon gets wrong, and patterns that match nothing at all."""
    for lexicon in benchmark.lexicons.values():
        file = f"lexicons/{lexicon.name}.yaml"
        for pattern in lexicon.patterns:
            if compile_pattern(pattern_regex(pattern)).search("") is not None:
                yield Finding.at(file, None, pattern.id, "matches the empty text", "at least one character")
        yield from _lexicon_examples(lexicon, file)


def _lexicon_examples(lexicon: Lexicon, file: str) -> Iterator[Finding]:
    matcher = Matcher([lexicon], lexicon.speaker)
    for kind, examples in (("hit", lexicon.examples.hit), ("miss", lexicon.examples.miss)):
        for index, example in enumerate(examples):
            hits = matcher.match(normalize(example.text))
            found = [hit for hit in hits if example.group in (None, hit.group)]
            key = f"examples.{kind}.{index}"
            if kind == "hit" and not found:
                yield Finding.at(file, None, key, "is not hit", "a hit")
            if kind == "miss" and found:
                yield Finding.at(file, None, key, f"is hit by {found[0].pattern}", "no hit")


def example_findings(benchmark: Benchmark) -> Iterator[Finding]:
    """Examples of checks that do not come to the verdict they were written for."""
    engine = ModeEngine(benchmark, "publish", JudgeSpec(model="scripted"))
    for check in benchmark.checks.values():
        for example, expected in check.examples.cases():
            row = play(engine, check, example, expected)
            edge = example.expected is not None
            if row.verdict is not expected and not (edge and _beyond_phrases(check, expected, row.scorer)):
                found = f"comes to {row.verdict or row.state} by {row.scorer}"
                yield Finding.at(f"checks/{check.id}.yaml", None, f"examples.{example.id}", found, expected)


def _beyond_phrases(check: Check, expected: Verdict, scorer: str) -> bool:
    """A failure, or a doubt, that no phrase shows: a lexicon that passes it is known not to see it."""
    by_phrase = check.routing.route is Route.REGEX_WITH_LLM_EDGE and scorer == "lexicon"
    return by_phrase and expected is not Verdict.PASS


def scenario_findings(
    benchmark: Benchmark, root: Path, scenarios: Mapping[str, Scenario]
) -> Iterator[Finding]:
    """What the scenarios of a folder do not hold: each by itself, where it lies, and all together."""
    around = Surroundings(benchmark.checks, benchmark.rules, load_contract(root), benchmark.canary)
    paths = scenario_paths(root)
    for scenario in scenarios.values():
        path = paths[scenario.scenario_id]
        wanted = f"{scenario.category}/{scenario.theme}/{path.name}"
        if not path.as_posix().endswith(f"/{wanted}"):
            yield Finding.at(label(path), 1, "theme", "lies in another folder", f"scenarios/{wanted}")
        for problem in problems(scenario, around):
            yield _problem(problem, path)
    if scenarios:
        for problem in corpus_problems(scenarios, around):
            yield _problem(problem, paths.get(problem.scenario_id, root / FOLDER))


def _problem(problem: Problem, path: Path) -> Finding:
    key = ".".join(map(str, problem.location))
    line = line_of(path, problem.location) if path.is_file() and problem.location else None
    return Finding.at(label(path), line, key, problem.found, problem.cure)


def counts(benchmark: Benchmark) -> Iterator[Finding]:
    """What must be there as a whole."""
    for name in benchmark.scoring.profiles:
        if benchmark.scoring.profiles[name].may_publish and benchmark.scoring.profiles[name].stamp:
            yield Finding.at(
                "configs/scoring.yaml", None, f"profiles.{name}", "may publish and is stamped", "one"
            )
