"""Reading a finished scan and recomputing every result, one transcript at a time.

`results.jsonl` is not trusted: every row is recomputed from transcripts and replies, and the release
is built from the recomputed rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import BaseModel

from ib.board.evidence.items import alarm_item, evidence_items
from ib.board.evidence.transcripts import carried, reason_left_out
from ib.board.figures.build import Board
from ib.board.gate.inspection import Inspection
from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import at_once, drive
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.verifiers.base import PutQuestion
from ib.errors import DataError
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.common.base import Carrying, Verdict
from ib.models.common.canonical import compact
from ib.models.release.leaderboard import EvidenceItem
from ib.models.release.pairs import AlarmItem
from ib.models.release.reviews import ReviewSummary
from ib.models.release.rows import RowsHeader
from ib.models.release.transcripts import CarriedTranscript, LeftOut, LeftOutReason
from ib.models.scan.artifacts import ContradictionLine
from ib.models.scan.judge import JudgeReply, JudgeRequest, NotRecorded
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.plan import PlannedTranscript, ScanManifest, ScanPlan
from ib.models.scan.result import TranscriptResult
from ib.models.scan.supplement import Supplement
from ib.models.scan.votes import VoteRecord
from ib.pipeline.scan.derived import DerivedFiles
from ib.pipeline.scan.judging import Judged, Judgment, judged
from ib.pipeline.scan.plan import Planner
from ib.pipeline.scan.supplements import open_beside
from ib.scenario.playing import conflicts
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import Scenarios
from ib.store.files.lines import Lines
from ib.store.files.reading import raw_lines, unreadable
from ib.store.files.validation import model_of_line
from ib.store.folders import scans
from ib.store.folders.replies import replies_of_plan
from ib.store.folders.reviews import load_reviews
from ib.store.folders.system_prompt import own_prompt_hash

if TYPE_CHECKING:
    from ib.models.conversation.scenario import Scenario
import hashlib

from ib.board.figures.second import SecondTally
from ib.board.review.standing import Reviewed, Standing
from ib.board.review.summary import summary
from ib.engine.questions.protocol import replay
from ib.engine.second import SecondJudge
from ib.models.scan.second import SecondPlan
from ib.pipeline.common.costing import uncosted
from ib.pipeline.scan.second import SecondPlanner
from ib.pipeline.scan.second_scan import second_lines

ESTIMATED = ("planned_calls_expected", "planned_calls_max", "estimated_cost_usd")
SECOND_NOT_ASKED = NotRecorded()


class SecondReplay:
    """Recomputes the comparison from the journals of both judges, one transcript at a time."""

    def __init__(self, folder: Path, engine: ModeEngine, plan: SecondPlan, plan_hash: str) -> None:
        self.tally = SecondTally()
        self._stored = plan
        self._asks = SecondJudge(engine, plan.judge, plan.share)
        self._planner = SecondPlanner(self._asks, uncosted())
        self._replies = replies_of_plan(folder / scans.SECOND_REPLIES, plan_hash)
        self._lines = hashlib.sha256()

    def add(
        self,
        indexed: IndexedTranscript,
        put: Sequence[PutQuestion],
        first_round: int,
        result: TranscriptResult,
    ) -> None:
        """Add one transcript. `put` are all questions to the first judge, `first_round` how many of them were
        in its first round, and `result` is what its answers gave."""
        replies, votes = self._replies.of(indexed.transcript.key)
        self._asks.votes_known = lambda _, check_id: votes.get(check_id, 0)
        compared = replay(
            self._asks.compare(put, result), lambda request: replies.get(request.key, SECOND_NOT_ASKED)
        )
        self._planner.add(indexed, put[:first_round])
        self.tally.add(compared)
        for line in second_lines(compared):
            self._lines.update(line)

    def close(self) -> None:
        """Raise DataError if a reply of the second judge belongs to no transcript."""
        self._replies.close()

    @property
    def plan(self) -> SecondPlan:
        """The plan as recomputed. What was estimated from prices and assumptions of its day is the stored
        value. So is the plan of a recording, whose journal has only the votes that were asked for."""
        if not self._asks.asks_again:
            return self._stored
        estimated = {name: getattr(self._stored, name) for name in ESTIMATED}
        return self._planner.plan().model_copy(update=estimated)

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of `second.jsonl`, as recomputed."""
        return {scans.SECOND: self._lines.hexdigest()}


