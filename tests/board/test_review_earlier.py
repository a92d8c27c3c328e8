"""Reviews when models leave a scan or join it: what was drawn is found again, and rates stay right."""

from __future__ import annotations

import pytest

from ib.board.review.drawing import dispute_draw, gate_draw, passes_of
from ib.board.review.earlier import asked, check_of_dispute, contradictions, drawn_earlier, kept_further
from ib.board.review.population import Case
from ib.board.review.standing import Reviewed
from ib.board.review.summary import summary
from ib.models.common.base import Bucket
from ib.models.review.batch import Design, Draw, Purpose
from ib.models.review.reviews import EarlierDraw, KeptStratum
from tests.board.test_review_decide import EVERY, MACHINE, SAID, drawn_reviews, reviewed
from tests.board.test_review_draw import FIELD
from tests.board.world import MODELS
from tests.build import FAIL, PASS, scoring

HASH = "5" * 64
NOW = "7" * 64
"""The hash of the results of the scan with fewer models."""
FIELD_MODELS = sorted({case.key[0] for case in FIELD})
DRAWS = [
    gate_draw(HASH),
    dispute_draw(FIELD[0].key, HASH),
    dispute_draw(FIELD[-1].key, HASH),
    *(
        Draw(purpose=Purpose.SAMPLE, design=design, n=n, seed=seed)
        for design in Design
        for n in (12, 30)
        for seed in ("one", "two")
    ),
]


def of_models(cases: list[Case], models: set[str]) -> list[Case]:
    return [case for case in cases if case.key[0] in models]


def earlier(draw: Draw, models: set[str]) -> EarlierDraw:
    of = asked(list(FIELD), draw, HASH)
    return drawn_earlier(HASH, of, check_of_dispute(draw, FIELD, HASH), models)


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: f"{draw.purpose}-{draw.design}-{draw.n}")
def test_what_was_drawn_is_found_among_the_models_that_stay(draw: Draw) -> None:
    """The same rows of the models that stay, model after model, and the numbers fit what is left."""
    assert len(FIELD_MODELS) > 1
    every = asked(list(FIELD), draw, HASH).keys
    stay = set(FIELD_MODELS)
    made = earlier(draw, stay)
    while stay:
        found = asked(of_models(list(FIELD), stay), draw, NOW, made)
        assert found.keys == {key for key in every if key[0] in stay}
        assert list(contradictions(made, found)) == []
        assert made == earlier(draw, stay), "leaving one by one is leaving together"
        stay.pop()
        made = kept_further(made, found, stay)


@pytest.mark.parametrize(
    ("stratum", "key", "more"),
    [
        ("open", "drawn", -1),
        ("open", "population", 1),
        (passes_of(FIELD_MODELS[0]), "population", 1),
        (passes_of(FIELD_MODELS[0]), "drawn", 1),
        (passes_of(FIELD_MODELS[0]), "kept", -1),
        (passes_of(FIELD_MODELS[1]), "drawn", 1),
    ],
)
def test_numbers_that_do_not_fit_are_named(stratum: str, key: str, more: int) -> None:
    """An edited number of a stratum contradicts the draw, or the verdicts that are left of it."""
    made = earlier(gate_draw(HASH), {FIELD_MODELS[0]})
    here = of_models(list(FIELD), {FIELD_MODELS[0]})
    strata = tuple(
        one.model_copy(update={key: getattr(one, key) + more}) if one.name == stratum else one
        for one in made.strata
    )
    edits = ({"strata": strata}, {"strata": made.strata[1:]}, {"whole": True})
    for edited in (made.model_copy(update=changes) for changes in edits):
        assert list(contradictions(edited, asked(here, made.draw, NOW, edited))), edited


def divided(whole: Reviewed, models: set[str]) -> Reviewed:
    """The scan of some models, with what people said of them."""
    drawn_from = {(one.batch, one.draw): whole.asked(one.batch, one.draw, HASH) for one in whole.every}
    draws = tuple(drawn_earlier(batch, of, None, models) for (batch, _), of in drawn_from.items())
    mine = tuple(one for one in whole.every if one.model_id in models)
    made = Reviewed(mine, scoring(), earlier=draws)
    for result in MACHINE:
        if result.model_id in models:
            made.decide(result, SAID[result.model_id, result.scenario_id])
    return made


@pytest.mark.parametrize("model", MODELS)
def test_what_the_gate_asks_is_settled_by_the_reviews_of_the_models_that_stay(model: str) -> None:
    """A scan whose reviews settle the gate does so without a model; a review that is missing is missed."""
    whole = reviewed()
    for result in MACHINE:
        whole.decide(result, SAID[result.model_id, result.scenario_id])
    left = divided(whole, {model})
    standing = left.standing(NOW)
    assert (standing.problems, standing.undecided, standing.unread) == ((), (), ())
    assert standing.passes == sum(case.key in left.reviews and not case.is_open for case in left.cases) > 0
    fewer = Reviewed(left.every[1:], scoring(), earlier=left.earlier)
    fewer.cases, fewer.families = left.cases, left.families
    assert fewer.standing(NOW).problems


def test_a_corrected_rate_of_a_model_is_the_same_without_the_others() -> None:
    """Strata are cut by model, so rate, interval and counts of a model do not depend on who else is there."""
    whole = drawn_reviews(EVERY, lambda case: FAIL if case.bucket == "A" else PASS)
    before = summary(whole, HASH).corrected
    assert before is not None
    for model in MODELS:
        after = summary(divided(whole, {model}), NOW).corrected
        assert after is not None
        mine = [one for one in after.rates if one.model_id == model]
        assert mine == [one for one in before.rates if one.model_id == model] != []
        everybody = {one.bucket: one for one in after.rates if (one.model_id, one.check_id) == (None, None)}
        assert [one.model_copy(update={"model_id": model}) for one in everybody.values()] == mine


def test_rates_of_all_models_are_withheld_if_some_were_not_drawn_from() -> None:
    """After another model joined, a sample of the first says nothing of all models, and gives that reason."""
    whole = drawn_reviews(EVERY, lambda case: FAIL if case.bucket == "A" else PASS)
    joined = divided(whole, {MODELS[0]})
    for result in MACHINE:
        if result.model_id == MODELS[1]:
            joined.decide(result, SAID[result.model_id, result.scenario_id])
    rates = summary(joined, NOW).corrected
    assert rates is not None
    reason = "the sample was drawn from 1 of 2 models"
    assert {one.reason for one in rates.rates if one.model_id is None} == {reason}
    assert {one.model_id for one in rates.rates if one.reason != reason} == {MODELS[0]}
    assert any(one.bucket is Bucket.A for one in rates.rates)


def test_a_stratum_keeps_at_most_what_was_drawn() -> None:
    """Numbers that cannot be are refused when a file is read."""
    with pytest.raises(ValueError, match="at most"):
        KeptStratum(name="A/unclear", population=3, drawn=2, kept=3)
