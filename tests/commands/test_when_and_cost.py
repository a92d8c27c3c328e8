"""A release says when its conversations were played and what judging cost, where the scan knows it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from ib.cli import run
from ib.models.conversation.transcript import Provenance
from ib.models.release.leaderboard import Leaderboard
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replay import replay_scan
from ib.store.folders import scans
from tests.commands.conftest import row


def published(folder: Path, days: tuple[str | None, ...], spent: float | None) -> Leaderboard:
    """The leaderboard of a scan of one model, played on these days, whose judge cost so much."""
    rows = [{**row("v/a", f"s{at}"), "provenance": {"date": day}} for at, day in enumerate(days)]
    (folder / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    assert run(["scan", str(folder / "t.jsonl"), "--out", str(folder / "scan")]) == 0
    report = folder / "scan" / scans.COST
    report.write_text(json.dumps({**json.loads(report.read_bytes()), "spent_usd": spent}), "utf-8")
    return make_release(replay_scan(folder / "scan")).leaderboard


@pytest.mark.parametrize(
    ("days", "played"),
    [
        ((None, None), None),
        (("no day", None), None),
        (("2026-11-20", None), (date(2026, 11, 20), date(2026, 11, 20))),
        (("2026-11-21T08:00:00Z", "2026-11-20"), (date(2026, 11, 20), date(2026, 11, 21))),
    ],
)
def test_a_release_names_the_days_that_are_known(
    tmp_path: Path, days: tuple[str | None, ...], played: tuple[date, date] | None
) -> None:
    """The first and the last day of the provenance; the key is left out if no transcript names one."""
    board = published(tmp_path, days, None)
    assert [model.played for model in board.models] == [played]
    assert ('"played":' in board.model_dump_json()) == (played is not None)


@pytest.mark.parametrize(("spent", "told"), [(None, None), (0.0, None), (1.25, 1.25)])
def test_a_release_names_what_judging_cost(tmp_path: Path, spent: float | None, told: float | None) -> None:
    """As the cost report of the scan has it; nothing if nothing was paid, or if it is unknown."""
    board = published(tmp_path, (None,), spent)
    assert board.judging_usd == told
    assert ("judging_usd" in board.model_dump_json()) == (told is not None)


def test_a_day_is_read_from_any_time() -> None:
    """A date with a time has its day; other text has none."""
    assert Provenance(date="2026-11-20 10:11").day == date(2026, 11, 20)
    assert Provenance(date="November").day is None
