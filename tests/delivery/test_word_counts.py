"""How many words a page has before a reader opens anything: a page that says everything says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from delivery.build.render import render
from delivery.pages import models
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from tests.delivery import reading, released, sample

ROOT = Path(__file__).resolve().parents[2]
MOST = 700
"""The most words of the page of a model."""


def words_of_models(release: Release) -> dict[str, int]:
    """The number of words on the page of each model."""
    wanted = (page for page in models.pages(release) if page.template == "model.html")
    made = render(release, wanted, site_source() / "site_src" / "templates", NOWHERE)
    return {path: len(reading.unfolded(reading.read(reading.body(text)))) for path, text in made}


def test_words_in_a_closed_fold_are_not_seen() -> None:
    """Its summary is seen, an open fold is seen, and what no reader sees does not count."""
    html = (
        "<div>one <details><summary>two</summary>no <p>no</p></details>"
        '<details open="">three</details><span class="ib-hidden">no</span></div>'
    )
    assert reading.unfolded(reading.read(html)) == ["one", "two", "three"]


@pytest.mark.gate
def test_the_page_of_a_model_has_few_words() -> None:
    """Of the demonstration and of the sample: at most 700 words unfolded, and not empty."""
    demonstration = released.opened(ROOT / "data" / "leaderboard", ROOT / "benchmark")
    told = Release(*sample.release(), sample.benchmark(), sample.background(), sample.transcripts())
    for release in (demonstration, told):
        counts = words_of_models(release)
        assert len(counts) == len(release.models)
        assert {path: count for path, count in counts.items() if not 150 < count <= MOST} == {}


@pytest.mark.parametrize("slug", sample.IDS)
def test_the_example_of_a_model_needs_no_warning(slug: str, projected: dict[str, str]) -> None:
    """The words on the page of a model are of no gate check and of no check of severity S5."""
    tree = reading.read(reading.body(projected[f"models/{slug}.md"]))
    for section in (one for one in tree.all("section") if one.all("blockquote")):
        (check,) = {a.attrs["href"].split("/")[-2] for a in section.all("a") if "/IB-" in a.attrs["href"]}
        found = sample.benchmark().checks[check]
        assert found.gate is None
        assert found.severity != "S5"
        assert "data-search-exclude" in section.attrs
