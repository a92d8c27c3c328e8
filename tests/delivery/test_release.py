from __future__ import annotations

import pytest

from delivery.release.view import Release, consistent
from ib.errors import DataError
from tests.delivery import sample


def findings(release: Release) -> str:
    with pytest.raises(DataError) as caught:
        consistent(release)
    return str(caught.value)


def test_a_consistent_release_passes() -> None:
    """The sample release is consistent."""
    board, evidence = sample.release()
    assert consistent(Release(board, evidence, sample.benchmark())).board is board


def test_every_mismatch_is_listed_at_once() -> None:
    """Missing evidence, evidence of an unknown model, an unsafe slug and an unknown check: all reported."""
    board, evidence = sample.release()
    first = board.models[0]
    strange = first.model_copy(update={"slug": "../up"})
    odd = first.blindspots[0].model_copy(update={"check_id": "IB-A99"})
    other = board.models[1].model_copy(update={"blindspots": (odd,)})
    broken = board.model_copy(update={"models": (strange, other, board.models[2])})
    said = findings(Release(broken, evidence, sample.benchmark()))
    for expected in ("'../up'", "no evidence file", "the leaderboard has no such model", "unknown 'IB-A99'"):
        assert expected in said


@pytest.mark.parametrize("slug", ["index", "", "a/b", "A", "a b", "é", ".x"])
def test_a_slug_is_safe_in_a_path_and_a_link(slug: str) -> None:
    """A slug that is another page, a path, or not a valid address is refused."""
    board, evidence = sample.release()
    renamed = board.models[0].model_copy(update={"slug": slug})
    broken = board.model_copy(update={"models": (renamed, *board.models[1:])})
    assert repr(slug) in findings(Release(broken, evidence, sample.benchmark()))


@pytest.mark.parametrize("letters", ["", "P", "P" * 54])
def test_a_conversation_has_a_letter_for_each_check(letters: str) -> None:
    """Otherwise the comparison of two models would silently leave checks out."""
    board, evidence = sample.release()
    first = board.models[0]
    met = first.scenarios[0].model_copy(update={"verdicts": letters})
    changed = first.model_copy(update={"scenarios": (met, *first.scenarios[1:])})
    broken = board.model_copy(update={"models": (changed, *board.models[1:])})
    said = findings(Release(broken, evidence, sample.benchmark()))
    assert f"scenarios.verdicts: {len(letters)} letters; {len(board.checks)}, one for each check" in said


def test_evidence_belongs_to_its_model() -> None:
    """An evidence file with the id of another model is refused."""
    board, evidence = sample.release()
    swapped = {**evidence, "alder": evidence["birch"], "birch": evidence["alder"]}
    assert "model_id" in findings(Release(board, swapped, sample.benchmark()))


def test_a_slug_is_used_once() -> None:
    """Two scenarios with one slug are refused, because their pages would overwrite each other."""
    board, evidence = sample.release()
    first, second = board.scenarios
    twin = second.model_copy(update={"slug": first.slug})
    broken = board.model_copy(update={"scenarios": (first, twin)})
    said = findings(Release(broken, evidence, sample.benchmark()))
    assert said == (
        f"leaderboard.json: scenarios.slug: {first.slug!r}; "
        "lower-case letters, digits, dots, hyphens and underscores, each once"
    )


def test_an_unknown_id_is_reported_with_its_place() -> None:
    """An unknown check or scenario id in a summary, a model or an evidence item is reported."""
    board, evidence = sample.release()
    alder = next(model for model in board.models if model.slug == "alder")
    met = alder.scenarios[0].model_copy(update={"scenario_id": "unheard-of"})
    models = tuple(
        model.model_copy(update={"scenarios": (*model.scenarios, met)}) if model is alder else model
        for model in board.models
    )
    summary = board.checks[0].model_copy(update={"check_id": "IB-A99"})
    (item, *_) = evidence["birch"].items
    strange = item.model_copy(update={"check_id": "IB-A98", "scenario_id": "elsewhere"})
    told = evidence["birch"].model_copy(update={"items": (item, strange)})
    broken = board.model_copy(update={"models": models, "checks": (*board.checks[:-1], summary)})
    said = findings(Release(broken, {**evidence, "birch": told}, sample.benchmark())).splitlines()
    assert [line.partition(";")[0] for line in said] == [
        "leaderboard.json: checks: unknown 'IB-A99'",
        "leaderboard.json: alder.scenarios: unknown 'unheard-of'",
        "evidence/birch.json: items.check_id: unknown 'IB-A98'",
        "evidence/birch.json: items.scenario_id: unknown 'elsewhere'",
    ]


def test_evidence_is_found_by_check_and_by_scenario() -> None:
    """Items are sorted by check, scenario and epoch, for any order in the file, and no item is lost."""
    board, evidence = sample.release()
    release = Release(board, evidence, sample.benchmark())
    for model in release.models:
        items = evidence[model.slug].items
        by_check = release.items(model)
        assert sorted(str(i) for found in by_check.values() for i in found) == sorted(map(str, items))
        for check_id, found in by_check.items():
            assert {item.check_id for item in found} == {check_id}
            places = [(item.scenario_id, -1 if item.epoch is None else item.epoch) for item in found]
            assert places == sorted(places)
    told = [item for met in release.on_scenarios().values() for _, _, found in met for item in found]
    assert len(told) == sum(len(one.items) for one in evidence.values())
