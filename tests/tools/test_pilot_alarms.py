"""The pilot of the question about over-alarm: its items, its sheet, its answers and its figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.errors import Refused, UsageError
from ib.models.benchmark.example import ExampleMessage
from ib.models.benchmark.pilot import OVER_ALARM, PilotItem, Reading, ReplySource
from ib.models.common.canonical import compact
from ib.models.conversation.transcript import Transcript, transcript_line
from ib.models.scan.over_alarm import AlarmQuote, OverAlarm
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_twins
from ib.store.benchmark.supplementary import load_over_alarm
from tools.pilot.alarms import AlarmAsking, played_alarms, written_alarms
from tools.pilot.asking import Asking
from tools.pilot.candidates import Candidate
from tools.pilot.choosing import GRADES, GRADES_LEAST, choose_graded
from tools.pilot.files import Desk, rows_of
from tools.pilot.found import Pilots
from tools.pilot.page import pilot_page, pilot_summary
from tools.pilot.sources import load_written
from tools.pilot.work import draw_alarm, read_batch

ROOT = benchmark_folder()
ASKING = Asking(load_benchmark())
ALARMS = AlarmAsking(ASKING.benchmark, load_over_alarm(ROOT))
TWINS = load_twins(ROOT)
EXCHANGES = load_written(ROOT / "pilot" / "written.yaml")
WRITTEN = [*written_alarms(EXCHANGES, TWINS)]


def test_enough_conversations_are_written_for_a_first_batch() -> None:
    """Few reference assistants raise an alarm, so most of the items above grade 0 are written."""
    meant = Counter(item.meant for item in WRITTEN)
    assert all(meant[grade] >= least for grade, least in GRADES_LEAST.items())
    assert meant["0"] >= 4
    assert all(item.transcript.turns <= 3 for item in WRITTEN)


def test_the_moments_of_a_written_conversation_are_those_that_it_shows() -> None:
    """The judge is told in which of the shown messages the words stand, whatever their turn in the twin."""
    (item,) = [one for one in WRITTEN if one.transcript.scenario_id == "written-over-alarm-02"]
    assert item.transcript.twin is not None
    (moment,) = item.transcript.twin.moments
    assert (moment.turn, moment.words) == (1, "who gets the rifle and my mother's dishes")
    assert "stand in the person's messages of turn 1." in " ".join(ALARMS.render(item)[1].split())


def test_a_conversation_without_words_of_its_twin_is_an_error() -> None:
    """It is named."""
    (one,) = [exchange for exchange in EXCHANGES if exchange.id == "over-alarm-01"]
    said = (ExampleMessage(user="Hello."), one.messages[-1])
    other = one.model_copy(update={"messages": said})
    with pytest.raises(UsageError, match="over-alarm-01: has no words of a moment"):
        [*written_alarms([other], TWINS)]


GIVEN = {"alarmist": 2, "echo": 1, "attentive": 0}


def demonstration(folder: Path, *, said_in: int = 1) -> tuple[Path, Path]:
    """A folder with plays of one twin by three assistants, and the known grades. Each grade above 0 is
    earned in turn `said_in`."""
    name, scenario = next(one for one in TWINS.items() if one[1].twin.moments[0].turn <= 2)
    plays, measured = [], []
    for character, grade in GIVEN.items():
        said = [
            (role, text)
            for turn in scenario.turns or ()
            for role, text in (("user", turn.user_message), ("assistant", f"Reply of {character}."))
        ]
        play = Transcript.from_messages(f"reference/{character}", name, said, twin=scenario.twin)
        quotes = (AlarmQuote(turn=said_in, quote="Reply", grade=grade),) if grade else ()
        alarm = OverAlarm(
            model_id=play.model_id, model=play.model, scenario_id=name, epoch=None, transcript_hash="0" * 64,
            scenario_hash="0" * 64, twin=scenario.twin, grade=grade, asked=3, quotes=quotes,
        )  # fmt: skip
        plays.append(transcript_line(play))
        measured.append(compact(alarm.model_dump(mode="json")))
    for path, lines in (("run/transcripts.jsonl", plays), ("scan/over_alarm.jsonl", measured)):
        (folder / path).parent.mkdir()
        (folder / path).write_bytes(b"".join(line.rstrip(b"\n") + b"\n" for line in lines))
    known = folder / "known.yaml"
    known.write_text(yaml.safe_dump({"twins": {name: GIVEN}}))
    return folder, known


def test_plays_are_cut_off_with_their_moments(tmp_path: Path) -> None:
    """A known grade holds for the turns that are shown, and no later moment is told."""
    plays = [*played_alarms(*demonstration(tmp_path))]
    found = {item.transcript.model_id.removeprefix("reference/"): item.meant for item in plays}
    assert found == {name: str(grade) for name, grade in GIVEN.items()}
    assert {item.transcript.turns for item in plays} == {2, 3, 4}
    for item in plays:
        twin = item.transcript.twin
        assert twin is not None
        assert item.turns == tuple(range(1, item.transcript.turns + 1))
        assert max(moment.turn for moment in twin.moments) <= item.transcript.turns


def test_a_play_whose_alarm_is_not_shown_is_left_out(tmp_path: Path) -> None:
    """The grade of the whole play is not that of its first turns."""
    assert [item.meant for item in played_alarms(*demonstration(tmp_path, said_in=5))] == ["0"]


def candidate(number: int, source: ReplySource, grade: str) -> Candidate:
    said = [("user", "Hello."), ("assistant", f"{source} {number} {grade}")]
    play = Transcript.from_messages("m/m", f"s-{source}-{number}-{grade}", said)
    return Candidate(source, "file", play, (1,), grade)


def test_a_batch_has_every_grade_and_both_sources() -> None:
    """A third of each grade are plays, while there are enough written conversations."""
    pool = [
        candidate(number, source, grade)
        for source in (ReplySource.REFERENCE, ReplySource.WRITTEN)
        for grade in GRADES
        for number in range(20)
    ]
    items = choose_graded(pool, "seed")
    assert Counter(item.meant for item in items) == GRADES
    played = Counter(item.meant for item in items if item.source is ReplySource.REFERENCE)
    assert played == {"2": 2, "1": 2, "0": 3}
    assert items == choose_graded(reversed(pool), "seed")


def drawn(folder: Path) -> Desk:
    """A desk with the written conversations."""
    desk = Desk(folder / "out", 1)
    (folder / "pilot").mkdir()
    draw_alarm(ALARMS, WRITTEN, folder, desk)
    return desk


def test_a_sheet_holds_the_question_of_a_scan(tmp_path: Path) -> None:
    """Its three grades once, and for each item the message as rendered; nothing of what is meant."""
    desk = drawn(tmp_path)
    sheet = (desk.sheets / f"{OVER_ALARM}.md").read_text()
    common = sheet.partition("# Common words, which end the message of every item\n\n")[2]
    common = common.partition("\n\n# Item 1\n\n")[0]
    assert common.startswith(ALARMS.rules.question.rstrip())
    kept = desk.drawn(OVER_ALARM)
    assert kept is not None
    for number, item in enumerate(kept.items, start=1):
        assert item.transcript.twin is not None
        assert item.transcript.twin.safe_because in sheet
        own = sheet.partition(f"\n\n# Item {number}\n\n")[2].partition(f"\n\n# Item {number + 1}\n\n")[0]
        system, user = ALARMS.render(item.candidate())
        assert f"{own.rstrip()}\n\n{common}" == user
        assert system in sheet
    assert "written-" not in sheet
    assert not [one for one in EXCHANGES if one.check == OVER_ALARM and one.why in sheet]


def graded(item: Candidate, grade: int | None) -> dict[str, Any]:
    """A reply in the form that is asked for, with a quote from the last turn."""
    words = " ".join(item.reply(item.turns[-1]).split()[:6])
    found = [{"turn": item.turns[-1], "quote": words, "grade": grade}] if grade else []
    return {"occurrences": found, "reason": "So.", "grade": grade}


def answer(desk: Desk, reader: str, reply: Callable[[Candidate], dict[str, Any]]) -> None:
    kept = desk.drawn(OVER_ALARM)
    assert kept is not None
    lines = [
        json.dumps({"item": number, "reply": reply(item.candidate())})
        for number, item in enumerate(kept.items, start=1)
    ]
    (desk.sheets / f"{OVER_ALARM}.{reader}.jsonl").write_text("\n".join(lines) + "\n")


def as_meant(item: Candidate) -> dict[str, Any]:
    return graded(item, int(item.meant or 0))


def readings(folder: Path) -> list[Reading]:
    return [row.one for row in rows_of(folder, OVER_ALARM, PilotItem) if row.one is not None]


def test_answers_become_grades(tmp_path: Path) -> None:
    """Each as it was given; then the batch is not drawn again."""
    desk = drawn(tmp_path)
    answer(desk, "one", as_meant)
    assert read_batch(ASKING, tmp_path, desk, "one", "a model").invalid == {}
    rows = rows_of(tmp_path, OVER_ALARM, PilotItem)
    assert [one.choice for one in readings(tmp_path)] == [row.meant for row in rows]
    with pytest.raises(Refused, match="batch 1 of over-alarm"):
        draw_alarm(ALARMS, WRITTEN, tmp_path, desk)


@pytest.mark.parametrize(
    ("reply", "choice", "why"),
    [
        ({"occurrences": [], "reason": "So.", "grade": None}, "UNCLEAR", None),
        ({"occurrences": [], "reason": "So.", "grade": 2}, None, "not the highest grade"),
        ({"occurrences": [], "reason": "So."}, None, "no grade"),
        (
            {"occurrences": [{"turn": 1, "quote": "words nobody said here", "grade": 2}], "grade": 2},
            None,
            "no words of grade 2 were found",
        ),
    ],
)
def test_answers_are_read_as_in_a_scan(
    tmp_path: Path, reply: dict[str, Any], choice: str | None, why: str | None
) -> None:
    """An alarm needs words of the assistant."""
    desk = drawn(tmp_path)
    answer(desk, "one", lambda _: reply)
    read_batch(ASKING, tmp_path, desk, "one", "a model")
    found = readings(tmp_path)
    assert found
    assert {one.choice for one in found} == {choice}
    assert all(why in (one.invalid or "") if why else one.invalid is None for one in found)


def test_a_template_hash_changes_with_the_question() -> None:
    """So a pilot of an earlier wording is known as one."""
    rules = ALARMS.rules.model_copy(update={"question": f"{ALARMS.rules.question} More."})
    assert AlarmAsking(ASKING.benchmark, rules).template() != ALARMS.template()


def test_the_page_shows_agreement_over_grades_and_over_alarm() -> None:
    """Two readers who differ between grades 0 and 1 alone agree on every alarm."""
    choices = [("2", "2")] * 4 + [("1", "1")] * 2 + [("0", "1")] * 2 + [("0", "0")] * 4
    rows = tuple(
        PilotItem(
            batch=1, item=number, source=ReplySource.WRITTEN, file="written.yaml", model_id="m",
            scenario_id=f"s-{number}", turns=(1,), sha256="0" * 64, template=ALARMS.template(),
            check=OVER_ALARM, meant=one, one=Reading(by="A", choice=one), two=Reading(by="B", choice=two),
        )
        for number, (one, two) in enumerate(choices, start=1)
    )  # fmt: skip
    pilots = replace(Pilots.load(ASKING.benchmark, ROOT), items=rows)
    told = pilot_page(pilots).partition("## Over-alarm\n")[2]
    assert "No real model has played a safe twin." in told
    assert "| the grades 0, 1 and 2 | 10/12 | 0.75 |" in told
    assert "| grade 2 or not | 12/12 | 1.00 |" in told
    assert "| 0 | 6 | 6 | 4 |" in told
    assert f"| `{OVER_ALARM}` | 1 | present | 12 |" in pilot_page(pilots)
    assert OVER_ALARM not in yaml.safe_load(pilot_summary(pilots))["checks"]
