"""The pages of transcripts: every turn, every quote in its place, and ways there and back."""

from __future__ import annotations

import csv
import io
import json
import posixpath
import re

import pytest

from delivery.build.render import render
from delivery.pages import transcripts as transcript_pages
from delivery.release.place import Place, site_source
from delivery.release.view import Release
from delivery.sync_web_bench import project
from ib.models.common.base import Bucket
from ib.models.release.leaderboard import Evidence, Leaderboard
from ib.models.release.pairs import AlarmItem
from ib.models.release.transcripts import LeftOut, LeftOutReason, Transcripts
from ib.models.scan.gates import GateScore, GateState
from ib.models.scan.over_alarm import AlarmQuote, Ungraded
from tests.delivery import reading, sample
from tests.delivery.test_escape import shown

SLUGS = {"night-shift-001": "night-shift-001", "two_errands_002": "two-errands-002"}


def page(projected: dict[str, str], path: str) -> reading.Element:
    return reading.read(reading.body(projected[f"{path}.md"]))


def targets(projected: dict[str, str], path: str) -> set[str]:
    """The pages that a page links to."""
    here = f"{path.removesuffix('index')}/" if path != "index" else ""
    links = [a.attrs.get("href", "") for a in page(projected, path).all("a")]
    joined = [
        posixpath.normpath(posixpath.join(here, one.split("#")[0])) for one in links if "://" not in one
    ]
    return {one for one in joined if not one.startswith("..")}


def test_every_turn_of_every_transcript_reads_as_it_was_said(projected: dict[str, str]) -> None:
    """Each turn has its anchor, and the text of both speakers, letter for letter."""
    for slug, said in sample.transcripts().items():
        for one in said.transcripts:
            tree = page(projected, f"transcripts/{slug}/{SLUGS[one.scenario_id]}")
            turns = {turn.attrs["id"]: turn for turn in tree.all("section", "ib-turn")}
            assert set(turns) == {f"turn-{message.turn}" for message in one.messages}
            for message in one.messages:
                texts = [quote.text for quote in turns[f"turn-{message.turn}"].all("blockquote")]
                assert shown(message.content) in texts
            assert [h.attrs["id"] for h in tree.all("h3")] == ["session-1", "session-2"]


def test_evidence_of_a_gate_names_the_country(projected: dict[str, str]) -> None:
    """Whether a help line can be used depends on the country; a scenario without a text says none."""
    said = "The caregiver is in the United States."
    seen = set()
    for path in (one.removesuffix(".md") for one in projected if one.startswith("models/hostile/IB-")):
        for case in page(projected, path).all("article", "ib-case"):
            known = case.attrs["id"].startswith("night-shift") and path.split("/IB-")[1][0] in "AB"
            assert (said in [p.text for p in case.all("p")]) is known, path
            seen.add(known)
    assert seen == {True, False}
    for name in ("night-shift-001", "two-errands-002"):
        told = [p.text for p in page(projected, f"transcripts/hostile/{name}").all("p", "ib-fact")]
        assert told == [said] * (name == "night-shift-001")


def test_every_reply_names_its_writer(projected: dict[str, str]) -> None:
    """Who cuts a reply out of a page still sees whose it is, and that a program or a script wrote it."""
    for model in sample.release()[0].models:
        kind = "script" if model.model_id.startswith("reference/") else "model output"
        writer = f"{shown(model.model)} ({kind})"
        for path, files in {"models": "IB-", "transcripts": ""}.items():
            for name in (one for one in projected if one.startswith(f"{path}/{model.slug}/{files}")):
                tree = page(projected, name.removesuffix(".md"))
                replies = len(tree.all("blockquote", "ib-reply")) - len(tree.all("details", "ib-rest"))
                said = [line for line in tree.all("p") if re.match(rf"{re.escape(writer)}(?! ·)", line.text)]
                assert len(said) == replies > 0, name


def test_quotes_are_marked_in_the_turn_that_the_evidence_names(projected: dict[str, str]) -> None:
    """Every quote is a mark in its turn, below it stands the verdict, and nothing else is marked."""
    for slug, evidence in sample.release()[1].items():
        for item in evidence.items:
            tree = page(projected, f"transcripts/{slug}/{SLUGS[item.scenario_id]}")
            turns = {turn.attrs["id"]: turn for turn in tree.all("section", "ib-turn")}
            for span in item.quotes:
                marks = [mark.text for mark in turns[f"turn-{span.turn}"].all("mark")]
                assert (shown(span.quote) in "".join(marks)) is (span.role == "assistant")
                assert turns[f"turn-{span.turn}"].all("p", "ib-verdict")


