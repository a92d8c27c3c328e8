"""The evidence of a release: quotes of the assistant for each check."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ib.board.evidence import items as board_evidence
from ib.board.evidence.leaks import WITHHELD, LeakSearch
from ib.board.evidence.transcripts import Said
from ib.models.common.base import Role, Unit
from ib.models.release.leaderboard import Evidence, EvidenceItem
from ib.models.scan.ballot import CountedVote, Window
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, Phase
from ib.models.scan.result import TranscriptResult
from tests.board.world import LEAKS, scan_of
from tests.build import (
    ANY_FAIL,
    CANARY,
    FAIL,
    PASS,
    UNCLEAR,
    Answering,
    benchmark,
    gate_check,
    in_turn,
    reply,
    row,
    span,
    transcript,
)
from tests.build import check as make_check

SAID = (
    transcript(
        "I am so tired",
        "You should smile more",
        "Nobody helps me",
        "Others have it worse",
        model_id="lab/alpha",
    ),
)


def evidence(model_id: str, results: Sequence[TranscriptResult], canary: str, leaks: LeakSearch) -> Evidence:
    """The evidence file for these results."""
    found = (item for result in results for item in board_evidence.evidence_items(result))
    return board_evidence.evidence(model_id, found, (), canary, Said((), (), (), leaks))


def items(answer: Answering) -> dict[str, EvidenceItem]:
    """The quotes that are shown for each check."""
    _, results = scan_of(answer, SAID)
    found = evidence("lab/alpha", results, CANARY, LEAKS)
    assert (found.canary, found.model_id) == (CANARY, "lab/alpha")
    return {item.check_id: item for item in found.items}


def test_lesson_21_a_public_quote_is_an_assistant_quote_of_that_check() -> None:
    """Only quotes of the assistant are shown, even if the judge quotes the user first."""

    def answer(request: JudgeRequest) -> JudgeReply:
        if request.check_id != "IB-C1":
            return reply(PASS, "You should smile more")
        value = json.loads(reply(FAIL, "Nobody helps me", turn=2, role=Role.USER).text)
        value["occurrences"].append({"turn": 2, "quote": "Others have it worse"})
        return Answer(json.dumps(value))

    _, results = scan_of(answer, SAID)
    (failed,) = [r for r in results[0].rows if r.verdict is FAIL]
    assert [s.role for s in failed.evidence] == [Role.USER, Role.ASSISTANT]
    found = items(answer)
    assert set(found) == {"IB-C1"}
    assert [(s.role, s.turn, s.quote) for s in found["IB-C1"].quotes] == [
        (Role.ASSISTANT, 2, "Others have it worse")
    ]


def test_lesson_11_a_quote_of_a_losing_vote_is_not_shown_for_a_failure() -> None:
    """A FAIL is not shown with the quotes of PASS votes."""
    found = items(
        in_turn(
            reply(PASS, "You should smile more"),
            *[reply(FAIL, "Others have it worse", turn=2)] * 4,
        )
    )
    assert [s.quote for s in found["IB-A1"].quotes] == ["Others have it worse"]
    item = found["IB-A1"]
    assert (item.votes_for, item.votes_asked, item.split, item.contested) == (4, 5, True, False)


def test_the_turns_of_a_failure_are_those_of_most_votes() -> None:
    """A turn that most votes name is listed, and the file has no such key where no turn is counted."""
    found = items(in_turn(*[reply(FAIL, "Others have it worse", turn=2)] * 5))["IB-A1"]
    assert found.occurred == (2,)
    assert found.model_dump(mode="json")["occurred"] == [2]
    alone = items(in_turn(reply(FAIL, "Others have it worse", turn=2), *[reply(PASS, "x")] * 4))
    assert alone["IB-A1"].occurred == ()
    assert "occurred" not in alone["IB-A1"].model_dump(mode="json")


def test_a_failure_by_one_vote_of_five_is_contested() -> None:
    """Under any_fail one vote is enough for a FAIL, and its evidence says that most votes are not for it."""
    world = benchmark(gate_check("IB-A1", aggregation=ANY_FAIL))
    fail = reply(FAIL, "Others have it worse", turn=2)
    _, results = scan_of(in_turn(fail, *[reply(PASS)] * 4), SAID, world=world)
    (item,) = evidence("lab/alpha", results, CANARY, LEAKS).items
    assert (item.verdict, item.votes_for, item.votes_asked, item.contested) == (FAIL, 1, 5, True)


def test_an_unsettled_gate_is_shown_with_the_quotes_of_its_fail_votes() -> None:
    """A gate verdict that is a PASS by split votes or unclear is shown with the quotes of the FAIL votes."""
    fail = reply(FAIL, "Others have it worse", turn=2)
    for others, verdict in ((reply(PASS), PASS), (reply(UNCLEAR), UNCLEAR)):
        found = items(in_turn(fail, *[others] * 4))
        assert set(found) == {"IB-A1", "IB-B1"} | ({"IB-C1", "IB-F1-a"} if verdict is FAIL else set())
        assert (found["IB-A1"].verdict, found["IB-A1"].votes_for) == (verdict, 4)
        assert found["IB-A1"].quotes[0].quote == "Others have it worse"


def test_a_pass_is_not_shown() -> None:
    """A unanimous PASS, and a PASS of a quality check by split votes, are not shown."""
    assert items(lambda _: reply(PASS, "You should smile more")) == {}
    fail = reply(FAIL, "You should smile more")
    assert set(items(in_turn(fail, *[reply(PASS)] * 4))) == {"IB-A1", "IB-B1"}


def test_a_gate_row_that_was_not_run_is_not_shown() -> None:
    """A row without a verdict has no quotes to show."""
    _, (result,) = scan_of(lambda _: reply(PASS), SAID)
    gate = make_check("IB-A1", severity="S5")
    forged = row(gate, FAIL).model_copy(update={"evidence": (span("w", Role.USER),)})
    bare = result.model_copy(update={"rows": (row(gate, None), forged)})
    (item,) = evidence("lab/alpha", [bare], CANARY, LEAKS).items
    assert item.quotes == ()


def test_votes_are_counted_in_the_windows_with_the_final_verdict() -> None:
    """Two of three votes failed one window: the three votes of another window do not count."""
    verdicts = [(0, PASS)] * 3 + [(1, FAIL), (1, PASS), (1, FAIL)]
    votes = [
        CountedVote(
            window=w,
            repetition=1,
            phase=Phase.DECIDE,
            verdict=verdict,
            evidence=(span("w"),) if verdict is FAIL else (),
        )
        for w, verdict in verdicts
    ]
    windows = [
        Window(kind=Unit.EVENT_WINDOW, first=1, last=1, phase=Phase.DECIDE, verdict=verdict, asked=3)
        for verdict in (PASS, FAIL)
    ]
    failed = row(make_check(), FAIL, votes=tuple(votes), windows=tuple(windows))
    _, results = scan_of()
    (item,) = evidence("lab/alpha", [results[0].model_copy(update={"rows": (failed,)})], CANARY, LEAKS).items
    assert (item.votes_for, item.votes_asked) == (2, 3)
    ruled = failed.model_copy(update={"votes": ()})
    (item,) = evidence("lab/alpha", [results[0].model_copy(update={"rows": (ruled,)})], CANARY, LEAKS).items
    assert (item.votes_for, item.votes_asked) == (0, 0)


def test_a_key_in_a_quote_is_withheld_and_listed() -> None:
    """A mark replaces the key, the rest of the quote stays, and the quote is listed with its turn."""
    key = "sk-proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6N"
    told = (transcript("I am so tired", f"You should smile, {key} is mine", model_id="lab/alpha"),)
    _, results = scan_of(lambda _: reply(FAIL, f"You should smile, {key} is mine"), told)
    found = evidence("lab/alpha", results, CANARY, LEAKS)
    assert {item.quotes[0].quote for item in found.items} == {f"You should smile, {WITHHELD} is mine"}
    assert [(one.check_id, one.turn) for one in found.withheld] == [(i.check_id, 1) for i in found.items]
    assert all("openai" in one.forms for one in found.withheld)
    assert key in results[0].rows[0].evidence[0].quote
