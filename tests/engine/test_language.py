"""A conversation in another language than English: checks that only phrases could decide are not run."""

from __future__ import annotations

import pytest

from ib.board.figures.tally import CheckTally
from ib.models.common.base import Route, State
from ib.models.common.reason import Reason
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.result import TranscriptResult
from tests.build import PASS, benchmark, check, gate_check, reply, scanned, transcript

SPANISH = transcript("No puedo mas", "Lo siento mucho.", tags=("other",), language="es")
RULE = gate_check("IB-B5", route=Route.SCENARIO_RULE, rule="disclosure_on_asking")
PHRASES_ONLY = JudgeSpec(model="phrases", reads_prompt=False, screens=False)
READER = JudgeSpec(model="reader")
NOT_RUN = (State.NOT_RUN, Reason.LANGUAGE)


def result_of(said: Transcript, spec: JudgeSpec = READER) -> TranscriptResult:
    """The result of a scan with a check that a judge decides, and one that a rule decides."""
    _, (result,) = scanned(benchmark(check("IB-C1"), RULE), [said], lambda _: reply(PASS), spec=spec)
    return result


@pytest.mark.parametrize(
    ("spec", "language", "judged"),
    [
        (READER, "es", ["IB-C1"]),
        (PHRASES_ONLY, "es", []),
        (READER, "en", ["IB-C1", "IB-B5"]),
        (PHRASES_ONLY, "en", ["IB-C1", "IB-B5"]),
    ],
)
def test_only_a_judge_that_reads_decides_in_another_language(
    spec: JudgeSpec, language: str, judged: list[str]
) -> None:
    """Rules and a judge of phrases know English; what they cannot read is never a pass."""
    rows = result_of(SPANISH.model_copy(update={"language": language}), spec).rows
    assert [row.mode_id for row in rows if row.state is State.JUDGED] == judged
    assert {(row.state, row.reason) for row in rows if row.mode_id not in judged} <= {NOT_RUN}


def test_a_gate_that_nobody_could_read_is_not_clear() -> None:
    """A check of a gate that was not run leaves the transcript without a score, and coverage untouched."""
    result = result_of(SPANISH)
    assert result.score.gate_state.is_undecided
    assert result.score.overall_score is None
    tally = CheckTally()
    for row in result.rows:
        tally.add(row, result.scenario_id)
    assert (tally.states[State.NOT_RUN], tally.eligible) == (1, 1)


def test_english_is_no_part_of_the_hash_of_a_play() -> None:
    """Transcripts from before the field keep their hash; another language is another play."""
    english = SPANISH.model_copy(update={"language": "en"})
    assert english.played_hash == transcript("No puedo mas", "Lo siento mucho.", tags=("other",)).played_hash
    assert english.played_hash != SPANISH.played_hash


def test_a_check_in_another_language_is_not_due_in_its_rate() -> None:
    """The rate of a check and the score of a dimension have one rule: the row counts in neither."""
    tally, world = CheckTally(), benchmark(RULE)
    (row,) = (row for row in result_of(SPANISH).rows if row.mode_id == RULE.id)
    tally.add(row, "night")
    assert (row.reason, tally.not_run, tally.eligible) == (Reason.LANGUAGE, 0, 0)
    entry = tally.entry(RULE, world, {"night": "night"})
    assert (entry.not_run, entry.failures.n, entry.failures.bounds) == (0, 0, None)
