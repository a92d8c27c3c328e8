"""The plan against what happens, with the real votes of a judge as the replies of a scripted one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import replay
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Aggregation, Verdict
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.scan.cost import UnitState
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, JudgeSpec, Phase
from ib.models.scan.result import TranscriptResult
from ib.models.scan.votes import VoteRecord
from ib.pipeline.scan.plan import Planner
from ib.pipeline.scan.session import Reckoning
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.scans import load_lines
from tests.build import beside
from tests.real.conftest import TRANSCRIPTS

pytestmark = pytest.mark.real
SPEC = JudgeSpec(model="scripted", reads_prompt=False, priced=False)
FEWER = 0.28
"""The share of calls that the two-agree rule saves at least, where it applies."""
NEAR = 0.10
"""How far the expected number of calls may be from the actual one."""
Key = tuple[str, str, str]


def _replied(value: Mapping[str, object]) -> Answer:
    return Answer(json.dumps(value))


def _said_at(request: JudgeRequest) -> dict[str, object]:
    """The assistant's words in the last turn that a question is about."""
    assert request.asked is not None
    last = max(turn for turn in range(1, request.unit.last + 1) if request.unit.judges(turn))
    messages = request.asked.transcript.messages
    return {
        "turn": last,
        "quote": next(m.content for m in messages if m.turn == last and m.role == "assistant"),
    }


@dataclass
class Votes:
    """A judge that answers with the recorded votes. A FAIL quotes the last reply that is judged: a record has
    quotes for its verdict only, not for each vote."""

    benchmark: Benchmark
    records: Mapping[Key, VoteRecord]
    asked: Counter[tuple[str, Phase]] = field(default_factory=Counter)

    def answer(self, request: JudgeRequest) -> JudgeReply:
        self.asked[request.check_id, request.phase] += 1
        if request.phase is Phase.SCREEN:
            return _replied({"found": self._screened(request)})
        record = self._record(request, request.check_id)
        if request.phase is Phase.EXTRACT:
            return _replied({"claims": self._quotes(record)})
        votes = record.votes if record is not None and record.votes else (Verdict.PASS,)
        verdict = votes[min(request.repetition, len(votes)) - 1]
        found = [_said_at(request)] if verdict is Verdict.FAIL else []
        nearest = found[0] if found else None
        code = next(iter(self.benchmark.checks[request.check_id].rationale_codes.of(verdict)))
        told = {"nearest": nearest, "occurrences": found, "reason": "as recorded", "code": code}
        return _replied({**told, "verdict": verdict})

    def _record(self, request: JudgeRequest, check_id: str) -> VoteRecord | None:
        return self.records.get((request.model_id, request.scenario_id, check_id))

    def _quotes(self, record: VoteRecord | None) -> list[dict[str, object]]:
        evidence = () if record is None else record.evidence
        return [{"turn": e.turn, "quote": e.quote} for e in evidence if e.role == "assistant"]

    def _screened(self, request: JudgeRequest) -> list[dict[str, object]]:
        """Each check of the question with a recorded FAIL vote."""
        return [
            {"check": check_id, **quote}
            for (model, scenario, check_id), record in self.records.items()
            if (model, scenario) == (request.model_id, request.scenario_id)
            and Verdict.FAIL in record.votes
            and f"- {check_id}: " in request.user
            for quote in self._quotes(record)[:1]
        ]


@dataclass(frozen=True)
class Scanned:
    """What a scan of all transcripts did."""

    planner: Planner
    judge: Votes
    units: Mapping[UnitState, int]
    results: Sequence[TranscriptResult]


def scanned(
    benchmark: Benchmark, transcripts: Sequence[Transcript], records: Mapping[Key, VoteRecord]
) -> Scanned:
    """Plan and scan all transcripts with the profile publish."""
    engine, judge, reckoning = ModeEngine(benchmark, "publish", SPEC), Votes(benchmark, records), Reckoning()
    planner = Planner(engine, beside(engine))
    pairs = [(transcript, line_hash(transcript_line(transcript))) for transcript in transcripts]
    planned = planner.transcripts(pairs)
    results = []
    for indexed, plan in zip(engine.index_all(pairs), planned, strict=True):
        before = judge.asked.total()
        result = replay(reckoning.watched(engine.verify(indexed)), judge.answer)
        assert plan.calls <= judge.asked.total() - before <= plan.units * 2, "the plan of one transcript"
        results.append(result)
    return Scanned(planner, judge, reckoning.units(planner.costing.counts.units_most, complete=True), results)


@pytest.fixture(scope="module")
def scans(real: Path) -> tuple[Benchmark, Scanned, Scanned]:
    """The benchmark, a scan with the stop rule, and one with all K votes."""
    benchmark = load_benchmark()
    transcripts = [one for path in TRANSCRIPTS for one in load_lines(Transcript, path)]
    records = {
        (r.model_id, r.scenario_id, r.check_id): r
        for path in sorted(real.glob("*.votes.jsonl.gz"))
        for r in load_lines(VoteRecord, path)
    }
    publish = benchmark.scoring.profiles["publish"].model_copy(update={"stop": "none"})
    profiles = {**benchmark.scoring.profiles, "publish": publish}
    scoring = benchmark.scoring.model_copy(update={"profiles": profiles})
    every = benchmark.model_copy(update={"scoring": scoring})
    return benchmark, scanned(benchmark, transcripts, records), scanned(every, transcripts, records)


def test_two_agree_gives_the_verdicts_of_all_votes_with_fewer_calls(
    scans: tuple[Benchmark, Scanned, Scanned],
) -> None:
    """Every verdict is the same; where the rule applies, at least 28 % of the calls are saved."""
    benchmark, agreed, every = scans
    for one, other in zip(agreed.results, every.results, strict=True):
        assert [row.verdict for row in one.rows] == [row.verdict for row in other.rows]
    applies = {
        check.id
        for check in benchmark.checks.values()
        if check.gate is None
        and check.routing.repetitions > 2
        and check.routing.aggregation is not Aggregation.ANY_FAIL
    }
    made = [
        sum(n for (check, phase), n in scan.judge.asked.items() if check in applies and phase is Phase.DECIDE)
        for scan in (agreed, every)
    ]
    assert made[1] > 1000
    assert 1 - made[0] / made[1] >= FEWER


def test_the_plan_is_a_bound_and_its_expectation_is_near(scans: tuple[Benchmark, Scanned, Scanned]) -> None:
    """Least, most, and the expected number of calls within a tenth; also transcript by transcript."""
    _, scan, _ = scans
    counts, made = scan.planner.costing.counts, scan.judge.asked.total()
    assert counts.least <= made <= counts.most
    assert abs(counts.expected - made) <= NEAR * made, (counts.expected, made)


def test_every_planned_unit_ended_in_one_state(scans: tuple[Benchmark, Scanned, Scanned]) -> None:
    """The states sum up to the plan, and those that were answered to the first attempts."""
    _, scan, _ = scans
    attempts = sum(n for (_, phase), n in scan.judge.asked.items() if phase is not Phase.REASK)
    assert sum(scan.units.values()) == scan.planner.costing.counts.units_most
    assert min(scan.units.values()) >= 0
    assert scan.units[UnitState.ANSWERED] == attempts
    assert scan.units[UnitState.NOT_NEEDED] > 0
