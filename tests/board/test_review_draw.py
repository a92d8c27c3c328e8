"""Which verdicts people are asked to review, and with which probability."""

from __future__ import annotations

from collections import Counter

import pytest

from ib.board.review.drawing import drawn, gate_keys, shares
from ib.board.review.items import item, judged_turns
from ib.board.review.population import Case, Pattern, cases_of, pattern_of
from ib.models.common.base import Bucket, Verdict
from ib.models.review.batch import Design, Draw, Purpose
from ib.models.scan.ballot import Window
from ib.models.scan.judge import Phase
from tests.board.world import WORLD, scan_of
from tests.build import check, gate_check, row, transcript

RESULTS = "0" * 64


def sample(n: int, design: Design = Design.STRATIFIED, seed: str = "s") -> Draw:
    return Draw(purpose=Purpose.SAMPLE, design=design, n=n, seed=seed)


def case(name: str, pattern: Pattern, model: str = "lab/a", *, gates: bool = True) -> Case:
    return Case((model, name, None, "IB-A1"), Bucket.A, gates, pattern)


FIELD = [
    *(case(f"fail-{n}", Pattern.UNANIMOUS_FAIL) for n in range(4)),
    *(case(f"pass-{n}", Pattern.UNANIMOUS_PASS) for n in range(40)),
    *(case(f"pass-{n}", Pattern.UNANIMOUS_PASS, "lab/b") for n in range(3)),
    case("split", Pattern.SPLIT_PASS, "lab/b"),
    case("unclear", Pattern.UNCLEAR, "lab/b"),
    case("contested", Pattern.CONTESTED, "lab/b"),
    case("quality", Pattern.UNANIMOUS_FAIL, gates=False),
]


def test_a_row_has_the_pattern_of_its_votes() -> None:
    """Verdict, contest and split give the pattern; a plain NOT_APPLICABLE has none."""
    item_ = gate_check()
    said = {
        Pattern.UNANIMOUS_PASS: row(item_, Verdict.PASS),
        Pattern.SPLIT_PASS: row(item_, Verdict.PASS, split=True),
        Pattern.UNANIMOUS_FAIL: row(item_, Verdict.FAIL),
        Pattern.SPLIT_FAIL: row(item_, Verdict.FAIL, split=True, confidence=0.6),
        Pattern.CONTESTED: row(item_, Verdict.FAIL, split=True, confidence=0.4),
        Pattern.UNCLEAR: row(item_, Verdict.UNCLEAR),
        Pattern.SPLIT_NOT_APPLICABLE: row(item_, Verdict.NOT_APPLICABLE, split=True),
        None: row(item_, Verdict.NOT_APPLICABLE),
    }
    assert {pattern: pattern_of(found) for pattern, found in said.items()} == {p: p for p in said}


def test_the_gate_takes_all_that_is_open_and_as_many_passes_over_all_models_alike() -> None:
    """Every open gate verdict is in the batch, and as many PASSes, over all models alike."""
    opened, passes = gate_keys(FIELD, RESULTS)
    assert {key[1] for key in opened} == {*(f"fail-{n}" for n in range(4)), "split", "unclear", "contested"}
    assert len(passes) == len(opened) == 7
    assert Counter(key[0] for key in passes) == {"lab/a": 4, "lab/b": 3}


def test_a_scan_without_an_open_verdict_still_has_passes_read() -> None:
    """Without a FAIL, one PASS of each model is read, so that reviews can raise a rate."""
    opened, passes = gate_keys([one for one in FIELD if not one.is_open], RESULTS)
    assert not opened
    assert {key[0] for key in passes} == {"lab/a", "lab/b"}


@pytest.mark.parametrize(
    ("sizes", "n", "want"),
    [
        ({"a": 10, "b": 10}, 6, {"a": 3, "b": 3}),
        ({"a": 1, "b": 10, "c": 10}, 8, {"a": 1, "b": 4, "c": 3}),
        ({"a": 2, "b": 1}, 9, {"a": 2, "b": 1}),
        ({}, 5, {}),
    ],
)
def test_a_number_is_divided_as_equally_as_sizes_allow(
    sizes: dict[str, int], n: int, want: dict[str, int]
) -> None:
    """What a small stratum cannot give, the others give."""
    assert shares(sizes, n) == want


def test_the_draw_depends_on_neither_order_nor_luck() -> None:
    """The same cases in another order give the same batch, and another seed gives another."""
    one = drawn(FIELD, sample(20), RESULTS)
    assert drawn(FIELD[::-1], sample(20), RESULTS) == one
    assert drawn(FIELD, sample(20, seed="other"), RESULTS).keys != one.keys
    assert drawn(FIELD, sample(20), "1" * 64).keys != one.keys


def test_each_case_is_drawn_with_the_probability_that_is_stated() -> None:
    """Over 2,000 seeds, each case is drawn about as often as its probability says."""
    often: Counter[str] = Counter()
    for seed in range(2000):
        often.update(key[1] for key in drawn(FIELD[:14], sample(5, seed=str(seed)), RESULTS).keys)
    stated = drawn(FIELD[:14], sample(5), RESULTS)
    assert {name: one.drawn for name, one in stated.strata.items()} == {
        "A/unanimous_fail": 3,
        "A/unanimous_pass": 2,
    }
    for key, pattern in ((one.key, one.stratum) for one in FIELD[:14]):
        expected = stated.strata[pattern].probability * 2000
        assert abs(often[key[1]] - expected) < 90, key


def test_the_order_says_nothing_about_the_stratum() -> None:
    """Passes, of which few are drawn, are not read first: their mean place is that of all items."""
    places: list[int] = []
    for seed in range(300):
        keys = drawn(FIELD, sample(16, seed=str(seed)), RESULTS).keys
        places += [place for place, key in enumerate(keys) if key[1].startswith("pass")]
    assert abs(sum(places) / len(places) - 7.5) < 0.75


def test_an_item_shows_no_more_than_the_judge_saw() -> None:
    """The conversation ends with the last judged turn, judged replies are marked, the model is not named."""
    said = transcript(
        "one", "first", "two", "second", "three", "third", model_id="lab/secret", model="Secret"
    )
    window = Window(kind="turn_level", first=2, last=2, phase=Phase.DECIDE, verdict=Verdict.FAIL, asked=3)
    judged = row(check(), Verdict.FAIL, windows=(window,))
    made = item("0" * 16, check(), said, judged)
    assert [(m.turn, m.role.value, m.judged) for m in made.messages] == [
        (1, "user", False), (1, "assistant", False), (2, "user", False), (2, "assistant", True),
    ]  # fmt: skip
    assert "ecret" not in made.model_dump_json()
    assert "FAIL" not in str(made.messages)
    assert judged_turns(row(check(), Verdict.PASS), said) == {1, 2, 3}


def test_every_verdict_of_a_scan_is_a_case_once() -> None:
    """The population is the rows with a verdict that is not NOT_APPLICABLE."""
    _, results = scan_of()
    cases = [one for result in results for one in cases_of(result)]
    assert len({one.key for one in cases}) == len(cases) == len(results) * len(WORLD.checks)
