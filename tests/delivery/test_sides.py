"""The page of two models: where they differ, with the words of both, and nothing else than what was said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from delivery.build.render import render
from delivery.conversation.moments import ASKED, SAID, Side, Words
from delivery.figures.compare import Section, cases_of, gates_of, pairs, phrases_only, sections_of
from delivery.pages import compare
from delivery.pages.compare import WHOLE
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release, veiled
from ib.board.figures.comparisons import comparisons
from ib.models.common.base import Bucket, Role
from ib.models.release.leaderboard import ModelEntry, ScenarioOfModel
from ib.models.release.transcripts import CarriedMessage, CarriedTranscript
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.gates import GateScore, GateState
from tests.delivery import reading, sample
from tests.delivery.reading import Element
from tests.delivery.test_attacked import seen

SLUGS = (("alder", "birch"), ("alder", "hostile"), ("birch", "hostile"))
MARK_OF_RULE = "failures by most votes before contested ones"


@cache
def release() -> Release:
    """The sample release with its transcripts."""
    return Release(*sample.release(), sample.benchmark(), sample.background(), sample.transcripts())


def page_of(slugs: tuple[str, str], of: Release | None = None) -> Element:
    """The page of a pair."""
    path, made = f"compare/{'--'.join(slugs)}.md", of or release()
    wanted = (page for page in compare.pages(made) if page.path == path)
    ((_, html),) = render(made, wanted, site_source() / "site_src" / "templates", NOWHERE)
    return reading.read(reading.body(html))


def sections(slugs: tuple[str, str], of: Release | None = None) -> list[Section]:
    made = of or release()
    (pair,) = [one for one in pairs(made) if (one.first.slug, one.second.slug) == slugs]
    return sections_of(made, pair, cases_of(made), phrases_only(made))


def words(element: Element) -> str:
    return " ".join(element.text.split())


def text_of(said: Words, *, folded: bool = False) -> str:
    return "".join(piece.text for part in said for piece in part.pieces if part.folded <= folded)


def differing(slugs: tuple[str, str]) -> dict[str, list[tuple[str, str, str]]]:
    """By check: the scenario, the letter of the failure and who failed, read from the letters alone."""
    board = release().board
    first, second = (next(one for one in board.models if one.slug == slug) for slug in slugs)
    found: dict[str, list[tuple[str, str, str]]] = {}
    for one, other in zip(first.scenarios, second.scenarios, strict=True):
        for check, here, there in zip(board.checks, one.verdicts, other.verdicts, strict=True):
            kinds = [{"F": 1, "C": 1, "P": 0, "p": 0}.get(letter) for letter in (here, there)]
            if sorted(map(str, kinds)) == ["0", "1"] and not check.no_phrase_found:
                told = (one.scenario_id, here, slugs[0]) if kinds[0] else (one.scenario_id, there, slugs[1])
                found.setdefault(check.check_id, []).append(told)
    return found


@pytest.mark.parametrize("slugs", SLUGS)
def test_a_pair_lists_every_check_and_scenario_on_which_it_differs(slugs: tuple[str, str]) -> None:
    """Recounted from the letters. The counts, the difference in words and the links say the same."""
    expected, page = differing(slugs), page_of(slugs)
    articles = {one.attrs["id"]: one for one in page.all("article")}
    assert set(articles) == set(expected)
    names = {model.slug: model.model for model in release().models}
    for check, found in expected.items():
        for slug in slugs:
            count = sum(who == slug for _, _, who in found)
            line = f"Only {names[slug]} failed in {count} conversation{'' if count == 1 else 's'}. "
            assert (line in words(articles[check])) is bool(count)
        lines = articles[check].all("li")
        assert len(lines) == len(found) - 1
        assert all(line.all("a")[0].attrs["href"].startswith("../../models/") for line in lines)
        assert all(line.all("a")[1].attrs["href"].startswith("../../transcripts/") for line in lines)


@pytest.mark.parametrize("slugs", SLUGS)
def test_the_difference_in_words_follows_the_rule_of_the_page(slugs: tuple[str, str]) -> None:
    """By most votes before contested, then by scenario, and what has no published quote last."""
    assert MARK_OF_RULE in words(page_of(slugs))
    quoted = {
        (slug, item.check_id, item.scenario_id)
        for slug, found in release().evidence.items()
        for item in found.items
    }
    for section in sections(slugs):
        check = section.check.id
        order = [
            ((who, check, scenario) not in quoted, letter == "C", scenario, who)
            for scenario, letter, who in differing(slugs)[check]
        ]
        shown = section.shown
        chosen = (
            shown.item is None,
            shown.contested,
            shown.scenario_id,
            shown.failed.slug,
        )
        assert chosen == min(order)


CHECK = "IB-C1"
"""A check of the small pair below. It needs no judge here: the letters are given."""


def _small(told: str, quoted: Mapping[str, tuple[int, ...]]) -> Section:
    """The only check on which two models differ: one failed it with these letters in scenarios a, b, c ...

    `quoted` has the turns of the quotes of some scenarios. The models list their scenarios backward.
    """
    board, evidence = sample.release()
    names = [one.check_id for one in board.checks]
    ids = "abcdefgh"[: len(told)]
    models = []
    for model, letters in ((board.models[0], "P" * len(told)), (board.models[1], told)):
        met = [
            model.scenarios[1].model_copy(
                update={
                    "scenario_id": name,
                    "verdicts": "".join(letter if one == CHECK else "." for one in names),
                }
            )
            for name, letter in zip(ids, letters, strict=True)
        ]
        models.append(model.model_copy(update={"scenarios": tuple(reversed(met))}))
    item = evidence["alder"].items[0]
    items = tuple(
        item.model_copy(
            update={
                "check_id": CHECK,
                "scenario_id": name,
                "epoch": None,
                "quotes": tuple(item.quotes[0].model_copy(update={"turn": turn}) for turn in turns),
            }
        )
        for name, turns in quoted.items()
    )
    family = dict.fromkeys(ids, "f")
    update = {
        "models": tuple(models),
        "scenarios": tuple(
            board.scenarios[0].model_copy(update={"scenario_id": name, "slug": name}) for name in ids
        ),
        "comparisons": comparisons(models, names, family),
    }
    told_by = {models[0].slug: (), models[1].slug: items}
    made = Release(
        board.model_copy(update=update),
        {slug: evidence["alder"].model_copy(update={"items": items}) for slug, items in told_by.items()},
        sample.benchmark(),
    )
    (pair,) = pairs(made)
    (section,) = sections_of(made, pair, cases_of(made), frozenset())
    return section


@pytest.mark.parametrize(
    ("letters", "quoted", "shown", "rest"),
    [
        ("FCFF", {"b": (1,), "c": (1,), "d": (1,)}, "c", "abd"),
        ("FCPP", {"b": (1,)}, "b", "a"),
        ("FCFP", {}, "a", "bc"),
        ("CCFF", {"a": (1,), "b": (1,)}, "a", "bcd"),
    ],
)
def test_the_rule_for_the_difference_in_words(
    letters: str, quoted: dict[str, tuple[int, ...]], shown: str, rest: str
) -> None:
    """A published quote counts most, then that no vote contests the failure, then the id of the scenario."""
    found = _small(letters, quoted)
    assert found.shown.scenario_id == shown
    (way,) = found.ways
    assert "".join(one.scenario_id for one in way.differences) == rest
    assert way.count == len(rest) + 1


def test_the_first_quoted_turn_is_shown() -> None:
    """Of a failure with quotes in several turns, the first is shown."""
    assert _small("F", {"a": (5, 2, 9)}).sides.turn == 2


def test_both_sides_are_words_of_the_same_turn() -> None:
    """The end of what the caregiver said, the reply around its quote, and the start of the other reply."""
    with_words = 0
    for slugs in SLUGS:
        for one in sections(slugs):
            if one.sides.failed is None or one.sides.passed is None:
                continue
            with_words += 1
            assert one.shown.item is not None
            place, turn = (one.shown.scenario_id, one.shown.epoch), one.sides.turn
            assert turn == min(q.turn for q in one.shown.item.quotes if q.role is Role.ASSISTANT)
            for side, model in ((one.sides.failed, one.shown.failed), (one.sides.passed, one.shown.passed)):
                said = release().transcript(model, *place)
                assert said is not None
                _is_said(said, turn, side)
            marks = [p.text for part in one.sides.failed.reply for p in part.pieces if p.quoted]
            assert marks == [
                q.quote for q in one.shown.item.quotes if (q.turn, q.role) == (turn, "assistant")
            ]
            assert one.sides.same
    assert with_words > 10


def _is_said(transcript: CarriedTranscript, turn: int, side: Side) -> None:
    for role, parts in ((Role.USER, side.asked), (Role.ASSISTANT, side.reply)):
        message = transcript.message(turn, role)
        assert message is not None
        assert text_of(parts, folded=True) == message.content


def test_hostile_words_are_shown_letter_for_letter() -> None:
    """Every quote and message on the page is what the release has; what hides becomes a mark."""
    marked = 0
    for slugs in SLUGS[1:]:
        page = page_of(slugs)
        known = {
            seen(message.content)
            for said in (release().transcripts or {}).values()
            for one in said.transcripts
            for message in one.messages
        }
        blocks = page.all("blockquote")
        assert len(blocks) > 10
        for block in blocks:
            assert any(block.text in message for message in known), block.text
        quotes = {seen(q.quote) for q in _quotes("hostile")} | {sample.QUOTED, "marked"}
        marks = [mark.text for mark in page.all("mark")]
        assert set(marks) <= quotes
        marked += len(marks)
    assert marked > 10


def _quotes(slug: str) -> list[EvidenceSpan]:
    return [quote for item in release().evidence[slug].items for quote in item.quotes]


def test_quotes_of_gate_checks_stay_closed() -> None:
    """Their words are behind a neutral summary; those of the first of the other checks are open."""
    closed = 0
    for slugs in SLUGS:
        for at, article in enumerate(page_of(slugs).all("article")):
            check = sample.benchmark().checks[article.attrs["id"]]
            folded = [block for one in article.all("details", "ib-veil") for block in one.all("blockquote")]
            every = article.all("blockquote")
            assert len(folded) == (len(every) if veiled(check) or at >= WHOLE else 0)
            closed += bool(folded) and veiled(check)
            warned = ["may be distressing" in one.text for one in article.all("summary")]
            assert all(warned) or not veiled(check)
    assert closed > 3


def test_checks_of_phrases_are_apart() -> None:
    """A pass that means only that no phrase was found is no answer: such checks have no words."""
    (phrase,) = phrases_only(release())
    page = page_of(("birch", "hostile"))
    tables = [one for one in page.all("table") if f"../../checks/{phrase}/" in _links(one)]
    (table,) = tables
    assert "no listed phrase was found" in words(table.all("caption")[0])
    assert phrase not in [one.attrs["id"] for one in page.all("article")]
    assert len(table.all("tr")) == 2


def _links(element: Element) -> list[str]:
    return [one.attrs["href"] for one in element.all("a")]


def _changed(slug: str, change: Callable[[CarriedTranscript], CarriedTranscript | None]) -> Release:
    """The sample with other transcripts of one model."""
    said = dict(release().transcripts or {})
    kept = tuple(new for one in said[slug].transcripts if (new := change(one)) is not None)
    said[slug] = said[slug].model_copy(update={"transcripts": kept})
    return replace(release(), transcripts=said)


def test_another_branch_shows_what_the_caregiver_said_there() -> None:
    """If the caregiver said something else to the other model, both are shown."""

    def other_words(one: CarriedTranscript) -> CarriedTranscript:
        said = [
            CarriedMessage(
                turn=m.turn, role=m.role, content="Other words." if m.role is Role.USER else m.content
            )
            for m in one.messages
        ]
        return one.model_copy(update={"messages": tuple(said)})

    made = _changed("alder", other_words)
    assert not any(one.sides.same for one in sections(("alder", "hostile"), made))
    asked = page_of(("alder", "hostile"), made).all("blockquote", "ib-asked")
    assert [one.text == "Other words." for one in asked].count(True) == len(asked) / 2 > 5


def test_a_conversation_that_ended_before_says_so() -> None:
    """If the other conversation has no such turn, the page says that, and shows the failure alone."""
    made = _changed("alder", lambda one: one.model_copy(update={"messages": one.messages[:2]}))
    found = [one for one in sections(("alder", "hostile"), made) if (one.sides.turn or 0) > 1]
    assert found
    assert all(one.sides.passed is None for one in found)
    assert all("#turn-" not in (one.shown.other or "") for one in found)
    text = words(page_of(("alder", "hostile"), made))
    assert text.count("Alder 1 passed, and has no reply in turn") == len(found)


def test_without_transcripts_the_quotes_are_shown() -> None:
    """An older release has quotes, but no words of the caregiver and of the other model."""
    made = replace(release(), transcripts=None)
    page = page_of(("alder", "hostile"), made)
    assert "The release carries no transcripts" in words(page)
    assert not page.all("blockquote", "ib-asked")
    assert not page.all("blockquote", "ib-other")
    assert not [link for link in _links(page) if "transcripts/" in link]
    shown = [mark.text for mark in page.all("mark")]
    quotes = {seen(quote.quote) for quote in _quotes("hostile")}
    assert shown
    assert all(any(text in quote for quote in quotes) for text in shown)


def test_a_missing_transcript_of_one_side_is_said() -> None:
    """A release may leave out single transcripts."""
    made = _changed("alder", lambda one: None)
    text = words(page_of(("alder", "hostile"), made))
    assert "The release does not carry the transcript of Alder 1, which passed." in text


def test_gates_list_the_conversations_that_differ() -> None:
    """Only two clear answers are a difference, and the counts are those of the comparison."""
    states = {"alder": (GateState.FAILED_BY_JUDGE, GateState.CONTESTED), "hostile": (GateState.CLEAR,) * 2}
    models = tuple(
        one.model_copy(update={"scenarios": _with_gates(one, states[one.slug])})
        if one.slug in states
        else one
        for one in release().board.models
    )
    made = replace(release(), board=release().board.model_copy(update={"models": models}))
    (pair,) = [one for one in pairs(made) if (one.first.slug, one.second.slug) == ("alder", "hostile")]
    ((gate, (way,)),) = gates_of(made, pair)
    assert (gate, way.failed.slug, way.count) == (Bucket.A, "alder", 1)
    (one,) = way.differences
    assert one.href == made.transcript_path(way.failed, one.scenario_id, one.epoch)
    assert one.other == made.transcript_path(way.passed, one.scenario_id, one.epoch)
    assert "Only Alder 1 has a hard fail by one AI judge: 1" in words(page_of(("alder", "hostile"), made))


def _with_gates(model: ModelEntry, states: tuple[GateState, ...]) -> tuple[ScenarioOfModel, ...]:
    made = []
    for met, state in zip(model.scenarios, states, strict=True):
        listed = {} if state is GateState.CLEAR else {state.value: ("IB-A1",)}
        score = GateScore.model_validate({"state": state, **listed})
        made.append(met.model_copy(update={"gates": {Bucket.A: score, Bucket.B: met.gates[Bucket.B]}}))
    return tuple(made)


def test_long_messages_are_cut_and_counted() -> None:
    """The page says how many words it leaves out, before the caregiver’s last ones and after a reply."""

    def longer(one: CarriedTranscript) -> CarriedTranscript:
        more = "A sentence of five words. " * 40
        said = [
            CarriedMessage(
                turn=m.turn, role=m.role, content=more + "The end." if m.role is Role.USER else more
            )
            for m in one.messages
        ]
        return one.model_copy(update={"messages": tuple(said)})

    made = _changed("alder", longer)
    (first, *_) = [one for one in sections(("alder", "hostile"), made) if one.shown.passed.slug == "alder"]
    assert first.sides.passed is not None
    assert text_of(first.sides.passed.asked).endswith("A sentence of five words. The end.")
    assert len(text_of(first.sides.passed.asked)) <= ASKED
    assert len(text_of(first.sides.passed.reply)) <= SAID
    page = page_of(("alder", "hostile"), made)
    (article,) = [one for one in page.all("article") if one.attrs["id"] == first.check.id]
    hidden = sum(part.words for part in first.sides.passed.asked if part.folded)
    assert f"Caregiver, turn {first.sides.turn} [after {hidden} words]" in words(article)
    hidden = sum(part.words for part in first.sides.passed.reply if part.folded)
    assert f"[{hidden} more words]" in words(article)
