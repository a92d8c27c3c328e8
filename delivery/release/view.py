"""A release as the pages need it: lookups by model, check and scenario, and a check for consistency."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from delivery.release.background import Background
from delivery.release.history import History
from delivery.release.sittings import ShownSitting, exam_of, shown_sittings
from ib.board.evidence.transcripts import mismatches
from ib.board.figures.slugs import case_id, transcript_path, unique_slugs
from ib.errors import DataError, Finding
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import country_of
from ib.models.common.base import Bucket
from ib.models.common.canonical import digest
from ib.models.exam.report import ExamRate
from ib.models.release.exams import ExamSource
from ib.models.release.leaderboard import (
    CheckEntry,
    CheckSummary,
    Evidence,
    EvidenceItem,
    Leaderboard,
    ModelEntry,
    ScenarioEntry,
    ScenarioOfModel,
)
from ib.models.release.rows import TranscriptRow
from ib.models.release.transcripts import CarriedTranscript, Transcripts
from ib.models.release.verified import Signature
from ib.models.scan.gates import OpenGate
from ib.store.files.signing import UNSIGNED

_SLUG = re.compile(r"(?!index$)[a-z0-9][a-z0-9._-]{0,159}")


@dataclass(frozen=True)
class Release:
    """A leaderboard with its evidence, and the benchmark that the scan used."""

    board: Leaderboard
    evidence: Mapping[str, Evidence]
    """By the slug of the model."""
    benchmark: Benchmark
    background: Background = field(default_factory=Background)
    transcripts: Mapping[str, Transcripts] | None = None
    """By the slug of the model. None for pages without transcripts, as of a release that carries none."""
    history: History | None = None
    """The releases before this one, with the ledger; None for a release without history."""
    rows: Mapping[str, Sequence[TranscriptRow]] = field(default_factory=dict)
    """What the release says of each transcript, by the slug of the model."""
    signature: Signature = UNSIGNED
    """Whether the release is signed, and by whom."""
    source: tuple[str, ...] = ()
    """The names of the files that the release was made from."""
    exams: ExamSource | None = None
    """The sittings of the exam for judges that the release carries; None if it carries none."""

    @cached_property
    def sittings(self) -> tuple[ShownSitting, ...]:
        """The sittings of the exam for judges, the newest first."""
        return shown_sittings(self.exams, self.board.benchmark_hash)

    @cached_property
    def exam(self) -> Mapping[Bucket, tuple[frozenset[str], ExamRate]]:
        """For each gate: the checks of the exam of the judge of this release, and its specificity on them.

        Empty if the judge has not sat the exam on the questions of today.
        """
        gates: dict[Bucket, set[str]] = defaultdict(set)
        for check in self.benchmark.checks.values():
            if check.gate is not None:
                gates[check.gate].add(check.id)
        frozen = {gate: frozenset(checks) for gate, checks in gates.items()}
        return exam_of(self.sittings, self.board.judge.identity, frozen)

    @cached_property
    def models(self) -> tuple[ModelEntry, ...]:
        """The models as pages name them, sorted by name: the order is not a ranking.

        The name of a reference assistant says that it is a script, so that nobody takes it for a person.
        """
        return tuple(self._shown(model) for model in self.by_name)

    @property
    def by_name(self) -> tuple[ModelEntry, ...]:
        """The models as the release names them, in the same order."""
        return tuple(sorted(self.board.models, key=lambda m: (m.model.casefold(), m.model_id)))

    def _shown(self, model: ModelEntry) -> ModelEntry:
        if self.background.character(model) is None:
            return model
        return model.model_copy(update={"model": f"{model.model} (script)"})

    @property
    def scenarios(self) -> tuple[ScenarioEntry, ...]:
        return tuple(sorted(self.board.scenarios, key=lambda s: s.scenario_id))

    @property
    def asked(self) -> int:
        """How many checks have a verdict on at least one transcript."""
        return len(self.benchmark.checks) - len(self.board.not_evaluated)

    def checks(self, bucket: Bucket) -> tuple[Check, ...]:
        """The checks of a dimension, in the order of the benchmark."""
        return tuple(c for c in self.benchmark.checks.values() if c.bucket is bucket)

    @cached_property
    def summaries(self) -> dict[str, CheckSummary]:
        """What the release says of each check over all models, by its id."""
        return {summary.check_id: summary for summary in self.board.checks}

    def items(self, model: ModelEntry) -> Mapping[str, tuple[EvidenceItem, ...]]:
        """The evidence of a model by check id, sorted by scenario."""
        return self._by_check[model.slug]

    @cached_property
    def _by_check(self) -> dict[str, dict[str, tuple[EvidenceItem, ...]]]:
        return {slug: _grouped(evidence) for slug, evidence in self.evidence.items()}

    def on_scenarios(self) -> dict[str, list[tuple[ModelEntry, ScenarioOfModel, list[EvidenceItem]]]]:
        """By scenario id: the results of each model's transcripts, with their evidence."""
        found = defaultdict(list)
        for model in self.models:
            items = defaultdict(list)
            for item in sorted(self.evidence[model.slug].items, key=_place):
                items[(item.scenario_id, item.epoch)].append(item)
            for met in model.scenarios:
                found[met.scenario_id].append((model, met, items[(met.scenario_id, met.epoch)]))
        return dict(found)

    @cached_property
    def slugs(self) -> dict[str, str]:
        """The page names of the scenarios and twins of the release, by id."""
        slugs = {scenario.scenario_id: scenario.slug for scenario in self.board.scenarios}
        twins = [twin.scenario_id for twin in self.board.twins if twin.scenario_id not in slugs]
        return slugs | further_slugs(twins, set(slugs.values()))

    @cached_property
    def countries(self) -> dict[str, str]:
        """By id of a scenario or twin: the code of the person’s country, whose help lines are right."""
        told: dict[str, tuple[str | None, str | None]] = {
            entry.scenario_id: (None, entry.jurisdiction) for entry in self.board.scenarios
        }
        for played in (self.background.scenarios, self.background.twins):
            told |= {name: (one.country, one.jurisdiction) for name, one in played.items()}
        rules = self.benchmark.rules
        found = {name: country_of(own, rules.get(law or "")) for name, (own, law) in told.items()}
        return {name: code for name, code in found.items() if code is not None}

    def case_id(self, case: EvidenceItem | OpenGate) -> str:
        """The id of a verdict on the page of its check and model."""
        return case_id(self.slugs[case.scenario_id], case.epoch)

    @cached_property
    def _carried(self) -> dict[tuple[str, str], list[CarriedTranscript]]:
        """The transcripts by model slug and scenario id."""
        found = defaultdict(list)
        for slug, said in (self.transcripts or {}).items():
            for one in said.transcripts:
                found[slug, one.scenario_id].append(one)
        return found

    def transcript(self, model: ModelEntry, scenario_id: str, epoch: int | None) -> CarriedTranscript | None:
        """A transcript of a model. Returns None if the release does not carry it."""
        plays = self._carried.get((model.slug, scenario_id), ())
        return next((one for one in plays if one.epoch == epoch), None)

    def transcript_path(self, model: ModelEntry, scenario_id: str, epoch: int | None) -> str | None:
        """The address of the page of a transcript inside the site. Returns None if it has no page."""
        plays = self._carried.get((model.slug, scenario_id), ())
        if all(one.epoch != epoch for one in plays):
            return None
        return transcript_path(model.slug, self.slugs[scenario_id], epoch, len(plays))


