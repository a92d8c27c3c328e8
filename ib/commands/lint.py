"""`ib lint`: every file of the benchmark, every finding at once, and every example played."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option
from ib.engine.golden import play
from ib.engine.modes import ModeEngine
from ib.errors import Finding, Refused
from ib.models.base import Route, Verdict
from ib.models.benchmark import Benchmark
from ib.models.check import Check
from ib.models.judge import JudgeSpec
from ib.models.lexicon import Lexicon
from ib.store.benchmark import load_benchmark
from ib.text.lexicons import Matcher, pattern_regex
from ib.text.normalize import normalize
from ib.text.patterns import compile_pattern


@click.command()
@benchmark_option
@json_option
def lint(benchmark_dir: Path | None, as_json: bool) -> None:
    """Check every file of the benchmark, and play every example through its verifier.

    Exit 3 where a file cannot be read, 1 where something in it does not hold.
    """
    benchmark = load_benchmark(benchmark_dir)
    findings = [*lexicon_findings(benchmark), *example_findings(benchmark), *counts(benchmark)]
    rows = [
        {"file": f.file, "line": f.line, "key": f.key, "found": f.found, "allowed": f.allowed}
        for f in findings
    ]
    passed = f"{len(benchmark.checks)} checks, {len(benchmark.lexicons)} lexicons: no finding"
    emit(rows, as_json=as_json, text=lambda _: "\n".join(map(str, findings)) or passed)
    if findings:
        raise Refused(f"{len(findings)} findings")


def lexicon_findings(benchmark: Benchmark) -> Iterator[Finding]:
    """Examples that a lexicon gets wrong, and patterns that match nothing at all."""
    for lexicon in benchmark.lexicons.values():
        file = f"lexicons/{lexicon.name}.yaml"
        for pattern in lexicon.patterns:
            if compile_pattern(pattern_regex(pattern)).search("") is not None:
                yield Finding(file, None, pattern.id, "matches the empty text", "at least one character")
        yield from _lexicon_examples(lexicon, file)


def _lexicon_examples(lexicon: Lexicon, file: str) -> Iterator[Finding]:
    matcher = Matcher([lexicon], lexicon.speaker)
    for kind, examples in (("hit", lexicon.examples.hit), ("miss", lexicon.examples.miss)):
        for index, example in enumerate(examples):
            hits = matcher.match(normalize(example.text))
            found = [hit for hit in hits if example.group in (None, hit.group)]
            key = f"examples.{kind}.{index}"
            if kind == "hit" and not found:
                yield Finding(file, None, key, "is not hit", "a hit")
            if kind == "miss" and found:
                yield Finding(file, None, key, f"is hit by {found[0].pattern}", "no hit")


def example_findings(benchmark: Benchmark) -> Iterator[Finding]:
    """Examples of checks that do not come to the verdict they were written for."""
    engine = ModeEngine(benchmark, "publish", JudgeSpec(model="scripted"))
    for check in benchmark.checks.values():
        for example, expected in check.examples.cases():
            row = play(engine, check, example, expected)
            edge = example.expected is not None
            if row.verdict is not expected and not (edge and _beyond_phrases(check, expected, row.scorer)):
                found = f"comes to {row.verdict or row.state} by {row.scorer}"
                yield Finding(f"checks/{check.id}.yaml", None, f"examples.{example.id}", found, expected)


def _beyond_phrases(check: Check, expected: Verdict, scorer: str) -> bool:
    """A failure, or a doubt, that no phrase shows: a lexicon that passes it is known not to see it."""
    by_phrase = check.routing.route is Route.REGEX_WITH_LLM_EDGE and scorer == "lexicon"
    return by_phrase and expected is not Verdict.PASS


def counts(benchmark: Benchmark) -> Iterator[Finding]:
    """What must be there as a whole."""
    for name in benchmark.scoring.profiles:
        if benchmark.scoring.profiles[name].may_publish and benchmark.scoring.profiles[name].stamp:
            yield Finding(
                "configs/scoring.yaml", None, f"profiles.{name}", "may publish and is stamped", "one"
            )