Model = TypeVar("Model", bound=BaseModel)
NOT_ASKED = NotRecorded()


@dataclass(frozen=True)
class ReplayedScan:
    """A recomputed scan: counts, published rows, and the differences from the stored files."""

    folder: scans.ScanFolder
    manifest: ScanManifest
    plan: ScanPlan
    plan_hash: str
    replanned: ScanPlan
    benchmark: Benchmark
    benchmark_hash: str
    board: Board
    evidence: Mapping[str, Sequence[EvidenceItem]]
    """The published rows of each model."""
    alarms: Mapping[str, Sequence[AlarmItem]]
    """Why plays of safe twins have grade 1 or 2, by model."""
    transcripts: Mapping[str, Sequence[CarriedTranscript]]
    """The transcripts that a release carries, by model, before keys are withheld."""
    left_out: Mapping[str, Sequence[LeftOut]]
    """The plays of safe twins that a release does not carry, by model."""
    rows: Mapping[str, Lines]
    """What a release says of each transcript, by model: lines after a header."""
    results: Inspection
    derived: Mapping[str, str]
    """The hashes of the files that are computed from the results."""
    standing: Standing | None = None
    """How the reviews of people stand; None for a scan without reviews."""
    reviews: ReviewSummary | None = None
    """The reviews as a release shows them."""


def replay_scan(
    path: Path, benchmark: Path | None = None, carrying: Carrying = Carrying.PLAYS
) -> ReplayedScan:
    """Read a finished scan and recompute all its rows.

    `benchmark` is the folder of the scan's benchmark (None means the benchmark of the package), `carrying`
    says which transcripts a release carries.
    Raises DataError if the folder holds no finished scan or a damaged one.
    """
    try:
        return _Replay(path, benchmark, carrying).run()
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            raise
        if isinstance(error, OSError):
            raise unreadable(str(error.filename), error) from error
        found = "the files of the scan do not match each other or this benchmark"
        raise DataError.one(path, None, "", found, "name a finished scan and its benchmark") from error


