"""Templates of prompts: unknown placeholders, and text under study that nothing marks, are refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ib.models.benchmark.benchmark import Frame, ReplyFields
from ib.models.benchmark.check import Recovery
from ib.models.common.base import Unit
from tests.build import frame

NEEDED = {
    "place": "country",
    "judged": "turns",
    "judged_alone": "turns",
    "cue": "cue",
    "episode": "cues",
    "heard": "turns",
    "hints": "hints",
    "verify": "claim",
    "reply": "fields",
    "screen": "failures",
    "reask": "problem",
}
"""The placeholder that each part must have."""
BEGIN, END = "<<<BEGIN $nonce>>>\n", "\n<<<END $nonce>>>"


@pytest.mark.parametrize(
    ("part", "text", "said"),
    [
        ("transcript", BEGIN + "$messages $nope" + END, r"unknown placeholder \$nope; this part has \$nonce"),
        ("judged", "Judge $messages.", r"unknown placeholder \$messages; this part has \$turns"),
        ("check", "$check_id $name", r"unknown placeholder \$check_id"),
        ("extract", "List $claims.", r"unknown placeholder \$claims; this part has none"),
        ("cue", "It costs $5.", r"a `\$` without a placeholder"),
        ("reply", "$", r"a `\$` without a placeholder"),
        ("transcript", BEGIN + END, r"placeholder \$messages is missing"),
        ("transcript", BEGIN + "$messages", "the end marker is missing"),
        ("transcript", "$messages" + END, "the begin marker is missing"),
        ("transcript", "$messages\n" + BEGIN + END, "the begin marker is missing"),
        *(
            (part, "Some words.", r"placeholder \$" + needed + " is missing")
            for part, needed in NEEDED.items()
        ),
        ("hints", "Found: $hints", "the begin marker is missing"),
        ("verify", BEGIN + "$claim", "the end marker is missing"),
        ("reask", "$problem $reply", "the begin marker is missing"),
    ],
)
def test_a_frame_that_could_not_be_filled_in(part: str, text: str, said: str) -> None:
    """It is refused when it is read, by name, and not when the first question is asked."""
    with pytest.raises(ValidationError, match=said) as caught:
        frame(**{part: text})
    assert [error["loc"] for error in caught.value.errors()] == [(part,)]


def test_a_frame_with_every_placeholder() -> None:
    """Braces and a doubled `$` are fine; `system` is no template, and an echo may be left out."""
    made = frame(episode="Judge ${cues}: $$5. $raising", system="It costs $5.", reask="Again: $problem")
    assert isinstance(made, Frame)


@pytest.mark.parametrize(
    ("part", "known"),
    [("unit", list(Unit)), ("recovery", list(Recovery)), ("fields", [*ReplyFields.model_fields])],
)
def test_a_frame_has_words_for_every_case(part: str, known: list[str]) -> None:
    """A case without words would be found only when its first question is asked."""
    for left_out in known:
        words = {name: "words" for name in known if name != left_out}
        with pytest.raises(ValidationError) as caught:
            frame(**{part: words})
        assert str(left_out) in str(caught.value)
