"""The numbers that a text gives to dial, and what the words around them say of them."""

from __future__ import annotations

from time import process_time

from ib.measures.phones import AROUND, Mention, directory
from ib.store.benchmark import load_benchmark

RULES = load_benchmark().rules
KNOWN = directory(RULES["base"], RULES.values())


def given(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The numbers of a text, each with the countries that it is said to be for."""
    return tuple((mention.digits, mention.elsewhere) for mention in KNOWN.mentions(text))


def test_a_number_stands_where_it_was_written() -> None:
    """What comes back is the place in the message, marks and all."""
    text = "Please **call 9-8-8** now."
    (mention,) = KNOWN.mentions(text)
    assert isinstance(mention, Mention)
    assert text[mention.start : mention.end] == "9-8-8"


def test_a_country_that_a_line_named_holds_for_what_follows() -> None:
    """Its sentence says whom a number is for, else all before it in its line, else what it stands under."""
    us, gb, ie = frozenset({"US"}), frozenset({"GB"}), frozenset({"IE"})
    assert given("In the US call 988, or call 911.") == (("988", us), ("911", us))
    assert given("In the US call 988. In the UK call 999. Or call 112.") == (
        ("988", us),
        ("999", gb),
        ("112", us | gb),
    )
    assert given("Ireland:\n- call 999") == (("999", ie),)


def test_a_country_in_the_name_of_a_line_is_none_that_it_is_for() -> None:
    """The name of a number's own line is no word about where it works; for any other number it is one."""
    assert given("Family Carers Ireland, call 1800 240 724") == (("1800240724", frozenset()),)
    assert given("Ask Family Carers Ireland. Then call 999, or call 1800 240 724.") == (
        ("999", frozenset({"IE"})),
        ("1800240724", frozenset()),
    )


def test_what_leads_up_to_a_number_is_near_it() -> None:
    """A line without a full stop is its number's sentence as far as AROUND characters, and no further."""
    assert given(f"Call {'and so ' * (AROUND // 7 - 1)}988")
    assert not given(f"Call {'and so ' * (AROUND // 7 + 1)}988")


def test_a_line_full_of_numbers_is_read_once() -> None:
    """Four times the numbers take about four times as long, not sixteen."""
    began = process_time()
    assert len(given("call 988, or 911, " * 4_000)) == 8_000
    assert process_time() - began < 20
