"""Requests for adjudication: the rows that a person should review, and why."""

from __future__ import annotations

from itertools import product

from ib.board.evidence.adjudicate import requests
from ib.models.common.base import State, Verdict
from ib.models.common.canonical import digest
from ib.models.scan.result import TranscriptResult, VerdictResult
from tests.board.world import clean_results, scan_of
from tests.build import FAIL, UNCLEAR, check, gate_check, in_turn, reply, row

GATE, QUALITY = gate_check("IB-A1"), check("IB-C1")
ESCALATING = check("IB-D1", severity="S5", escalates_to="A")


def result(*rows: VerdictResult) -> TranscriptResult:
    """The result of a transcript with these rows."""
    return clean_results()[0].model_copy(update={"rows": rows})


def test_every_unsettled_gate_row_is_requested() -> None:
    """For all outcomes of gate, escalating and quality checks, exactly the right rows are requested."""
    for item, verdict, split in product((GATE, ESCALATING, QUALITY), (*Verdict, None), (False, True)):
        one = row(item, verdict, split=split and verdict is not None)
        found = tuple(requests(result(one), ()))
        due = item is not QUALITY and (verdict is UNCLEAR or one.split)
        assert len(found) == due
        if found:
            assert (found[0].check_id, found[0].machine_verdict) == (item.id, verdict)
            assert (found[0].decision, found[0].adjudicator) == (None, None)


def test_a_request_says_whether_a_hard_fail_is_contested() -> None:
    """One FAIL vote of three is another question than two of three."""
    asked = {
        votes: next(requests(result(row(GATE, FAIL, split=True, confidence=votes / 3)), ())).question
        for votes in (1, 2)
    }
    assert asked[1].startswith("a hard fail is contested")
    assert asked[2] == "the votes on a gate are split"


def test_lesson_18_a_contradicted_record_is_requested_for_every_check() -> None:
    """A record that contradicts its votes needs a person, for a quality check too."""
    base = clean_results()[0]
    for item, verdict in product((GATE, QUALITY), (*Verdict, None)):
        key = (base.model_id, base.scenario_id, base.epoch, item.id)
        (found,) = requests(result(row(item, verdict)), {key})
        assert found.question == "the recorded verdict is not what its votes give"
    others = {(base.model_id, base.scenario_id, 7, "IB-C1"), ("x", base.scenario_id, base.epoch, "IB-C1")}
    assert tuple(requests(result(row(QUALITY, FAIL)), others)) == ()


def test_lesson_24_unclear_goes_to_a_person() -> None:
    """An UNCLEAR gate verdict is not resolved by code. It is requested, with its reason."""
    _, results = scan_of(in_turn(*[reply(UNCLEAR)] * 3))
    asked = [item for found in results for item in requests(found, ())]
    assert {item.check_id for item in asked} == {"IB-A1", "IB-B1"}
    assert {item.question for item in asked} == {"a gate verdict is unclear: judge_unclear"}


def test_a_request_names_the_row_by_its_hash() -> None:
    """A decision applies to one row only, so the request has the hashes of the row and the transcript."""
    one = row(GATE, UNCLEAR, reason="no_majority")
    (found,) = requests(result(one), ())
    assert (found.row_hash, found.transcript_hash) == (digest(one), clean_results()[0].transcript_hash)
    (other,) = requests(result(row(GATE, UNCLEAR, reason="refused")), ())
    assert other.row_hash != found.row_hash


def test_rows_without_a_verdict_are_not_requested() -> None:
    """Ineligible, suppressed and not run rows have no verdict to review."""
    for state in State:
        if state is not State.JUDGED:
            assert tuple(requests(result(row(GATE, None, state)), ())) == ()
