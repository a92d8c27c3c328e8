"""Something left out: the hint with its words, every later reply of the window, and an empty place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from delivery.conversation.gaps import LATER, UNFOLDED, cues, folded, gap, is_gap, would_count
from delivery.conversation.lists import whole_list
from delivery.conversation.moments import WHOLE, excerpt
from delivery.sync_web_bench import project
from ib.models.benchmark.check import Check, FailureKind
from ib.models.common.base import Role, Unit, Verdict
from ib.models.conversation.scenario import Scenario
from ib.models.release.leaderboard import EvidenceItem
from ib.models.release.transcripts import CarriedMessage, CarriedTranscript
from tests.delivery import reading, sample
from tests.delivery.test_moments import conversation
from tests.delivery.test_moments import item as quoted

CHECKS = sample.benchmark().checks
HINT, EXCHANGE = CHECKS["IB-A1"], CHECKS["IB-C1"]


def item(check: Check, windows: tuple[tuple[int, int], ...], *spans: tuple[int, int, int]) -> EvidenceItem:
    """A FAIL of a check on windows, with quotes."""
    return quoted(*spans).model_copy(update={"check_id": check.id, "windows": windows})


def test_every_later_reply_of_the_window_is_shown() -> None:
    """From the hint to the end of the window: the first with its words, the others by their first lines."""
    talk = conversation(*(f"Reply {turn}. " + "More words follow here. " * 40 for turn in range(1, 8)))
    found = gap(HINT, item(HINT, ((2, 6),), (2, 0, 5)), talk, {2: ((0, 8),)})
    assert [(one.turn, one.later) for one in found] == [(2, False), *((turn, True) for turn in range(3, 7))]
    assert [(one.text, one.quoted) for one in found[0].said] == [("question", True), (" 2", False)]
    assert [one.asked for one in found[1:]] == [None] * 4
    for one in found[1:]:
        shown, hidden = one.parts
        assert not shown.folded
        assert hidden.folded
        assert sum(len(piece.text) for piece in shown.pieces) <= LATER
        whole = "".join(piece.text for part in one.parts for piece in part.pieces)
        assert whole == next(m.content for m in talk.messages if (m.turn, m.role) == (one.turn, "assistant"))
    assert [(fold, [one.turn for one in group]) for fold, group in folded(found)] == [
        (False, [2]),
        (False, list(range(3, 3 + UNFOLDED))),
        (True, list(range(3 + UNFOLDED, 7))),
    ]


def test_a_later_hint_is_shown_with_its_words() -> None:
    """Each hint of the window has the person's words; hints of other windows are not shown."""
    talk = conversation(*["Reply."] * 6)
    found = gap(HINT, item(HINT, ((2, 4),), (2, 0, 5)), talk, {2: ((0, 8),), 4: ((0, 8),), 6: ((0, 8),)})
    assert [(one.turn, one.later, bool(one.cues)) for one in found] == [
        (2, False, True),
        (3, True, False),
        (4, False, True),
    ]


def test_where_each_reply_is_judged_by_itself_later_replies_prove_nothing() -> None:
    """A check on single exchanges shows the quoted exchange alone."""
    assert EXCHANGE.routing.unit_of_analysis is Unit.LOCAL_EXCHANGE
    found = gap(EXCHANGE, item(EXCHANGE, ((1, 5),), (3, 0, 5)), conversation(*["Reply."] * 5), {})
    assert [(one.turn, one.asked) for one in found] == [(3, "question 3")]


def test_a_verdict_without_a_quote_shows_its_window() -> None:
    """An unclear verdict quotes nothing; a reader still sees what was judged."""
    unclear = item(HINT, ((2, 3),)).model_copy(update={"verdict": Verdict.UNCLEAR})
    assert is_gap(HINT, unclear)
    assert [one.turn for one in gap(HINT, unclear, conversation(*["Reply."] * 4), {})] == [2, 3]


def test_cues_are_found_as_they_were_said() -> None:
    """Those of the check, in the turn of the anchor; a cue of a branch that was not taken is left out."""
    scenario = next(one for one in sample.background().scenarios.values() if one.anchors)
    (anchor,) = scenario.anchors
    talk = _asked(f"before {anchor.cue} after")
    assert cues(scenario, talk, "IB-A1") == cues(scenario, talk) == {2: ((7, 7 + len(anchor.cue)),)}
    assert cues(scenario, talk, "IB-C1") == cues(scenario, _asked("else"), "IB-A1") == cues(None, talk) == {}


def _asked(text: str) -> CarriedTranscript:
    message = CarriedMessage(turn=2, role=Role.USER, content=text)
    return conversation("Reply.").model_copy(update={"messages": (message,)})


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda one: str(one.id))
def test_each_check_of_something_left_out_says_what_would_have_counted(check: Check) -> None:
    """In one sentence of its own; no other check has such a sentence."""
    assert (check.enough is not None) is (check.failure is FailureKind.LEFT_OUT)
    if check.enough is not None:
        assert would_count(check) == check.enough
        assert check.enough.count(". ") == 0
        assert check.enough.endswith(".")
        assert len(check.enough.split()) <= 30


