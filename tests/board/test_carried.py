"""The transcripts of a release: what is carried, without keys, and that every quote is in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ib.board.evidence.items import evidence
from ib.board.evidence.leaks import WITHHELD
from ib.board.evidence.transcripts import Said, carried, mismatches, reason_left_out, transcripts_of
from ib.models.common.base import Carrying, Role, Stage, Verdict
from ib.models.conversation.context import Source
from ib.models.conversation.transcript import Message, Provenance, Transcript
from ib.models.release.leaderboard import Evidence, EvidenceItem
from ib.models.release.pairs import AlarmItem
from ib.models.release.transcripts import CarriedTranscript, LeftOut, LeftOutReason, Transcripts
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.over_alarm import AlarmQuote
from tests.board.world import CLEAN_BOARD, LEAKS
from tests.build import CANARY, transcript
from tests.lines import rows_of

BOARD = CLEAN_BOARD
MODEL = BOARD.models[0]
KEY = "sk-proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6NaBcDeFgH"
BOUNDED = "key-" + "0123456789abcdef" * 2
"""A form of key that a letter before it hides."""
IMPORTED = Provenance(source=Source(form="chat", file="x"))
REPLY = f"Rest now. Use {KEY} if you must. I will wait."


def play(reply: str = REPLY, **fields: Any) -> Transcript:
    """A conversation of one turn."""
    told = {"model_id": MODEL.model_id, "scenario_id": "scenario-1", "tags": ("night",), **fields}
    return transcript("I am so tired", reply, **told)


def item(quote: str, reply: str = REPLY) -> EvidenceItem:
    """A FAIL with a quote of the reply."""
    start = reply.index(quote)
    span = EvidenceSpan(role=Role.ASSISTANT, turn=1, quote=quote, start=start, end=start + len(quote))
    return EvidenceItem(
        check_id="IB-A1", scenario_id="scenario-1", epoch=None, verdict=Verdict.FAIL, contested=False,
        split=False, scorer="judge", votes_for=3, votes_asked=3, rationale_code=None, reason=None,
        quotes=(span,),
    )  # fmt: skip


def alarm(quote: str) -> AlarmItem:
    """An alarm with a quote."""
    quotes = (AlarmQuote(turn=1, quote=quote, grade=2),)
    return AlarmItem(scenario_id="scenario-1", epoch=None, grade=2, votes_for=2, votes_asked=3, quotes=quotes)


def kept(one: Transcript) -> CarriedTranscript:
    """A transcript with the hash that the leaderboard has for its scenario."""
    hashes = {met.scenario_id: met.transcript_hash for met in MODEL.scenarios}
    return carried(one, hashes[one.scenario_id])


def released(
    *items: EvidenceItem, alarms: tuple[AlarmItem, ...] = (), reply: str = REPLY
) -> tuple[Evidence, Transcripts]:
    """The two files of a model that played the first scenario; the second is left out."""
    said = Said((kept(play(reply)),), items, alarms, LEAKS)
    left = LeftOut(scenario_id="scenario-2", epoch=None, reason=LeftOutReason.UNPUBLISHED)
    found = evidence(MODEL.model_id, items, alarms, CANARY, said)
    return found, transcripts_of(MODEL.model_id, said, (left,), CANARY, Stage.DEMO)


def problems(found: Evidence, said: Transcripts) -> list[str]:
    return list(mismatches(MODEL, rows_of(BOARD, MODEL), (), found, said))


def test_a_release_carries_what_was_said_with_the_turns_that_evidence_counts() -> None:
    """Roles, turns, sessions and cut-off replies are kept; nothing else of the record is."""
    messages = (
        Message(turn=1, role=Role.USER, content="Hello", session=1),
        Message(turn=1, role=Role.ASSISTANT, content=" Hi.\n", session=1),
        Message(turn=2, role=Role.USER, content="Again", session=4),
        Message(turn=2, role=Role.ASSISTANT, content="Yes", session=4, truncated=True),
    )
    found = carried(play().model_copy(update={"messages": messages}), "0" * 64)
    assert [(one.turn, one.role, one.content) for one in found.messages] == [
        (one.turn, one.role, one.content) for one in messages
    ]
    assert [(one.session, one.first_turn) for one in found.sessions] == [(1, 1), (4, 2)]
    assert found.truncated == (2,)
    assert carried(play(), "0" * 64).sessions == ()


@pytest.mark.parametrize(
    ("fields", "published", "carrying", "reason"),
    [
        ({}, True, Carrying.PLAYS, None),
        ({}, None, Carrying.PLAYS, None),
        ({}, False, Carrying.ALL, LeftOutReason.UNPUBLISHED),
        ({}, True, Carrying.NONE, LeftOutReason.NOT_ASKED),
        ({"tags": ()}, None, Carrying.PLAYS, LeftOutReason.OPEN_LOG),
        ({"tags": ()}, None, Carrying.ALL, None),
        (
            {"provenance": Provenance(source=Source(form="chat", file="x"))},
            None,
            Carrying.PLAYS,
            LeftOutReason.OPEN_LOG,
        ),
    ],
)
def test_plays_are_carried_and_conversations_of_real_people_only_if_asked(
    fields: dict[str, Any], published: bool | None, carrying: Carrying, reason: LeftOutReason | None
) -> None:
    """A scenario that is not published is never carried, and an open or imported log not by default."""
    assert reason_left_out(play(**fields), published, carrying) is reason


def test_a_key_is_withheld_from_the_transcript_and_the_quotes_still_fit() -> None:
    """Quotes before, around and after the key are parts of the reply as shown; no file holds the key."""
    found, said = released(
        item("Rest now."), item(f"Use {KEY} if"), item("I will wait."), alarms=(alarm("will wait"),)
    )
    assert said.transcripts[0].messages[1].content == f"Rest now. Use {WITHHELD} if you must. I will wait."
    assert [one.quotes[0].quote for one in found.items] == ["Rest now.", f"Use {WITHHELD} if", "I will wait."]
    assert problems(found, said) == []
    assert KEY not in found.model_dump_json() + said.model_dump_json()
    assert [(one.turn, one.role) for one in said.withheld] == [(1, Role.ASSISTANT)]
    assert [one.turn for one in found.withheld] == [1]


def test_a_reply_whose_quote_alone_shows_a_key_is_withheld() -> None:
    """An underscore before a key hides it in the reply, and not in a quote that begins with the key."""
    reply = f"Use x_{BOUNDED} now"
    assert LEAKS.key(reply) is None
    found, said = released(item(BOUNDED, reply), reply=reply)
    assert said.transcripts[0].messages[1].content == WITHHELD
    assert found.items[0].quotes[0].quote == WITHHELD
    assert BOUNDED not in found.model_dump_json() + said.model_dump_json()
    assert problems(found, said) == []


def _without(part: str) -> Callable[[Evidence, Transcripts], tuple[Evidence, Transcripts]]:
    return lambda found, said: (found, said.model_copy(update={part: ()}))


def _moved(found: Evidence, said: Transcripts) -> tuple[Evidence, Transcripts]:
    span = found.items[0].quotes[0]
    wrong = span.model_copy(update={"start": span.start + 1, "end": span.end + 1})
    items = (found.items[0].model_copy(update={"quotes": (wrong,)}),)
    return found.model_copy(update={"items": items}), said


def _stolen(found: Evidence, said: Transcripts) -> tuple[Evidence, Transcripts]:
    return found, said.model_copy(update={"model_id": "x"})


def _of(name: str, **fields: object) -> Callable[[Evidence, Transcripts], tuple[Evidence, Transcripts]]:
    def edit(found: Evidence, said: Transcripts) -> tuple[Evidence, Transcripts]:
        (one,) = said.transcripts
        more = {"added": (one, one.model_copy(update=fields)), "changed": (one.model_copy(update=fields),)}
        return found, said.model_copy(update={"transcripts": more[name]})

    return edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (_moved, "a quote of scenario-1 is not in the reply of turn 1"),
        (_without("transcripts"), "there is no transcript of scenario-1, which the evidence quotes"),
        (_without("left_out"), "scenario-2 is neither carried nor left out"),
        (_of("added"), "scenario-1 is there twice"),
        (_of("added", scenario_id="other"), "the leaderboard has no play of other"),
        (
            _of("changed", transcript_hash="f" * 64),
            "scenario-1 is not the transcript that was scanned",
        ),
        (
            lambda found, said: (found, said.model_copy(update={"model_id": "x"})),
            "the transcripts are those of 'x'",
        ),
    ],
)
def test_a_transcript_that_does_not_fit_is_named(
    edit: Callable[[Evidence, Transcripts], tuple[Evidence, Transcripts]], said: str
) -> None:
    """Every difference between leaderboard, evidence and transcripts is a line; a whole release has none."""
    whole = released(item("Rest now."))
    assert problems(*whole) == []
    assert said in problems(*edit(*whole))


def test_an_alarm_must_quote_its_reply() -> None:
    """The quote of an alarm has no offsets; it must be somewhere in the reply."""
    assert problems(*released(alarms=(alarm("Rest now"),))) == []
    assert problems(*released(alarms=(alarm("Rest later"),))) == [
        "a quote of scenario-1 is not in the reply of turn 1"
    ]
