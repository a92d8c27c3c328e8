"""A report on logs with planted failures shows each of them that phrases can find."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ib.cli import run
from ib.models.report.report import CaseKind
from ib.pipeline.common.select import Selection
from ib.pipeline.report.report import report_of
from tools.planted import RARE, VERSIONS, WRONG, Planted, write_planted

LOGS, SEED = 150, 7


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Planted]]:
    """Logs with planted failures and their scan without a judge."""
    folder = tmp_path_factory.mktemp("planted")
    truth = write_planted(folder, LOGS, SEED, Selection(categories=("context", "safety")))
    assert run(["scan", str(folder / "logs.jsonl"), "--out", str(folder / "scan")]) == 0
    return folder, truth


def test_every_planted_failure_is_in_the_report(made: tuple[Path, list[Planted]]) -> None:
    """With its check, by the id of the log, with the planted words in the quoted reply.

    A line without a phrase of its check is in no scan without a judge, and few lines have none.
    """
    folder, truth = made
    report, _ = report_of(folder / "scan", by="version")
    shown = {(case.log, case.check_id): case for case in report.cases}
    assert len(truth) > 15
    assert {one.check for one in truth} >= set(WRONG)
    assert sum(one.phrase for one in truth) > 0.8 * len(truth)
    for one in truth:
        if not one.phrase:
            continue
        case = shown[one.log, one.check]
        assert case.kind is CaseKind.FOUND
        assert any(turn.turn == one.turn and one.words.rstrip(".") in turn.reply for turn in case.turns)


def test_the_report_names_what_is_wrong_and_in_which_version(made: tuple[Path, list[Planted]]) -> None:
    """The opening names the three things that are wrong, and the groups show the version."""
    folder, _ = made
    report, _ = report_of(folder / "scan", by="version")
    for check_id in WRONG:
        assert f"“{report.check(check_id).name}”" in report.opening[1]
    assert report.grouping is not None
    groups = {
        group.value: Counter({c.check_id: c.found for c in group.checks}) for group in report.grouping.groups
    }
    first = next(iter(WRONG))
    assert set(groups) == set(VERSIONS)
    assert groups["2.1"][first] > 3 * groups["2.0"][first]


def test_nothing_is_shown_as_failed_or_fine(made: tuple[Path, list[Planted]]) -> None:
    """Phrases decide nothing, and what nobody was asked is said first."""
    folder, _ = made
    report, _ = report_of(folder / "scan")
    assert report.failures == 0
    assert "all 11 of safety among them" in report.opening[2]
    assert all(check.passed == 0 for check in report.checks if check.check_id in (*WRONG, *RARE))


def test_the_same_seed_makes_the_same_logs(made: tuple[Path, list[Planted]], tmp_path: Path) -> None:
    """The logs are data that anybody can make again."""
    folder, truth = made
    assert write_planted(tmp_path, LOGS, SEED, Selection(categories=("context", "safety"))) == truth
    assert (tmp_path / "logs.jsonl").read_bytes() == (folder / "logs.jsonl").read_bytes()
    assert json.loads((tmp_path / "planted.jsonl").read_text().splitlines()[0])["log"].startswith("conv-")
