"""The page of a model on real data says what it says in few words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.delivery import released
from tests.delivery.test_word_counts import MOST, words_of_models
from tests.real.conftest import ROOT

pytestmark = pytest.mark.real


def test_the_page_of_a_real_model_has_few_words(release: Path) -> None:
    """At most 700 words unfolded, with an older wording, contested verdicts and an unmeasured gate."""
    counts = words_of_models(released.opened(release, ROOT / "benchmark"))
    assert len(counts) == 2
    assert {path: count for path, count in counts.items() if not 150 < count <= MOST} == {}
