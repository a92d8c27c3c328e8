"""The list of paid calls: appended call by call, continued when work is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ib.errors import DataError
from ib.models.scan.cost import Attempt, CallEvent, PaidCall, spent_usd
from ib.store.folders.calls import CALLS, CallList


def call(number: int, usd: float | None = 0.25, model: str = "lab/a") -> PaidCall:
    """A call with 100 tokens of prompt, half of them cached, and 10 of reply."""
    known = None if usd is None else 1
    return PaidCall(
        key=f"{number:064d}",
        model=model,
        input_tokens=known and 100,
        cached_tokens=known and 50,
        output_tokens=known and 10,
        reasoning_tokens=known and 4,
        usd=usd,
    )


def test_calls_are_summed_up_by_model(tmp_path: Path) -> None:
    """The sums of each model, and how many calls have no known cost."""
    with CallList(tmp_path) as calls:
        for one in (call(1), call(2), call(3, None), call(4, 1.0, "lab/b")):
            calls.write(one)
    first, second = calls.spending
    assert (first.model, first.calls, first.input_tokens, first.cached_tokens) == ("lab/a", 3, 200, 100)
    assert (first.output_tokens, first.reasoning_tokens, first.usd) == (20, 8, 0.5)
    assert (first.calls_of_unknown_cost, second.usd) == (1, 1.0)


def test_the_cost_is_unknown_if_one_call_has_no_known_cost(tmp_path: Path) -> None:
    """Unknown is not 0; neither is an unknown price. Without a call, a known price gives 0."""
    with CallList(tmp_path) as calls:
        assert spent_usd(calls.spending, price_known=True) == 0.0
        assert spent_usd(calls.spending, price_known=False) is None
        calls.write(call(1))
        assert spent_usd(calls.spending, price_known=True) == 0.25
        calls.write(call(2, None))
        assert spent_usd(calls.spending, price_known=True) is None


def test_earlier_sessions_are_read_and_a_torn_line_is_dropped(tmp_path: Path) -> None:
    """After a kill in the middle of a line, the sums go on from the whole lines."""
    with CallList(tmp_path) as calls:
        calls.write(call(1))
        calls.write(call(2))
    path = tmp_path / CALLS
    path.write_bytes(path.read_bytes()[:-5])
    with CallList(tmp_path) as calls:
        assert calls.keys == {call(1).key}
        calls.write(call(3))
    assert [line[:9] for line in path.read_text().splitlines()] == ['{"cached_'] * 2
    with CallList(tmp_path) as calls:
        assert calls.keys == {call(1).key, call(3).key}
        assert calls.spending[0].calls == 2


def test_without_a_call_there_is_no_file(tmp_path: Path) -> None:
    """A scan with a judge in this process pays nothing and lists nothing."""
    with CallList(tmp_path) as calls:
        assert calls.spending == ()
    assert not (tmp_path / CALLS).exists()


def test_a_foreign_line_is_refused(tmp_path: Path) -> None:
    """The message names the file and the line."""
    (tmp_path / CALLS).write_text('{"colour": "red"}\n')
    with pytest.raises(DataError, match=r"calls.jsonl:1"), CallList(tmp_path):
        raise AssertionError("a foreign line was read")


def attempt(number: int, usd: float | None = 0.5) -> Attempt:
    """An attempt at a call, which can cost 50 cents."""
    return Attempt(key=f"{number:064d}", model="lab/a", usd_max=usd)


def test_an_attempt_that_did_not_end_is_lost(tmp_path: Path) -> None:
    """A session that was killed: what it asked counts as a call, with the most that it can have cost."""
    with CallList(tmp_path) as calls:
        for number in (1, 2, 3, 4):
            calls.begin(attempt(number))
        calls.write(call(1))
        calls.end_unanswered(attempt(2))
        calls.begin(attempt(2))
    with CallList(tmp_path) as calls:
        assert [one.key for one in calls.lost] == [attempt(number).key for number in (2, 3, 4)]
        assert (calls.made, calls.usd_max, calls.usd_lost_max) == (4, 1.75, 1.5)
        (spending,) = calls.spending
    assert (spending.calls, spending.usd, spending.calls_lost, spending.usd_lost_max) == (1, 0.25, 3, 1.5)
    assert spending.calls_again == 0


def test_a_lost_call_that_is_asked_again_is_paid_for_twice(tmp_path: Path) -> None:
    """So is any second call for one request, such as after a reply that was cut off."""
    with CallList(tmp_path) as calls:
        calls.begin(attempt(1))
    with CallList(tmp_path) as calls:
        for number in (1, 2, 2):
            calls.begin(attempt(number))
            calls.write(call(number))
        (spending,) = calls.spending
    assert (spending.calls, spending.calls_lost, spending.calls_again) == (3, 1, 2)
    assert (calls.made, calls.usd_max) == (4, 1.25)


def test_a_call_of_unknown_cost_counts_with_the_most_that_it_can_cost(tmp_path: Path) -> None:
    """A provider that sends no counts of tokens: the limit of dollars holds over sessions nevertheless."""
    with CallList(tmp_path) as calls:
        calls.begin(attempt(1))
        calls.write(call(1, usd=None))
    with CallList(tmp_path) as calls:
        assert (calls.made, calls.usd_max) == (1, 0.5)
        assert calls.spending[0].calls_of_unknown_cost == 1


def test_faults_are_counted_over_all_sessions(tmp_path: Path) -> None:
    """What a resumed scan says about its faults includes those of earlier sessions."""
    attempt = Attempt(key=call(1).key, model="lab/a", usd_max=0.5)
    with CallList(tmp_path) as calls:
        calls.begin(attempt)
        calls.end_unanswered(attempt)
        calls.note(CallEvent("lab/a", "transient", 1.0))
        assert calls.faults == 1
    with CallList(tmp_path) as calls:
        assert (calls.faults, calls.retries) == (1, 0)