def further_slugs(ids: Iterable[str], taken: set[str]) -> dict[str, str]:
    """Page names for scenarios that are not listed in the release, different from those that are taken."""
    found = unique_slugs(dict.fromkeys(ids))
    return {
        name: f"{slug[:60]}-{digest(name)[:12]}" if slug in taken else slug for name, slug in found.items()
    }


def veiled(check: Check) -> bool:
    """True for gate checks and checks of severity S5: their quotes stay hidden until a reader opens them."""
    return check.gate is not None or check.severity == "S5"


def entries(model: ModelEntry) -> dict[str, CheckEntry]:
    """The rows of a model's blindspot profile, by check id."""
    return {entry.check_id: entry for entry in model.blindspots}


def _grouped(evidence: Evidence) -> dict[str, tuple[EvidenceItem, ...]]:
    found = defaultdict(list)
    for item in sorted(evidence.items, key=_place):
        found[item.check_id].append(item)
    return {check_id: tuple(items) for check_id, items in found.items()}


def _place(item: EvidenceItem) -> tuple[str, str, int]:
    return (item.check_id, item.scenario_id, -1 if item.epoch is None else item.epoch)


def consistent(release: Release) -> Release:
    """Return the release if its parts are consistent. Raises DataError with every inconsistency."""
    findings = [*_slugs(release), *_known(release), *_evidence(release)]
    findings = findings or [*_transcripts(release)]
    if findings:
        raise DataError(findings)
    return release


