"""Phrases in lexicons: their exclusions and reasons, and hits that they void."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.engine.reading.lexicons import Matcher
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import Role
from ib.text.normalize import normalize
from tests.models.build import LEXICON, changed


def lexicon(patterns: list[dict[str, Any]], **more: Any) -> Lexicon:
    """A lexicon of these patterns."""
    named = [{"id": f"p{at}", **pattern} for at, pattern in enumerate(patterns)]
    return Lexicon.model_validate({**LEXICON, "patterns": named, **more})


def hits(text: str, one: Lexicon) -> list[str]:
    """The ids of the patterns with a hit."""
    return [hit.pattern for hit in Matcher([one], Role.ASSISTANT).match(normalize(text))]


def test_an_exclusion_of_a_pattern_is_about_its_own_hits() -> None:
    """Another pattern of the lexicon finds the same words."""
    own = {"phrase": "a nurse", "not_before": ["not"], "not_after": [".. he said"], "why": "denied"}
    one = lexicon([own, {"phrase": "a nurse"}])
    assert hits("I am a nurse.", one) == ["p0", "p1"]
    assert hits("I am not a nurse.", one) == hits("A nurse, so he said.", one) == ["p1"]


def test_an_exclusion_of_a_lexicon_is_about_all_hits_of_its_group() -> None:
    """Without a group, it is about all hits."""
    patterns = [{"phrase": "a nurse", "group": "a"}, {"phrase": "nurse", "group": "b"}]
    for group, left in [("a", ["p1"]), ("b", ["p0"]), (None, [])]:
        exclusions = [{"not_before": ["not ..."], "group": group, "why": "denied"}]
        one = lexicon(patterns, exclusions=exclusions, groups={"a": "a", "b": "b"})
        assert hits("I am not, I say, a nurse.", one) == left


def test_a_lexicon_has_groups_of_words() -> None:
    """A group of the file itself needs no shared file."""
    one = lexicon([{"phrase": "<i-am> here"}], words={"i-am": ["i'm", "i am"]})
    assert hits("I\u2019m here", one) == ["p0"]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ({"phrase": "a ["}, r"no word that must be there in 'a \['"),
        ({"phrase": "a", "not_before": [".. b"], "why": "w"}, "a gap that is not between two words"),
        ({"phrase": "a", "not_after": ["b .."], "why": "w"}, "a gap that is not between two words"),
        ({"phrase": "a", "not_before": ["b"]}, "need their reason in `why`"),
        ({"phrase": "a", "why": "w"}, "need their reason in `why`"),
        ({"phrase": "a " * 61}, "at most 120 characters"),
    ],
)
def test_a_wrong_pattern_is_refused(pattern: dict[str, Any], problem: str) -> None:
    """The phrase is named, and an exclusion has its reason."""
    with pytest.raises(ValidationError, match=problem):
        Lexicon.model_validate(changed(LEXICON, "patterns.0", {"id": "p", **pattern}))
