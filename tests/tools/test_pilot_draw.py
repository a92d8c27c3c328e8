"""The draw of a pilot: how many items, which sources, and what readers get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from ib.errors import Refused
from ib.models.benchmark.pilot import PilotItem, Reading, ReplySource, WrittenExchange
from ib.models.common.base import Unit
from ib.models.conversation.transcript import Transcript
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from tools.pilot.asking import Asking
from tools.pilot.candidates import Candidate
from tools.pilot.choosing import BUDGET, FAILS_LEAST, ITEMS, choose
from tools.pilot.files import Desk, rows_of, write_rows
from tools.pilot.sheets import Sheet, common_end
from tools.pilot.sources import Real, load_written, written_candidates
from tools.pilot.work import Pool, draw_check, draw_screening

ASKING = Asking(load_benchmark())
WRITTEN = load_written(benchmark_folder() / "pilot" / "written.yaml")
CHECK = "IB-C2-othering"
EPISODES = "IB-A1"


def candidate(
    number: int, source: ReplySource, meant: str | None, *, words: int = 5, turn: int = 1
) -> Candidate:
    """A candidate with words of its own."""
    said = [("user", "Hello."), ("assistant", f"{source} {number} {meant} " * words)] * turn
    transcript = Transcript.from_messages(f"m/{number % 2}", f"s-{source}-{number}-{meant}", said)
    return Candidate(source, "file", transcript, (turn,), meant)


def several(source: ReplySource, meant: str | None, count: int) -> list[Candidate]:
    return [candidate(number, source, meant) for number in range(count)]


def meant(items: Iterable[Candidate]) -> Counter[str | None]:
    return Counter(item.meant for item in items)


REAL, REFERENCE, OWN = ReplySource.REAL, ReplySource.REFERENCE, ReplySource.WRITTEN


def test_a_batch_has_twenty_items_and_six_that_are_meant_to_fail() -> None:
    """If real replies fail too rarely, reference assistants and written exchanges fill up."""
    pool = several(REAL, "PASS", 40) + several(REAL, "FAIL", 1)
    pool += several(REFERENCE, "FAIL", 9) + several(OWN, "FAIL", 9)
    items = choose(pool, "seed")
    assert len(items) == ITEMS
    assert meant(items)["FAIL"] == FAILS_LEAST
    failing = Counter(item.source for item in items if item.meant == "FAIL")
    assert failing == {REAL: 1, REFERENCE: 2, OWN: 3}


def test_enough_real_failures_need_no_others() -> None:
    """At most eight of them, with some on which votes were divided."""
    pool = several(REAL, "FAIL", 30) + several(REAL, None, 30) + several(REAL, "PASS", 30)
    items = choose([*pool, *several(REFERENCE, "FAIL", 9)], "seed")
    assert meant(items) == {"FAIL": 8, None: 4, "PASS": 8}
    assert {item.source for item in items} == {REAL}


def test_a_later_batch_does_not_rely_on_recorded_failures() -> None:
    """Readers of the first batch may have passed all replies that a recorded judge failed."""
    pool = several(REAL, "FAIL", 30) + several(REAL, "PASS", 30) + several(OWN, "FAIL", 9)
    failing = [item for item in choose(pool, "seed", again=True) if item.meant == "FAIL"]
    assert Counter(item.source for item in failing) == {REAL: 8, OWN: FAILS_LEAST}


def test_a_draw_depends_on_its_seed_alone() -> None:
    """Not on the order of the files; another batch has another draw."""
    pool = several(REAL, "PASS", 60)
    assert choose(pool, "one") == choose(reversed(pool), "one")
    assert choose(pool, "one") != choose(pool, "two")


def test_words_are_drawn_once() -> None:
    """Reference assistants repeat themselves."""
    same = [candidate(0, REFERENCE, "FAIL") for _ in range(5)]
    assert len(choose(same, "seed")) == 1


def test_long_conversations_stay_within_the_budget() -> None:
    """A sheet must be short enough to be read at once."""
    long = [candidate(number, REAL, "PASS", words=2_000) for number in range(20)]
    items = choose(long, "seed")
    assert 0 < sum(item.tokens for item in items) <= BUDGET


def drawn(folder: Path, name: str, batch: int = 1) -> tuple[list[PilotItem], str]:
    """A draw from written exchanges: the rows, and the sheet."""
    pool = Pool(Real((), {}, ()), None, WRITTEN)
    desk = Desk(folder / "out", batch)
    (folder / "pilot").mkdir(exist_ok=True)
    draw_check(ASKING, ASKING.benchmark.checks[name], pool, folder, desk)
    return rows_of(folder, name, PilotItem), (desk.sheets / f"{name}.md").read_text()


def test_a_sheet_holds_the_questions_as_rendered(tmp_path: Path) -> None:
    """What stands under an item and the common words are the whole message, byte for byte."""
    rows, sheet = drawn(tmp_path, CHECK)
    check = ASKING.benchmark.checks[CHECK]
    common = sheet.partition("# Common words, which end the message of every item\n\n")[2]
    common = common.partition("\n\n# Item 1\n\n")[0]
    assert common.startswith(f"Failure under study: {check.name}.")
    kept = Desk(tmp_path / "out", 1).drawn(CHECK)
    assert kept is not None
    assert len(kept.items) == len(rows)
    for number, item in enumerate(kept.items, start=1):
        own = sheet.partition(f"\n\n# Item {number}\n\n")[2].partition(f"\n\n# Item {number + 1}\n\n")[0]
        system, user = ASKING.render(check, item.candidate())
        assert f"{own.rstrip()}\n\n{common}" == user
        assert system in sheet


def test_a_sheet_does_not_say_what_is_meant(tmp_path: Path) -> None:
    """Neither the reason, nor the id, nor the source of an exchange is shown."""
    _, sheet = drawn(tmp_path, CHECK)
    own = [one for one in WRITTEN if one.check == CHECK]
    assert own
    for exchange in own:
        assert exchange.why not in sheet
        assert exchange.id not in sheet
    assert "written-" not in sheet


def test_a_message_with_another_end_is_shown_whole() -> None:
    """An episode has a form of its own."""
    sheet = Sheet("X", (("s", "a\n\nQ\n\nend"), ("s", "b\n\nQ\n\nend"), ("s", "c\n\nother")), "Q").text("out")
    assert "# Item 3 (its message is complete)\n\nc\n\nother" in sheet
    assert "# Item 1\n\na\n" in sheet
    assert common_end(["a\n\nz", "b\n\nz", "c"]) == "z"


def test_the_rows_of_a_draw_hold_no_words(tmp_path: Path) -> None:
    """Only places and hashes."""
    drawn(tmp_path, CHECK)
    rows = (tmp_path / "pilot" / f"{CHECK}.jsonl").read_text()
    said = [m.content for one in WRITTEN if one.check == CHECK for m in one.messages]
    assert said
    assert not [text for text in said if text[:30] in rows]


def test_a_batch_that_was_read_is_not_drawn_again(tmp_path: Path) -> None:
    """And another batch has other words."""
    rows, _ = drawn(tmp_path, CHECK)
    reading = Reading(by="x", choice="PASS")
    write_rows(tmp_path, CHECK, [row.model_copy(update={"one": reading}) for row in rows])
    with pytest.raises(Refused, match="batch 1"):
        drawn(tmp_path, CHECK)
    exchange = WrittenExchange.model_validate(
        {
            "id": "new-one",
            "check": CHECK,
            "meant": "PASS",
            "messages": [{"user": "Hello."}, {"assistant": "Tell me more about Thursday."}],
            "why": "New.",
        }
    )
    pool = Pool(Real((), {}, ()), None, (*WRITTEN, exchange))
    check = ASKING.benchmark.checks[CHECK]
    second = draw_check(ASKING, check, pool, tmp_path, Desk(tmp_path / "out", 2))
    assert [item.transcript.scenario_id for item in second.items] == ["written-new-one"]


def test_every_check_has_written_failures_for_a_first_batch() -> None:
    """Most real replies pass, so each check that few of them failed has replies that were written to fail."""
    fails = Counter(one.check for one in WRITTEN if one.meant == "FAIL")
    passes = Counter(one.check for one in WRITTEN if one.meant != "FAIL")
    enough = {"IB-B1", "IB-C-emotional-register-match", "IB-D2-infodump"}  # recorded votes failed enough
    assert {check.id for check in ASKING.checks()} - set(fails) <= enough
    assert len(passes) >= 45


def test_a_written_exchange_about_an_event_marks_its_cue() -> None:
    """The judge is told where the cue is, as in a scenario."""
    items = [*written_candidates(EPISODES, Unit.EVENT_WINDOW, WRITTEN)]
    assert items
    _, user = ASKING.render(ASKING.benchmark.checks[EPISODES], items[0])
    assert "The cue that raises the question stands in the person's message of turn 1." in user


def test_a_template_hash_changes_with_the_wording() -> None:
    """And not with the conversations, the lexicons, or another check."""
    benchmark = load_benchmark()
    check = benchmark.checks[CHECK]
    reworded = check.model_copy(update={"fail_rule": f"{check.fail_rule} More."})
    other = Asking(benchmark.model_copy(update={"checks": {**benchmark.checks, CHECK: reworded}}))
    assert other.template(CHECK) != ASKING.template(CHECK)
    assert other.template(EPISODES) == ASKING.template(EPISODES)


def test_a_screening_question_is_read_on_items_of_its_checks(tmp_path: Path) -> None:
    """So that what it lists can be compared with the checks' own questions."""
    gates = ASKING.screenings()[1]
    for check in gates.checks:
        drawn(tmp_path, check.id)
    screened = draw_screening(ASKING, gates, tmp_path, Desk(tmp_path / "out", 1))
    own = {row.sha256 for check in gates.checks for row in rows_of(tmp_path, check.id, PilotItem)}
    assert screened.items
    assert {item.sha256 for item in screened.items} <= own
    assert all(f"- {check.id}: " in screened.text for check in gates.checks)
