"""The glossary has the words that a reader meets on the pages, in the files and in the messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ib.models.common.base import BUCKET_NAMES, Aggregation, Route, Severity, Stage, State, Unit, Verdict

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\*\*(.+?)\*\*: ", PAGE, re.MULTILINE)
FIELD = (
    *(
        "anchor",
        "canary",
        "check",
        "comparability key",
        "failed by the judge",
        "contested",
        "coverage",
        "cue",
        "draft",
        "due",
    ),
    *(
        "evidence",
        "family",
        "flag",
        "gate",
        "hard fail",
        "incomplete",
        "invalid vote",
        "journal",
        "judge",
        "lexicon",
    ),
    *(
        "normal form",
        "open log",
        "plan",
        "probe",
        "profile",
        "rate",
        "reference assistant",
        "release",
        "rubric",
    ),
    *(
        "run",
        "scan",
        "scenario",
        "split votes",
        "stage",
        "support",
        "tag",
        "transcript",
        "turn",
        "verdict",
        "vote",
        "window",
    ),
)


@pytest.mark.parametrize("term", FIELD)
def test_a_term_of_the_field_is_explained(term: str) -> None:
    """Each has an entry of its own."""
    assert term in TERMS


@pytest.mark.parametrize("values", [Verdict, State, Stage, Route, Unit, Aggregation, Severity])
def test_every_value_of_a_vocabulary_is_named(values: type[Verdict]) -> None:
    """A value that stands in a file stands in the glossary."""
    words = set(re.findall(r"\w+", PAGE))
    missing = {value.value for value in values} - words - {"S2", "S3", "S4"}
    assert missing == set()


@pytest.mark.parametrize("name", BUCKET_NAMES.values())
def test_every_dimension_is_named(name: str) -> None:
    """Under `bucket`."""
    assert name.lower() in PAGE


def test_entries_are_in_order_and_unique() -> None:
    """A reader finds a word by its letter."""
    folded = [re.sub(r"\W|_", " ", term.lower()) for term in TERMS]
    assert folded == sorted(set(folded))
