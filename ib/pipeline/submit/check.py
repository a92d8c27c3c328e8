"""Checking a submission: can these conversations be judged, and what would judging cost? Nothing is asked."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ib import __version__
from ib.errors import DataError, UsageError
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.common.base import Role
from ib.models.common.canonical import pretty
from ib.models.common.names import moving_notice
from ib.models.conversation.contract import CORE
from ib.models.report.submission import (
    BENCHMARK,
    PUBLIC,
    HowPlayed,
    JudgingPrice,
    ReasonKind,
    Submission,
    SubmissionReason,
    SubmissionReport,
)
from ib.models.scan.run import Incomplete
from ib.pipeline.common.select import Selection, select
from ib.pipeline.scan.prepare import ScanOptions
from ib.pipeline.scan.scan import plan_scan
from ib.pipeline.submit.plays import PlayCheck, of_manifest
from ib.pipeline.submit.reading import Placed, SubmissionFolder, at_key, read_submission
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.drawing import key_of
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_played
from ib.store.files.reading import read_bytes
from ib.store.files.wording import counted
from ib.store.folders.runs import INCOMPLETE
from ib.store.folders.system_prompt import own_prompt_hash
from ib.text.shown import hides

if TYPE_CHECKING:
    from ib.models.conversation.scenario import Scenario

PROFILE = "publish"
UNNAMED = "unnamed/judge"
"""Stands for a judge where none is named: calls are counted, and there is no price."""


def check_submission(
    folder: Path, benchmark: Path | None = None, judge: str | None = None, key: DrawKey | None = None
) -> SubmissionReport:
    """Say if the conversations of a folder can be judged, with every reason against it.

    `judge` names the model whose prices the estimate uses; it is not called, and no key is needed. `key` is
    that of a private draw. Raises DataError with all findings if a file cannot be read as what it is.
    """
    root = benchmark or benchmark_folder()
    loaded = load_benchmark(benchmark)
    given = read_submission(folder, loaded.checks)
    scenarios = load_played(root, _key(given, root, key))
    wanted = _wanted(given, scenarios)
    check = PlayCheck(given.manifest, scenarios, loaded.canary, own_prompt_hash(root))
    against = [(one, tuple(check.reasons(one))) for one in given.plays]
    good = [one for one, reasons in against if not reasons]
    played = {one.transcript.key for one in given.plays}
    counts = _Counts.of(given, good, wanted)
    reasons = (
        *of_manifest(given.manifest_path.name, check.leaks, pretty(given.manifest)),
        *(reason for _, found in against for reason in found),
        *(_both(one, given) for one in given.faults if one.played in played),
        *counts.reasons(),
    )
    return SubmissionReport(
        ib_version=__version__,
        benchmark_version=loaded.version,
        benchmark_hash=benchmark_hash(loaded),
        manifest=given.manifest,
        files={path.name: hashlib.sha256(read_bytes(path)).hexdigest() for path in given.read},
        can_be_judged=not reasons,
        scenarios=len(wanted),
        complete=counts.complete,
        conversations=len(given.plays),
        faults=len(given.faults),
        truncated=sum(each.truncated for one in given.plays for each in one.transcript.messages),
        reasons=reasons,
        differs=(*_differs(given, wanted), *_of_address(check), *_of_judge(given.manifest, judge)),
        not_compared=tuple(_not_compared(check)),
        price=_price(good, benchmark, judge, key, loaded),
    )


def _both(one: Incomplete, given: SubmissionFolder) -> SubmissionReason:
    """The reason against a play that ended with a fault and is a conversation as well."""
    found = f"{one.play} ended with a fault, and is a conversation in another file"
    return SubmissionReason(
        kind=ReasonKind.DOUBLED, file=INCOMPLETE, line=given.faults.index(one) + 1, key="scenario_id",
        found=found, allowed="one of the two",
    )  # fmt: skip


def _key(given: SubmissionFolder, root: Path, key: DrawKey | None) -> DrawKey | None:
    """The key of the draw that the manifest names; None for the public one."""
    draw = given.manifest.draw
    if draw == PUBLIC and key is not None:
        found = f"is {PUBLIC}, and --draw names the key of draw {key.hash[:12]}"
        raise at_key(given.manifest_path, "draw", found, "leave out --draw, or name the hash of its key")
    if draw == PUBLIC:
        return None
    try:
        return key_of(str(given.manifest_path), root, draw, key)
    except DataError as error:
        (one,) = error.findings
        raise at_key(given.manifest_path, "draw", one.found, one.hint) from error


def _wanted(given: SubmissionFolder, scenarios: dict[str, Scenario]) -> tuple[Scenario, ...]:
    """The published scenarios of the sets of a manifest."""
    known = sorted({scenario.set or CORE for scenario in scenarios.values()})
    unknown = [name for name in given.manifest.sets if name not in known]
    if unknown:
        found = f"{unknown[0]!r} is no set of this benchmark"
        raise at_key(given.manifest_path, "sets", found, f"some of {', '.join(known)}")
    return select(scenarios, Selection(sets=given.manifest.sets))


@dataclass(frozen=True)
class _Counts:
    """How often each scenario was played."""

    wanted: Sequence[str]
    repetitions: int
    played: Counter[str]
    """All plays."""
    good: Counter[str]
    """The plays without a reason against them."""
    faults: dict[str, list[str]]
    resumable: bool
    """True if `ib run` played, so that `ib run --resume` can play the rest."""

    @classmethod
    def of(cls, given: SubmissionFolder, good: Sequence[Placed], wanted: Sequence[Scenario]) -> _Counts:
        faults: dict[str, list[str]] = defaultdict(list)
        for one in given.faults:
            faults[one.scenario_id].append(f"{one.fault} in turn {one.turn}")
        return cls(
            wanted=[scenario.scenario_id for scenario in wanted],
            repetitions=given.manifest.repetitions,
            played=Counter(one.transcript.scenario_id for one in given.plays),
            good=Counter(one.transcript.scenario_id for one in good),
            faults=faults,
            resumable=given.manifest.how_played is HowPlayed.IB_RUN,
        )

    @property
    def complete(self) -> int:
        """The scenarios that were played as often as the manifest says."""
        return sum(self.played[name] == self.good[name] == self.repetitions for name in self.wanted)

    def reasons(self) -> Iterator[SubmissionReason]:
        """One reason for each scenario that was played more or less often."""
        for name in self.wanted:
            if self.played[name] != self.repetitions:
                yield SubmissionReason(
                    kind=ReasonKind.INCOMPLETE, file="", line=None, key=name, **self._told(name)
                )

    def _told(self, name: str) -> dict[str, str]:
        found = f"has {counted(self.played[name], 'play')} of {self.repetitions}"
        if name in self.faults:
            ended = counted(len(self.faults[name]), "play")
            found += f"; {ended} ended with a fault ({', '.join(self.faults[name])})"
        allowed = (
            f"every scenario {self.repetitions} times" if self.repetitions > 1 else "every scenario once"
        )
        missing = self.resumable and self.played[name] < self.repetitions
        more = "; `ib run --resume` plays what is missing" if missing else ""
        return {"found": found, "allowed": f"{allowed}{more}"}


def _differs(given: SubmissionFolder, wanted: Sequence[Scenario]) -> Iterator[str]:
    """What sets the figures apart from those of other models, and what nobody can check."""
    manifest, plays = given.manifest, [one.transcript for one in given.plays]
    yield from _of_settings(manifest)
    served = {each.provenance.served_model for each in plays if each.provenance is not None} - {None}
    for name in sorted(str(one) for one in served if one not in (manifest.model, manifest.named)):
        yield f"the provider said that {name} answered; the manifest names {manifest.model}"
    if manifest.how_played is HowPlayed.OWN_HARNESS:
        noted = sum(any(one.context for one in scenario.all_sessions()) for scenario in wanted)
        yield (
            "played by another harness than `ib run`: that the model saw nothing but these conversations and "
            f"the system prompt is as stated, as are the notes that begin sessions of "
            f"{counted(noted, 'scenario')}"
        )
    unstated = sum(each.provenance is None or each.provenance.definition_hash is None for each in plays)
    if unstated:
        yield (
            f"{counted(unstated, 'conversation')} without `provenance.scenario_hash`: the words were "
            "compared with the scenario, and the branches that were not taken may have been other ones"
        )
    hidden = sum(
        hides(said.content) for each in plays for said in each.messages if said.role is Role.ASSISTANT
    )
    if hidden:
        yield f"{counted(hidden, 'reply', 'replies')} with hidden text, which searches for phrases ignore"
    cut = sum(said.truncated for each in plays for said in each.messages)
    if cut:
        yield f"{counted(cut, 'reply', 'replies')} cut off; they are judged as they are, and marked"


def _of_settings(manifest: Submission) -> Iterator[str]:
    moving = moving_notice(f"{manifest.provider}/{manifest.model}")
    if moving is not None:
        yield moving
    if manifest.settings.system_prompt != BENCHMARK:
        yield "another system prompt than that of the benchmark: its figures are compared with no other model"
    if manifest.settings.tools:
        tools = ", ".join(manifest.settings.tools)
        yield f"the model had tools ({tools}): its figures are compared with no other model"
    if manifest.draw != PUBLIC:
        yield f"draw {manifest.draw[:12]}, not the public one: figures of two draws are never pooled"
    if manifest.ib_version not in (None, __version__):
        yield f"played with ib {manifest.ib_version}; this is ib {__version__}"


def _of_address(check: PlayCheck) -> Iterator[str]:
    if check.addressed:
        yield (
            f"{counted(check.addressed, 'conversation')} with a private address of the model in "
            "`provenance.sampling.base_url`: a release withholds it; to keep it to yourself, delete this key"
        )


def _not_compared(check: PlayCheck) -> Iterator[str]:
    """What the manifest says and conversations do not."""
    for key, count in sorted(check.uncompared.items()):
        if count:
            yield f"{key}: {counted(count, 'conversation')} without it, so the manifest is taken at its word"


def _of_judge(manifest: Submission, judge: str | None) -> Iterator[str]:
    if judge is not None and judge.partition("/")[0] == manifest.provider:
        yield f"{judge} is of the provider of the model, which a release states in its notes"


def _price(
    good: Sequence[Placed], benchmark: Path | None, judge: str | None, key: DrawKey | None, loaded: Benchmark
) -> JudgingPrice | None:
    """What judging would take, planned as `ib scan --dry-run` does."""
    if judge is not None and "/" not in judge:
        raise UsageError(f"--judge {judge} has no price; name a model as PROVIDER/MODEL, or leave it out")
    if PROFILE not in loaded.scoring.profiles:
        raise UsageError(f"this benchmark has no profile {PROFILE}, in which releases are judged")
    if not good:
        return None
    options = ScanOptions(profile=PROFILE, judge=judge or UNNAMED, benchmark=benchmark, draw=key)
    plan = plan_scan([one.transcript for one in good], options)
    return JudgingPrice(
        judge=judge,
        conversations=len(good),
        planned_calls=plan.planned_calls,
        planned_calls_expected=plan.planned_calls_expected,
        planned_calls_max=plan.planned_calls_max,
        cost=() if judge is None else plan.cost,
    )
