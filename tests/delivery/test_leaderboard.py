"""The table of the leaderboard: who shares it, what it says of days and dollars."""

from __future__ import annotations

from datetime import date

import pytest

from delivery.build.render import render
from delivery.pages import leaderboard
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from delivery.words.brief import days, dollars
from tests.delivery import reading, sample


def tables(**changed: object) -> tuple[reading.Element, list[list[str]]]:
    """The page of the leaderboard, and the names in each of its tables, with Alder changed."""
    board, evidence = sample.release()
    models = tuple(
        model.model_copy(update=changed if model.slug == "alder" else {"played": None})
        for model in board.models
    )
    made = Release(
        board.model_copy(update={"models": models}), evidence, sample.benchmark(), sample.background()
    )
    ((_, html),) = render(made, leaderboard.pages(made), site_source() / "site_src" / "templates", NOWHERE)
    page = reading.read(html)
    found = page.all("table", "ib-board")
    return page, [[one.text for one in table.all("th") if one.attrs["scope"] == "row"] for table in found]


def test_a_model_with_other_scenarios_stands_apart() -> None:
    """It has a table of its own, below a heading that says that the two cannot be compared."""
    page, (first, second) = tables(scenario_set_hash="7" * 64)
    assert (len(first), second) == (2, ["Alder 1"])
    assert "not comparable" in next(one.text for one in page.all("h2") if one.attrs["id"] == "apart")


def test_models_with_the_same_scenarios_share_a_table() -> None:
    """There is no second table and no heading for one."""
    page, (names,) = tables()
    assert len(names) == 3
    assert not [one for one in page.all("h2") if one.attrs["id"] == "apart"]


@pytest.mark.parametrize("known", [True, False])
def test_days_have_a_column_where_one_is_known(known: bool) -> None:
    """A model without a day says so; without any day, there is a sentence in place of a column."""
    page, _ = tables(played=(date(2026, 11, 20), date(2026, 11, 20)) if known else None)
    (table,) = page.all("table", "ib-board")
    heads = [one.text for one in table.all("th") if one.attrs["scope"] == "col"]
    assert ("Played" in heads) == known
    assert ("the days on which they were played" in table.text) == (not known)
    assert ("not recorded" in "".join(one.text for one in table.all("td"))) == known


@pytest.mark.parametrize(("usd", "told"), [(0.001, "under $0.01"), (0.5, "$0.50"), (1234.5, "$1,234.50")])
def test_dollars_have_cents(usd: float, told: str) -> None:
    """A small amount is not nothing."""
    assert dollars(usd) == told


def test_days_are_one_or_two() -> None:
    """One day stands once."""
    first, last = date(2026, 11, 20), date(2026, 12, 1)
    assert [days((first, last)), days((first, first)), days(None)] == [
        "2026-11-20 to 2026-12-01",
        "2026-11-20",
        "not recorded",
    ]
