"""The answers of a pilot: parsed as in a scan, written down without words, and counted on the page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError, Refused, UsageError
from ib.models.benchmark.check import Check
from ib.models.benchmark.pilot import (
    BaseRate,
    BaseRates,
    Change,
    Changes,
    Listing,
    NoFailure,
    NoFailures,
    PilotItem,
    PilotSummary,
    Reading,
    ReplySource,
    ScreenedItem,
)
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.yaml_json import parse_yaml
from tools.pilot.asking import Asking
from tools.pilot.candidates import Candidate
from tools.pilot.files import Desk, rows_of, write_rows
from tools.pilot.found import Pilots
from tools.pilot.page import pilot_page, pilot_summary
from tools.pilot.sources import Real, load_written
from tools.pilot.work import Pool, draw_check, draw_screening, read_batch

ASKING = Asking(load_benchmark())
WRITTEN = load_written(benchmark_folder() / "pilot" / "written.yaml")
NAME = "IB-C2-othering"
CHECK = ASKING.benchmark.checks[NAME]
Reply = Callable[[Check, Candidate], Mapping[str, Any] | str]


def drawn(folder: Path, *names: str) -> Desk:
    """A desk with drawn checks."""
    desk = Desk(folder / "out", 1)
    (folder / "pilot").mkdir(exist_ok=True)
    for name in names:
        pool = Pool(Real((), {}, ()), None, WRITTEN)
        draw_check(ASKING, ASKING.benchmark.checks[name], pool, folder, desk)
    return desk


def verdict(check: Check, item: Candidate, choice: str) -> dict[str, Any]:
    """A reply in the form that is asked for."""
    quote = {"turn": item.turns[-1], "quote": beginning(item)}
    codes: dict[str, str] = getattr(check.rationale_codes, choice)
    found = [quote] if choice == "FAIL" else []
    return {"occurrences": found, "reason": "So.", "code": next(iter(codes)), "verdict": choice}


def beginning(item: Candidate) -> str:
    """The first words of the judged reply."""
    return " ".join(item.reply(item.turns[-1]).split()[:6])


def as_meant(check: Check, item: Candidate) -> dict[str, Any]:
    return verdict(check, item, item.meant or "PASS")


def answer(desk: Desk, name: str, reader: str, reply: Reply, *, leave_out: int = 0) -> Path:
    """Write the answers of a reader."""
    kept = desk.drawn(name)
    assert kept is not None
    lines = [
        json.dumps({"item": number, "reply": reply(kept.checks[0], item.candidate())})
        for number, item in enumerate(kept.items, start=1)
    ]
    path = desk.sheets / f"{name}.{reader}.jsonl"
    path.write_text("\n".join(lines[leave_out:]) + "\n")
    return path


def test_answers_become_readings(tmp_path: Path) -> None:
    """Each with the verdict, its code, and the name of the model; no words."""
    desk = drawn(tmp_path, NAME)
    answer(desk, NAME, "one", as_meant)
    done = read_batch(ASKING, tmp_path, desk, "one", "a model")
    rows = rows_of(tmp_path, NAME, PilotItem)
    assert (done.names, done.missing, done.invalid) == ((NAME,), (), {})
    assert [row.one.choice for row in rows if row.one] == [row.meant for row in rows]
    assert all(row.one and row.one.by == "a model" and row.two is None for row in rows)
    assert "So." not in (tmp_path / "pilot" / f"{NAME}.jsonl").read_text()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"code": "no_such_code"}, "code"),
        ({"occurrences": [{"turn": 1, "quote": "words that nobody has ever said here"}]}, "quote"),
        ({"verdict": "MAYBE"}, "verdict"),
    ],
)
def test_replies_that_a_scan_would_not_count_do_not_count(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    """A wrong code, a quote that is not found, another form: the reason is kept."""
    desk = drawn(tmp_path, NAME)
    answer(desk, NAME, "one", lambda check, item: {**verdict(check, item, "FAIL"), **change})
    done = read_batch(ASKING, tmp_path, desk, "one", "a model")
    rows = rows_of(tmp_path, NAME, PilotItem)
    assert done.invalid == {NAME: len(rows)}
    assert all(row.one and row.one.choice is None and why in str(row.one.invalid) for row in rows)


def test_a_reply_may_be_text(tmp_path: Path) -> None:
    """The object inside is found as in a scan."""
    desk = drawn(tmp_path, NAME)
    answer(desk, NAME, "two", lambda check, item: f"Well: {json.dumps(as_meant(check, item))}")
    assert read_batch(ASKING, tmp_path, desk, "two", "a model").invalid == {}


def test_a_missing_answer_changes_nothing(tmp_path: Path) -> None:
    """The message names the file and the item."""
    desk = drawn(tmp_path, NAME)
    answer(desk, NAME, "one", as_meant, leave_out=1)
    with pytest.raises(DataError, match="no answer for item 1"):
        read_batch(ASKING, tmp_path, desk, "one", "a model")
    assert all(row.one is None for row in rows_of(tmp_path, NAME, PilotItem))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"item": 1}', "is not an item with its reply"),
        ('{"item": 900, "reply": {}}', "found 900"),
        ('{"item": 2, "reply": {}}', "answered twice"),
        ('{"item"', "JSON"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, found: str) -> None:
    """With its number."""
    desk = drawn(tmp_path, NAME)
    path = answer(desk, NAME, "one", as_meant)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DataError, match=found) as error:
        read_batch(ASKING, tmp_path, desk, "one", "a model")
    assert f"{path.name}:{len(path.read_text().splitlines())}" in str(error.value)


def test_no_answers_are_an_error(tmp_path: Path) -> None:
    """Zero answers are never a success."""
    with pytest.raises(UsageError, match="no answers of reader one"):
        read_batch(ASKING, tmp_path, drawn(tmp_path, NAME), "one", "a model")


def test_answers_to_another_draw_are_refused(tmp_path: Path) -> None:
    """Verdicts never go to other words than those that were read."""
    desk = drawn(tmp_path, NAME)
    answer(desk, NAME, "one", as_meant)
    rows = rows_of(tmp_path, NAME, PilotItem)
    write_rows(tmp_path, NAME, rows[1:])
    with pytest.raises(Refused, match="draw batch 1 again"):
        read_batch(ASKING, tmp_path, desk, "one", "a model")


def test_answers_are_read_by_the_wording_that_was_answered(tmp_path: Path) -> None:
    """A code that was renamed since does not void them."""
    desk = drawn(tmp_path, NAME)
    answer(desk, NAME, "one", as_meant)
    codes = CHECK.rationale_codes.model_copy(
        update={"PASS": {"renamed_code": "a meaning"}, "FAIL": {"other_code": "a meaning"}}
    )
    renamed = CHECK.model_copy(update={"rationale_codes": codes})
    now = Asking(ASKING.benchmark.model_copy(update={"checks": {NAME: renamed}}))
    assert read_batch(now, tmp_path, desk, "one", "a model").invalid == {}


def test_what_a_screening_lists_counts_for_its_own_reply_only(tmp_path: Path) -> None:
    """With a quote that is found there."""
    gates = ASKING.screenings()[1]
    names = [check.id for check in gates.checks]
    desk = drawn(tmp_path, *names)
    draw_screening(ASKING, gates, tmp_path, desk)

    def listed(_: Check, item: Candidate) -> dict[str, Any]:
        last = item.turns[-1]
        found = [{"check": names[0], "turn": last, "quote": beginning(item)}]
        return {"found": [*found, {"check": names[1], "turn": last, "quote": "nobody ever said this here"}]}

    answer(desk, gates.id, "one", listed)
    read_batch(ASKING, tmp_path, desk, "one", "a model")
    rows = rows_of(tmp_path, gates.id, ScreenedItem)
    assert rows
    assert all(row.one and row.one.checks == (names[0],) for row in rows)


def row(number: int, one: str, two: str, **fields: Any) -> PilotItem:
    """A row that both readers have read."""
    told: dict[str, Any] = {
        "check": NAME,
        "batch": 1,
        "item": number,
        "source": ReplySource.REAL,
        "file": "file",
        "model_id": "m",
        "scenario_id": f"s-{number}",
        "turns": (1,),
        "sha256": f"{number:064x}",
        "template": ASKING.template(NAME),
        "meant": one,
    }
    readings = {"one": Reading(by="model A", choice=one), "two": Reading(by="model B", choice=two)}
    return PilotItem(**{**told, **readings, **fields})


def pilots(*items: PilotItem, screened: tuple[ScreenedItem, ...] = ()) -> Pilots:
    return Pilots(
        items=items,
        screened=screened,
        screens={"screening": (NAME,)},
        templates={NAME: ASKING.template(NAME), "IB-A1": ASKING.template("IB-A1"), "screening": "0" * 64},
        rates=BaseRates(judged_by="a judge", rates={NAME: {"m": BaseRate(failed=0, judged=22)}}),
        no_failures=NoFailures(checks={NAME: NoFailure(because="models", why="They do not.")}),
        changes=Changes(changes=(Change(check=NAME, batch=1, what="A word.", why="It was read twice."),)),
    )


TEN = [row(n, "PASS", "PASS") for n in range(1, 6)] + [row(n, "FAIL", "FAIL") for n in range(6, 10)]
TEN.append(row(10, "FAIL", "PASS", source=ReplySource.WRITTEN))


def line_of(page: str, heading: str, check: str = NAME) -> str:
    """The line of a check in a table."""
    part = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return next(line for line in part.splitlines() if line.startswith(f"| `{check}`"))


def test_the_page_shows_agreement_and_what_was_meant_to_fail() -> None:
    """Counted by hand: 9 of 10 agreed, chance .5, kappa .8; 4 of 5 failures found by both, 1 by one."""
    found = line_of(pilot_page(pilots(*TEN)), "Agreement on the last batch")
    assert found.startswith(f"| `{NAME}` | 1 | present | 10 | 9 | 0 | 1 | 9/10 | 0.80 | 0.19 to 0.96 |")
    assert found.endswith("| 4, 1 of 5 |")


def test_items_of_an_earlier_wording_do_not_count_as_piloted() -> None:
    """They are shown, and the summary for the public page leaves them out."""
    before = pilots(*(item.model_copy(update={"template": "1" * 64}) for item in TEN))
    page = pilot_page(before)
    assert line_of(page, "Agreement on the last batch").startswith(f"| `{NAME}` | 1 | earlier | 10 |")
    assert f"Not piloted with the present wording: `{NAME}`, `IB-A1`." in page
    assert summary(before).checks == {}
    assert summary(pilots(*TEN)).checks[NAME].agreed == 9


def summary(found: Pilots) -> PilotSummary:
    return PilotSummary.model_validate(parse_yaml(pilot_summary(found), "summary"))


def test_first_and_last_batch_stand_apart() -> None:
    """The later one is the figure of the check."""
    later = [replace_batch(item, 2, two="FAIL" if item.meant == "FAIL" else "PASS") for item in TEN]
    page = pilot_page(pilots(*TEN, *later))
    assert line_of(page, "First and last batch") == f"| `{NAME}` | 9/10 | 0.80 | 10/10 | 1.00 |"


def replace_batch(item: PilotItem, batch: int, *, two: str) -> PilotItem:
    reading = Reading(by="model B", choice=two)
    return item.model_copy(update={"batch": batch, "two": reading})


def test_one_verdict_everywhere_has_no_kappa() -> None:
    """A dash, in the mean as well."""
    page = pilot_page(pilots(*TEN[:5]))
    assert "| 5/5 | - | - | - | - |" in line_of(page, "Agreement on the last batch")
    assert "Mean kappa within checks: not measured. 1 have no kappa" in page


def test_replies_that_do_not_count_are_counted() -> None:
    """And are no disagreement."""
    void = row(11, "PASS", "PASS")
    void = void.model_copy(update={"two": Reading(by="model B", invalid="no quote was found")})
    page = pilot_page(pilots(*TEN, void))
    assert line_of(page, "Verdicts of both readers").endswith("| FF 4, FP 1, PP 5 | 1 | 0.80 | 0.80 |")
    assert "| 10 | 9 | 0 | 1 |" not in line_of(page, "Agreement on the last batch")


def test_unclear_is_counted_both_ways() -> None:
    """By hand: as a FAIL, 10 of 12 agree, and 2 are failed by reader one alone; else by one reader each."""
    page = pilot_page(pilots(*TEN, row(11, "UNCLEAR", "FAIL"), row(12, "UNCLEAR", "PASS")))
    told = line_of(page, "Verdicts of both readers")
    assert told.endswith("| FF 4, FP 1, PP 5, UF 1, UP 1 | 0 | 0.68 | 0.66 |")


def test_readers_are_held_against_a_person() -> None:
    """Each by itself."""
    labeled = [item.model_copy(update={"person": "PASS"}) for item in TEN]
    page = pilot_page(pilots(*labeled))
    told = page.partition("## Readers and a person\n")[2]
    assert f"| `{NAME}` | one | 5/10 | 0.00 |" in told
    assert f"| `{NAME}` | two | 6/10 | 0.00 |" in told


def test_the_share_of_a_screening_is_over_what_both_readers_failed() -> None:
    """Four replies were failed by both; the screening lists three of them, and one that only one failed.

    Failures of a check that the screening does not list are not its misses.
    """
    place = {"batch": 1, "source": ReplySource.REAL, "file": "file", "model_id": "m", "turns": (1,)}
    rows = tuple(
        ScreenedItem(
            **place,
            screen="screening",
            item=number,
            scenario_id=f"s-{number}",
            sha256="0" * 64,
            template="0" * 64,
            one=Listing(by="model A", checks=(NAME,) if number != 6 else ()),
        )
        for number in range(6, 11)
    )
    elsewhere = row(6, "FAIL", "FAIL", check="IB-A1")
    page = pilot_page(pilots(*TEN, elsewhere, screened=rows))
    told = page.partition("## Screening questions\n")[2]
    assert f"| `screening` | `{NAME}` | one | 3/4 |" in told
    assert "| `screening` | all | one | 3/4 |" in told


def test_the_page_says_why_nothing_failed_and_what_changed() -> None:
    """Rates with their interval; readers are called language models."""
    page = pilot_page(pilots(*TEN))
    assert f"| `{NAME}` | m | 0/22 | 0.000 to 0.149 |" in page
    assert f"| `{NAME}` | models | They do not. |" in page
    assert f"| `{NAME}` | 1 | A word. | It was read twice. |" in page
    assert "language models (model A and model B)" in page
    assert Counter(page.splitlines())["# What independent readers of the prompts said"] == 1


def test_a_benchmark_without_readings_has_a_page() -> None:
    """It says that nobody has read."""
    page = pilot_page(replace(pilots(), items=()))
    assert "nobody so far" in page
    assert "| `IB-A1` | - | not piloted | 0 |" in page
