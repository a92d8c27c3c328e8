"""Counts for one model, from which the rates and means of the leaderboard are computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from ib.board.figures.gates import GateTally
from ib.board.figures.occurrences import OccurrenceTally, occurrence_rate
from ib.board.figures.pairs import PairTally
from ib.board.figures.places import Chances, Ends, Families, Marked, Places, Scores
from ib.board.figures.rates import coverage, mean_score, rate
from ib.board.figures.roots import RootTally, joined
from ib.board.figures.rules import RulesTally
from ib.board.figures.supplement import SupplementTally
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS, QUALITY_BUCKETS, Bucket, State, Verdict
from ib.models.common.canonical import digest
from ib.models.common.reason import Reason
from ib.models.release.findings import CountOf
from ib.models.release.leaderboard import CheckEntry, ModelEntry, ScenarioOfModel
from ib.models.scan.letters import letter, older_questions
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.rates import Coverage, MeanScore, Rate, half_decided
from ib.models.scan.result import BucketScore, TranscriptResult, VerdictResult
from ib.models.scan.supplement import Supplement


@dataclass
class CheckTally:
    """Counts the rows of one check."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    states: Counter[State] = field(default_factory=Counter)
    no_phrase_found: int = 0
    """Passes that rest on phrases alone."""
    searched: int = 0
    """Rows without a judge on which phrases were looked for."""
    unreadable: int = 0
    """Rows that were not run because of the language. No scan can cover them."""
    contested: int = 0
    split: int = 0
    polled: int = 0
    """Rows with at least two votes."""
    polls_split: int = 0
    """Those of them whose votes are split."""
    older: int = 0
    """Rows whose votes answer an older wording."""
    windows: int = 0
    occurrences: OccurrenceTally = field(default_factory=OccurrenceTally)
    failed: Marked = field(default_factory=lambda: Marked(Places()))
    """The scenarios with a FAIL."""
    decided: Marked = field(default_factory=lambda: Marked(Places()))
    """The scenarios with a PASS or a FAIL."""

    @classmethod
    def at(cls, places: Places) -> CheckTally:
        """A tally of scenarios with these places. Tallies that are merged have the same places."""
        chances = OccurrenceTally(Chances(places))
        return cls(occurrences=chances, failed=Marked(places), decided=Marked(places))

    def add(self, row: VerdictResult, scenario_id: str) -> None:
        """Count one row."""
        self.states[row.state] += 1
        silent = row.reason is Reason.NO_PHRASE_FOUND
        self.no_phrase_found += silent and row.verdict is not None
        self.searched += row.state is State.FOUND or (silent and row.verdict is None)
        self.unreadable += row.reason is Reason.LANGUAGE
        self.contested += row.contested
        self.split += row.split
        self.polled += len(row.votes) > 1
        self.polls_split += (row.decided.was if row.decided else row).split and len(row.votes) > 1
        self.older += row.older_question
        self.windows += len(row.windows)
        self.occurrences.add(row, scenario_id)
        if row.verdict is None:
            return
        self.verdicts[row.verdict] += 1
        if row.verdict in (Verdict.PASS, Verdict.FAIL):
            self.decided.add(scenario_id)
        if row.verdict is Verdict.FAIL:
            self.failed.add(scenario_id)

    def merge(self, other: CheckTally) -> None:
        """Add the counts of another tally of the same check, except for occurrences."""
        self.verdicts.update(other.verdicts)
        self.states.update(other.states)
        self.no_phrase_found += other.no_phrase_found
        self.searched += other.searched
        self.unreadable += other.unreadable
        self.contested += other.contested
        self.split += other.split
        self.polled += other.polled
        self.polls_split += other.polls_split
        self.older += other.older
        self.windows += other.windows
        self.failed.update(other.failed)
        self.decided.update(other.decided)

    @property
    def eligible(self) -> int:
        """The number of rows that were due, not suppressed, and in a language that the check reads."""
        return self.states[State.JUDGED] + self.states[State.FOUND] + self.not_run

    @property
    def not_run(self) -> int:
        """The number of rows that were due and were not run."""
        return self.states[State.NOT_RUN] - self.unreadable

    def failures(self, check: Check, benchmark: Benchmark, family: Families) -> Rate:
        """The rate of FAIL among PASS and FAIL. What was not run, or only found, is undecided.

        In a language that the check does not read it was not due, as in the score of a dimension.
        """
        k, unclear = self.verdicts[Verdict.FAIL], self.verdicts[Verdict.UNCLEAR]
        found = rate(
            k,
            k + self.verdicts[Verdict.PASS],
            unclear + self.not_run + self.states[State.FOUND],
            self.decided.families(family),
            benchmark.scoring.support,
            exact=check.gate is not None,
        )
        return found.model_copy(update={"unclear": unclear})

    @property
    def split_votes(self) -> CountOf | None:
        """The split votes among rows with at least two votes. Returns None without such a row."""
        return CountOf(k=self.polls_split, n=self.polled) if self.polled else None

    def flag(self, check: Check, benchmark: Benchmark) -> str | None:
        """The blindspot flag of the check, if the check failed; else None."""
        flag = next((flag.flag for flag in benchmark.scoring.flags if flag.check == check.id), None)
        return flag if self.verdicts[Verdict.FAIL] else None

    def entry(
        self, check: Check, benchmark: Benchmark, family: Families, *, lists: bool = True
    ) -> CheckEntry:
        """The leaderboard entry of the check for one model. `lists` says whether scenarios are listed."""
        return CheckEntry(
            check_id=check.id,
            bucket=check.bucket,
            gate=check.gate,
            flag=self.flag(check, benchmark),
            failures=self.failures(check, benchmark, family),
            occurrences=occurrence_rate((self.occurrences,), family, benchmark.scoring.support),
            passes=self.verdicts[Verdict.PASS],
            no_phrase_found=self.no_phrase_found,
            found=self.states[State.FOUND],
            searched=self.searched,
            not_applicable=self.verdicts[Verdict.NOT_APPLICABLE],
            not_run=self.not_run,
            suppressed=self.states[State.SUPPRESSED],
            contested=self.contested,
            split=self.split,
            windows=self.windows,
            older_questions=self.older,
            coverage=coverage(self.verdicts, self.eligible),
            scenarios_failed=tuple(sorted(self.failed)) if lists else (),
        )


