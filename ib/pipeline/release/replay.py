"""Reading a finished scan and recomputing every result, one transcript at a time.

`results.jsonl` is not trusted: every row is recomputed from transcripts and replies, and the release
is built from the recomputed rows.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ib.board.evidence.holding import NONE_HELD, Held, Holding, held_item, held_transcript
from ib.board.evidence.items import Item, alarm_item, evidence_items, unquoted
from ib.board.evidence.leaks import LeakSearch
from ib.board.evidence.transcripts import carried, reason_left_out
from ib.board.figures.build import Board
from ib.board.gate.inspection import Inspection
from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import at_once, drive
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.verifiers.base import PutQuestion
from ib.errors import DataError
from ib.models.benchmark.benchmark import benchmark_hash
from ib.models.common.base import Carrying
from ib.models.common.canonical import compact
from ib.models.draw.keyed_slot import DrawKind
from ib.models.release.held import HeldReply
from ib.models.release.leaderboard import EvidenceItem
from ib.models.release.pairs import AlarmItem
from ib.models.release.reviews import ReviewSummary
from ib.models.release.rows import RowsHeader
from ib.models.release.transcripts import CarriedTranscript, LeftOut, LeftOutReason
from ib.models.scan.judge import JudgeReply, JudgeRequest
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.plan import PlannedTranscript, ScanPlan
from ib.models.scan.result import TranscriptResult
from ib.models.scan.supplement import Supplement
from ib.pipeline.release.reading import FolderReading, Reading, Stored
from ib.pipeline.release.replayed import ReplayedScan
from ib.pipeline.release.second import SecondReplay
from ib.pipeline.release.source import Heard, Replayed, SourceWriter
from ib.pipeline.run.likeness import Likeness, assistants_of
from ib.pipeline.scan.derived import DerivedFiles
from ib.pipeline.scan.judging import Judged, Judgment, judged
from ib.pipeline.scan.plan import Planner
from ib.pipeline.scan.supplements import open_beside
from ib.scenario.drawing import DrawKey
from ib.scenario.playing import conflicts
from ib.store.benchmark.drawing import key_of, named_draw
from ib.store.benchmark.loading import load_benchmark
from ib.store.benchmark.scenarios import Scenarios
from ib.store.files.lines import Lines
from ib.store.files.reading import unreadable
from ib.store.folders import scans
from ib.store.folders.holding import load_holding_rules
from ib.store.folders.system_prompt import own_prompt_hash

if TYPE_CHECKING:
    from ib.models.conversation.scenario import Scenario
    from ib.models.conversation.transcript import Transcript
import hashlib

from ib.board.review.standing import Reviewed
from ib.board.review.summary import summary, without_reasons


def replay_scan(
    path: Path,
    benchmark: Path | None = None,
    carrying: Carrying = Carrying.PLAYS,
    leaks: LeakSearch | None = None,
    key: DrawKey | None = None,
) -> ReplayedScan:
    """Read a finished scan and recompute all its rows.

    `benchmark` is the folder of the scan's benchmark (None means the benchmark of the package), `carrying`
    says which transcripts a release carries. With `leaks`, the source of a release is written as well,
    without what these forms find. `key` is that of a private draw.
    Raises DataError if the folder holds no finished scan or a damaged one, or one of a private draw with
    another key.
    """
    with misfits(path, "files of the scan", "name a finished scan and its benchmark"):
        return Replay(FolderReading(path, benchmark), carrying, leaks, key).run()


@contextlib.contextmanager
def misfits(path: Path, what: str, hint: str) -> Iterator[None]:
    """Turn errors about files that do not match each other into a DataError about `path`."""
    try:
        yield
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            raise
        if isinstance(error, OSError):
            raise unreadable(str(error.filename), error) from error
        found = f"the {what} do not match each other or this benchmark"
        raise DataError.one(path, None, "", found, hint) from error


class Replay:
    """One pass over the transcripts of a scan, with the collected counts and differences."""

    def __init__(
        self,
        reading: Reading,
        carrying: Carrying,
        leaks: LeakSearch | None = None,
        key: DrawKey | None = None,
    ) -> None:
        self.reading, self.carrying = reading, carrying
        self.plan = reading.plan
        self.benchmark = load_benchmark(reading.benchmark)
        if self.plan.profile not in self.benchmark.scoring.profiles:
            known = ", ".join(self.benchmark.scoring.profiles)
            found = f"unknown {self.plan.profile!r}"
            raise DataError.one(reading.place, None, "profile", found, f"one of {known}")
        self.engine = ModeEngine(self.benchmark, self.plan.profile, self.plan.judge, part=self.plan.part)
        root = reading.root
        self.scenarios = Scenarios(root, self.key_of_draw(key))
        self.draw = named_draw(root, self.plan.draw)
        self.is_private = self.draw is not None and self.draw.kind is DrawKind.PRIVATE
        self.beside = open_beside(self.engine, root, self.plan.supplements)
        own = own_prompt_hash(root)
        self.planner = Planner(self.engine, self.beside, self.scenarios, own_prompt=own)
        self.replies = reading.replies()
        self.second: SecondReplay | None = None
        if self.plan.second is not None:
            self.second = SecondReplay(reading, self.engine, self.plan.second)
        contradictions = reading.contradictions
        contradicted = frozenset(line.record.key for line in contradictions)
        self.logs = self.plan.only_open_logs
        recorded = [(line.record, line.votes_say) for line in contradictions]
        self.board = Board(self.benchmark, recorded, logs=self.logs)
        if self.second is not None:
            self.board.second = self.second.tally
        self.derived = DerivedFiles(self.benchmark, contradicted, self.plan, reading.sentinels or ())
        active, planned = tuple(self.benchmark.checks), self.plan.transcripts
        self.inspection = Inspection(active, planned, logs=self.logs)
        self.evidence: dict[str, list[EvidenceItem]] = defaultdict(list)
        self.alarms: dict[str, list[AlarmItem]] = defaultdict(list)
        self.transcripts: dict[str, list[CarriedTranscript]] = defaultdict(list)
        self.left_out: dict[str, list[LeftOut]] = defaultdict(list)
        self.held: dict[str, list[HeldReply]] = defaultdict(list)
        self.rows: dict[str, Lines] = {}
        self.planned: list[PlannedTranscript] = []
        reviews = reading.reviews
        judged_by_any = not self.plan.judge.absent
        earlier = () if reading.joined is None else reading.joined.draws
        scoring = self.benchmark.scoring
        self.reviewed = Reviewed(reviews, scoring, judged_by_any, earlier) if reviews else None
        self.lines = {name: hashlib.sha256() for name in (scans.RESULTS, scans.SUPPLEMENT, scans.OVER_ALARM)}
        """The stored files as this replay would write them."""
        self.machine = hashlib.sha256()
        """The results as the machine gave them, before people decided."""
        self.likeness = Likeness(assistants_of(self.benchmark, root))
        self.holding = self._holding()
        self.writer = None if leaks is None else SourceWriter(root, leaks)

    def _holding(self) -> Holding | None:
        """What holds replies back; None if the release has no word of them anyway."""
        decisions = self.reading.decisions
        if decisions is None or self.is_private:
            return None
        return Holding(load_holding_rules(), decisions, self.likeness.is_known)

    def key_of_draw(self, given: DrawKey | None) -> DrawKey | None:
        """The key of the draw of the scan. Raises DataError if it is private, and `given` is another one."""
        place = str(self.reading.place / scans.PLAN)
        return key_of(place, self.reading.root, self.plan.draw, given)

    def run(self) -> ReplayedScan:
        """Recompute every transcript, then report stored lines that belong to no transcript."""
        results = self.reading.stored(TranscriptResult, scans.RESULTS)
        supplements = self.reading.stored(Supplement, scans.SUPPLEMENT)
        alarms = self.reading.stored(OverAlarm, scans.OVER_ALARM)
        for indexed in self.engine.index_all(self.reading.transcripts()):
            self.before(indexed.transcript.key)
            judgment, reason, held = self._replay(indexed)
            if isinstance(judgment, Judged):
                self._compare(judgment, reason, held, results, supplements)
            else:
                self._compare_alarm(judgment, reason, held, alarms)
        self.before(None)
        self.inspection.impostors = list(self.likeness.impostors())
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
        return ReplayedScan(
            files=self.reading.files(),
            written=self.reading.written,
            plan=self.plan,
            plan_hash=self.reading.plan_hash,
            replanned=self.replanned(),
            benchmark=self.benchmark,
            benchmark_hash=benchmark_hash(self.benchmark),
            board=self.board,
            evidence=self.evidence,
            alarms=self.alarms,
            transcripts=self.transcripts,
            left_out=self.left_out,
            held=self.held,
            rows=self.rows,
            results=self.inspection,
            derived=self._derived(),
            standing=None if reviewed is None else reviewed.standing(machine),
            reviews=None if reviewed is None else self._summary(reviewed, machine),
            draw=self.draw,
            joined=self.reading.joined,
            judging_usd=self.reading.judging_usd,
            source={} if self.writer is None else self._source(self.writer),
        )

    def _summary(self, reviewed: Reviewed, machine: str) -> ReviewSummary:
        told = summary(reviewed, machine)
        held = {(model, one.scenario_id, one.epoch) for model, every in self.held.items() for one in every}
        return without_reasons(told, None if self.is_private else held)

    def before(self, key: tuple[str, str, int] | None) -> None:
        """Called before the conversation of a key is replayed, and with None after the last one."""

    def replanned(self) -> ScanPlan:
        """The plan as recomputed from the transcripts and the benchmark."""
        known = {check.check_id for check in self.plan.checks if check.recorded}
        recording = any(check.recorded is not None for check in self.plan.checks)
        return self.planner.plan(
            tuple(self.planned),
            recorded_checks=frozenset(known) if recording else None,
            notices=self.plan.notices,
        ).model_copy(
            update={
                "second": None if self.second is None else self.second.plan,
                "sample": self.plan.sample,
                "sentinels": self.plan.sentinels,
                "rejudges": self.plan.rejudges,
            }
        )

    def _source(self, writer: SourceWriter) -> Mapping[str, bytes]:
        return writer.close(self.plan, self.reading.contradictions, self.reading.reviews)

    def _replay(self, indexed: IndexedTranscript) -> tuple[Judgment, LeftOutReason | None, Held]:
        """Recompute what the scan says of a transcript, and compare the transcript with its scenario. Also
        returns why a release does not carry the transcript, or None, and the replies that it withholds."""
        transcript = indexed.transcript
        scenario = self.scenarios.get(transcript.scenario_id)
        self.inspection.origin(transcript.provenance)
        self.board.add_day(transcript)
        where = f"{transcript.model_id} on {transcript.scenario_id}"
        if scenario is None and transcript.twin is not None:
            self.inspection.misplayed.add(f"{where}: the benchmark has no such twin")
        for key, _ in () if scenario is None else conflicts(transcript, scenario):
            self.inspection.misplayed.add(f"{where}: {key} differs from the scenario")
        reason = self._left_out(transcript, scenario)
        judgment, held = self._recompute(indexed, scenario, reason)
        if reason is None:
            shown = held_transcript(carried(transcript, indexed.transcript_hash), held)
            self.transcripts[transcript.model_id].append(shown)
        self.held[transcript.model_id].extend(held.values())
        return judgment, reason, held

    def _left_out(self, transcript: Transcript, scenario: Scenario | None) -> LeftOutReason | None:
        """Why a release does not carry a transcript, or None."""
        published = None if scenario is None else scenario.published
        reason = reason_left_out(transcript, published, self.carrying)
        if self.is_private and reason is not LeftOutReason.UNPUBLISHED:
            return LeftOutReason.PRIVATE_DRAW
        return reason

    def _held(self, transcript: Transcript, judgment: Judgment) -> Held:
        """The replies of a transcript that a release withholds."""
        if self.holding is None:
            return NONE_HELD
        return self.holding.held(transcript, judgment.result if isinstance(judgment, Judged) else None)

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
        held: Held,
        results: Stored[TranscriptResult],
        supplements: Stored[Supplement],
    ) -> None:
        """Compare what was recomputed with what is stored, and count it."""
        result, supplement = judged
        line = self._line(scans.RESULTS, self.engine.line(result))
        self.inspection.compare(results.beside(result, line), result)
        if supplement is not None:
            line = self._line(scans.SUPPLEMENT, compact(supplement))
            self.inspection.compare_supplement(supplements.beside(supplement, line), supplement)
        self.count(result, supplement, left_out)
        self.evidence[result.model_id].extend(self.shown(one, held) for one in evidence_items(result))

    def shown(self, item: Item, held: Held = NONE_HELD) -> Item:
        """An item of evidence as the release shows it: without the words of withheld replies, and of a
        private draw without quotes."""
        return unquoted(item) if self.is_private else held_item(item, held)

    def _line(self, name: str, line: bytes) -> bytes:
        """A line of a stored file as this replay would write it."""
        self.lines[name].update(line + b"\n")
        return line

    def _derived(self) -> Mapping[str, str]:
        """The hashes of the files that follow from the results. If no row differs, the results themselves are
        among them: a line that was edited without changing a value is none that a scan writes."""
        found = {**self.derived.hashes(), **({} if self.second is None else self.second.hashes)}
        if self.plan.sentinels is not None and self.reading.sentinels is None:
            found.pop(scans.SUMMARY)  # it speaks of answers that a release does not carry
        seen = self.inspection
        if seen.rows_differ.count or seen.supplements_differ.count or seen.alarms_differ.count:
            return found
        return {**found, **{name: sha.hexdigest() for name, sha in self.lines.items()}}

    def count(
        self, result: TranscriptResult, supplement: Supplement | None, left_out: LeftOutReason | None
    ) -> None:
        """Count a result for the board, for the rows, and for the files that are derived from results."""
        row = self.board.add(result, supplement)
        self.rows_of(result.model_id).add(compact(row.model_copy(update={"left_out": left_out})))
        for _ in self.derived.add(result, supplement):
            pass  # only the hash of the lines is needed

    def rows_of(self, model_id: str) -> Lines:
        """The lines of a model, which begin with a header."""
        if model_id not in self.rows:
            self.rows[model_id] = started("rows", self.benchmark.canary, model_id)
        return self.rows[model_id]

    def _compare_alarm(
        self, alarm: OverAlarm, left_out: LeftOutReason | None, held: Held, alarms: Stored[OverAlarm]
    ) -> None:
        """Compare the over-alarm of a play of a twin with what is stored, and count it."""
        line = self._line(scans.OVER_ALARM, compact(alarm))
        self.inspection.compare_alarm(alarms.beside(alarm, line), alarm)
        self.board.add_alarm(alarm)
        item = alarm_item(alarm)
        self.alarms[alarm.model_id] += [] if item is None else [self.shown(item, held)]
        self.rows_of(alarm.model_id)
        if left_out is not None:
            left = LeftOut(scenario_id=alarm.scenario_id, epoch=alarm.epoch, reason=left_out)
            self.left_out[alarm.model_id].append(left)

    def _recompute(
        self, indexed: IndexedTranscript, scenario: Scenario | None, left_out: LeftOutReason | None
    ) -> tuple[Judgment, Held]:
        """Recompute the result from the recorded replies, with what is withheld, and plan the transcript."""
        lookup, votes = self.replies.of(indexed.transcript.key)
        self.engine.votes_known = lambda _, check_id: votes.get(check_id, 0)
        alike = self.likeness.add(indexed.transcript)
        heard, first, put = Heard(lookup), list[Sequence[JudgeRequest]](), list[PutQuestion]()
        put_first: list[int] = []

        async def answer(wanted: tuple[JudgeRequest, ...]) -> tuple[JudgeReply, ...]:
            first.append(wanted)
            put_first.append(len(put))
            return tuple(map(heard, wanted))

        outcome = at_once(drive(judged(self.engine, self.beside, indexed, scenario, put), answer))
        self._plan(self.planner.transcript(indexed, first[0] if first else ()))
        compared, second = None, None
        if self.second is not None and isinstance(outcome, Judged):
            asked = put_first[0] if put_first else 0
            compared, second = self.second.add(indexed, put, asked, outcome.result)
        decided = self._decided(outcome, indexed) if isinstance(outcome, Judged) else outcome
        held = self._held(indexed.transcript, decided)
        if self.writer is not None:
            replies = () if second is None else second.replies
            said = Replayed(indexed, decided, left_out, heard.replies, bool(held), replies, compared, alike)
            self.writer.add(said)
        return decided, held

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
