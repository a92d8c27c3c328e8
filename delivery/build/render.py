"""Render pages with templates that escape all text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import orjson
from jinja2 import BytecodeCache, Environment, pass_context
from jinja2.bccache import Bucket
from jinja2.runtime import Context

from delivery.cards.social_card import Card, cards
from delivery.conversation import scenarios, styled
from delivery.conversation.dispute import by_mail, dispute
from delivery.conversation.gaps import evidence_in_place, is_gap, would_count
from delivery.figures import compare, lines, strips
from delivery.pages.page import Page
from delivery.release.errors import failed_in_error
from delivery.release.frame import bibtex, release_id, signed
from delivery.release.place import Place
from delivery.release.references import noun_of, of_models
from delivery.release.view import Release, veiled
from delivery.words import brief, codes, counts, escape, exams, gates, labels, pairs, votes
from delivery.words import numbers as words
from delivery.words.filters import template_filter
from delivery.words.templates import environment as templates_in
from delivery.words.trust import by_judge, older
from ib.board.figures.field_checks import DECIDED_SHARE, ENOUGH_CASES, ENOUGH_FAMILIES
from ib.board.figures.findings import SIGNIFICANT
from ib.engine.votes.errors import CORRELATIONS, WRONG
from ib.measures.registry import MEASURES
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS, QUALITY_BUCKETS
from ib.models.scan.decided import outcome_of
from ib.stats.intervals import RATE_METHOD
from ib.store.files.wording import counted

WITH_FILTERS = (brief, compare, counts, exams, gates, labels, lines, pairs, scenarios, strips, styled, votes)
"""Modules that are imported here for their filters alone: importing a module registers its filters."""
template_filter(counted)


class _Compiled(BytecodeCache):
    """Templates that this process has compiled. Compiling them takes longer than rendering a small site."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket with what was compiled from the same source. jinja2 compares the sources."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


_compiled = _Compiled()


def environment(templates: Path) -> Environment:
    """The Jinja environment of the pages, with what every template may use."""
    env = templates_in(templates, _compiled)
    env.globals.update(
        {
            "say": words,
            "codes": codes,
            "outcome_of": outcome_of,
            "measures": {measure.name: measure for measure in MEASURES},
            "veiled": veiled,
            "by_mail": by_mail,
            "is_gap": is_gap,
            "would_count": would_count,
            "buckets": BUCKET_NAMES,
            "gate_buckets": GATE_BUCKETS,
            "quality_buckets": QUALITY_BUCKETS,
            "dash": words.NONE,
            "rate_method": RATE_METHOD,
            "significant": f"p < {SIGNIFICANT}",
            "by_chance": f"1 in {round(1 / SIGNIFICANT)}",
            "assumed": {"wrong": words.percent(WRONG), "correlation": f"{CORRELATIONS[0]:g}"},
            "enough": {"cases": ENOUGH_CASES, "families": ENOUGH_FAMILIES, "decided": DECIDED_SHARE},
        }
    )
    return env


def render(
    release: Release, pages: Iterable[Page], templates: Path, place: Place
) -> Iterator[tuple[str, str]]:
    """Path and text of each page, one after the other: a site can be larger than the memory."""
    env = environment(templates)
    env.globals.update(_common(release, place))
    shown = {} if place.url is None else {card.page: card for card in cards(release)}
    for page in pages:
        yield page.path, _markdown(page, env, shown.get(page.path))


@template_filter
@pass_context
def named(context: Context, code: str) -> str:
    """What the benchmark calls a tag or a value of a persona's context; by default its words."""
    names: Mapping[str, str] = context["names"]
    return names.get(code) or words.words(code)


def _common(release: Release, place: Place) -> dict[str, object]:
    """What every template has, in addition to the view of its page."""
    return {
        "board": release.board,
        "by_judge": by_judge(release.board.judge),
        "in_error": partial(failed_in_error, release),
        "older": older,
        "summary_of": release.summaries.get,
        "place": place,
        "release_id": release_id(release.board),
        "release_day": release.board.released.isoformat(),
        "signed": signed(release),
        "bibtex": bibtex(release, place),
        "benchmark": release.benchmark,
        "site": release.background.site,
        "models": release.models,
        "scripts": of_models(release),
        "player": noun_of(release),
        "slugs": release.slugs,
        "titles": {
            name: played.title
            for told in (release.background.scenarios, release.background.twins)
            for name, played in told.items()
        },
        "names": release.background.names,
        "countries": release.countries,
        "release_page": None if release.history is None else f"r/{release.history.newest}/",
        "case_id": release.case_id,
        "transcript_path": release.transcript_path,
        "moments_of": partial(evidence_in_place, release),
        "dispute_of": partial(dispute, release, place),
        "noun": "conversation" if release.board.open_logs else "scenario",
    }


def _markdown(page: Page, env: Environment, card: Card | None) -> str:
    body = env.get_template(page.template).render(page.view, root=page.root, title=page.title)
    return f"{_front_matter(page, card)}\n{body.strip()}\n"


def _front_matter(page: Page, card: Card | None) -> str:
    lines = [
        "---",
        f"title: {orjson.dumps(escape.title(page.title)).decode()}",
        "hide: [navigation, toc]",
    ]
    if card is not None:  # the theme escapes nothing
        lines += [f"card: {card.path}", f"card_text: {orjson.dumps(escape.entity(card.text)).decode()}"]
    if not page.search:
        lines += ["robots: noindex", "search_title: true" if page.by_title else "search: {exclude: true}"]
    return "\n".join([*lines, "---", ""])
