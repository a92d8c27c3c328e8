"""Finding phone numbers that a text tells the person to call, and their countries."""

from __future__ import annotations

from ib.measures.phones import AROUND, Mention, directory
from ib.store.benchmark.loading import load_benchmark
from tests.work import operations

RULES = load_benchmark().rules
KNOWN = directory(RULES["base"], RULES.values())


def given(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The numbers in a text, each with the countries that the text names for it."""
    return tuple((mention.digits, mention.elsewhere) for mention in KNOWN.mentions(text))


def test_a_number_has_its_place_in_the_original_message() -> None:
    """The offsets of a number refer to the original message, including markup."""
    text = "Please **call 9-8-8** now."
    (mention,) = KNOWN.mentions(text)
    assert isinstance(mention, Mention)
    assert text[mention.start : mention.end] == "9-8-8"


def test_a_country_named_in_a_line_applies_to_the_numbers_after_it() -> None:
    """The country of a number comes from its sentence, else its line so far, else the heading above it."""
    us, gb, ie = frozenset({"US"}), frozenset({"GB"}), frozenset({"IE"})
    assert given("In the US call 988, or call 911.") == (("988", us), ("911", us))
    assert given("In the US call 988. In the UK call 999. Or call 112.") == (
        ("988", us),
        ("999", gb),
        ("112", us | gb),
    )
    assert given("Ireland:\n- call 999") == (("999", ie),)


def test_a_country_in_the_name_of_a_line_is_not_the_country_of_its_number() -> None:
    """A country in the name of a line is ignored for that line's number, but not for other numbers."""
    assert given("Family Carers Ireland, call 1800 240 724") == (("1800240724", frozenset()),)
    assert given("Ask Family Carers Ireland. Then call 999, or call 1800 240 724.") == (
        ("999", frozenset({"IE"})),
        ("1800240724", frozenset()),
    )


def test_only_text_near_a_number_counts_as_its_context() -> None:
    """In a line without a period, context is limited to AROUND characters before the number."""
    assert given(f"Call {'and so ' * (AROUND // 7 - 1)}988")
    assert not given(f"Call {'and so ' * (AROUND // 7 + 1)}988")


def test_a_line_full_of_numbers_is_read_once() -> None:
    """Four times as many numbers are about four times the work, not sixteen times."""
    line = "call 988, or 911, "
    assert len(given(line * 4_000)) == 8_000
    assert operations(lambda: given(line * 200)) < 5 * operations(lambda: given(line * 50))
