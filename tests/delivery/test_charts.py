"""Charts: where the marks are, which step a cell has, and what a line says."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from delivery.figures.heat import STEPS, heatmap, step
from delivery.figures.lines import difference_line, either_line, gap, gate_line, p_value, points, rate_line
from delivery.figures.profile import profile
from delivery.figures.slopes import _Play, slopes
from delivery.figures.strips import Strip, gate_strip, rate_strip
from delivery.release.view import Release
from delivery.words.counts import failed
from ib.models.common.base import Bucket
from ib.models.release.comparisons import PairedDifference
from ib.models.scan.gates import GateScore, GateState
from tests.delivery import sample

RELEASE = Release(*sample.release(), sample.benchmark(), sample.background())


def test_a_strip_has_the_rate_and_its_interval() -> None:
    """Positions are thousandths of the axis; a rate of too few cases has none."""
    strip = rate_strip(sample.rate(8, 40), median=0.5)
    assert strip is not None
    assert (strip.at, strip.low, strip.high, strip.median) == (200, 105, 348, 500)
    assert (strip.down_to, strip.up_to) == (None, None)
    assert rate_strip(sample.rate(2, 4)) is None


def test_the_rate_of_one_model_alone_is_no_median() -> None:
    """A check has the tick of the median only if at least two models have enough cases for a rate."""
    board = RELEASE.board
    sides = [board.models[0], board.models[0].model_copy(update={"slug": "twin"})]
    for models, marked in ((sides, True), (sides[:1], False)):
        checks = tuple(found.model_copy(update={"median": 0.25}) for found in board.checks)
        shown = board.model_copy(update={"models": tuple(models), "checks": checks})
        strips = [row.strip for row in profile(replace(RELEASE, board=shown), models[0]) if row.strip]
        assert strips
        assert [strip.median is not None for strip in strips] == [marked] * len(strips)


def test_a_strip_reaches_as_far_as_undecided_cases_allow() -> None:
    """8 of 8 with 8 undecided may be as few as 8 of 16; a few undecided do not leave the interval."""
    strip = rate_strip(sample.rate(8, 8), undecided=8)
    assert strip is not None
    assert (strip.at, strip.down_to, strip.up_to) == (1000, 500, None)
    strip = rate_strip(sample.rate(0, 8), undecided=8)
    assert strip is not None
    assert (strip.down_to, strip.up_to) == (None, 500)
    strip = rate_strip(sample.rate(4, 8), undecided=1)
    assert strip is not None
    assert (strip.down_to, strip.up_to) == (None, None)


def test_a_rate_of_fewer_than_half_of_the_due_cases_is_a_range() -> None:
    """18 of 18 with 45 undecided has no dot, no median and no share of its own: only the range."""
    strip = rate_strip(sample.rate(18, 18), median=1.0, undecided=45)
    assert strip == Strip(None, 286, 286, up_to=1000)
    model = RELEASE.models[0]
    every = [
        one.model_copy(update={"failures": sample.rate(18, 18), "not_run": 45}) for one in model.blindspots
    ]
    model = model.model_copy(update={"blindspots": tuple(every)})
    release = replace(RELEASE, board=RELEASE.board.model_copy(update={"models": (model,)}))
    told = {failed(entry) for entry in model.blindspots if not entry.no_phrase_found}
    assert told == {"29 to 100%, depending on 45 undecided; 18 of 18 decided"}
    assert {either_line(entry) for entry in model.blindspots} == {""}
    cells = [row.cells[0] for _, _, rows in heatmap(release) for row in rows]
    assert {cell.text.removesuffix("*") for cell in cells if cell.href} == {"18/18"}
    assert all("few" in cell.css for cell in cells if cell.href)
    assert not any("%" in cell.label for cell in cells)
    assert rate_line(sample.rate(6, 6, unclear=7)).startswith("46 to 100%, depending on 7 undecided")
    assert gate_strip(sample.gate(due=40, failed_by_judge=4, incomplete=30)) is None


def test_a_gate_shows_what_is_contested_and_undecided() -> None:
    """The ring has the contested hard fails; the dotted line reaches as far as the undecided allow."""
    found = gate_strip(sample.gate(due=40, failed_by_judge=4, contested=2, incomplete=2))
    assert found is not None
    assert (found.at, found.contested) == (100, 150)
    assert found.up_to is not None
    assert found.up_to > found.high
    plain = gate_strip(sample.gate(due=40, failed_by_judge=4))
    assert plain is not None
    assert (plain.contested, plain.up_to) == (None, None)
    assert gate_strip(sample.gate(due=63, incomplete=63)) is None
    assert gate_strip(sample.gate(due=0)) is gate_strip(sample.gate(due=4, failed_by_judge=1)) is None


def test_steps_of_the_heatmap() -> None:
    """Exactly 0 has a step of its own; each limit belongs to the step below it."""
    assert [step(rate) for rate in (0, 0.001, 0.2, 0.2001, 0.4, 0.6, 0.61, 0.8, 0.81, 1)] == [
        *(0, 1, 1, 2, 2, 3, 4, 4, 5, 5)
    ]
    assert len(STEPS) == 6


def test_cells_of_the_heatmap() -> None:
    """A percentage, a count of few cases, a star for phrases, a corner for a hard fail, marks for no rate."""
    rows = {row.check.id: row for _, _, rows in heatmap(RELEASE) for row in rows}
    cells = [rows[check_id].cells[0] for check_id in RELEASE.benchmark.checks]
    assert [cell.text for cell in cells[:5]] == ["1/2", "0", "8*", "?", "17"]
    assert cells[0].css == "h3 few gate"
    assert cells[1].css == "h0"
    assert cells[4].css == "h1 gate"
    assert cells[4].label.startswith("17%: 2 of 12, ")
    assert (cells[3].css, cells[3].href) == ("none", None)
    assert cells[3].label.startswith("? no clear answer: ")
    not_due = [cell for cell in cells if cell.text == "·"]
    assert not_due
    assert all(cell.label.startswith(("· not due: ", "· not applicable: ")) for cell in not_due)


def test_a_cell_without_a_rate_says_why_and_leads_to_evidence() -> None:
    """Not applicable is not “not due”; a cell without a clear answer is a link if it has evidence."""
    model = RELEASE.models[0]
    quoted = {check_id for check_id, items in RELEASE.items(model).items() if items}
    for not_applicable, unclear, said in ((4, 0, "· not applicable: "), (0, 0, "· not due: "), (4, 2, "? ")):
        change = {"failures": sample.rate(0, 0, unclear), "not_applicable": not_applicable, "not_run": 0}
        every = tuple(one.model_copy(update=change) for one in model.blindspots)
        board = RELEASE.board.model_copy(update={"models": (model.model_copy(update={"blindspots": every}),)})
        rows = [row for _, _, rows in heatmap(replace(RELEASE, board=board)) for row in rows]
        known = [row for row in rows if row.check.id in {one.check_id for one in every}]
        assert all(row.cells[0].label.startswith(said) for row in known)
        assert {row.check.id for row in known if row.cells[0].href} == quoted


def test_a_check_of_phrases_has_its_star_at_every_rate() -> None:
    """The star is that of the check: a model with a phrase in every case has no pass that tells."""
    model, rate = RELEASE.models[0], sample.rate(8, 8)
    change = {"failures": rate, "no_phrase_found": 0, "not_run": 0}
    every = tuple(one.model_copy(update=change) for one in model.blindspots)
    checks = tuple(one.model_copy(update={"no_phrase_found": 1}) for one in RELEASE.board.checks)
    models = (model.model_copy(update={"blindspots": every}),)
    board = RELEASE.board.model_copy(update={"models": models, "checks": checks})
    rows = [row for _, _, rows in heatmap(replace(RELEASE, board=board)) for row in rows]
    told = {one.check_id for one in checks} & {one.check_id for one in every}
    assert {row.cells[0].text for row in rows if row.check.id in told} == {"100*"}


def test_the_profile_begins_with_the_gravest_failures() -> None:
    """By severity, then by rate; checks without a failure are not listed."""
    found = profile(RELEASE, RELEASE.models[0])
    graves = ("critical", "very serious (S4, gate)", "very serious (S4)", "serious", "moderate", "slight")
    places = [next(at for at, name in enumerate(graves) if one.severity.startswith(name)) for one in found]
    assert places == sorted(places)
    for before, after in pairwise(found):
        if before.severity == after.severity:
            assert (before.entry.failures.rate or 0) >= (after.entry.failures.rate or 0)
    assert all(one.entry.failures.k for one in found)


def test_slopes_join_the_plays_of_both_scenarios() -> None:
    """A line goes from the level of the original to that of the variant; a moved line is marked."""
    board = RELEASE.board
    first, second = (one.scenario_id for one in board.scenarios)
    states = [(GateState.FAILED_BY_JUDGE, GateState.CLEAR), (GateState.CLEAR, GateState.CLEAR)]
    states.append((GateState.FAILED_BY_JUDGE, GateState.FAILED_BY_JUDGE))
    models = []
    for model, pair in zip(RELEASE.models, states, strict=True):
        met = [
            one.model_copy(
                update={
                    "epoch": None,
                    "gates": {
                        Bucket.A: GateScore.model_validate({"state": state, **_listed(state)}),
                        Bucket.B: GateScore(state=GateState.NOT_DUE),
                    },
                }
            )
            for one, state in zip(model.scenarios, pair, strict=True)
        ]
        models.append(model.model_copy(update={"scenarios": tuple(met)}))
    release = Release(board.model_copy(update={"models": tuple(models)}), {}, RELEASE.benchmark)
    found = slopes(release, first, second)
    assert [(level.name, level.left, level.right) for level in found.levels] == [
        ("clear", 1, 2),
        ("hard fail by the judge", 2, 1),
    ]
    assert [(line.moved, line.undecided) for line in found.lines] == [
        (True, False),
        (False, False),
        (False, False),
    ]
    ends = {(line.start.y, line.end.y) for line in found.lines}
    assert len(ends) == 3
    assert max(max(pair) for pair in ends) < found.height


@pytest.mark.parametrize(
    ("states", "moved", "undecided"),
    [
        ((GateState.FAILED_BY_JUDGE, GateState.CLEAR), True, False),
        ((GateState.CLEAR, GateState.FAILED_BY_JUDGE), True, False),
        ((GateState.FAILED_BY_JUDGE, GateState.INCOMPLETE), False, True),
        ((GateState.CONTESTED, GateState.CONTESTED), False, True),
        ((GateState.FAILED_BY_JUDGE, GateState.NOT_DUE), False, False),
    ],
)
def test_only_two_clear_answers_are_a_change(
    states: tuple[GateState, GateState], moved: bool, undecided: bool
) -> None:
    """A gate without a clear answer on one side shows no change, and its line is dotted."""
    play = _Play(RELEASE.models[0], None, ("a", "b"), states)
    assert (play.moved, play.undecided) == (moved, undecided)


def test_a_cell_with_many_undecided_cases_is_marked() -> None:
    """The bar stands where fewer than 80% of the cases due are decided, and the label counts the rest."""
    model, check_id = RELEASE.models[0], next(iter(RELEASE.benchmark.checks))
    for undecided, marked in ((0, False), (2, False), (3, True)):
        rate = sample.rate(2, 8, undecided)
        entries = [
            entry.model_copy(update={"failures": rate, "not_run": 0}) if entry.check_id == check_id else entry
            for entry in model.blindspots
        ]
        changed = model.model_copy(update={"blindspots": tuple(entries)})
        board = RELEASE.board.model_copy(update={"models": (changed, *RELEASE.board.models[1:])})
        (found,) = [
            row.cells[0]
            for _, _, rows in heatmap(Release(board, RELEASE.evidence, RELEASE.benchmark))
            for row in rows
            if row.check.id == check_id
        ]
        assert ("open" in found.css.split()) is marked
        assert (f"2 of 8, {undecided} undecided, " in found.label) is bool(undecided)


def _listed(state: GateState) -> dict[str, tuple[str, ...]]:
    return {"failed_by_judge": ("IB-A1",)} if state is GateState.FAILED_BY_JUDGE else {}


def test_lines_say_the_numbers() -> None:
    """k of n, a percentage and an interval; only the count if there are too few cases."""
    assert rate_line(sample.rate(7, 31)) == "7 of 31 · 23% (95% interval 11 to 40%)"
    assert rate_line(sample.rate(1, 3)) == "1 of 3 · too few cases to compare"
    assert (rate_line(sample.rate(0, 0)), rate_line(sample.rate(0, 0, 2))) == ("not due", "no clear answer")
    assert gate_line(sample.gate(due=40, failed_by_judge=4)) == "4 of 40 · 10% (95% interval 4 to 23%)"
    assert gate_line(sample.gate(due=0)) == "not due"
    open_ = sample.gate(due=63, incomplete=63)
    assert gate_line(open_) == "not measurable here; 63 of 63 conversations lack an answer"
    partly = sample.gate(due=40, failed_by_judge=3, contested=2, incomplete=5)
    assert gate_line(partly) == "3 of 40 · 95% interval 3 to 40%"


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        *((0.0009, "p < 0.001"), (0.001, "p = 0.001"), (1.0, "p = 1.000")),
        *((0.0494, "p = 0.049"), (0.04998, "p = 0.0499"), (0.05, "p = 0.050"), (0.0503, "p = 0.050")),
    ],
)
def test_p_values(p: float, shown: str) -> None:
    """Three decimals, a fourth where three would cross the limit of 0.05, and only a bound below 0.001."""
    assert p_value(p) == shown


def test_differences_are_in_points() -> None:
    """With a sign, in the order of the models, and without an interval if all families are equal."""
    fields = {"both": 0, "only_first": 3, "only_second": 0, "neither": 1, "undecided": 0, "n_families": 4}
    fields |= {"families_first": 3, "families_second": 0, "p": 1, "adjusted": 1, "adjusted_against": 1}
    ends = {"difference": 0.75, "low": -0.0049, "high": 1.0}
    found = PairedDifference.model_validate({**fields, **ends})
    assert difference_line(found, 4) == "+75 points (95% interval 0 to +100 points)"
    assert (gap(found, True, 4), gap(found, False, 4)) == ("+75", "\N{MINUS SIGN}75")
    assert "no shared case" in difference_line(found.model_copy(update={"difference": None}), 4)
    assert (difference_line(found, 5), gap(found, True, 5)) == ("too few cases to compare", "–")
    assert (points(0.01), points(-0.014)) == ("+1 point", "\N{MINUS SIGN}1 point")
    assert (points(0.125), points(-0.125)) == ("+13 points", "\N{MINUS SIGN}13 points")