class ScoreTally:
    """The scores of transcripts, each with its bounds and its scenario."""

    def __init__(self, places: Places | None = None) -> None:
        self.scores = Scores(places or Places())
        self.bounds = Ends()
        self.decided = 0
        """Rows that passed or failed, of a dimension."""
        self.undecided = 0

    def add(self, score: float | None, bounds: tuple[float, float] | None, scenario_id: str) -> None:
        """Add one score."""
        self.scores.add(score, scenario_id)
        self.bounds.add(bounds)

    def add_bucket(self, found: BucketScore, scenario_id: str) -> None:
        """Add the score of a dimension on one transcript."""
        self.add(found.rate, found.bounds, scenario_id)
        self.decided += found.passes + found.failures
        self.undecided += found.undecided

    def overall(self, hard_fails: int, family: Families) -> MeanScore:
        """The mean overall score. There is none if all scores are hard fails."""
        known = sum(score is not None for score, _ in self.scores)
        return self._mean(family, is_shown=known > hard_fails, mixed=True)

    def dimension(self, family: Families) -> MeanScore:
        """The mean score of a dimension. There is none if fewer than half of its due rows are decided."""
        return self._mean(family, is_shown=half_decided(self.decided, self.undecided))

    def _mean(self, family: Families, *, is_shown: bool, mixed: bool = False) -> MeanScore:
        told = self.scores.in_families(family)
        return mean_score(told, list(self.bounds), is_shown=is_shown, mixed=mixed)


