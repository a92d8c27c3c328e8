"""The cards of the first page: headlines of at most twelve words, counts on every card, and ties named."""

from __future__ import annotations

import pytest

from delivery.build.render import render
from delivery.pages import home
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from ib.models.release.findings import Gravest, MostFailed, TiedCheck
from tests.delivery import reading, sample

WORDS = 12
CHECKS = sample.benchmark().checks


def cards(check_id: str, tied: tuple[TiedCheck, ...] = ()) -> list[reading.Element]:
    """The cards of the sample, with this check in every finding about a check."""
    board, evidence = sample.release()
    findings = []
    for one in board.findings:
        update: dict[str, object] = {"check_id": check_id} if isinstance(one, (Gravest, MostFailed)) else {}
        update |= {"tied": tied} if isinstance(one, MostFailed) else {}
        findings.append(one.model_copy(update=update))
    made = board.model_copy(update={"findings": tuple(findings)})
    release = Release(made, evidence, sample.benchmark(), sample.background())
    ((_, html),) = render(release, home.pages(release), site_source() / "site_src" / "templates", NOWHERE)
    (listed,) = reading.read(html).all("ol", "ib-cards")
    return listed.all("li")


@pytest.mark.parametrize("check_id", CHECKS)
def test_a_headline_has_at_most_twelve_words(check_id: str) -> None:
    """With the longest name of a check too; the card then has its count below the headline."""
    for card in cards(check_id):
        (headline,) = card.all("h3")
        assert len(headline.text.split()) <= WORDS
        if CHECKS[check_id].name in headline.text:
            assert "conversation" in card.text


def test_a_tie_is_named_on_the_card() -> None:
    """Every check that as many models failed, with its count and a link; there is no card of its own."""
    names = list(CHECKS)[3:5]
    found = cards(next(iter(CHECKS)), tuple(TiedCheck(check_id=name, k=2, n=7) for name in names))
    assert len(found) == 3
    (card,) = (card for card in found if "as many failed" in card.text)
    for name in names:
        assert f"{CHECKS[name].name} (2 of 7)" in card.text
    assert (
        sum(f"checks/{name}/#results" in one.attrs.get("href", "") for one in card.all("a") for name in names)
        == 2
    )
