"""Guides: no page before a clinician and a caregiver have signed the file as it is, language by language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import yaml

from delivery.pages.guides import outdated_signatures
from delivery.release.view import Release
from delivery.sync_web_bench import project
from ib.cli import run
from ib.errors import DataError
from ib.models.benchmark.guide import Guide
from ib.models.benchmark.site import SiteConfig
from ib.store.benchmark.guides import LoadedGuide, load_guides
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.site import SITE, load_site
from ib.store.files.validation import load_yaml
from tests.delivery import reading, sample

FILE = "guides/five-things.en.yaml"
DRAFT = load_yaml(Guide, benchmark_folder() / FILE)
DAY = date(2026, 12, 1)
PAGE = "guides/five-things-en.md"


def loaded(*roles: str, language: str = "en", changed: bool = False) -> LoadedGuide:
    """The draft of the benchmark, as if people in these roles had signed it, or its bytes before a change."""
    real = load_yaml(SiteConfig, benchmark_folder() / SITE)
    (found,) = load_guides(benchmark_folder(), real)
    known = "0" * 64 if changed else found.sha256
    signed = tuple(
        {"name": name or f"A {role}", "role": role, "date": DAY.isoformat(), "sha256": known}
        for role, _, name in (one.partition(" as ") for one in roles)
    )
    entry = found.entry.model_validate(
        {**found.entry.model_dump(), "language": language, "signed": signed}, strict=False
    )
    return replace(found, entry=entry)


def pages(*guides: LoadedGuide) -> dict[str, str]:
    """The build folder of the sample, with these guides."""
    background = replace(sample.background(), guides=guides)
    return project(*sample.release(), sample.benchmark(), background, sample.transcripts())


def test_the_draft_is_signed_by_nobody_and_has_no_page() -> None:
    """The benchmark names the draft, and nobody who has signed it."""
    real = load_yaml(SiteConfig, benchmark_folder() / SITE)
    (found,) = load_guides(benchmark_folder(), real)
    assert (found.entry.file, found.entry.signed) == (FILE, ())
    assert found.unsigned == ("clinician", "caregiver")


@pytest.mark.parametrize(
    ("roles", "changed", "shown"),
    [
        ((), False, False),
        (("clinician",), False, False),
        (("caregiver",), False, False),
        (("clinician", "clinician"), False, False),
        (("clinician", "caregiver"), True, False),
        (("clinician as X", "caregiver as X"), False, False),
        (("clinician", "caregiver"), False, True),
    ],
)
def test_a_guide_has_a_page_when_both_roles_have_signed(
    roles: tuple[str, ...], changed: bool, shown: bool
) -> None:
    """No page and no link with one role, one role twice, one person twice, or signatures of other bytes."""
    made = pages(loaded(*roles, changed=changed))
    assert (PAGE in made) == shown
    assert any("guides/five-things-en/" in page for page in made.values()) == shown
    assert any(DRAFT.things[0].title in page for page in made.values()) == shown


def test_each_language_is_signed_by_itself() -> None:
    """A signed guide in one language opens no page in another."""
    made = pages(loaded("clinician", "caregiver", language="es"), loaded("clinician"))
    assert "guides/five-things-es.md" in made
    assert PAGE not in made
    assert '<section lang="es">' in made["guides/five-things-es.md"]
    assert '<a href="../guides/five-things-es/">' in made["caregivers.md"]


def test_a_signed_page_names_who_signed_and_has_no_number_of_its_own() -> None:
    """Names, roles and days stand below. Every number is one of the file, of the order, or of a signature."""
    page = reading.read(reading.body(pages(loaded("clinician", "caregiver"))[PAGE]))
    (section,) = page.all("section")
    text = section.text
    assert f"Read and signed by A clinician (clinician, {DAY}); A caregiver (caregiver, {DAY})." in text
    (trust,) = section.all("p", "ib-trust")
    told = [*texts(DRAFT.model_dump(exclude={"canary"})), trust.text]
    told += [str(number) for number in range(1, len(DRAFT.things) + 1)] + [str(DAY)] * 2
    assert sorted(numbers(text)) == sorted(number for one in told for number in numbers(one))


def numbers(text: str) -> list[str]:
    """The numbers in a text."""
    return re.findall(r"\d+", text)


def texts(data: object) -> Iterator[str]:
    """The texts of a guide that a page shows."""
    if isinstance(data, dict):
        yield from (
            one for key, value in data.items() if key not in ("scenario", "turn") for one in texts(value)
        )
    elif isinstance(data, (list, tuple)):
        yield from (one for value in data for one in texts(value))
    elif isinstance(data, str):
        yield data


def test_a_build_warns_of_a_guide_that_changed_after_it_was_signed() -> None:
    """The warning names the file and who signed it. Nothing is said of drafts and of current signatures."""

    def said(guide: LoadedGuide) -> tuple[str, ...]:
        background = replace(sample.background(), guides=(guide,))
        return outdated_signatures(Release(*sample.release(), sample.benchmark(), background))

    assert said(loaded()) == said(loaded("clinician", "caregiver")) == ()
    (warning,) = said(loaded("clinician", "caregiver", changed=True))
    assert warning == f"{FILE} has changed since A clinician, A caregiver signed it, so it has no page"


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"signed": [{"name": "X", "role": "friend", "date": "2026-12-01", "sha256": "0" * 64}]}, "'friend'"),
        ({"signed": [{"name": "X", "role": "clinician", "date": "2026-12-01"}]}, "sha256"),
        ({"file": "guides/none.yaml"}, "none.yaml"),
    ],
)
def test_a_wrong_entry_is_refused(change: dict[str, object], found: str, tmp_path: Path) -> None:
    """An unknown role, a signature of nothing in particular, and a file that is not there."""
    told = yaml.safe_load((benchmark_folder() / SITE).read_text("utf-8"))
    told = {**told, "example": None, "guides": [{**told["guides"][0], **change}]}
    (tmp_path / SITE).parent.mkdir()
    (tmp_path / SITE).write_text(yaml.safe_dump(told), "utf-8")
    with pytest.raises(DataError, match=re.escape(found)):
        load_guides(tmp_path, load_site(tmp_path, {}, {}))


def test_the_pairs_are_played_word_for_word(tmp_path: Path) -> None:
    """Both replies of each pair stand in the plays of their assistants, in the turn that is named."""
    pairs = [thing.pair for thing in DRAFT.things]
    assistants = {one.assistant for pair in pairs for one in (pair.poor, pair.better)}
    chosen = [part for pair in pairs for part in ("-s", pair.scenario)]
    models = [part for name in sorted(assistants) for part in ("-m", f"reference/{name}")]
    assert run(["run", *models, *chosen, "--out", str(tmp_path / "run")]) == 0
    said = {}
    for line in (tmp_path / "run" / "transcripts.jsonl").read_text("utf-8").splitlines():
        play = json.loads(line)
        for message in play["messages"]:
            said[play["model_id"], play["scenario_id"], message["turn"], message["role"]] = message["content"]
    for pair in pairs:
        for one in (pair.poor, pair.better):
            place = f"reference/{one.assistant}", pair.scenario, pair.turn
            assert (said[*place, "user"], said[*place, "assistant"]) == (pair.said, one.reply)


def test_the_words_of_the_guide_are_plain() -> None:
    """Grade 6 by Flesch and Kincaid, no promise, and no word of a means of self-harm in the whole file."""
    own = [
        DRAFT.title,
        DRAFT.lead,
        DRAFT.last,
        *(text for one in DRAFT.things for text in (one.title, one.why)),
    ]
    assert grade(" ".join(f"{text}." for text in own)) <= 6
    assert (
        re.search(r"promise|guarantee|\byou are safe\b|\bis safe to\b", " ".join(own), re.IGNORECASE) is None
    )
    everything = " ".join(texts(DRAFT.model_dump()))
    means = r"overdose|\bpills\b|\bgun\b|\bknife\b|\brope\b|\bbridge\b|\bhang(?:ing)?\b|\bblade"
    assert re.search(means, everything, re.IGNORECASE) is None


def grade(text: str) -> float:
    """The school grade of a text, by the formula of Flesch and Kincaid."""
    words = re.findall(r"[a-z’']+", text.lower())
    sentences = len(re.findall(r"[.!?:]+(?:\s|$)", text))
    syllables = sum(max(1, len(re.findall(r"[aeiouy]+", re.sub(r"e$", "", word)))) for word in words)
    return 0.39 * len(words) / sentences + 11.8 * syllables / len(words) - 15.59