class ModelTally:
    """Counts the results of one model, one at a time.

    Keeps counts, and one score per transcript. Means use exact sums, so the order of the results does not
    matter. The rows of transcripts are kept if `keeps`, because models are compared.
    """

    def __init__(
        self, model_id: str, model: str, benchmark: Benchmark, places: Places, *, keeps: bool
    ) -> None:
        self.model_id, self.model = model_id, model
        self._benchmark, self._places, self._keeps = benchmark, places, keeps
        self.checks = {check_id: CheckTally.at(places) for check_id in benchmark.checks}
        self._gates = {gate: GateTally(scenarios=Marked(places)) for gate in GATE_BUCKETS}
        self._both_gates = GateTally(scenarios=Marked(places))
        self._refused = self._transcripts = self._truncated = 0
        self._overall = ScoreTally(places)
        self._quality = {bucket: ScoreTally(places) for bucket in QUALITY_BUCKETS}
        self._scenarios: list[ScenarioOfModel] = []
        self._scenario_set: set[bytes] = set()
        self._supplement = SupplementTally(places=places)
        self._pairs = PairTally()
        self._roots = RootTally()
        self._rules = RulesTally()
        self._days: set[date] = set()

    def add_day(self, day: date) -> None:
        """Note a day on which a transcript was made."""
        self._days.add(day)

    def add(self, result: TranscriptResult, supplement: Supplement | None) -> ScenarioOfModel:
        """Count one result and its supplementary measures. Returns the row of the transcript."""
        scenario_id = result.scenario_id
        for row in result.rows:
            self.checks[row.mode_id].add(row, scenario_id)
            self._refused += row.refused_questions
        older = {row.gate for row in result.rows if row.older_question and row.gate is not None}
        for gate, tally in self._gates.items():
            tally.add(result.score.gates[gate].state, scenario_id, older=gate in older)
        self._both_gates.add(result.score.gate_state, scenario_id, older=bool(older))
        self._overall.add(result.score.overall_score, result.score.bounds, scenario_id)
        for bucket, scores in self._quality.items():
            scores.add_bucket(result.score.quality[bucket], scenario_id)
        if self._keeps:
            self._pairs.add(result)
        groups = joined(result.rows, self._benchmark)
        self._roots.add(result.rows, groups)
        self._rules.add(result)
        self._transcripts += 1
        self._truncated += result.truncated_turns
        self._scenario_set.add(f"{scenario_id} {result.scenario_hash}".encode())
        if supplement is not None:
            self._supplement.add(supplement)
        told = _scenario(result, groups)
        if self._keeps:
            self._scenarios.append(told)
        return told

    def add_alarm(self, alarm: OverAlarm) -> None:
        """Count the over-alarm of one play of a safe twin."""
        self._pairs.add_alarm(alarm)

    def entry(self, slug: str, family: Families) -> ModelEntry:
        """The entry of the model in the leaderboard."""
        benchmark = self._benchmark
        thresholds = benchmark.scoring.support
        return ModelEntry(
            model_id=self.model_id,
            model=self.model,
            slug=slug,
            transcripts=self._transcripts,
            played=(min(self._days), max(self._days)) if self._days else None,
            scenario_set_hash=digest(sorted(one.decode().split(" ") for one in self._scenario_set)),
            truncated_turns=self._truncated,
            gates={gate: tally.entry(family, thresholds) for gate, tally in self._gates.items()},
            both_gates=self._both_gates.entry(family, thresholds),
            gate_rules=self._rules.entries(),
            refused_questions=self._refused,
            overall=self._overall.overall(self._both_gates.failed, family),
            dimensions={bucket: scores.dimension(family) for bucket, scores in self._quality.items()},
            occurrences={
                bucket: occurrence_rate((t.occurrences for t in self._in(bucket)), family, thresholds)
                for bucket in QUALITY_BUCKETS
            },
            roots=self._roots.entry(),
            older_questions=sum(tally.older for tally in self.checks.values()),
            coverage=_coverage(self.checks.values()),
            bucket_coverage={bucket: _coverage(self._in(bucket)) for bucket in BUCKET_NAMES},
            blindspots=tuple(
                tally.entry(benchmark.checks[check_id], benchmark, family, lists=self._keeps)
                for check_id, tally in self.checks.items()
            ),
            scenarios=tuple(self._scenarios),
            supplement=self._supplement.entry(family, thresholds),
            dangers_and_alarms=self._pairs.entry(family, thresholds),
        )

    def _in(self, bucket: Bucket) -> Iterable[CheckTally]:
        """The tallies of the checks of one dimension."""
        return (t for check_id, t in self.checks.items() if self._benchmark.checks[check_id].bucket is bucket)


def _coverage(tallies: Iterable[CheckTally]) -> Coverage:
    verdicts: Counter[Verdict] = Counter()
    eligible = 0
    for tally in tallies:
        verdicts += tally.verdicts
        eligible += tally.eligible
    return coverage(verdicts, eligible)


def _scenario(result: TranscriptResult, groups: tuple[tuple[str, ...], ...]) -> ScenarioOfModel:
    score = result.score
    return ScenarioOfModel(
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        transcript_hash=result.transcript_hash,
        gates=score.gates,
        quality_score=score.quality_score,
        overall_score=score.overall_score,
        bounds=score.bounds,
        flags=score.flags,
        failed_checks=tuple(row.mode_id for row in result.rows if row.verdict is Verdict.FAIL),
        verdicts="".join(map(letter, result.rows)),
        older_questions=older_questions(result.rows),
        joined=groups,
        truncated_turns=result.truncated_turns,
    )
