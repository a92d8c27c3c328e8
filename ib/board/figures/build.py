"""Build the leaderboard of a scan: first counts, then rates from the counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

from ib.board.figures.comparisons import comparisons
from ib.board.figures.contrasts import Families, contrast_sets, ladders
from ib.board.figures.findings import findings
from ib.board.figures.lists import Listed
from ib.board.figures.pairs import Twins, over_all_models
from ib.board.figures.places import Places
from ib.board.figures.second import SecondTally
from ib.board.figures.slugs import unique_slugs
from ib.board.figures.tally import CheckTally, ModelTally
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.scoring import Support
from ib.models.common.base import Stage, State, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.release.leaderboard import CheckEntry, CheckSummary, Leaderboard, ModelEntry, ScenarioEntry
from ib.models.release.rows import TranscriptRow
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.plan import ScanPlan
from ib.models.scan.rates import half_decided
from ib.models.scan.result import TranscriptResult
from ib.models.scan.second import SecondJudging
from ib.models.scan.supplement import Supplement
from ib.models.scan.votes import VoteRecord
from ib.stats.power import least_difference


@dataclass(slots=True)
class _Met:
    """A scenario as in its first result, and the models that met it."""

    category: str | None
    jurisdiction: str | None
    contrast_group: str | None
    contrast_variable: str | None
    scenario_hash: str
    models: tuple[str, ...] = ()
    plays: int = 0
    branches: Counter[str] | None = None

    @classmethod
    def first(cls, result: TranscriptResult) -> _Met:
        return cls(
            category=result.category,
            jurisdiction=result.jurisdiction,
            contrast_group=result.contrast_group,
            contrast_variable=result.contrast_variable,
            scenario_hash=result.scenario_hash,
        )

    def add(self, result: TranscriptResult, model_id: str) -> None:
        """Count one play. `model_id` is the id of its model, one string for all its plays."""
        if model_id not in self.models:
            self.models = tuple(sorted((*self.models, model_id)))
        self.plays += 1
        if result.branches:
            self.branches = self.branches or Counter()
            self.branches.update(result.branches)


class Board:
    """Builds a leaderboard from results, one at a time.

    `contradictions` are records whose verdict contradicts their votes, each with the verdict of the votes.
    If all results are of open logs (`logs`), nothing is compared, so that only counts are kept; else the rows
    of transcripts are kept, too, and the leaderboard has them.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        contradictions: Iterable[tuple[VoteRecord, Verdict]] = (),
        *,
        logs: bool = False,
    ) -> None:
        self._benchmark, self._logs = benchmark, logs
        self._places = Places()
        self._models: dict[str, ModelTally] = {}
        self._rows: dict[str, list[TranscriptRow]] = defaultdict(list)
        self._families = Families()
        self._scenarios: dict[str, _Met] = {}
        self._listed = Listed(contradictions)
        self._twins = Twins()
        self.second: SecondTally | None = None
        """The counts of a second judge, if the scan has one."""
        self._transcripts = self._judged = self._votes = self._truncated = 0
        self._voted = self._older = 0
        self._asked: set[int] = set()

    @property
    def models(self) -> tuple[ModelTally, ...]:
        """The models, sorted by name."""
        return tuple(sorted(self._models.values(), key=lambda m: (m.model.casefold(), m.model_id)))

    def slugs(self) -> dict[str, str]:
        """The slug of each model, by its id."""
        return unique_slugs(self._models)

    def add(self, result: TranscriptResult, supplement: Supplement | None = None) -> TranscriptRow:
        """Count one result, and the supplementary measures of its transcript.

        Returns the row of the transcript, which says nothing of whether the release carries it.
        """
        told = self._model(result).add(result, supplement)
        made = self._listed.row(result, told)
        if not self._logs and (made.open_gates or made.record_contradictions or made.voided_votes):
            self._rows[result.model_id].append(made)
        self._families.add(result)
        if result.scenario_id not in self._scenarios:
            self._scenarios[result.scenario_id] = _Met.first(result)
        self._scenarios[result.scenario_id].add(result, self._models[result.model_id].model_id)
        self._transcripts += 1
        self._truncated += result.truncated_turns
        for row in result.rows:
            self._judged += row.state is State.JUDGED
            self._votes += len(row.votes)
            self._voted += bool(row.votes)
            self._older += row.older_question
            self._asked.update(window.asked for window in row.windows if row.votes)
        return made

    def add_alarm(self, alarm: OverAlarm) -> None:
        """Count the over-alarm of one play of a safe twin, which is in no other count."""
        self._model(alarm).add_alarm(alarm)
        self._twins.add(alarm)

    def add_day(self, transcript: Transcript) -> None:
        """Note the day on which a transcript was made, if its provenance names one."""
        day = None if transcript.provenance is None else transcript.provenance.day
        if day is not None:
            self._model(transcript).add_day(day)

    def _model(self, of: TranscriptResult | OverAlarm | Transcript) -> ModelTally:
        if of.model_id not in self._models:
            self._models[of.model_id] = ModelTally(
                of.model_id, of.model, self._benchmark, self._places, keeps=not self._logs
            )
        return self._models[of.model_id]

    def leaderboard(
        self, plan: ScanPlan, plan_hash: str, results_hash: str, stage: Stage, released: date
    ) -> Leaderboard:
        """The leaderboard of all results so far, at a stage, released on a day.

        `plan_hash` and `results_hash` are the hashes of the scan's files.
        """
        slugs, family = self.slugs(), self._families.names()
        tallies = self._over_all_models()
        models = tuple(model.entry(slugs[model.model_id], family) for model in self.models)
        listed = [row for _, rows in sorted(self._rows.items()) for row in rows]
        made = Leaderboard(
            canary=self._benchmark.canary,
            stage=stage,
            released=released,
            profile=plan.profile,
            judge=plan.judge,
            notes=_notes(plan, self._truncated, self._older),
            open_logs=plan.only_open_logs,
            set=plan.first_set,
            comparability_key=plan.comparability_key,
            benchmark_version=self._benchmark.version,
            benchmark_hash=plan.benchmark_hash,
            plan_hash=plan_hash,
            results_hash=results_hash,
            transcripts=self._transcripts,
            judged_rows=self._judged,
            votes=self._votes,
            voted_rows=self._voted,
            older_questions=self._older,
            votes_per_question=(min(self._asked), max(self._asked)) if self._asked else None,
            models=models,
            checks=self._checks(plan, tallies, family, models),
            scenarios=() if self._logs else tuple(self.scenarios()),
            twins=self._twins.entries(family),
            not_evaluated=self._listed.not_evaluated(plan, tallies),
            open_gates=tuple(one for row in listed for one in row.open_gates),
            record_contradictions=tuple(one for row in listed for one in row.record_contradictions),
            voided_votes=tuple(one for row in listed for one in row.voided_votes),
            second_judge=self._second_judge(plan),
        )
        return _with_findings(made, family, self._benchmark.scoring.support)

    def _second_judge(self, plan: ScanPlan) -> SecondJudging | None:
        if self.second is None or plan.second is None:
            return None
        return self.second.entry(plan.second, self._benchmark)

    def _over_all_models(self) -> dict[str, CheckTally]:
        """The rows of every check, counted over all models."""
        tallies = {check_id: CheckTally.at(self._places) for check_id in self._benchmark.checks}
        for model in self._models.values():
            for check_id, tally in model.checks.items():
                tallies[check_id].merge(tally)
        return tallies

    def _checks(
        self,
        plan: ScanPlan,
        tallies: dict[str, CheckTally],
        family: dict[str, str],
        models: Sequence[ModelEntry],
    ) -> tuple[CheckSummary, ...]:
        hashes = {planned.check_id: planned.check_hash for planned in plan.checks}
        entries = {check_id: _entries_of(models, check_id) for check_id in self._benchmark.checks}
        return tuple(
            CheckSummary(
                check_id=check.id,
                name=check.name,
                bucket=check.bucket,
                severity=check.severity,
                gate=check.gate,
                flag=tallies[check.id].flag(check, self._benchmark),
                route=check.routing.route,
                calibration=check.calibration.of(plan.judge.identity),
                check_hash=hashes[check.id],
                no_phrase_found=tallies[check.id].no_phrase_found,
                found=tallies[check.id].states[State.FOUND],
                searched=tallies[check.id].searched,
                failures=tallies[check.id].failures(check, self._benchmark, family),
                models_failed=sum(entry.failures.k > 0 for entry in entries[check.id]),
                median=_median(entries[check.id]),
                older_questions=tallies[check.id].older,
                split_votes=tallies[check.id].split_votes,
                detectable=None
                if plan.only_open_logs
                else least_difference(tallies[check.id].decided.families(family)),
            )
            for check in self._benchmark.checks.values()
        )

    def scenarios(self) -> Iterator[ScenarioEntry]:
        """The scenarios of all results so far, by id."""
        slugs, family = unique_slugs(self._scenarios), self._families.names()
        for scenario_id, met in sorted(self._scenarios.items()):
            yield ScenarioEntry(
                scenario_id=scenario_id,
                slug=slugs[scenario_id],
                category=met.category,
                family=family[scenario_id],
                jurisdiction=met.jurisdiction,
                contrast_group=met.contrast_group,
                contrast_variable=met.contrast_variable,
                scenario_hash=met.scenario_hash,
                models=met.models,
                plays=met.plays,
                branches=dict(sorted((met.branches or {}).items())),
            )