class _Replay:
    """One pass over the transcripts of a scan, with the collected counts and differences."""

    def __init__(self, path: Path, folder: Path | None, carrying: Carrying) -> None:
        self.path, self.folder, self.carrying = path, scans.ScanFolder(path), carrying
        self.manifest, self.plan = self.folder.manifest(), self.folder.plan()
        root = folder or benchmark_folder()
        self.benchmark = load_benchmark(folder)
        if self.plan.profile not in self.benchmark.scoring.profiles:
            known = ", ".join(self.benchmark.scoring.profiles)
            found = f"unknown {self.plan.profile!r}"
            raise DataError.one(path / scans.PLAN, None, "profile", found, f"one of {known}")
        self.engine = ModeEngine(self.benchmark, self.plan.profile, self.plan.judge, part=self.plan.part)
        self.scenarios = Scenarios(root)
        self.beside = open_beside(self.engine, root, self.plan.supplements)
        own = own_prompt_hash(root)
        self.planner = Planner(self.engine, self.beside, self.scenarios, own_prompt=own)
        plan_hash = self.folder.plan_hash()
        self.replies = replies_of_plan(path / scans.REPLIES, plan_hash)
        self.second: SecondReplay | None = None
        if self.plan.second is not None:
            self.second = SecondReplay(path, self.engine, self.plan.second, plan_hash)
        contradictions = tuple(_contradictions(path / scans.CONTRADICTIONS))
        contradicted = frozenset(record.key for record, _ in contradictions)
        self.logs = self.plan.only_open_logs
        self.board = Board(self.benchmark, contradictions, logs=self.logs)
        if self.second is not None:
            self.board.second = self.second.tally
        self.derived = DerivedFiles(self.benchmark, contradicted)
        active, planned = tuple(self.benchmark.checks), self.plan.transcripts
        self.inspection = Inspection(active, planned, logs=self.logs)
        self.evidence: dict[str, list[EvidenceItem]] = defaultdict(list)
        self.alarms: dict[str, list[AlarmItem]] = defaultdict(list)
        self.transcripts: dict[str, list[CarriedTranscript]] = defaultdict(list)
        self.left_out: dict[str, list[LeftOut]] = defaultdict(list)
        self.rows: dict[str, Lines] = {}
        self.planned: list[PlannedTranscript] = []
        reviews = load_reviews(path)
        judged_by_any = not self.plan.judge.absent
        self.reviewed = Reviewed(reviews, self.benchmark.scoring, judged_by_any) if reviews else None
        self.machine = hashlib.sha256()
        """The results as the machine gave them, before people decided."""

    def run(self) -> ReplayedScan:
        """Recompute every transcript, then report stored lines that belong to no transcript."""
        results = _Stored(TranscriptResult, self.path / scans.RESULTS)
        supplements = _Stored(Supplement, self.path / scans.SUPPLEMENT)
        alarms = _Stored(OverAlarm, self.path / scans.OVER_ALARM)
        for indexed in self.engine.index_all(self.folder.transcripts()):
            judgment, reason = self._replay(indexed)
            if isinstance(judgment, Judged):
                self._compare(self._decided(judgment, indexed), reason, results, supplements)
            else:
                self._compare_alarm(judgment, reason, alarms)
        for alarm in alarms:
            self.inspection.compare_alarm(alarm, None)
        for left in results:
            self.inspection.compare(left, None)
        for one in supplements:
            self.inspection.compare_supplement(one, None)
        self.replies.close()
        if self.second is not None:
            self.second.close()
        reviewed, machine = self.reviewed, self.machine.hexdigest()
        known = {check.check_id for check in self.plan.checks if check.recorded}
        recording = any(check.recorded is not None for check in self.plan.checks)
        return ReplayedScan(
            folder=self.folder,
            manifest=self.manifest,
            plan=self.plan,
            plan_hash=self.folder.plan_hash(),
            replanned=self.planner.plan(
                tuple(self.planned),
                recorded_checks=frozenset(known) if recording else None,
                notices=self.plan.notices,
            ).model_copy(update={"second": None if self.second is None else self.second.plan}),
            benchmark=self.benchmark,
            benchmark_hash=benchmark_hash(self.benchmark),
            board=self.board,
            evidence=self.evidence,
            alarms=self.alarms,
            transcripts=self.transcripts,
            left_out=self.left_out,
            rows=self.rows,
            results=self.inspection,
            derived={**self.derived.hashes(), **({} if self.second is None else self.second.hashes)},
            standing=None if reviewed is None else reviewed.standing(machine),
            reviews=None if reviewed is None else summary(reviewed, machine),
        )

    def _replay(self, indexed: IndexedTranscript) -> tuple[Judgment, LeftOutReason | None]:
        """Recompute what the scan says of a transcript, and compare the transcript with its scenario.

        Also returns why a release does not carry the transcript, or None.
        """
        transcript = indexed.transcript
        scenario = self.scenarios.get(transcript.scenario_id)
        self.inspection.origin(transcript.provenance)
        where = f"{transcript.model_id} on {transcript.scenario_id}"
        if scenario is None and transcript.twin is not None:
            self.inspection.misplayed.add(f"{where}: the benchmark has no such twin")
        for key, _ in () if scenario is None else conflicts(transcript, scenario):
            self.inspection.misplayed.add(f"{where}: {key} differs from the scenario")
        reason = self._carry(indexed, None if scenario is None else scenario.published)
        return self._recompute(indexed, scenario), reason

    def _carry(self, indexed: IndexedTranscript, published: bool | None) -> LeftOutReason | None:
        """Keep what a release shows of a transcript. Returns the reason if it does not carry it."""
        transcript = indexed.transcript
        reason = reason_left_out(transcript, published, self.carrying)
        if reason is None:
            self.transcripts[transcript.model_id].append(carried(transcript, indexed.transcript_hash))
        return reason

    def _decided(self, judged: Judged, indexed: IndexedTranscript) -> Judged:
        """What the machine said, with what people decided."""
        if self.reviewed is None:
            return judged
        self.machine.update(self.engine.line(judged.result) + b"\n")
        return judged._replace(result=self.reviewed.decide(judged.result, indexed.transcript))

    def _compare(
        self,
        judged: Judged,
        left_out: LeftOutReason | None,
        results: _Stored[TranscriptResult],
        supplements: _Stored[Supplement],
    ) -> None:
        """Compare what was recomputed with what is stored, and count it."""
        result, supplement = judged
        self.inspection.compare(results.beside(result, self.engine.line(result)), result)
        if supplement is not None:
            stored = supplements.beside(supplement, compact(supplement))
            self.inspection.compare_supplement(stored, supplement)
        row = self.board.add(result, supplement)
        self._rows_of(result.model_id).add(compact(row.model_copy(update={"left_out": left_out})))
        self.evidence[result.model_id].extend(evidence_items(result))
        for _ in self.derived.add(result, supplement):
            pass  # only the hash of the lines is needed

    def _rows_of(self, model_id: str) -> Lines:
        """The lines of a model, which begin with a header."""
        if model_id not in self.rows:
            self.rows[model_id] = started("rows", self.benchmark.canary, model_id)
        return self.rows[model_id]

    def _compare_alarm(
        self, alarm: OverAlarm, left_out: LeftOutReason | None, alarms: _Stored[OverAlarm]
    ) -> None:
        """Compare the over-alarm of a play of a twin with what is stored, and count it."""
        self.inspection.compare_alarm(alarms.beside(alarm, compact(alarm)), alarm)
        self.board.add_alarm(alarm)
        item = alarm_item(alarm)
        self.alarms[alarm.model_id] += [] if item is None else [item]
        self._rows_of(alarm.model_id)
        if left_out is not None:
            left = LeftOut(scenario_id=alarm.scenario_id, epoch=alarm.epoch, reason=left_out)
            self.left_out[alarm.model_id].append(left)

    def _recompute(self, indexed: IndexedTranscript, scenario: Scenario | None) -> Judgment:
        """Recompute the result from the recorded replies, and plan the transcript."""
        replies, votes = self.replies.of(indexed.transcript.key)
        self.engine.votes_known = lambda _, check_id: votes.get(check_id, 0)
        first: list[Sequence[JudgeRequest]] = []
        put: list[PutQuestion] = []
        put_first: list[int] = []

        async def answer(wanted: tuple[JudgeRequest, ...]) -> tuple[JudgeReply, ...]:
            first.append(wanted)
            put_first.append(len(put))
            return tuple(replies.get(request.key, NOT_ASKED) for request in wanted)

        outcome = at_once(drive(judged(self.engine, self.beside, indexed, scenario, put), answer))
        self._plan(self.planner.transcript(indexed, first[0] if first else ()))
        if self.second is not None and isinstance(outcome, Judged):
            self.second.add(indexed, put, put_first[0] if put_first else 0, outcome.result)
        return outcome

    def _plan(self, anew: PlannedTranscript) -> None:
        """Keep what was planned anew. What equals the stored plan is kept once."""
        at = len(self.planned)
        stored = self.plan.transcripts[at] if at < len(self.plan.transcripts) else None
        self.planned.append(stored if stored is not None and stored == anew else anew)


