"""A lexicon whose patterns, groups or examples do not fit together does not construct."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.benchmark.lexicon import Lexicon
from tests.models.build import ABSENT, LEXICON, changed

GROUPED = {
    **LEXICON,
    "groups": {"strong": "s", "weak": "w"},
    "patterns": [
        {"id": "one", "phrase": "p", "group": "strong"},
        {"id": "two", "phrase": "ab", "group": "weak"},
    ],
}


def refused(value: dict[str, Any], path: str, new: Any = ABSENT) -> str:
    with pytest.raises(ValidationError) as caught:
        Lexicon.model_validate(changed(value, path, new))
    return str(caught.value)


def test_the_starting_points_are_valid() -> None:
    """A pattern proposes and does not decide, unless it says so."""
    assert not Lexicon.model_validate(LEXICON).patterns[0].decides
    assert Lexicon.model_validate(GROUPED).groups == {"strong": "s", "weak": "w"}


def test_pattern_ids_are_unique() -> None:
    """Two patterns of one name could not be told apart in evidence."""
    same = [{"id": "x", "phrase": "a"}, {"id": "x", "phrase": "b"}, {"id": "y", "phrase": "c"}]
    assert "twice: x" in refused(LEXICON, "patterns", same)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("patterns.0.group", "strnog"),
        ("exclusions", [{"not_before": ["ab"], "why": "w", "group": "strnog"}]),
        ("examples.hit.0.group", "strnog"),
        ("examples.miss.0.group", "strnog"),
    ],
)
def test_an_unknown_group_is_refused_wherever_it_stands(path: str, new: Any) -> None:
    """A group that the lexicon does not name is a misspelling."""
    assert "unknown groups strnog; known: strong, weak" in refused(GROUPED, path, new)
    if path != "exclusions":
        assert "known: none" in refused(LEXICON, path, new)


def test_with_groups_every_pattern_is_in_one() -> None:
    """A pattern outside all groups would serve no check."""
    assert "every pattern needs a `group`" in refused(GROUPED, "patterns.0.group")


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("name", "Not A Slug"),
        ("speaker", "system"),
        ("purpose", " "),
        ("patterns", []),
        ("patterns.0.id", "Not A Slug"),
        ("patterns.0.phrase", "   "),
        ("patterns.0", {"id": "x"}),
        ("patterns.0", {"id": "x", "phrase": "a", "regex": "ab"}),
        ("patterns.0.decide", True),
        ("exclusions", [{"not_before": ["ab"]}]),
        ("examples.hit", [{"text": "t"}] * 9),
        ("examples.miss", [{"text": "t"}] * 9),
        ("examples.hit.0.text", ""),
    ],
)
def test_a_part_that_is_missing_or_wrong_is_refused(path: str, new: Any) -> None:
    """Patterns have content, exclusions a reason, and there are ten examples each way."""
    assert path.split(".", maxsplit=1)[0] in refused(LEXICON, path, new)
