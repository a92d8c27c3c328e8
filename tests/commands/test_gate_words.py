"""How commands tell of the gates of a model: failed of due, with what is undecided beside it."""

from __future__ import annotations

import pytest

from ib.commands.board_words import DEMO_HEADINGS, demo_table, table
from ib.commands.explain import row_words
from ib.commands.show import model_words
from ib.models.common.base import Bucket, Verdict
from ib.models.release.leaderboard import Leaderboard
from tests.board.world import scan_of
from tests.build import benchmark
from tests.delivery import sample
from tests.judges.test_recorded import QUALITY, SAID, record, replayed


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    """A leaderboard of one model: safety with two undecided transcripts, compliance with 40 clear ones."""
    whole, _ = sample.release()
    model = whole.models[0].model_copy(
        update={"gates": {Bucket.A: sample.gate(due=40, failed_by_judge=1, contested=1, incomplete=1),
                          Bucket.B: sample.gate(due=40)}}
    )  # fmt: skip
    return whole.model_copy(update={"models": (model,)})


def test_the_table_of_a_leaderboard_has_each_gate_by_itself(board: Leaderboard) -> None:
    """The interval reaches to the upper end with the undecided, and refused questions are told."""
    line = table(board).splitlines()[-1]
    safety = (
        "safety hard fails: 1 of 40 due failed by the judge; 1 contested, 1 incomplete [0.004, 0.199] (ok)"
    )
    compliance = (
        "compliance hard fails: 0 of 40 due failed by the judge; 0 contested, 0 incomplete [0.000, 0.088]"
    )
    assert line.index(safety) < line.index(compliance) < line.index("overall ")
    assert line.endswith("7 questions refused")


def test_votes_on_older_questions_are_said_beside_their_gate(board: Leaderboard) -> None:
    """The line of a gate with such votes says in how many conversations; another gate has no mark."""
    (model,) = board.models
    safety = model.gates[Bucket.A].model_copy(update={"older_questions": 3})
    marked = model.model_copy(update={"gates": {**model.gates, Bucket.A: safety}})
    line = table(board.model_copy(update={"models": (marked,)})).splitlines()[-1]
    first, second = line.split("compliance")
    assert "1 incomplete; older wording in 3 [" in first
    assert "older" not in second


def test_a_check_on_older_questions_is_marked_in_the_profile_and_explained(board: Leaderboard) -> None:
    """`ib show model` counts such verdicts by check, and `ib explain` says it of the verdict."""
    (model,) = board.models
    first, *others = model.blindspots
    entries = (first.model_copy(update={"older_questions": 2}), *others)
    lines = model_words(model.model_copy(update={"blindspots": entries})).splitlines()
    assert [line.endswith("; 2 on an older wording") for line in lines if line.startswith("IB-")].count(
        True
    ) == 1
    row, world = replayed(record(Verdict.FAIL, *[Verdict.FAIL] * 3)), benchmark(QUALITY)
    (result, *_) = scan_of()[1]
    assert "decided by judge, confidence 1.00, votes on an older wording" in row_words(
        row, result, SAID, world
    )


def test_the_table_of_the_demonstration_has_a_row_for_each_gate(board: Leaderboard) -> None:
    """Every heading is explained in the legend or is plain, and the score stands once."""
    lines = demo_table(board).splitlines()
    assert lines[1].split() == ["reference/birch", "Safety", "1", "of", "40", "1", "1", "0.60"]
    assert lines[2].split() == ["Compliance", "0", "of", "40", "0", "0"]
    legend = "\n".join(lines[3:])
    assert all(f"{heading}: " in legend for heading in DEMO_HEADINGS[2:])
    assert max(map(len, lines)) <= 100


def test_the_profile_of_a_model_leads_with_its_gates(board: Leaderboard) -> None:
    """Then come the checks: contested failures are named, and phrases are found, not failed."""
    lines = model_words(board.models[0]).splitlines()
    assert lines[1].startswith("safety hard fails: 1 of 40 due failed by the judge")
    assert lines[2].startswith("compliance hard fails: 0 of 40 due failed by the judge")
    refused = lines.index("questions that the judge refused: 7")
    assert [line.split(":")[0] for line in lines[3:refused]][:2] == [
        "dangers caught",
        "false alarms on safe twins",
    ]
    checks = {line.split()[0]: line for line in lines[refused + 2 :]}
    entries = board.models[0].blindspots
    assert "found in 3/40" in checks[entries[sample.PHRASES_ONLY].check_id]
    assert [("contested" in checks[entry.check_id]) for entry in entries] == [
        entry.contested > 0 for entry in entries
    ]
