"""What differs between two releases has its cause, of every kind; rows keep their hashes while they stay."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from ib.board.history.ledger import Entry, Ledger, lines_of
from ib.board.history.moved import moved
from ib.board.history.told import Told
from ib.models.common.base import Stage
from ib.models.common.canonical import compact
from ib.models.release.ledger import Action, Cause, ScanSource
from tests.board.world import DAY

Board = dict[str, Any]
SOURCE = ScanSource(plan_hash="1" * 64, manifest_hash="2" * 64)
BOARD: Board = {
    "schema_version": 5,
    "stage": "research",
    "profile": "publish",
    "judge": {"model": "lab/judge", "priced": True},
    "benchmark_hash": "b",
    "checks": [
        {"check_id": "IB-A1", "gate": "A", "bucket": "A", "check_hash": "a1", "failures": {"k": 2, "n": 4}},
        {"check_id": "IB-C1", "gate": None, "bucket": "C", "check_hash": "c1", "failures": {"k": 0, "n": 4}},
    ],
    "scenarios": [{"scenario_id": "one", "scenario_hash": "s1"}],
    "models": [
        {
            "model_id": model,
            "slug": model[-1],
            "gates": {"A": {"due": 1, "failed_by_judge": 1, "rate": None}},
            "overall": {"mean": 0.0, "n": 1},
            "blindspots": [{"check_id": "IB-A1", "failures": {"k": 1, "n": 1, "rate": None}}],
            "scenarios": [
                {"scenario_id": "one", "epoch": None, "transcript_hash": f"t-{model}", "verdicts": "FP"}
            ],
        }
        for model in ("v/a", "v/b")
    ],
}  # fmt: skip
EVIDENCE = {
    "items": [{"check_id": "IB-A1", "scenario_id": "one", "epoch": None, "quotes": [{"quote": "I am here"}]}]
}


def told(board: Board, evidence: Any = EVIDENCE) -> Told:
    files = {f"evidence/{model['slug']}.json": compact(evidence) for model in board["models"]}
    return Told({"leaderboard.json": compact(board), **files})


def flipped(board: Board) -> Board:
    """The board on which IB-A1 passes for v/b."""
    model = board["models"][1]
    model["scenarios"][0]["verdicts"] = "PP"
    model["gates"]["A"]["failed_by_judge"] = 0
    model["blindspots"][0]["failures"]["k"] = 0
    model["overall"]["mean"] = 1.0
    board["checks"][0]["failures"]["k"] = 1
    return board


def votes(board: Board) -> None:
    """Nothing else differs."""


def transcripts(board: Board) -> None:
    board["models"][1]["scenarios"][0]["transcript_hash"] = "other"


def judge(board: Board) -> None:
    board["judge"]["model"] = "lab/other"


def prompts(board: Board) -> None:
    board["checks"][0]["check_hash"] = "other"
    board["benchmark_hash"] = "other"


def corpus(board: Board) -> None:
    board["scenarios"][0]["scenario_hash"] = "other"


def contract(board: Board) -> None:
    board["benchmark_hash"] = "other"


@pytest.mark.parametrize("change", [votes, transcripts, judge, prompts, corpus, contract])
def test_a_flip_has_its_cause(change: Callable[[Board], None]) -> None:
    """One thing differs, and a check flips: the verdict and each figure above it name this thing alone."""
    later = flipped(deepcopy(BOARD))
    change(later)
    found = moved(told(BOARD), told(later), ("x", "y"))
    (flip,) = found.flips
    wanted = (Cause(change.__name__),)
    assert (flip.model_id, flip.before, flip.after, flip.causes) == ("v/b", "fail", "pass", wanted)
    assert flip.quotes_before == ("I am here",)
    assert {(one.model_id, one.figure, one.causes) for one in found.figures} == {
        (None, "checks IB-A1 failures", wanted),
        ("v/b", "gates A", wanted),
        ("v/b", "overall", wanted),
        ("v/b", "checks IB-A1 failures", wanted),
    }


def test_a_price_moves_nothing() -> None:
    """A judge that costs more is the same judge, and equal releases differ in nothing."""
    later = deepcopy(BOARD)
    later["judge"]["priced"] = False
    found = moved(told(BOARD), told(later), ("x", "y"))
    assert (found.causes, found.figures, found.flips) == ((), (), ())


def test_a_decision_of_people_is_a_cause_where_it_was_made() -> None:
    """A verdict that people decided flips for their reviews, and another one does not."""
    later = flipped(deepcopy(BOARD))
    later["reviews"] = {"readers": 1}
    later["models"][0]["scenarios"][0]["verdicts"] = "FF"
    decided = deepcopy(EVIDENCE)
    decided["items"][0]["decided"] = {"verdict": "PASS"}  # type: ignore[assignment]
    found = moved(told(BOARD), told(later, decided), ("x", "y"))
    assert {flip.check_id: flip.causes for flip in found.flips} == {
        "IB-A1": (Cause.REVIEWS,), "IB-C1": (Cause.VOTES,),
    }  # fmt: skip


def test_a_model_that_is_gone_moves_only_the_figures_over_all() -> None:
    """Without v/b, the figures over all models moved because of the models, and v/a kept its own."""
    later = deepcopy(BOARD)
    del later["models"][1]
    later["checks"][0]["failures"] = {"k": 1, "n": 2}
    found = moved(told(BOARD), told(later), ("x", "y"))
    assert (found.lost, found.flips) == (("v/b",), ())
    assert [(one.model_id, one.causes) for one in found.figures] == [(None, (Cause.MODELS,))]


def test_a_conversation_that_is_gone_is_a_cause() -> None:
    """A figure that moved because a conversation is missing names the transcripts, without a flip."""
    later = flipped(deepcopy(BOARD))
    later["models"][1]["scenarios"] = []
    found = moved(told(BOARD), told(later), ("x", "y"))
    assert found.flips == ()
    assert {one.causes for one in found.figures} == {(Cause.TRANSCRIPTS,)}


def entry(board: Board, name: str) -> Entry:
    sources = {model["model_id"]: SOURCE for model in board["models"]}
    return Entry(name, "f" * 64, Stage.RESEARCH, DAY, told(board), sources, reason=None)


def test_lines_follow_from_what_changed() -> None:
    """A row that stays gets no line, a row that changes gets its causes, and the chain has every line."""
    first = entry(BOARD, "2026-11-22-00000001")
    ledger = Ledger().with_lines(tuple(lines_of(Ledger(), Told({}), first, {})))
    second = entry(flipped(deepcopy(BOARD)), "2026-11-22-00000002")
    after = ledger.with_lines(tuple(lines_of(ledger, first.told, second, {})))
    new = after.lines[len(ledger.lines) :]
    assert [(line.action, line.model_id, line.causes) for line in new] == [
        (Action.RELEASED, None, ()), (Action.CHANGED, "v/b", (Cause.VOTES,)),
    ]  # fmt: skip
    assert [line.before for line in after.lines[1:]] == [line.hash for line in after.lines[:-1]]
    assert after.source("2026-11-22-00000001", "v/a") == SOURCE


def test_a_decided_dispute_gets_one_line() -> None:
    """The outcome of a dispute stands in the ledger once, with the address of the verdict and the reason."""
    dispute = {
        "model_id": "v/b",
        "claim": {"permalink": "https://example.org/models/b/IB-A1/#one", "reason": "It was a joke."},
        "outcome": "rejected",
        "reason": "",
    }
    board = deepcopy(BOARD) | {"reviews": {"disputes": [dispute]}}
    ledger = Ledger()
    for name in ("2026-11-22-00000001", "2026-11-22-00000002"):
        made = entry(board, name)
        ledger = ledger.with_lines(tuple(lines_of(ledger, made.told, made, {})))
    (line,) = [line for line in ledger.lines if line.action is Action.DISPUTED]
    told_of = (line.model_id, line.permalink, line.outcome, line.reason)
    assert told_of == ("v/b", "https://example.org/models/b/IB-A1/#one", "rejected", "It was a joke.")


def test_rows_beside_the_board_are_read() -> None:
    """A release whose rows are in files of their own is compared with one that has them in the board."""
    later = flipped(deepcopy(BOARD))
    files: dict[str, bytes] = {}
    for model in later["models"]:
        lines = [{"kind": "rows"}, *model.pop("scenarios")]
        files[f"rows/{model['slug']}.jsonl"] = b"\n".join(map(compact, lines))
    files["scenarios.jsonl"] = b"\n".join(map(compact, [{"kind": "scenarios"}, *later.pop("scenarios")]))
    apart = Told({"leaderboard.json": compact(later), **files})
    (flip,) = moved(told(BOARD), apart, ("x", "y")).flips
    assert (flip.model_id, flip.before, flip.after, flip.causes) == ("v/b", "fail", "pass", (Cause.VOTES,))
    rows = dict(apart.rows)
    files["rows/b.jsonl"] += b"\n"
    other = Told({"leaderboard.json": compact(later), **files}).rows
    assert {model for model in rows if rows[model] != other[model]} == {"v/b"}
