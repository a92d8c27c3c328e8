"""A board of open logs keeps counts and no row of a log; its figures are those of one that keeps rows."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from ib.board.figures.build import Board
from ib.board.figures.places import Chances, Ends, Marked, Places, Scores
from ib.models.common.base import Stage
from ib.models.release.bytes import release_bytes
from ib.models.release.leaderboard import Leaderboard
from ib.models.release.rows import joined
from ib.models.scan.plan import ScanPlan
from ib.models.scan.result import TranscriptResult
from tests.board.test_build import mixed
from tests.board.world import DAY, MODELS, WORLD, said, scan_of

LOGS = tuple(said(model, f"scenario-{n:02}", tags=()) for model in MODELS for n in range(18))
PLAN, RESULTS = scan_of(mixed, LOGS)


def built(results: Iterable[TranscriptResult], plan: ScanPlan = PLAN, *, logs: bool) -> Leaderboard:
    """The board of these results."""
    board = Board(WORLD, logs=logs)
    for result in results:
        board.add(result)
    return board.leaderboard(plan, "3" * 64, "4" * 64, Stage.DEMO, DAY)


def test_a_board_of_open_logs_keeps_no_row_and_has_the_same_figures() -> None:
    """The leaderboard is as long for two logs as for many, and every figure in it is the same."""
    assert PLAN.only_open_logs
    whole, counts = built(RESULTS, logs=False), built(RESULTS, logs=True)
    assert release_bytes(counts) == release_bytes(whole)
    assert (counts.scenarios, counts.open_gates, counts.models[0].scenarios) == ((), (), ())
    assert whole.open_gates
    half = built((*RESULTS[:9], *RESULTS[18:27]), logs=True)
    assert release_bytes(half).count(b"\n") == release_bytes(counts).count(b"\n")


def test_the_rows_of_a_board_give_its_lists_again() -> None:
    """What `add` returns for each result, and the scenarios, are all that leaderboard.json does not have."""
    board = Board(WORLD)
    rows = [(result.model_id, board.add(result)) for result in RESULTS]
    made = board.leaderboard(PLAN, "3" * 64, "4" * 64, Stage.DEMO, DAY)
    bare = Leaderboard.model_validate_json(release_bytes(made))
    by_slug = {
        model.slug: [row for model_id, row in rows if model_id == model.model_id] for model in made.models
    }
    assert joined(bare, by_slug, board.scenarios()) == made


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_results_changes_no_byte(seed: int) -> None:
    """Sums are exact: results of other files and shards come in another order, and give the same figures."""
    mixed_up = list(RESULTS)
    random.Random(seed).shuffle(mixed_up)  # noqa: S311 - an order, no secret
    assert release_bytes(built(mixed_up, logs=True)) == release_bytes(built(RESULTS, logs=True))


def test_sets_and_values_by_scenario_are_those_of_plain_python() -> None:
    """A set of marks, scores with gaps, bounds and counts come back as they were added."""
    places = Places()
    names = [f"s{n * 7 % 40}" for n in range(60)]
    marked, other = Marked(places), Marked(places)
    for name in names[:20]:
        marked.add(name)
    for name in names[15:]:
        other.add(name)
    assert set(marked) == set(names[:20])
    marked.update(other)
    assert set(marked) == set(names)
    assert marked.families({name: name[-1] for name in names}) == len({name[-1] for name in names})
    scores, ends, chances = Scores(places), Ends(), Chances(places)
    told = [(None if n % 3 else n / 7, name) for n, name in enumerate(names)]
    for value, name in told:
        scores.add(value, name)
    assert list(scores) == told
    for bounds in ((0.1, 0.9), None):
        ends.add(bounds)
    assert list(ends) == [(0.1, 0.9), None]
    chances.add(2, 10_000, "s1")
    assert list(chances) == [("s1", 2, 10_000)]
