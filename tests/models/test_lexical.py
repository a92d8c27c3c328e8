"""Rules of the lexical judge that contradict themselves are refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.benchmark.lexical import Cue, LexicalCheck, LexicalConfig

CLAUSE = {"id": "says-so", "regex": "so", "code": "a_code"}


def refused(**given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        LexicalCheck.model_validate(given)
    return str(caught.value)


def test_a_check_of_nothing_decides_nothing() -> None:
    """The default verdict is always UNCLEAR: for a missing cue, a missing clause and an omission."""
    check = LexicalCheck()
    assert (check.unraised, check.missing, check.candidate) == ("UNCLEAR", "UNCLEAR", "UNCLEAR")
    assert check.wins == "neither"


def test_a_cue_is_something() -> None:
    """A cue without a lexicon and without a pattern would never be heard."""
    with pytest.raises(ValidationError, match="`lexicon`, `patterns` or both"):
        Cue(group="passive")
    assert Cue(patterns=("one",)).lexicon is None


@pytest.mark.parametrize(
    "given", [{"missing": "FAIL"}, {"missing": "PASS"}, {"missing": "UNCLEAR", "missing_code": "a_code"}]
)
def test_an_omission_with_a_verdict_says_why(given: dict[str, str]) -> None:
    """`missing_code` is required with FAIL and PASS, and not allowed otherwise."""
    assert "`missing_code` is required if" in refused(**given)


def test_clause_ids_are_unique_over_both_lists() -> None:
    """A failing and a passing clause of one name could not be told apart."""
    assert "unique" in refused(fail=[CLAUSE], good=[CLAUSE])


@pytest.mark.parametrize("key", ["near", "margin"])
def test_likeness_is_of_a_hundred(key: str) -> None:
    """Likeness is given as rapidfuzz gives it, from 0 to 100."""
    given = {"canary": "c", "version": "1", "near": 85.0, "margin": 15.0, key: 101.0}
    with pytest.raises(ValidationError, match=key):
        LexicalConfig.model_validate(given)