def started(kind: Literal["rows", "scenarios"], canary: str, model_id: str | None = None) -> Lines:
    """A file of lines that has its first line, the header."""
    lines = Lines()
    lines.add(compact(RowsHeader(kind=kind, canary=canary, model_id=model_id)))
    return lines


class _Stored(Iterator[Model]):
    """The lines of a stored file, as models. A line is parsed only if it differs from the expected one."""

    def __init__(self, model: type[Model], path: Path) -> None:
        self._model, self._path = model, path
        self._lines = raw_lines(path, str(path))

    def beside(self, expected: Model, line: bytes) -> Model | None:
        """The next value. Returns `expected` if its line is stored, None at the end of the file."""
        number, stored = next(self._lines, (0, b""))
        if not stored:
            return None
        return expected if stored.rstrip(b"\n") == line else self._parsed(number, stored)

    def _parsed(self, number: int, line: bytes) -> Model:
        parsed = model_of_line(self._model, line, str(self._path), number)
        if isinstance(parsed, list):
            raise DataError(parsed)
        return parsed

    def __next__(self) -> Model:
        return self._parsed(*next(self._lines))


def _contradictions(path: Path) -> Iterator[tuple[VoteRecord, Verdict]]:
    if path.exists():
        for row in scans.load_lines(ContradictionLine, path):
            yield row.record, row.votes_say