def _with_findings(board: Leaderboard, family: Mapping[str, str], thresholds: Support) -> Leaderboard:
    """The leaderboard with everything that compares models or scenarios. Open logs are not compared."""
    if board.open_logs:
        return board
    checks = [check.check_id for check in board.checks]
    compared = board.model_copy(
        update={
            "contrasts": contrast_sets(board.models, board.scenarios),
            "ladders": ladders(board.models, board.scenarios, thresholds),
            "comparisons": comparisons(board.models, checks, family),
            "twins": over_all_models(
                board.twins, (m.dangers_and_alarms for m in board.models if m.dangers_and_alarms)
            ),
        }
    )
    return compared.model_copy(update={"findings": findings(compared)})


def _entries_of(models: Sequence[ModelEntry], check_id: str) -> list[CheckEntry]:
    return [entry for model in models for entry in model.blindspots if entry.check_id == check_id]


def _median(entries: Iterable[CheckEntry]) -> float | None:
    """The median rate of a check over the models that have enough cases for a rate, half of them decided."""
    rated = (
        entry.failures
        for entry in entries
        if half_decided(entry.failures.n, entry.failures.unclear + entry.not_run)
    )
    rates = [rate.rate for rate in rated if rate.rate is not None]
    return median(rates) if rates else None


