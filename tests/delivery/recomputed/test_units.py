"""The squares of the gates: as many as there are conversations, each a link to its words."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from delivery.build.render import render
from delivery.figures.units import MOST, NARROW, WIDE, units
from delivery.pages.models import pages as pages_of_models
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from ib.models.common.base import GATE_BUCKETS, Bucket
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.gates import GateState
from tests.delivery import reading, sample
from tests.delivery.recomputed.claims import Here
from tests.delivery.recomputed.conftest import Shown


def test_there_are_as_many_squares_as_conversations(release: Release) -> None:
    """At each gate, the squares of each state are as many as the counts of the leaderboard say."""
    drawn = 0
    for model in release.models:
        for gate, found in units(release, model).items():
            entry, states = model.gates[gate], Counter(one.score.state for one in found.units)
            if found.units:
                drawn += 1
                told = {state: getattr(entry, state) for state in GateState if state is not GateState.NOT_DUE}
                assert states == Counter(told)
                assert sum(one.older for one in found.units) == entry.older_questions
                order = [list(GateState).index(one.score.state) for one in found.units]
                assert order == sorted(order)
            else:
                assert 2 * entry.undecided > entry.due
    assert drawn > len(release.models)


def test_each_square_leads_to_its_transcript(release: Release) -> None:
    """A failed one leads to the turn of its first quote, and a clear one to the start of the transcript."""
    for model in release.models:
        for found in units(release, model).values():
            for one in found.units:
                path, _, turn = one.href.partition("#")
                assert path == release.transcript_path(model, one.scenario_id, one.epoch)
                assert turn.startswith("turn-") or one.css != "failed"
                assert not turn or one.css != "clear"


def test_the_page_shows_them_twice(demonstration: Shown) -> None:
    """Each square is a link for the finger, and the same link is in the list for the keyboard."""
    for here in demonstration:
        if here.kind == "model":
            (card,) = [one for one in here.root.all("figure") if one.attrs["id"] == "card"]
            squares = [one for drawn in card.all("div", "ib-units") for one in drawn.all("a")]
            listed = [one for ways in card.all("ul", "ib-ways") for one in ways.all("a")]
            assert squares
            assert [one.attrs["href"] for one in squares] == [one.attrs["href"] for one in listed]
            assert {one.attrs["tabindex"] for one in squares} == {"-1"}
            said = [one.attrs["title"] for one in squares]
            assert all(one.startswith(link.text) for one, link in zip(said, listed, strict=True))


def _with(model: ModelEntry, count: int) -> ModelEntry:
    """A model with so many conversations, all alike, and all clear at the safety gate."""
    met = model.scenarios[0]
    clear = {**met.gates, Bucket.A: met.gates[Bucket.A].model_copy(update={"state": "clear"})}
    many = tuple(met.model_copy(update={"epoch": at, "gates": clear}) for at in range(1, count + 1))
    gates = {**model.gates, Bucket.A: sample.gate(due=count)}
    return model.model_copy(update={"scenarios": many, "gates": gates})


def test_many_conversations_are_one_bar() -> None:
    """Above the limit, no square is drawn, however many there are: the bar has the same numbers."""
    release = Release(*sample.release(), sample.benchmark(), sample.background())
    for count, squares in ((1, 1), (MOST, MOST), (MOST + 1, 0), (5000, 0)):
        model = _with(release.models[0], count)
        found = units(release, model)[Bucket.A]
        assert len(found.units) == squares
        assert found.wide * WIDE >= squares
        assert found.narrow * NARROW >= squares
        assert (found.bar is None) is (count <= MOST)
        board = release.board.model_copy(update={"models": (model,)})
        shown = replace(release, board=board)
        page = next(one for one in pages_of_models(shown) if one.template == "model.html")
        ((_, text),) = render(shown, [page], site_source() / "site_src" / "templates", NOWHERE)
        card = next(
            one for one in reading.read(reading.body(text)).all("figure") if one.attrs["id"] == "card"
        )
        assert bool(card.all("path", "ib-clear")) is (count > MOST)
        assert len(card.all("a")) < 2 * MOST + 20


def test_a_gate_that_is_mostly_undecided_has_no_squares() -> None:
    """There is a sentence, and no picture that could be read as a result."""
    release = Release(*sample.release(), sample.benchmark(), sample.background())
    model = release.models[0]
    gates = {**model.gates, Bucket.A: sample.gate(due=20, failed_by_judge=2, incomplete=18)}
    found = units(release, model.model_copy(update={"gates": gates}))[Bucket.A]
    assert (found.units, found.strip, found.bar) == ((), None, None)


def test_a_square_without_a_transcript_leads_to_the_evidence() -> None:
    """A release without transcripts has the words of a failure on the page of its check."""
    release = Release(*sample.release(), sample.benchmark(), sample.background())
    hrefs = {
        one.href
        for model in release.models
        for gate in GATE_BUCKETS
        for one in units(release, model)[gate].units
    }
    assert hrefs
    assert all(href.startswith(("models/", "scenarios/")) for href in hrefs)


def test_no_square_is_wider_than_the_rules_for_its_rows(whole: Shown) -> None:
    """The style sheet has a rule for each number of rows that the limit allows."""
    sheet = (site_source() / "site_src" / "assets" / "charts.css").read_text("utf-8")
    for name, most in (("ib-units__", -(-MOST // WIDE)), ("ib-units__small-", -(-MOST // NARROW))):
        assert all(f".{name}{rows} {{" in sheet for rows in range(1, most + 1))
    assert any(_squares(here) for here in whole)


def _squares(here: Here) -> int:
    return sum(len(one.all("a")) for one in here.root.all("div", "ib-units"))
