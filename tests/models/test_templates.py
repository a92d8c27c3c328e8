"""Templates of prompts: unknown placeholders, and text under study that nothing marks, are refused."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ib.models.benchmark import Frame
from tests.build import frame

BEGIN, END = "<<<BEGIN $nonce>>>\n", "\n<<<END $nonce>>>"


@pytest.mark.parametrize(
    ("part", "text", "said"),
    [
        ("transcript", BEGIN + "$messages $nope" + END, r"unknown placeholder \$nope; this part has \$nonce"),
        ("decide", "Judge $messages.", r"unknown placeholder \$messages"),
        ("decide", "It costs $5.", r"a `\$` without a placeholder"),
        ("reply", "$", r"a `\$` without a placeholder"),
        ("transcript", BEGIN + END, r"placeholder \$messages is missing"),
        ("transcript", BEGIN + "$messages", "the end marker is missing"),
        ("transcript", "$messages" + END, "the begin marker is missing"),
        ("transcript", "$messages\n" + BEGIN + END, "the begin marker is missing"),
        ("confirm", "Found: $subject", "the begin marker is missing"),
        ("verify", BEGIN + "$subject", "the end marker is missing"),
    ],
)
def test_a_frame_that_could_not_be_filled_in(part: str, text: str, said: str) -> None:
    """It is refused when it is read, by name, and not when the first question is asked."""
    with pytest.raises(ValidationError, match=said) as caught:
        frame(**{part: text})
    assert [error["loc"] for error in caught.value.errors()] == [(part,)]


def test_a_frame_with_every_placeholder() -> None:
    """Braces and a doubled `$` are fine; `system` is no template."""
    made = frame(decide="Judge ${unit}: $$5. $hint", system="It costs $5.")
    assert isinstance(made, Frame)