def _notes(plan: ScanPlan, truncated: int, older: int) -> tuple[str, ...]:
    """Notes that a reader must see before the first number."""
    notes = []
    if plan.first_set is not None:
        notes.append(
            f"This release is of the set “{plan.first_set}”, whose scenarios stand beside the core. Its "
            "figures are not those of the core, and no rate of one may be compared with a rate of the other."
        )
    if plan.only_open_logs:
        notes.append(
            "This release is made of open logs: conversations that were not played from common "
            "scenarios. Different people asked different things, so a difference between two models may "
            "be a difference between their users. The rates of each model describe its own log, and no "
            "model is compared with another."
        )
    if len(plan.judge.judges) > 1:
        named = ", ".join(plan.judge.judges)
        notes.append(
            f"The recorded votes were cast by {len(plan.judge.judges)} judges: {named}. Judges differ, so "
            "verdicts of one cannot be compared with verdicts of another."
        )
    if plan.judge.is_recording:
        by = ", ".join(plan.judge.judges) or "an unknown judge"
        notes.append(
            f"Verdicts come from stored votes by {by}, one question a check over the whole transcript, and "
            "recounted under this version's rules."
        )
    if older:
        notes.append(
            f"Votes on an older wording: {older} verdicts come from votes that answer another wording of the "
            "question than that of the check today. They are marked, and make no finding."
        )
    if plan.system_prompts:
        hashes = ", ".join(plan.system_prompts)
        notes.append(
            "The models were given a system prompt that is not the benchmark's own (SHA-256 of its file: "
            f"{hashes}). Results under another system prompt cannot be compared with these."
        )
    if plan.judge.absent:
        notes.append(
            "No judge was asked. What only a judge can decide is not run, and not a pass. A listed phrase "
            "that was found points to words that somebody should read; it is no failure and enters no score."
        )
    if truncated:
        one = truncated == 1
        what = "1 reply was" if one else f"{truncated} replies were"
        notes.append(f"{what} cut off by the provider and judged as {'it is' if one else 'they are'}.")
    return tuple(notes)
