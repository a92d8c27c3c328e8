from __future__ import annotations

import pytest

from delivery.release import Release, consistent
from ib.errors import DataError
from tests.delivery import sample


def findings(release: Release) -> str:
    with pytest.raises(DataError) as caught:
        consistent(release)
    return str(caught.value)


def test_a_consistent_release_passes() -> None:
    """The sample fits together."""
    board, evidence = sample.release()
    assert consistent(Release(board, evidence, sample.benchmark())).board is board


def test_every_mismatch_is_listed_at_once() -> None:
    """Missing evidence, evidence of nobody, an unsafe slug and a foreign check are reported together."""
    board, evidence = sample.release()
    first = board.models[0]
    strange = first.model_copy(update={"slug": "../up"})
    odd = first.blindspots[0].model_copy(update={"check_id": "IB-A99"})
    other = board.models[1].model_copy(update={"blindspots": (odd,)})
    broken = board.model_copy(update={"models": (strange, other, board.models[2])})
    said = findings(Release(broken, evidence, sample.benchmark()))
    for expected in ("'../up'", "no evidence file", "evidence of no model", "unknown 'IB-A99'"):
        assert expected in said


@pytest.mark.parametrize("slug", ["index", "", "a/b", "A", "a b", "é", ".x"])
def test_a_slug_is_safe_in_a_path_and_a_link(slug: str) -> None:
    """A model is not published under a name that is another page, a path, or no address."""
    board, evidence = sample.release()
    renamed = board.models[0].model_copy(update={"slug": slug})
    broken = board.model_copy(update={"models": (renamed, *board.models[1:])})
    assert repr(slug) in findings(Release(broken, evidence, sample.benchmark()))


def test_evidence_belongs_to_its_model() -> None:
    """A file whose model is another than its name says is refused."""
    board, evidence = sample.release()
    swapped = {**evidence, "alder": evidence["birch"], "birch": evidence["alder"]}
    assert "model_id" in findings(Release(board, swapped, sample.benchmark()))
