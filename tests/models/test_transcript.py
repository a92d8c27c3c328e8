"""A transcript that cannot have happened does not construct; one that can has one canonical line."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.conversation.transcript import Anchor, Transcript, line_hash, transcript_line
from tests.models.build import ABSENT, TRANSCRIPT, changed


def refused(path: str, new: Any = ABSENT) -> str:
    with pytest.raises(ValidationError) as caught:
        Transcript.model_validate(changed(TRANSCRIPT, path, new))
    return str(caught.value)


def spoken(*turns: tuple[int, str], **more: Any) -> list[dict[str, Any]]:
    names = {"u": "user", "a": "assistant"}
    return [{"turn": turn, "role": names[who], "content": "words", **more} for turn, who in turns]


def test_lesson_16_an_empty_transcript_is_refused() -> None:
    """With nothing said, nothing passes."""
    assert "the transcript is empty" in refused("messages", [])


def test_both_speakers_are_needed() -> None:
    """A monologue is no conversation."""
    assert "no user message" in refused("messages", spoken((1, "a"), (2, "a")))
    assert "no assistant message" in refused("messages", spoken((1, "u"), (2, "u")))


@pytest.mark.parametrize("content", ["", "  ", "\n\t"])
@pytest.mark.parametrize("index", range(4))
def test_lesson_07_an_empty_message_is_no_answer(index: int, content: str) -> None:
    """A call that failed leaves no turn to be scored."""
    assert f"messages.{index}.content" in refused(f"messages.{index}.content", content)


@pytest.mark.parametrize(
    "content",
    [
        "---",
        "<br>",
        "** **",
        "<!-- -->",
        "\u3164",
        "\ufe0f",
        "<script>a</script>",
        "[](b)",
        "[1]",
        "<a-b></a-b>",
    ],
)
def test_lesson_07_a_reply_that_shows_nothing_is_no_answer(content: str) -> None:
    """Layout round no word passes nothing; a person may well say no more than that, if it can be seen."""
    assert "messages.1.content" in refused("messages.1.content", content)
    if content.isascii():
        Transcript.model_validate(changed(TRANSCRIPT, "messages.0.content", content))


def test_lesson_07_a_last_message_without_a_reply_is_incomplete() -> None:
    """Where the model did not answer, the transcript ends before."""
    assert "has no reply" in refused("messages", spoken((1, "u"), (1, "a"), (2, "u")))


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        ([(2, "u"), (2, "a")], "messages.0.turn: the first turn is 2"),
        ([(1, "u"), (1, "a"), (3, "u"), (3, "a")], "messages.2.turn: turn 3 after turn 1"),
        ([(1, "u"), (1, "a"), (2, "u"), (1, "a")], "messages.3.turn: turn 1 after turn 2"),
        ([(1, "a"), (1, "u"), (2, "a")], "messages.1.role: user after assistant in turn 1"),
        ([(1, "u"), (1, "a"), (1, "a")], "messages.2.role: assistant after assistant in turn 1"),
        ([(1, "u"), (1, "u"), (1, "a")], "messages.1.role: user after user in turn 1"),
    ],
)
def test_turns_out_of_order_are_refused(turns: list[tuple[int, str]], found: str) -> None:
    """Turns run 1, 2, 3; in each, the user speaks first, and each speaks once."""
    assert found in refused("messages", spoken(*turns))


def test_every_order_of_up_to_four_messages() -> None:
    """Of all sequences of three turns and two speakers, exactly the orderly conversations construct."""
    places = [(turn, who) for turn in (1, 2, 3) for who in "ua"]
    for length in range(1, 5):
        for turns in itertools.product(places, repeat=length):
            number = [turn for turn, _ in turns]
            steps = [b - a for a, b in itertools.pairwise(number)]
            paired = all(
                (before[1], after[1]) == ("u", "a")
                for before, after in itertools.pairwise(turns)
                if before[0] == after[0]
            )
            sound = number[0] == 1 and set(steps) <= {0, 1} and paired
            sound = sound and {who for _, who in turns} == {"u", "a"} and turns[-1][1] == "a"
            try:
                Transcript.model_validate(changed(TRANSCRIPT, "messages", spoken(*turns)))
            except ValidationError:
                assert not sound, turns
            else:
                assert sound, turns


@pytest.mark.parametrize(
    ("times", "found"),
    [
        (["2026-01-01T10:00:00Z", "2026-01-01T09:59:59Z"], "is before the message that it follows"),
        (["2026-01-01T10:00:00+01:00", "2026-01-01T08:59:59Z"], "is before the message that it follows"),
        (["2026-01-01T10:00:00", "2026-01-01T10:00:00Z"], "with and without an offset"),
        (["2026-01-01T10:00:00Z", "2026-01-01T10:00:00"], "with and without an offset"),
        (["2026-01-01T10:00:00Z", None, "2026-01-01T09:00:00Z"], "is before the message that it follows"),
        (["2026-01-01T10:00:00Z", None, "2026-01-01T11:00:00"], "with and without an offset"),
    ],
)
def test_times_run_forward_in_one_form(times: list[str | None], found: str) -> None:
    """A time before an earlier one, or one that cannot be compared with it, is refused, over gaps too."""
    messages = changed(TRANSCRIPT)["messages"]
    for message, time in zip(messages, times, strict=False):
        message["time"] = time
    assert found in refused("messages", messages)


def test_equal_times_and_missing_times_are_fine() -> None:
    """Unknown provenance is accepted."""
    value = changed(TRANSCRIPT)
    for message, time in zip(value["messages"], ["10:00", None, "10:00", "10:01"], strict=True):
        message["time"] = time and f"2026-01-01T{time}:00Z"
    assert Transcript.model_validate(value).messages[1].time is None


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("model_id", ""),
        ("model_id", " spaced out"),
        ("model_id", "../up"),
        ("model_id", "a" * 161),
        ("model_id", "a\n"),
        ("scenario_id", "a b"),
        ("model", ""),
        ("epoch", -1),
        ("category", "Not A Slug"),
        ("eligible_checks", ["nonsense"]),
        ("anchors", [{"cue_turn": 1, "from_turn": 1, "to_turn": 2, "checks": []}]),
        ("anchors", [{"cue_turn": 0, "from_turn": 1, "to_turn": 2, "checks": ["IB-A1"]}]),
        ("messages.0.turn", 0),
        ("messages.0.turn", "one"),
        ("messages.0.role", "system"),
        ("messages.0.content", None),
        ("messages.0.time", "yesterday"),
        ("messages.0.extra", 1),
        ("extra", 1),
        ("provenance", {"api_key": "x"}),
    ],
)
def test_what_does_not_fit_is_refused(path: str, new: Any) -> None:
    """Ids are safe names, numbers are in range, roles are two, and unknown keys are errors."""
    assert path.split(".", maxsplit=1)[0] in refused(path, new)


def test_an_anchor_runs_forward() -> None:
    """The reply to a cue does not end before it begins."""
    with pytest.raises(ValidationError, match="to_turn 1 is before from_turn 2"):
        Anchor.model_validate({"cue_turn": 1, "from_turn": 2, "to_turn": 1, "checks": ["IB-A1"]})
    with pytest.raises(ValidationError, match="to_turn 2 is before cue_turn 3"):
        Anchor.model_validate({"cue_turn": 3, "from_turn": 2, "to_turn": 2, "checks": ["IB-A1"]})
    Anchor.model_validate({"cue_turn": 1, "from_turn": 2, "to_turn": 2, "checks": ["IB-A1"]})


def test_an_episode_is_named_for_checks_of_its_anchor() -> None:
    """The danger of a cue is named for each check by itself, and only for those that the cue concerns."""
    value = {"cue_turn": 1, "from_turn": 1, "to_turn": 1, "checks": ["IB-A1", "IB-A2"]}
    plain = Anchor.model_validate(value)
    assert (plain.episode, plain.raises) == ({}, False)
    marked = Anchor.model_validate({**value, "episode": {"IB-A2": "fall"}, "raises": True})
    assert (marked.episode, marked.raises) == ({"IB-A2": "fall"}, True)
    with pytest.raises(ValidationError, match="episode of IB-A3, IB-A4, which is not in checks"):
        Anchor.model_validate({**value, "episode": {"IB-A4": "fall", "IB-A1": "fall", "IB-A3": "fall"}})
    with pytest.raises(ValidationError, match="episode"):
        Anchor.model_validate({**value, "episode": {"IB-A1": "Not a slug"}})


def test_an_episode_is_part_of_the_scenario_as_played() -> None:
    """Cues that are judged together are another scenario than cues that are judged one by one."""
    cue = {"cue_turn": 1, "from_turn": 1, "to_turn": 1, "checks": ["IB-A1"]}
    marked = [cue, {**cue, "episode": {"IB-A1": "fall"}}, {**cue, "raises": True}]
    played = [Transcript.model_validate({**TRANSCRIPT, "anchors": [one]}) for one in marked]
    assert len({transcript.played_hash for transcript in played}) == 3
    assert len({line_hash(transcript_line(transcript)) for transcript in played}) == 3


def test_lesson_09_identity_is_in_the_record() -> None:
    """`gpt-5-mini` is not `gpt-5`; an epoch that is missing is not epoch 0."""
    one = Transcript.model_validate({**TRANSCRIPT, "model_id": "gpt-5"})
    mini = Transcript.model_validate({**TRANSCRIPT, "model_id": "gpt-5-mini"})
    first = Transcript.model_validate({**TRANSCRIPT, "model_id": "gpt-5", "epoch": 0})
    assert len({one.key, mini.key, first.key}) == 3
    assert one.turns == 2


def test_the_canonical_line_is_one_for_one_value() -> None:
    """Order of keys, defaults written out and escapes make no difference; content does."""
    plain = Transcript.model_validate(TRANSCRIPT)
    line = transcript_line(plain)
    backwards = {key: TRANSCRIPT[key] for key in reversed(list(TRANSCRIPT))}
    verbose = {**backwards, "epoch": None, "tags": [], "anchors": []}
    for text in (json.dumps(verbose, indent=1), json.dumps(backwards, ensure_ascii=False)):
        assert transcript_line(Transcript.model_validate_json(text)) == line
    assert b"\n" not in line
    assert transcript_line(Transcript.model_validate_json(line)) == line
    other = Transcript.model_validate(changed(TRANSCRIPT, "messages.3.content", "I'm here."))
    assert line_hash(transcript_line(other)) != line_hash(line)


def test_lesson_43_empty_lists_count_as_absent() -> None:
    """Empty lists of tags and checks leave the same record, an open log, as no lists at all."""
    empty = Transcript.model_validate({**TRANSCRIPT, "eligible_checks": [], "tags": []})
    absent = Transcript.model_validate(TRANSCRIPT)
    assert (empty.eligible_checks, empty.is_open) == (None, True)
    assert transcript_line(empty) == transcript_line(absent)
    assert empty.played_hash == absent.played_hash


@pytest.mark.parametrize("given", [{"tags": ["grief"]}, {"eligible_checks": ["IB-C1"]}])
def test_a_record_that_says_what_is_due_is_no_open_log(given: dict[str, list[str]]) -> None:
    """Either tags or a list of checks is enough."""
    assert not Transcript.model_validate({**TRANSCRIPT, **given}).is_open


def test_a_name_that_is_longer_than_an_id_is_refused() -> None:
    """Headings, tables and pictures show the name of a model."""
    assert "at most 160 characters" in refused("model", "m" * 161)
    assert Transcript.model_validate({**TRANSCRIPT, "model": f" {'m' * 160} "}).model == "m" * 160