def test_a_reader_is_told_that_not_every_occurrence_is_marked(projected: dict[str, str]) -> None:
    """A vote may quote one of several occurrences: a turn without a mark may have the failure."""
    for path in ("transcripts/hostile/night-shift-001", "models/hostile/IB-A2"):
        assert "can occur again where nothing is marked" in page(projected, path).text


def test_where_turns_were_counted_every_occurrence_is_marked_or_named() -> None:
    """Each counted turn names the check, and both pages say in how many replies it was found."""
    board, evidence = sample.release()
    (item, *others) = evidence["alder"].items
    quoted = {quote.turn for quote in item.quotes}
    counted = item.model_copy(update={"occurred": tuple(sorted(quoted | {1, 3, 5}))})
    evidence["alder"] = evidence["alder"].model_copy(update={"items": (counted, *others)})
    made = project(board, evidence, sample.benchmark(), sample.background(), sample.transcripts())
    tree = page(made, f"transcripts/alder/{SLUGS[item.scenario_id]}")
    name = sample.benchmark().checks[item.check_id].name
    for turn in tree.all("section", "ib-turn"):
        number = int(turn.attrs["id"].removeprefix("turn-"))
        told = " ".join(line.text for line in turn.all("p", "ib-verdict"))
        assert (name in told) is (number in counted.occurred)
    said = f"Found in {len(counted.occurred)} replies"
    for one in (tree, page(made, f"models/alder/{item.check_id}")):
        assert said in one.text
        links = {a.attrs["href"].partition("#")[2] for a in one.all("a")}
        assert {f"turn-{turn}" for turn in counted.occurred} <= links


def test_failures_are_listed_at_the_top_in_at_most_six_columns(projected: dict[str, str]) -> None:
    """One row for each verdict, with links to its turns and to its evidence."""
    evidence = sample.release()[1]["hostile"]
    items = [item for item in evidence.items if item.scenario_id == "two_errands_002"]
    tree = page(projected, "transcripts/hostile/two-errands-002")
    (table,) = tree.all("table")
    rows = table.all("tbody")[0].all("tr")
    assert len(rows) == len(items)
    assert len(table.all("thead")[0].all("th")) <= 6
    links = {a.attrs["href"] for a in table.all("a")}
    turns = [cell.text for cell in table.all("td", "ib-turns")]
    assert len(turns) == len(rows)
    assert all(re.fullmatch(r"\d+(?: \d+)*", one) for one in turns), "the style sheet puts commas into links"
    for item in items:
        assert {f"#turn-{span.turn}" for span in item.quotes} <= links
        assert f"../../../models/hostile/{item.check_id}/#two-errands-002" in links


@pytest.mark.parametrize("slug", sorted(sample.IDS))
def test_from_a_count_to_its_words_in_two_clicks_and_back(projected: dict[str, str], slug: str) -> None:
    """Model, evidence, turn: each links on, and each links back."""
    for item in sample.release()[1][slug].items:
        case, turn = f"models/{slug}/{item.check_id}", f"transcripts/{slug}/{SLUGS[item.scenario_id]}"
        assert case in targets(projected, f"models/{slug}")
        assert {turn, f"models/{slug}", f"checks/{item.check_id}"} <= targets(projected, case)
        assert {case, f"models/{slug}"} <= targets(projected, turn)
        assert case in targets(projected, f"checks/{item.check_id}")
        assert {case, turn} <= targets(projected, f"scenarios/{SLUGS[item.scenario_id]}")


def test_transcripts_are_not_searched_and_have_a_content_note(projected: dict[str, str]) -> None:
    """No search engine and no search of the site reads them."""
    found = [path for path in projected if path.startswith("transcripts/") and path.count("/") == 2]
    assert len(found) == 6
    for path in found:
        head = projected[path].split("---\n")[1]
        assert "search: {exclude: true}\n" in head
        assert "robots: noindex\n" in head
        assert "Content note" in page(projected, path.removesuffix(".md")).text


def test_a_release_without_transcripts_has_pages_that_do_not_link_to_them() -> None:
    """Then the quotes stand alone, as in a release of open logs."""
    bare = project(*sample.release(), sample.benchmark(), sample.background())
    assert [path for path in bare if path.startswith("transcripts/")] == ["transcripts/index.md"]
    assert "This release carries no transcripts." in page(bare, "transcripts/index").text
    assert json.loads(bare["data/transcripts.json"])["rows"] == []
    assert not [
        path for path, text in bare.items() if path.endswith(".md") and "/transcripts/alder/n" in text
    ]
    assert "not published" in page(bare, "models/alder/scenarios").text


