"""Failures with one root: what is joined, what never is, and how roots are counted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest
from pydantic import ValidationError

from ib.board.figures.roots import RootTally, joined
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.scoring import OneRoot
from ib.models.common.base import Role
from ib.models.release.findings import Roots
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.result import VerdictResult
from tests.board.world import board_of, scan_of
from tests.build import FAIL, PASS, benchmark, check, gate_check, reply, row, scoring

A, B, C = (check(f"IB-C{number}") for number in (1, 2, 3))
LEFT, OTHER = (check(f"IB-D{number}", failure="left_out") for number in (1, 2))
GATE, SECOND = gate_check("IB-A1"), gate_check("IB-B1")
PAIRED = OneRoot(checks=("IB-D1", "IB-D2"), reason="One brings the other with it.")
CHECKS = (A, B, C, LEFT, OTHER, GATE, SECOND)
WORLD = benchmark(*CHECKS, scoring=scoring(one_root=[PAIRED]))


def failed(item: Check, *places: tuple[int, int, int], **given: Any) -> VerdictResult:
    """A FAIL with a quote of the assistant at each place: turn, start and end."""
    spans = [
        EvidenceSpan(
            role=given.pop("role", Role.ASSISTANT), turn=turn, start=start, end=end, quote="x" * (end - start)
        )
        for turn, start, end in places
    ]
    return row(item, FAIL, **given).model_copy(update={"evidence": tuple(spans)})


def groups(*rows: VerdictResult, world: Benchmark = WORLD) -> list[set[str]]:
    """The checks with one root, in any order."""
    return [set(group) for group in joined(rows, world)]


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ((1, 0, 10), (1, 9, 20), True),
        ((1, 0, 10), (1, 2, 5), True),
        ((1, 0, 10), (1, 10, 20), False),
        ((1, 0, 10), (2, 0, 10), False),
    ],
    ids=["overlap", "inside", "side by side", "another turn"],
)
def test_two_failures_of_something_said_have_one_root_if_their_quotes_overlap(
    one: tuple[int, int, int], other: tuple[int, int, int], together: bool
) -> None:
    """In the same turn, by at least one character."""
    assert groups(failed(A, one), failed(B, other)) == ([{A.id, B.id}] if together else [])


def test_something_left_out_is_not_joined_by_its_quote() -> None:
    """What comes nearest to an omission says nothing about another failure."""
    place = (1, 0, 10)
    assert groups(failed(A, place), failed(LEFT, place)) == []


def test_a_pair_that_is_declared_is_joined_in_one_turn() -> None:
    """Its quotes need not overlap, but must stand in one turn; no other pair is."""
    assert groups(failed(LEFT, (1, 0, 10)), failed(OTHER, (1, 20, 30))) == [{LEFT.id, OTHER.id}]
    assert groups(failed(LEFT, (1, 0, 10)), failed(OTHER, (2, 0, 10))) == []
    assert groups(failed(LEFT, (1, 0, 10)), failed(OTHER, (1, 0, 10)), world=benchmark(*CHECKS)) == []


def test_gates_and_quality_are_never_joined() -> None:
    """Not by the same words, not by another failure between them, and not by an escalation."""
    place = (1, 0, 10)
    assert groups(failed(GATE, place), failed(A, place)) == []
    assert groups(failed(GATE, place), failed(A, place), failed(B, place), failed(SECOND, place)) == [
        {GATE.id, SECOND.id},
        {A.id, B.id},
    ]
    escalated = check("IB-D3", severity="S5", escalates_to="A")
    assert groups(failed(escalated, place), failed(A, place), world=benchmark(*CHECKS, escalated)) == []


def test_a_chain_of_overlaps_is_one_root_in_any_order() -> None:
    """The first and the last of three failures need not overlap."""
    rows = (failed(A, (1, 0, 10)), failed(B, (1, 8, 20)), failed(C, (1, 18, 30)), failed(LEFT, (2, 0, 5)))
    for order in permutations(rows):
        assert groups(*order) == [{A.id, B.id, C.id}]


@pytest.mark.parametrize("verdict", [PASS, None])
def test_only_failures_have_roots(verdict: Any) -> None:
    """A row with another verdict, or none, is in no group and in no count."""
    rows = (failed(A, (1, 0, 10)), row(B, verdict))
    tally = RootTally()
    tally.add(rows, joined(rows, WORLD))
    assert groups(*rows) == []
    assert tally.entry() == Roots(gate_failures=0, gate_roots=0, quality_failures=1, quality_roots=1)


def test_words_of_the_person_join_nothing() -> None:
    """Only quotes of the assistant are compared."""
    place = (1, 0, 10)
    assert groups(failed(A, place, role=Role.USER), failed(B, place, role=Role.USER)) == []


def test_a_model_has_the_roots_of_all_its_transcripts() -> None:
    """Each group counts once; the rows of the table stay as they are."""

    def answer(request: Any) -> Any:
        return reply(FAIL, "answers kindly") if request.model_id.endswith("alpha") else reply(PASS)

    (alpha, beta) = board_of(*scan_of(answer)).models
    assert alpha.roots == Roots(gate_failures=4, gate_roots=2, quality_failures=4, quality_roots=2)
    assert beta.roots == Roots(gate_failures=0, gate_roots=0, quality_failures=0, quality_roots=0)
    assert [met.joined for met in alpha.scenarios] == [(("IB-A1", "IB-B1"), ("IB-C1", "IB-F1-a"))] * 2
    assert [entry.failures.k for entry in alpha.blindspots] == [2, 2, 2, 2]


@pytest.mark.parametrize("counts", [(0, 1, 0, 0), (2, 3, 0, 0), (0, 0, 2, 0)])
def test_roots_are_no_more_than_failures_and_at_least_one(counts: Sequence[int]) -> None:
    """Counts that cannot be are refused."""
    with pytest.raises(ValidationError, match="cannot have"):
        Roots(**dict(zip(Roots.model_fields, counts, strict=True)))
