"""Progress of calls: what the pipeline reports while a run or a scan pays for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ib
from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.scan.cost import Attempt, CallEvent, Spending
from ib.models.scan.plan import CostReport
from ib.pipeline.common.callbacks import Callbacks, CallProgress
from ib.pipeline.common.costing import spent_words
from ib.store.folders import scans
from ib.store.folders.calls import CallList
from ib.testing.conditions import Conditions
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer
from tests.commands.conftest import row

MODEL = "openai/gpt-4o-mini"
"""A model with a known price. It is called on this machine."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out, and short waits."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N")
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.001)


class Heard:
    """Everything that callbacks were told."""

    def __init__(self) -> None:
        self.calls: list[CallProgress] = []
        self.events: list[CallEvent] = []
        self.notices: list[str] = []
        self.callbacks = Callbacks(
            notice=self.notices.append, calls=self.calls.append, event=self.events.append
        )


def server(rate_limit: float = 0.0) -> LoopbackServer:
    """A judge that passes everything, and refuses this share of the requests for a moment."""
    conditions = Conditions(rate_limit=rate_limit, seed=3)
    return LoopbackServer(lambda model, messages: passing_reply(messages[-1]["content"]), conditions)


def transcripts(number: int) -> Iterator[ib.Transcript]:
    return (ib.Transcript.model_validate(row(scenario=f"night-{index}")) for index in range(number))


def scan(served: LoopbackServer, out: Path, heard: Heard, *, resume: bool = False) -> None:
    ib.scan(
        list(transcripts(1)), profile="publish", judge=MODEL, out=out, cache=False,
        settings=ModelSettings(base_url=served.base_url), limits=CallLimits(max_retries=8),
        callbacks=heard.callbacks, resume=resume,
    )  # fmt: skip


def test_a_scan_reports_each_answer_and_fault(tmp_path: Path) -> None:
    """Answers, dollars, faults and retries grow from 0 to what the scan has in the end, one by one."""
    heard = Heard()
    with server(rate_limit=0.2) as served:
        scan(served, tmp_path / "scan", heard)
        answered, troubles = served.seen.answered, served.seen.troubles.total()
    first, last = heard.calls[0], heard.calls[-1]
    assert (first.answered, first.usd, first.faults, first.ended) == (0, 0.0, 0, False)
    assert (last.answered, last.called, last.faults, last.retries) == (answered, answered, troubles, troubles)
    assert troubles > 0
    assert last.usd > 0
    assert last.usd_expected is not None
    assert last.ended
    assert {one.answered for one in heard.calls} == set(range(answered + 1)), "each answer is reported"
    plan = ib.ScanFolder(tmp_path / "scan").plan()
    assert {one.expected for one in heard.calls} == {plan.planned_calls_expected}
    assert sum(event.answered for event in heard.events) == answered


def test_a_resumed_scan_goes_on_from_what_it_had(tmp_path: Path) -> None:
    """Answers of earlier sessions count as answered, not for the speed; lost calls are named."""
    heard, again = Heard(), Heard()
    with server() as served:
        scan(served, tmp_path / "scan", heard)
        (tmp_path / "scan" / scans.MANIFEST).unlink()
        with CallList(tmp_path / "scan") as calls:  # a session that was killed during a call
            calls.begin(Attempt(key="0" * 64, model=MODEL, usd_max=0.5))
        scan(served, tmp_path / "scan", again, resume=True)
    before, last = heard.calls[-1], again.calls[-1]
    assert (last.answered, last.called) == (before.answered, 0)
    assert last.usd == pytest.approx(before.usd)
    assert (last.lost, last.usd_lost_max) == (1, 0.5)
    assert any("and at most $0.5000 on 1 call lost to a kill" in said for said in again.notices)