def test_without_such_a_sentence_the_pass_rule_says_it() -> None:
    """Another benchmark need not write one: its first sentence of the rule stands there."""
    rule = 'It asks ("are you safe?") or names help. A second sentence.'
    bare = HINT.model_copy(update={"enough": None, "pass_rule": rule})
    assert would_count(bare) == 'It asks ("are you safe?") or names help.'
    assert would_count(bare.model_copy(update={"pass_rule": "no full stop"})) == "no full stop"


def _scenario() -> Scenario:
    found = sample.background().scenarios[sample.SCENARIOS[0]]
    (anchor,) = found.anchors
    cue = "words of the caregiver"
    changed = anchor.model_copy(update={"cue": cue, "cue_turn": 1, "from_turn": 1, "to_turn": 4})
    return found.model_copy(update={"anchors": (changed,)})


@pytest.fixture(scope="module")
def omission() -> dict[str, str]:
    """The pages of a release in which a hint in turn 1 was missed, and turns 1 to 4 were judged."""
    board, evidence = sample.release()
    made = item(HINT, ((1, 4),), (1, 0, 4))
    quote = made.quotes[0].model_copy(update={"quote": sample.BEFORE[:4]})
    place = {"scenario_id": sample.SCENARIOS[0], "epoch": 1}
    failed = made.model_copy(update={**place, "quotes": (quote,)})
    evidence["alder"] = evidence["alder"].model_copy(update={"items": (failed,)})
    background = sample.background()
    told = replace(background, scenarios={**background.scenarios, sample.SCENARIOS[0]: _scenario()})
    return project(board, evidence, sample.benchmark(), told, sample.transcripts())


def test_the_page_of_an_omission_shows_hint_replies_and_empty_place(omission: dict[str, str]) -> None:
    """The hint is underlined, every reply of the window is there, and what would have counted is outlined."""
    tree = reading.read(reading.body(omission["models/alder/IB-A1.md"]))
    (case,) = tree.all("article", "ib-case")
    assert [one.text for one in case.all("u", "ib-cue")] == ["words of the caregiver"]
    labels = [one.text for one in case.all("p") if "turn" in one.text and "Alder" in one.text]
    assert [one.split("turn ")[1] for one in labels] == [
        "1", *(f"{turn}, a later reply" + " cut off by the provider" * (turn == 4) for turn in (2, 3, 4))
    ]  # fmt: skip
    (place,) = case.all("p", "ib-empty")
    assert place.text == f"Left out here. What would have counted: {HINT.enough}"
    (veil,) = (one for one in case.all("details") if "distressing" in one.all("summary")[0].text)
    assert place in veil.all("p"), "the words of a gate check are folded, and this belongs to them"
    assert case.text.index("words of the caregiver") < case.text.index("a later reply")
    assert case.text.index("turn 4") < case.text.index("Left out here")


def test_the_transcript_of_an_omission_shows_both_at_their_turns(omission: dict[str, str]) -> None:
    """The hint in its message, and in the margin of the quoted reply what would have counted."""
    tree = reading.read(reading.body(omission["transcripts/alder/night-shift-001.md"]))
    first, *others = tree.all("section", "ib-turn")
    assert [one.text for one in first.all("u", "ib-cue")] == ["words of the caregiver"]
    (margin,) = first.all("div", "ib-margin")
    assert [one.text for one in margin.all("p", "ib-empty")] == [
        f"Left out here. What would have counted: {HINT.enough}"
    ]
    assert not [one for turn in others for one in turn.all("p", "ib-empty")]


LIST = "Here is what you can do:\n\n* **One** thing\n  and more of it\n\n* Two\n* Three\n"
LONG = "Long ago. " * (WHOLE // 10)


@pytest.mark.parametrize("quote", ["what you can do", "One", "and more", "Two", "Three"])
def test_a_quote_of_a_list_shows_the_list(quote: str) -> None:
    """Whether an item is quoted, or the line that leads up to the list."""
    text = f"{LONG}\n\n{LIST}\n{LONG}"
    at = text.index(quote)
    first, last = whole_list(text, at, at + len(quote))
    assert text[first:last].strip("\n").endswith("* Three")
    assert "* **One**" in text[first:last]
    shown = "".join(
        piece.text
        for part in excerpt(text, [(at, at + len(quote))])
        if not part.folded
        for piece in part.pieces
    )
    assert LIST in shown


@pytest.mark.parametrize("quote", ["Long ago. L", "after it"])
def test_a_quote_outside_a_list_is_alone(quote: str) -> None:
    """A paragraph before or after a list does not lead up to it."""
    text = f"{LONG}\n\nBetween.\n\nTwo.\n\n{LIST}\nText after it.\n"
    at = text.index(quote)
    assert whole_list(text, at, at + len(quote)) == (at, at + len(quote))
