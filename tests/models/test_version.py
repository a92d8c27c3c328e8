"""What differs between two versions, and which results still compare."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from ib.models.benchmark.version import IN_KEY, Difference, Item, Kind, VersionId, kind_of, order


def item(*uses: str, **parts: str) -> Item:
    return Item(parts={key: value * 16 for key, value in parts.items()}, uses=uses)


BEFORE = {
    "check/one": item("lexicon/l", prompt="1", routing="2"),
    "check/two": item(prompt="3"),
    "lexicon/l": item(patterns="4"),
    "reference/echo": item(rules="5"),
}


def test_items_are_added_removed_and_changed() -> None:
    """A changed item is listed with the keys that are new, gone or have another hash."""
    after = {
        "check/one": item("lexicon/l", prompt="9", examples="8"),
        "check/new": item(prompt="3"),
        "lexicon/l": BEFORE["lexicon/l"],
        "reference/echo": BEFORE["reference/echo"],
    }
    found = Difference(BEFORE, after)
    assert (found.added, found.removed) == (("check/new",), ("check/two",))
    assert found.changed == {"check/one": ("examples", "prompt", "routing")}
    assert found.differing == {"check/new", "check/two", "check/one"}


def test_equal_versions_do_not_differ() -> None:
    """What an item uses is not part of its content."""
    found = Difference(BEFORE, {**BEFORE, "check/two": item("lexicon/l", prompt="3")})
    assert not found.differing
    assert not found.breaks_tables
    assert found.lost(Kind.CHECK) == {}


def test_results_are_lost_with_anything_that_they_depend_on() -> None:
    """A check whose lexicon changed has verdicts that do not compare; another check is as before."""
    found = Difference(BEFORE, {**BEFORE, "lexicon/l": item(patterns="0")})
    assert found.lost(Kind.CHECK) == {"check/one": ("lexicon/l",)}
    assert found.lost(Kind.LEXICON) == {"lexicon/l": ("lexicon/l",)}


@pytest.mark.parametrize("uses", [((), ("lexicon/l",)), (("lexicon/l",), ())])
def test_what_an_item_used_before_counts_too(uses: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    """A lexicon that only one of the two versions of a check uses is a reason."""
    before = {"check/one": item(*uses[0], prompt="1"), "lexicon/l": item(patterns="1")}
    after = {"check/one": item(*uses[1], prompt="1"), "lexicon/l": item(patterns="2")}
    assert Difference(before, after).lost(Kind.CHECK) == {"check/one": ("lexicon/l",)}


@pytest.mark.parametrize("kind", Kind)
def test_what_is_in_the_key_breaks_tables(kind: Kind) -> None:
    """A change of any other kind leaves the comparability key as it was."""
    name = f"{kind}/x"
    found = Difference({name: item(a="1")}, {name: item(a="2")})
    assert found.breaks_tables is (kind in IN_KEY)
    assert kind_of(name) is kind is kind_of(str(kind))


def test_versions_are_ordered_by_their_numbers() -> None:
    """1.10.0 comes after 1.9.0."""
    assert sorted(["1.10.0", "2.0.0", "1.9.0", "1.9.11"], key=order) == ["1.9.0", "1.9.11", "1.10.0", "2.0.0"]


@pytest.mark.parametrize("text", ["1.0", "1.0.0.0", "01.0.0", "1.0.0-rc1", "v1.0.0", "", "1.0.x", "1..0"])
def test_a_version_is_three_numbers(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(ValidationError):
        TypeAdapter(VersionId).validate_python(text)