def _slugs(release: Release) -> Iterator[Finding]:
    allowed = "lower-case letters, digits, dots, hyphens and underscores, each once"
    for kind, owners in (("models", release.board.models), ("scenarios", release.board.scenarios)):
        slugs = [owner.slug for owner in owners]
        bad = [slug for slug in slugs if not _SLUG.fullmatch(slug)]
        twice = [slug for slug, count in Counter(slugs).items() if count > 1]
        for slug in (*bad, *twice):
            yield Finding.at("leaderboard.json", None, f"{kind}.slug", repr(slug), allowed)


def _known(release: Release) -> Iterator[Finding]:
    board, checks = release.board, set(release.benchmark.checks)
    scenarios = {scenario.scenario_id for scenario in board.scenarios}
    named = [summary.check_id for summary in board.checks]
    yield from _unknown("checks", named, checks)
    for model in board.models:
        yield from _unknown(f"{model.slug}.blindspots", (e.check_id for e in model.blindspots), checks)
        yield from _unknown(f"{model.slug}.scenarios", (s.scenario_id for s in model.scenarios), scenarios)
        for met in model.scenarios:
            if len(met.verdicts) != len(named):
                key, found = f"{model.slug}.scenarios.verdicts", f"{len(met.verdicts)} letters"
                yield Finding.at("leaderboard.json", None, key, found, f"{len(named)}, one for each check")


def _unknown(
    key: str, ids: Iterable[str], known: set[str], file: str = "leaderboard.json"
) -> Iterator[Finding]:
    for unknown in sorted(set(ids) - known):
        yield Finding.at(
            file,
            None,
            key,
            f"unknown {unknown!r}",
            "use an id that the benchmark and leaderboard list",
        )


def _evidence(release: Release) -> Iterator[Finding]:
    slugs = {model.slug: model for model in release.board.models}
    for slug in sorted(slugs.keys() ^ release.evidence.keys()):
        found = "no evidence file" if slug in slugs else "the leaderboard has no such model"
        yield Finding.at(f"evidence/{slug}.json", None, "", found, "one file for each model")
    for slug in sorted(slugs.keys() & release.evidence.keys()):
        file, evidence = f"evidence/{slug}.json", release.evidence[slug]
        if evidence.model_id != slugs[slug].model_id:
            yield Finding.at(file, None, "model_id", repr(evidence.model_id), repr(slugs[slug].model_id))
        checks = {entry.check_id for entry in slugs[slug].blindspots}
        scenarios = {met.scenario_id for met in slugs[slug].scenarios}
        yield from _unknown("items.check_id", (i.check_id for i in evidence.items), checks, file)
        yield from _unknown("items.scenario_id", (i.scenario_id for i in evidence.items), scenarios, file)


def _transcripts(release: Release) -> Iterator[Finding]:
    """Problems of the transcripts, of which a release has a file for each model."""
    if release.transcripts is None:
        return
    models = {model.slug: model for model in release.board.models}
    for slug in sorted(models.keys() | release.transcripts.keys()):
        file = f"transcripts/{slug}.json"
        if slug not in models or slug not in release.transcripts:
            found = "no transcripts file" if slug in models else "the leaderboard has no such model"
            yield Finding.at(file, None, "", found, "one file for each model")
            continue
        said, evidence = release.transcripts[slug], release.evidence[slug]
        rows = release.rows.get(slug) or [_row(met) for met in models[slug].scenarios]
        for problem in mismatches(models[slug], rows, release.board.twins, evidence, said):
            yield Finding.at(file, None, "", problem, "the transcripts that its evidence quotes")


def _row(met: ScenarioOfModel) -> TranscriptRow:
    """A row of a release that was made in memory; what it leaves out, its transcripts say."""
    return TranscriptRow.model_construct(**dict(met))