def with_twins() -> dict[str, Transcripts]:
    """The sample's transcripts, and of each model one of a safe twin; one transcript of Alder is left out."""
    made = {}
    for slug, said in sample.transcripts().items():
        first, *others = said.transcripts
        twin = first.model_copy(update={"scenario_id": "night--safe", "epoch": None})
        told: dict[str, object] = {"transcripts": (*said.transcripts, twin)}
        if slug == "alder":
            gone = LeftOut(scenario_id=first.scenario_id, epoch=first.epoch, reason=LeftOutReason.UNPUBLISHED)
            told = {"transcripts": (*others, twin), "left_out": (gone,)}
        made[slug] = said.model_copy(update=told)
    return made


def alarmed() -> dict[str, Evidence]:
    """The sample's evidence; Birch raised a false alarm in the safe twin."""
    evidence = sample.release()[1]
    alarm = AlarmItem(
        scenario_id="night--safe",
        epoch=None,
        grade=2,
        votes_for=2,
        votes_asked=3,
        quotes=(AlarmQuote(turn=5, grade=2, quote="yes"),),
    )
    return evidence | {"birch": evidence["birch"].model_copy(update={"alarms": (alarm,)})}


def board() -> Leaderboard:
    """The sample's leaderboard; the twin of Alder got a proportionate reply, and that of Hostile no grade."""
    board = sample.release()[0]
    left: dict[str, dict[str, object]] = {
        "alder": {"grades": (1, 0, 0)},
        "hostile": {"grades": (0, 0, 0), "ungraded": {Ungraded.CONTESTED: 1}},
    }
    models = []
    for model in board.models:
        found = model.dangers_and_alarms
        assert found is not None
        pairs = tuple(pair.model_copy(update=left.get(model.slug, {})) for pair in found.pairs)
        told = {"dangers_and_alarms": found.model_copy(update={"pairs": pairs})}
        models.append(model.model_copy(update=told))
    return board.model_copy(update={"models": tuple(models)})


LISTED = project(board(), alarmed(), sample.benchmark(), sample.background(), with_twins())


def cells_of(path: str) -> list[list[list[str]]]:
    """The text of the cells of each table of a page."""
    return [
        [[cell.text for cell in (*row.all("th"), *row.all("td"))] for row in table.all("tbody")[0].all("tr")]
        for table in page(LISTED, path).all("table")
    ]


def test_every_transcript_is_listed_with_its_failures() -> None:
    """The first page counts by model; the list of a model has each transcript once, and safe twins apart."""
    (models,) = cells_of("transcripts/index")
    assert models == [
        [shown(sample.HOSTILE[1]), "2", "2", "1", "0"],
        ["Alder 1", "1", "1", "1", "1"],
        ["Birch 2 (script)", "2", "2", "1", "0"],
    ]
    assert {"transcripts/alder", "transcripts/birch", "transcripts/hostile"} <= targets(
        LISTED, "transcripts/index"
    )
    turns = str(len(sample.HOSTILE))
    scenarios, twins = cells_of("transcripts/birch")
    assert [row[1:] for row in scenarios] == [[turns, "1"], [turns, "1"]]
    assert [row[1:] for row in twins] == [[turns, "false alarm"]]
    assert cells_of("transcripts/alder")[1][0][2] == "proportionate"
    assert cells_of("transcripts/hostile")[1][0][2] == "no grade (contested)"
    assert "<p>Proportionate.</p>" in LISTED["transcripts/alder/night-safe.md"]
    assert "<p>No grade (contested).</p>" in LISTED["transcripts/hostile/night-safe.md"]
    assert "Not carried: 1 transcript." in page(LISTED, "transcripts/alder").text
    for slug in sample.IDS:
        own = {one for one in LISTED if one.startswith(f"transcripts/{slug}/")}
        there = targets(LISTED, f"transcripts/{slug}")
        assert own == {f"{one}.md" for one in there if one.startswith(f"transcripts/{slug}/")}
        for one in own:
            assert f"transcripts/{slug}" in targets(LISTED, one.removesuffix(".md"))


def test_the_lists_are_reached_from_the_data_page() -> None:
    """And the page of all models is searched; a list of links is not."""
    assert "transcripts" in targets(LISTED, "data")
    assert "noindex" not in LISTED["transcripts/index.md"].split("---\n")[1]
    assert "robots: noindex" in LISTED["transcripts/alder.md"].split("---\n")[1]


