"""The pages of the history: texts of models stay text, ids are unique, and older addresses lead on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from delivery.build.render import render
from delivery.pages import releases
from delivery.release.history import History, refuse_keys
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from ib.board.evidence.leaks import LeakSearch
from ib.board.history.ledger import Entry, Ledger, lines_of
from ib.board.history.told import Told
from ib.errors import Refused
from ib.models.common.base import Stage
from ib.models.common.canonical import compact
from ib.models.release.ledger import ScanSource
from ib.store.files.leaks import load_leak_forms
from ib.store.folders.ledger import told
from tests.delivery import sample

IDS = ("2026-11-22-00000001", "2026-11-23-00000002")
SOURCE = ScanSource(plan_hash="1" * 64, manifest_hash="2" * 64)
REASON = "<script>alert(1)</script> Retired."


def without(found: Told, slug: str) -> Told:
    """The release without a model."""
    models = [model for model in found.board["models"] if model["slug"] != slug]
    board = compact({**found.board, "models": models})
    kept = {name: data for name, data in found.files.items() if f"/{slug}." not in name}
    return Told({**kept, "leaderboard.json": board})


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """The sample with its hostile model, then a release from which this model was withdrawn."""
    whole = told(sample.write(tmp_path_factory.mktemp("history") / "release"))
    ledger, before = Ledger(), Told({})
    made = (whole, without(whole, "hostile"))
    for number, (name, one) in enumerate(zip(IDS, made, strict=True)):
        entry = Entry(
            name, str(number) * 64, Stage.DEMO, date(2026, 11, 22 + number), one,
            dict.fromkeys(one.rows, SOURCE), reason=REASON,
        )  # fmt: skip
        withdrawn = {sample.IDS["hostile"]: REASON}
        ledger = ledger.with_lines(tuple(lines_of(ledger, before, entry, withdrawn)))
        before = one
    return History(ledger, dict(zip(IDS, made, strict=True)))


@pytest.fixture(scope="module")
def rendered(history: History) -> dict[str, str]:
    return dict(_rendered(history))


def _rendered(history: History) -> Iterator[tuple[str, str]]:
    board, evidence = sample.release()
    board = board.model_copy(update={"models": tuple(m for m in board.models if m.slug != "hostile")})
    release = Release(board, evidence, sample.benchmark(), sample.background(), None, history)
    yield from render(release, releases.pages(release), site_source() / "site_src" / "templates", NOWHERE)


def test_every_release_and_model_has_its_page(rendered: dict[str, str], history: History) -> None:
    """Each release, and each model of it, has a page; a model that left has one at its old addresses."""
    wanted = {f"r/{name}.md" for name in IDS} | {"releases.md", "corrections.md", "models/hostile.md"}
    for name, one in history.releases.items():
        wanted |= {f"r/{name}/models/{row['slug']}.md" for row in one.models.values()}
    checks = {found.check_id for found in history.verdicts(IDS[0], sample.IDS["hostile"])}
    wanted |= {f"models/hostile/{check}.md" for check in checks}
    assert checks
    assert rendered.keys() == wanted


def test_texts_of_models_and_reasons_are_never_markup(rendered: dict[str, str]) -> None:
    """No hostile text stands on a page as it is, and the quotes are there."""
    attacks = [text for text in sample.HOSTILE if "<" in text]
    for path, page in rendered.items():
        body = page.split("---\n", 2)[2]
        assert not [text for text in attacks if text in body], path
        assert "<script" not in body, path
    assert "alert" in rendered[f"r/{IDS[0]}/models/hostile.md"]
    assert "Retired" in rendered["corrections.md"]


def test_ids_of_verdicts_are_unique(rendered: dict[str, str]) -> None:
    """An address leads to one verdict."""
    for path, page in rendered.items():
        found = re.findall(r'\bid="([^"]+)"', page)
        assert len(found) == len(set(found)), path


def test_a_page_of_an_older_release_says_so(rendered: dict[str, str]) -> None:
    """The older release says that it is older, each row names its scan, and the newest one what differs."""
    assert "This is an older release" in rendered[f"r/{IDS[0]}.md"]
    assert rendered[f"r/{IDS[0]}.md"].count(f"scan {SOURCE.plan_hash[:12]}") == len(sample.IDS)
    newest = rendered[f"r/{IDS[1]}.md"]
    assert "This is the newest release" in newest
    assert f"What differs from {IDS[0]}" in newest


def test_a_key_in_an_older_release_is_refused(history: History) -> None:
    """A secret that was unknown when the release passed its gate stops the site, with the file."""
    known = Told(
        {**history.releases[IDS[0]].files, "leaderboard.json": b'{"models": [], "x": "s3cr3t-value-9"}'}
    )
    older = replace(history, releases={IDS[0]: known})
    with pytest.raises(Refused, match=r"r/2026-11-22-00000001/data/leaderboard\.json"):
        refuse_keys(older, LeakSearch(load_leak_forms(), ("s3cr3t-value-9",)))
    refuse_keys(history, LeakSearch(load_leak_forms(), ("s3cr3t-value-9",)))


def test_a_release_without_history_has_no_such_page(tmp_path: Path) -> None:
    """The site of a release without a ledger is what it was."""
    release = Release(*sample.release(), sample.benchmark(), sample.background(), sample.transcripts())
    assert list(releases.pages(release)) == []