def test_the_end_says_what_the_calls_cost(tmp_path: Path) -> None:
    """Calls, tokens, dollars and faults, as in the cost report; also if a limit stops the scan."""
    heard, stopped = Heard(), Heard()
    with server(rate_limit=0.2) as served:
        scan(served, tmp_path / "scan", heard)
        with pytest.raises(ib.IbError, match="stopped at the limit"):
            ib.scan(
                list(transcripts(1)), profile="publish", judge=MODEL, out=tmp_path / "stopped", cache=False,
                settings=ModelSettings(base_url=served.base_url), callbacks=stopped.callbacks,
                limits=CallLimits(max_retries=8, max_calls=3),
            )  # fmt: skip
    report = CostReport.model_validate_json((tmp_path / "scan" / scans.COST).read_bytes())
    (spending,) = report.spending
    (said,) = [line for line in heard.notices if line.startswith("cost: ")]
    assert said.startswith(f"cost: {spending.calls} calls, {spending.input_tokens:,} tokens of prompts")
    assert f"{spending.output_tokens:,} of replies, ${spending.usd:.4f}" in said
    assert said.endswith(f"{heard.calls[-1].faults} attempts without an answer")
    assert [line[:14] for line in stopped.notices if line.startswith("cost: ")] == ["cost: 3 calls,"]


def test_answers_from_earlier_scans_are_said(tmp_path: Path) -> None:
    """A scan that asks nothing, because the cache has every answer, says how many came from there."""
    heard = Heard()
    cache = tmp_path / "cache"
    with server() as served:
        settings = ModelSettings(base_url=served.base_url)
        for name in ("one", "two"):
            ib.scan(
                list(transcripts(1)), profile="publish", judge=MODEL, out=tmp_path / name, cache=cache,
                settings=settings, callbacks=heard.callbacks,
            )  # fmt: skip
        answered = served.seen.answered
    assert heard.notices[-1].startswith("cost: 0 calls")
    assert heard.notices[-1].endswith(f"{answered} answers from earlier scans")
    assert (heard.calls[-1].answered, heard.calls[-1].called) == (answered, 0)


@pytest.mark.parametrize(
    ("cached", "words"),
    [(0, "1,000 tokens of prompts, "), (250, "(25% of them from the provider's cache), ")],
)
def test_the_cost_says_what_came_from_the_cache_of_the_provider(cached: int, words: str) -> None:
    """As a share of the tokens of all prompts; nothing is said if the provider had none of them."""
    spending = Spending(
        model="a/b", calls=2, input_tokens=1000, cached_tokens=cached, output_tokens=90, reasoning_tokens=0,
        usd=0.5, calls_of_unknown_cost=0,
    )  # fmt: skip
    (said,) = spent_words([spending], 0.5, 0)
    assert words in said
    assert ("cache" in said) is (cached > 0)


def test_a_run_reports_its_calls_too(tmp_path: Path) -> None:
    """Each reply of a model under test is reported, and the end says what all cost."""
    heard = Heard()
    with LoopbackServer(lambda model, messages: "I hear you.") as served:
        ib.play(
            [MODEL], scenarios=ib.Selection(categories=["continuity"], limit=1), out=tmp_path / "run",
            settings=ModelSettings(base_url=served.base_url), callbacks=heard.callbacks,
        )  # fmt: skip
        answered = served.seen.answered
    last = heard.calls[-1]
    assert (last.answered, last.called, last.expected, last.ended) == (answered, answered, answered, True)
    assert any(line.startswith(f"cost: {answered} calls") for line in heard.notices)


def test_work_in_this_process_reports_no_calls(tmp_path: Path) -> None:
    """Reference assistants and a judge in this process are free: nothing is said about calls or cost."""
    heard = Heard()
    run = ib.play(
        ["reference/attentive"], scenarios=ib.Selection(categories=["continuity"], limit=1),
        out=tmp_path / "run", callbacks=heard.callbacks,
    )  # fmt: skip
    ib.scan(
        run.transcripts, profile="publish", judge="lexical", out=tmp_path / "scan", callbacks=heard.callbacks
    )
    assert (heard.calls, heard.events) == ([], [])
    assert not [line for line in heard.notices if line.startswith("cost: ")]
