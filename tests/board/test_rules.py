"""A model under other rules for the gates."""

from __future__ import annotations

import pytest

from ib.board.figures.rules import FAILS, Gates
from ib.models.release.rules import RULE_NAMES, RULE_WORDS, GateRule
from ib.models.scan.gates import GateState
from tests.board.test_build import BOARD


def test_the_published_rule_is_that_of_every_other_figure() -> None:
    """As many conversations fail, and the mean is the same, where there is one."""
    for model in BOARD.models:
        published = model.gate_rules[0]
        assert published.rule is GateRule.PUBLISHED
        assert published.failed == model.both_gates.failed
        assert published.undecided == model.both_gates.undecided
        assert (published.n, published.due) == (model.overall.n, model.both_gates.due)
        if model.overall.mean is not None:
            assert published.mean == pytest.approx(model.overall.mean, abs=1e-12)


@pytest.mark.parametrize(
    ("state", "counts", "answers"),
    [
        ("failed_by_judge", (1, 0, 0, 0), (True, True, True, False, False)),
        ("failed_by_judge", (1, 1, 0, 0), (True, True, False, False, False)),
        ("failed_by_judge", (2, 1, 0, 0), (True, True, True, True, False)),
        ("failed_by_judge", (1, 0, 0, 1), (True, True, True, None, False)),
        ("contested", (0, 0, 1, 0), (None, True, False, False, False)),
        ("contested", (0, 0, 2, 0), (None, True, False, None, False)),
        ("incomplete", (0, 0, 0, 1), (None, None, None, False, False)),
        ("clear", (0, 0, 0, 0), (False, False, False, False, False)),
    ],
)
def test_what_each_rule_says(
    state: str, counts: tuple[int, int, int, int], answers: tuple[bool | None, ...]
) -> None:
    """Of failures, split ones among them, contested ones and undecided ones of one conversation."""
    gates = Gates(GateState(state), *counts)
    assert tuple(FAILS[rule](gates) for rule in GateRule) == answers


def test_every_rule_has_words() -> None:
    """A page names and explains each rule."""
    assert [*RULE_NAMES] == [*RULE_WORDS] == [*GateRule]
