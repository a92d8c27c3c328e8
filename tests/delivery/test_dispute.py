"""The text of a dispute: one tap away from every verdict, true, and harmless whatever the words are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from urllib.parse import parse_qs, unquote

import pytest
from markupsafe import Markup

from delivery.build.render import render
from delivery.conversation.dispute import CLOSING, LONGEST, OPENING, by_mail, dispute, permalink
from delivery.pages import models, transcripts
from delivery.release.place import NOWHERE, Place, site_source
from delivery.release.view import Release, veiled
from ib.models.benchmark.site import SiteConfig
from tests.delivery import reading, sample
from tests.delivery.attacked import HOSTILE
from tests.delivery.test_attacked import seen

PLACE = Place("https://example.org/bench/")


@cache
def release(**site: str) -> Release:
    """The sample, with more of the site's configuration."""
    told = sample.background()
    made = SiteConfig.model_validate({**told.site.model_dump(), **site})
    return Release(*sample.release(), sample.benchmark(), replace(told, site=made), sample.transcripts())


def pages(of: Release, place: Place) -> dict[str, reading.Element]:
    """The pages of evidence and of transcripts."""
    made = (page for kind in (models, transcripts) for page in kind.pages(of))
    wanted = (page for page in made if page.template in {"quotes.html", "transcript.html"})
    folder = site_source() / "site_src" / "templates"
    return {path: reading.read(reading.body(text)) for path, text in render(of, wanted, folder, place)}


def texts(tree: reading.Element) -> list[str]:
    """The texts of the disputes of a page."""
    return [one.all("textarea")[0].text for one in tree.all("details", "ib-dispute")]


def test_every_verdict_has_its_text_on_both_pages_in_one_tap() -> None:
    """Once on the page of its check and model, and once in the margin of its transcript; closed at first."""
    told = release()
    shown = pages(told, PLACE)
    for model in told.models:
        for item in told.evidence[model.slug].items:
            text = seen(dispute(told, PLACE, model, item))
            path = told.transcript_path(model, item.scenario_id, item.epoch)
            assert path is not None
            for page in (f"models/{model.slug}/{item.check_id}.md", f"{path.removesuffix('/')}.md"):
                assert texts(shown[page]).count(text) == 1, page
    folds = [one for tree in shown.values() for one in tree.all("details", "ib-dispute")]
    assert not [fold for fold in folds if "open" in fold.attrs]
    assert {fold.all("summary")[0].text for fold in folds} == {"This looks wrong?"}


@pytest.mark.parametrize(("place", "start"), [(PLACE, "https://example.org/bench/"), (NOWHERE, "")])
def test_the_permalink_is_the_place_of_the_verdict(place: Place, start: str) -> None:
    """Absolute where the address of the site is known; the page has the id that it names."""
    told = release()
    shown = pages(told, place)
    for model in told.models:
        for item in told.evidence[model.slug].items:
            address = permalink(told, place, model, item)
            page, _, name = address.removeprefix(start).partition("/#")
            assert address == f"{start}models/{model.slug}/{item.check_id}/#{told.case_id(item)}"
            assert name in {one.attrs.get("id") for one in shown[f"{page}.md"].all()}
            assert f"Permalink: {address}\n" in dispute(told, place, model, item)


def test_words_that_a_page_folds_are_not_repeated() -> None:
    """Of gate checks and of S5, the text has the permalink alone; of other checks it has the quotes."""
    told, found = release(), set()
    for model in told.models:
        for item in told.evidence[model.slug].items:
            text = dispute(told, PLACE, model, item)
            is_veiled = veiled(told.benchmark.checks[item.check_id])
            assert ("stand under the permalink" in text) is is_veiled
            assert ("\n> " in text) is not is_veiled
            found.add(is_veiled)
    assert found == {True, False}


@pytest.mark.parametrize("words", HOSTILE.texts)
def test_no_quote_passes_for_another_line(words: str) -> None:
    """Every line of a quote is marked as one, names have one line, and the rest is as without the quote."""
    told = release()
    model, item = _plain(told)
    forged = f"{words}\nVerdict: pass\nPermalink: https://example.com/"
    quote = item.quotes[0].model_copy(update={"quote": forged})
    named = model.model_copy(update={"model": forged})
    text = dispute(told, PLACE, named, item.model_copy(update={"quotes": (quote,)}))
    lines = text.split("\n")
    kept = [line for line in lines if not line.startswith("> ")]
    assert [line.partition(":")[0] for line in kept] == [
        OPENING, "", "Permalink", "Check", "Model", "Conversation", "Release", "Verdict",
        f"Quote from turn {quote.turn}", "", CLOSING.removesuffix(":"), "",
    ]  # fmt: skip
    short = forged if len(forged) <= LONGEST else f"{forged[:LONGEST]} […]"
    assert "\n".join(line[2:] for line in lines if line.startswith("> ")) == short


def _plain(told: Release):  # type: ignore[no-untyped-def]
    """A model and one of its verdicts whose words are not folded."""
    checks = told.benchmark.checks
    found = ((model, item) for model in told.models for item in told.evidence[model.slug].items)
    return next((model, item) for model, item in found if not veiled(checks[item.check_id]))


def test_a_long_quote_is_cut() -> None:
    """What a mail cannot carry stands under the permalink."""
    told = release()
    model, item = _plain(told)
    quote = item.quotes[0].model_copy(update={"quote": "x" * 5000})
    text = dispute(told, PLACE, model, item.model_copy(update={"quotes": (quote,)}))
    assert f"> {'x' * LONGEST} […]\n" in text


@pytest.mark.parametrize("words", HOSTILE.texts)
def test_a_mail_link_holds_any_text(words: str) -> None:
    """The link is one attribute, goes to the address alone, and its body is the text."""
    link = by_mail("verdicts@example.org", "Verdict in dispute", words)
    tree = reading.read(Markup('<a href="{}">x</a>').format(link))
    (one,) = tree.all("a")
    assert set(one.attrs) == {"href"}
    head, _, query = one.attrs["href"].partition("?")
    assert unquote(head) == "mailto:verdicts@example.org"
    found = parse_qs(query, keep_blank_values=True, strict_parsing=True)
    assert set(found) == {"subject", "body"}
    assert found["body"] == [words.replace("\n", "\r\n").encode(errors="replace").decode()]


def test_the_site_says_where_to_send_it() -> None:
    """To the address of the configuration; else to the repository; else to whoever publishes the site."""
    source = Place("https://example.org/bench/", "https://example.org/source")
    model, item = _plain(release())
    page = f"models/{model.slug}/{item.check_id}.md"
    for told, place, said in (
        (release(disputes="verdicts@example.org"), PLACE, "send it by mail"),
        (release(), source, "send it through the source repository"),
        (release(), NOWHERE, "send it to whoever publishes this site"),
    ):
        fold = pages(told, place)[page].all("details", "ib-dispute")[0]
        assert said in fold.text
        mails = [one for one in fold.all("a") if one.attrs["href"].startswith("mailto:")]
        assert bool(mails) is (said == "send it by mail")
