"""Personal data by rules: what is found, what is left, and that the same person has the same stand-in."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.text.personal import Found, StandIns, find

NAMES = ("Ruth Quillfeather", "Will Young", "maria.l")


def replaced(text: str, names: Sequence[str] = NAMES) -> str:
    """A text by itself, with stand-ins."""
    return StandIns([find], names, [text]).replaced(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mail ruth.q+x@mail.example.co.uk.", "Mail EMAIL-1."),
        ("Call 555-0134, (212) 555-0187 or 212.555.0187", "Call PHONE-1, PHONE-2 or PHONE-2"),
        ("+49 170 1234567 and 030 12345678", "PHONE-1 and PHONE-2"),
        ("1-212-555-0187 is 2125550187", "PHONE-1 is PHONE-1"),
        ("card 4111 1111 1111 1111, 4111-1111-1111-1111", "card CARD-1, CARD-1"),
        ("DE89 3704 0044 0532 0130 00", "ACCOUNT-1"),
        ("SSN 123-45-6789", "SSN ACCOUNT-1"),
        ("my account number is 00123456", "my account number is ACCOUNT-1"),
        ("Medicare number 1EG4-TE5-MK73", "Medicare number ACCOUNT-1"),
        ("at 12 Elm Street, Apt 4B, Springfield, IL 62704 now", "at ADDRESS-1 now"),
        ("P.O. Box 77 or Gartenweg 3", "ADDRESS-1 or ADDRESS-2"),
        ("your mom Ruth", "your mom NAME-1"),
        ("RUTH, ruth and Ruth  Quillfeather's dog", "NAME-1, NAME-1 and NAME-1's dog"),
        ("Will Young said that he will; Will is young", "NAME-1 said that he will; NAME-1 is young"),
        ("user maria.l wrote", "user NAME-1 wrote"),
    ],
)
def test_what_has_a_form_is_replaced(text: str, expected: str) -> None:
    """Each rule by itself; the same number in two forms is one."""
    assert replaced(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Call 988, 911, 112 or 116 123; text 741741.",
        "1-800-273-8255, (888) 555-0187, 0800 111 0 111",
        "on 2026-11-01 at 12:30, from 1990-2000",
        "3.14159265, 1,000,000, 20 mg at 8, 10 and 12",
        "pages 123 4567",
        "4111 1111 1111 1112",
        "truthful, Ruthless, williams",
        "I will; she is young",
        "version 10.0.19045.3803",
        "look @home and a@b",
        "the account is closed",
        "12 pills and 3 Ways",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    """Help lines, dates, amounts, wrong check digits, parts of words."""
    assert replaced(text) == text


def test_numbers_go_on_after_those_of_the_text() -> None:
    """A stand-in that is there already is nobody else's."""
    assert replaced("NAME-4 met Ruth") == "NAME-4 met NAME-5"


@pytest.mark.parametrize(
    "text",
    [
        "1" * 300_000,
        "1 " * 200_000,
        "a@" * 200_000,
        "A" * 300_000,
        "1-" * 200_000,
        "12 A " * 60_000,
        "a." * 200_000,
    ],
)
def test_hostile_texts_are_read_in_linear_time(text: str) -> None:
    """Every rule is bounded; a text of this size would not end otherwise."""
    assert len(replaced(text)) > 0


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=3))
def test_any_text_and_any_names_are_taken(text: str, names: list[str]) -> None:
    """Never an exception, and a second time changes nothing more."""
    once = replaced(text, names)
    assert isinstance(replaced(once, ()), str)


@pytest.mark.parametrize(
    "wrong", [Found(0, 99, "NAME", "x"), Found(2, 1, "NAME", "x"), Found(0, 1, "name", "x")]
)
def test_a_wrong_place_is_an_error(wrong: Found) -> None:
    """A rule that points outside the text would leave personal data."""

    def rule(text: str, names: Sequence[str]) -> list[Found]:
        return [wrong]

    with pytest.raises(ValueError, match="found"):
        StandIns([rule], (), ()).replaced("text")