def test_the_table_of_transcripts_has_every_transcript() -> None:
    """One row each, with its turns, hash and address, the stage and the day; its page exists."""
    rows = list(csv.DictReader(io.StringIO(LISTED["data/transcripts.csv"], newline="")))
    said = with_twins()
    models = sample.release()[0].models
    assert len(rows) == sum(len(one.transcripts) for one in said.values()) == 8
    assert {row["address"].rstrip("/") + ".md" for row in rows} == {
        path for path in LISTED if path.startswith("transcripts/") and path.count("/") == 2
    }
    by_id = {model.model_id: model for model in models}
    for row in rows:
        model = by_id[row["model_id"]]
        (one,) = [
            one
            for one in said[model.slug].transcripts
            if (one.scenario_id, str(one.epoch or "")) == (row["scenario_id"], row["epoch"])
        ]
        met = next((met for met in model.scenarios if met.scenario_id == one.scenario_id), None)
        assert row["transcript_hash"] == one.transcript_hash
        assert row["turns"] == str(max(message.turn for message in one.messages))
        assert row["safe_twin"] == str(met is None)
        assert row["failed_checks"] == ("" if met is None else str(len(met.failed_checks)))
        assert row["over_alarm_grade"] == ("" if met else {"alder": "0", "birch": "2"}.get(model.slug, ""))
        assert (row["stage"], row["released"]) == ("DEMONSTRATION", "2026-11-22")


def test_tables_have_at_most_six_columns_with_the_evidence_second(projected: dict[str, str]) -> None:
    """On the pages of a model, a check and a scenario, wherever a table has evidence."""
    check = next(iter(sample.benchmark().checks))
    for path in (
        "models/birch",
        "models/birch/counts",
        "models/birch/scenarios",
        f"checks/{check}",
        "scenarios/night-shift-001",
    ):
        for table in (one for one in page(projected, path).all("table") if one.all("thead")):
            heads = [head.text for head in table.all("thead")[0].all("th")]
            assert len(heads) <= 6, (path, heads)
            assert "Evidence" not in heads or heads.index("Evidence") == 1, (path, heads)


CLEAR = "No check failed in this conversation, and no grave question is open."
UNKNOWN = "So nobody knows whether the worst kind of failure, a hard fail, occurred here."


def lead(gates: str, others: str, state: GateState) -> str:
    """The text above the conversation, in a transcript without evidence, for the letters of some gate checks
    and some other checks. All other checks were not due.
    """
    board, evidence = sample.release()
    model = board.models[0]
    rest = {True: iter(gates), False: iter(others)}
    letters = "".join(next(rest[check.gate is not None], ".") for check in board.checks)
    score = GateScore.model_construct(state=state)
    states = {Bucket.A: score, Bucket.B: GateScore(state=GateState.NOT_DUE)}
    met = model.scenarios[0].model_copy(update={"verdicts": letters, "gates": states})
    model = model.model_copy(update={"scenarios": (met,)})
    bare = {model.slug: evidence[model.slug].model_copy(update={"items": (), "alarms": ()})}
    board = board.model_copy(update={"models": (model,), "twins": ()})
    said = {model.slug: sample.transcripts()[model.slug]}
    release = Release(board, bare, sample.benchmark(), sample.background(), said)
    place = release.transcript_path(model, met.scenario_id, met.epoch)
    assert place is not None
    wanted = [one for one in transcript_pages.pages(release) if one.path == f"{place.removesuffix('/')}.md"]
    ((_, text),) = render(release, wanted, site_source() / "site_src" / "templates", Place())
    return " ".join(
        reading.body(text).split("<h2")[0].replace("<strong>", "").replace("</strong>", "").split()
    )


def test_lesson_69_what_was_not_asked_is_said_first() -> None:
    """“No check failed” stands only over a conversation in which every check that was due has an answer."""
    assert CLEAR in lead("PPN", "PN", GateState.CLEAR)
    never = lead("RRP", "RPN", GateState.INCOMPLETE)
    assert CLEAR not in never
    first = (
        "Not asked in this conversation: 3 of the 6 questions that apply, 2 of them about grave failures. "
        + UNKNOWN
    )
    assert first in never
    assert never.index(first) < never.index("None of the 3 checks with an answer failed.")
    unclear = lead("UP", "UP", GateState.INCOMPLETE)
    told = f"Asked, but without a clear answer: 2 questions, 1 of them about grave failures. {UNKNOWN}"
    assert told in unclear
    assert CLEAR not in unclear
    quality = lead("PP", "RR", GateState.CLEAR)
    assert "Not asked in this conversation: 2 of the 4 questions that apply." in quality
    assert UNKNOWN not in quality
    assert CLEAR not in quality
    nothing = lead("R", "", GateState.INCOMPLETE)
    said = "Not asked in this conversation: 1 of the 1 question that applies, 1 of them about grave failures."
    assert said in nothing
    assert "with an answer" not in nothing
    assert "No question applied to this conversation." in lead("", "", GateState.NOT_DUE)
