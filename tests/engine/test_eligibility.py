"""Which checks are due on a transcript."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

from ib.models.benchmark.check import Check, Due
from ib.models.common.base import Scope
from ib.models.conversation.transcript import Transcript
from tests.build import NA, PASS, anchor, benchmark, check, engine, reply, scanned, transcript

TRIGGER = Scope.TRIGGER


def asked(item: Check, said: Transcript) -> Due:
    """Whether a check is due on a transcript."""
    return said.due(item)


def said(**fields: Any) -> Transcript:
    """A transcript; its messages do not matter here."""
    return transcript("u", "a", **fields)


def test_the_list_of_the_record_decides_alone() -> None:
    """If a transcript lists its eligible checks, scope and tags change nothing."""
    checks = (
        check("IB-C1"),
        check("IB-C2-a", scope=TRIGGER, tags=("grief",)),
        check("IB-C2-b", scope=TRIGGER, tags=("any",)),
    )
    ids = [item.id for item in checks]
    lists = chain.from_iterable(combinations(ids, k) for k in range(1, len(ids) + 1))
    for listed in lists:
        for tags in ((), ("grief",)):
            record = said(eligible_checks=listed, tags=tags)
            for item in checks:
                assert (asked(item, record) is Due.YES) == (item.id in listed)


def test_tags_risk_triggers_and_category_each_confer_eligibility() -> None:
    """A trigger check is due where one of its tags is a tag, a risk trigger or the category."""
    item = check(scope=TRIGGER, tags=("grief", "night"))
    assert asked(item, said(tags=("other",))) is Due.NO
    assert asked(item, said(tags=("night",))) is Due.YES
    assert asked(item, said(tags=("other",), risk_triggers=({"turn": 1, "cue": "grief"},))) is Due.YES
    assert asked(item, said(tags=("other",), category="grief")) is Due.YES


def test_universal_and_any_are_always_due() -> None:
    """A universal check is due whatever its tags say, and so is one with the tag `any`."""
    assert asked(check(tags=("nothing",)), said(tags=("other",))) is Due.YES
    assert asked(check(scope=TRIGGER, tags=("any",)), said(tags=("other",))) is Due.YES


def test_an_anchor_never_confers_eligibility() -> None:
    """An anchor that names a check does not make it due."""
    item = check(scope=TRIGGER, tags=("grief",))
    anchors = (anchor(item.id, 1, 1, 1),)
    assert asked(item, said(anchors=anchors, tags=("other",))) is Due.NO
    assert asked(item, said(anchors=anchors, eligible_checks=("IB-C1-other",))) is Due.NO


def test_lesson_43_every_check_is_due_on_an_open_log() -> None:
    """A record without tags and without a list: no scope, tag, category or trigger takes a check away."""
    triggered = check(scope=TRIGGER, tags=("grief",))
    suppressed = check(suppressed_by_tags=("night", "grief"))
    trigger = {"turn": 1, "cue": "grief"}
    for fields in ({}, {"category": "night"}, {"risk_triggers": (trigger,)}, {"eligible_checks": ()}):
        record = said(**fields)
        assert [asked(item, record) for item in (triggered, suppressed)] == [Due.YES, Due.YES]
    plan, (result,) = scanned(benchmark(triggered), [said(category="night")], lambda _: reply(NA))
    assert (plan.open_logs, plan.only_open_logs) == (1, True)
    assert (result.rows[0].eligible, result.rows[0].verdict) == (True, NA)


def test_an_open_log_and_a_log_with_the_same_words_are_not_mixed_up() -> None:
    """A category makes no log less open, also if another log has the same word as its tag."""
    item = check(scope=TRIGGER, tags=("grief",))
    judged = engine(benchmark(item))
    found = [judged.due(said(**fields))[0].due for fields in ({"tags": ("night",)}, {"category": "night"})]
    assert found == [Due.NO, Due.YES]


def test_lesson_15_a_suppressed_check_leaves_a_row() -> None:
    """A check that a tag suppresses has a row that says so, and every active check has a row."""
    world = benchmark(
        check("IB-C1", suppressed_by_tags=("bereaved",)),
        check("IB-C2-a", scope=TRIGGER, tags=("grief",)),
        check("IB-D1-a"),
    )
    record = said(tags=("bereaved",))
    plan, (result,) = scanned(world, [record], lambda _: reply(PASS))
    states = {row.mode_id: (row.state.value, row.verdict, row.reason) for row in result.rows}
    assert states == {
        "IB-C1": ("suppressed", None, "suppressed_by_tag"),
        "IB-C2-a": ("ineligible", None, None),
        "IB-D1-a": ("judged", PASS, None),
    }
    assert [(c.due, c.suppressed) for c in plan.checks] == [(0, 1), (0, 0), (1, 0)]


def test_suppression_needs_eligibility_first() -> None:
    """A check that is not due is not suppressed either."""
    item = check(scope=TRIGGER, tags=("grief",), suppressed_by_tags=("bereaved",))
    assert asked(item, said(tags=("bereaved",))) is Due.NO
    assert asked(item, said(tags=("bereaved", "grief"))) is Due.SUPPRESSED


def test_scenarios_with_other_circumstances_are_not_mixed_up() -> None:
    """Agendas are cached by tags, triggers, category and list, never by scenario."""
    item = check(scope=TRIGGER, tags=("grief",), suppressed_by_tags=("bereaved",))
    judged = engine(benchmark(item))
    found = [
        judged.due(said(**fields))[0].due
        for fields in (
            {"tags": ("other",)},
            {"tags": ("grief",)},
            {"tags": ("grief", "bereaved")},
            {"tags": ("grief",), "eligible_checks": ("IB-C2-a",)},
        )
    ]
    assert found == [Due.NO, Due.YES, Due.SUPPRESSED, Due.NO]


def test_not_applicable_is_a_verdict_and_ineligible_is_a_state() -> None:
    """A check that was due and does not apply is judged; only one that is not due is ineligible."""
    world = benchmark(check())
    _, (result,) = scanned(world, [said()], lambda _: reply(NA))
    assert (result.rows[0].eligible, result.rows[0].verdict) == (True, NA)
