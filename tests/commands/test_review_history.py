"""Models leave and join releases whose verdicts people decided, by commands alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.common.canonical import pretty
from ib.models.review.batch import Design
from ib.pipeline.review.apply import apply_reviews
from ib.pipeline.review.draw import draw_batch
from tests.commands.test_history import actions, models, place, publish, scanned
from tests.commands.test_review import answers
from tests.pipeline.verifying import edit, reseal

Call = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.gate
__all__ = ["place", "publish", "scanned"]
RELEASE = "data/leaderboard"
GONE = ("--withdraw", "v/b", "--reason", "Retired by its maker.")


@pytest.fixture
def reviewed(place: Path) -> str:
    """The scan of two models, with 40 verdicts of which a reader says fail."""
    scan, out = place / "results" / "both", place / "results" / "reviewed"
    batch = json.loads(pretty(draw_batch(scan, n=40, design=Design.UNIFORM).batch))
    apply_reviews(scan, [answers(batch, place / "answers.json")], out)
    return str(out)


def board(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / RELEASE / "leaderboard.json").read_bytes())
    return found


def of(model: str, found: dict[str, Any]) -> list[Any]:
    """What a release says of a model: corrected rates, reversals, gates."""
    reviews = found["reviews"]
    (gates,) = (one["gates"] for one in found["models"] if one["model_id"] == model)
    rates = [one for one in reviews["corrected"]["rates"] if one["model_id"] == model]
    return [rates, [one for one in reviews["reversals"] if one["model_id"] == model], gates]


def test_a_model_leaves_a_reviewed_release(ib: Call, publish: Call, reviewed: str, place: Path) -> None:
    """The others keep decided verdicts and corrected rates; the release verifies, and an edit is found."""
    assert publish(reviewed)[0] == 0
    before = board(place)
    code, _, err = publish(*GONE, day="2026-11-24")
    assert code == 0, err
    after = board(place)
    assert models(place) == ["v/a"]
    assert of("v/a", after) == of("v/a", before)
    assert actions(place)[-1] == ("withdrawn", "v/b")
    code, out, _ = ib("verify", RELEASE)
    assert (code, "how many verdicts of models that are not here people were asked about" in out) == (0, True)

    def fewer(found: dict[str, Any]) -> None:
        (draw,) = found["reviews"]["earlier"]
        draw["strata"][0]["kept"] -= 1

    edit(place / RELEASE, "leaderboard.json", fewer)
    reseal(place / RELEASE)
    code, out, _ = ib("verify", RELEASE)
    assert (code, "reviews_are_of_their_draws" in out) == (1, True), out


def test_a_model_joins_a_reviewed_release_and_another_stays_away(
    ib: Call, publish: Call, reviewed: str, place: Path
) -> None:
    """Rates of all models are withheld with a reason; a model that left does not come back with its scan."""
    assert publish(reviewed)[0] == 0
    before = board(place)
    assert publish(*GONE, day="2026-11-24")[0] == 0
    code, _, err = publish(reviewed, "--add", "results/third", *GONE, day="2026-11-25")
    assert code == 0, err
    assert models(place) == ["v/a", "v/c"]
    after = board(place)
    assert of("v/a", after) == of("v/a", before)
    rates = after["reviews"]["corrected"]["rates"]
    reasons = {one["reason"] for one in rates if one["model_id"] is None}
    assert reasons == {"the sample was drawn from 1 of 2 models"}
    assert ib("verify", RELEASE)[0] == 0
    assert ib("site", "build", "--release", RELEASE, "--releases", "data/releases", "--out", "site")[0] == 0
