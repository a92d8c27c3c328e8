"""Live models and judges: called over HTTP on this machine, with what goes wrong on the way."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.prices import load_prices
from ib.store.folders import runs, scans
from ib.store.folders.calls import CALLS
from ib.testing.conditions import Conditions
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
MODEL = "openai/some-model"
KEY = "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N"
ROOT = Path(__file__).resolve().parents[2]
FAST = ("--max-calls", 10_000, "--max-retries", 8)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.01)


def says(model: str, messages: Messages) -> str:
    """A model under test that answers with the number of the turn."""
    return f"I hear you. This is reply {sum(m['role'] == 'user' for m in messages)}."


def judges(model: str, messages: Messages) -> str:
    """A judge that passes everything, with a code of the list that it was given."""
    return passing_reply(messages[-1]["content"])


def test_a_model_elsewhere_is_played(ib: Call, tmp_path: Path) -> None:
    """Its raw completions are recorded, with what served them and how it was asked."""
    with LoopbackServer(says) as server:
        code, _, err = ib(
            "run", "-m", MODEL, "-c", "continuity", "--base-url", server.base_url, "--temperature", 0.5,
            *FAST, "--out", tmp_path / "run",
        )  # fmt: skip
        assert code == 0, err
        assert server.seen.requests == json.loads((tmp_path / "run" / runs.PLAN).read_text())["planned_calls"]
    lines = [json.loads(line) for line in (tmp_path / "run" / runs.TRANSCRIPTS).read_text().splitlines()]
    assert {line["model_id"] for line in lines} == {MODEL}
    assert lines[0]["provenance"]["served_model"] == "some-model"
    assert lines[0]["provenance"]["sampling"]["temperature"] == 0.5
    assert lines[0]["messages"][1]["content"] == "I hear you. This is reply 1."


def test_epochs_are_resumed(ib: Call, tmp_path: Path) -> None:
    """Every epoch asks anew, a failed one is named, and no answered call is made again."""
    with LoopbackServer(says, Conditions(server_error=0.2, seed=2)) as server:
        base = (
            "run", "-m", MODEL, "-c", "continuity", "--limit", 3, "--epochs", 2, "--max-calls", 10_000,
            "--base-url", server.base_url, "--out", tmp_path / "run",
        )  # fmt: skip
        code, _, err = ib(*base, "--max-retries", 0)
        assert (code, "epoch " in err) == (4, True), err
        code, _, err = ib(*base, "--max-retries", 8, "--resume")
        assert code == 0, err
        planned = json.loads((tmp_path / "run" / runs.PLAN).read_text())["planned_calls"]
        assert server.seen.answered == planned
    lines = [json.loads(line) for line in (tmp_path / "run" / runs.TRANSCRIPTS).read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2] * 3


def test_a_judge_elsewhere_decides(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Its answers are journaled and counted; the same scan through faults gives the same results."""
    path = transcripts(row(), row(scenario="night-02"))
    results = []
    for name, conditions in (
        ("clear", Conditions()),
        ("rough", Conditions(rate_limit=0.1, server_error=0.05, reset=0.05, truncated_body=0.05, seed=3)),
    ):
        with LoopbackServer(judges, conditions) as server:
            code, _, err = ib(
                "scan", path, "--profile", "publish", "--judge", MODEL, "--base-url", server.base_url,
                *FAST, "--out", tmp_path / name,
            )  # fmt: skip
            assert code == 0, err
            assert (name == "rough") == bool(server.seen.troubles)
        cost = json.loads((tmp_path / name / scans.COST).read_text())
        assert (cost["estimated_cost_usd"], cost["spent_usd"]) == (None, None), "no price is known"
        rows = [json.loads(line) for line in (tmp_path / name / scans.RESULTS).read_text().splitlines()]
        for result in rows:
            for one in result["rows"]:
                one["prompt_hash"] = None
        results.append(rows)
    assert results[0] == results[1]
    assert any(one["scorer"] == "judge" for one in results[0][0]["rows"])


def test_lesson_06_no_key_stops_before_any_call(
    ib: Call, tmp_path: Path, transcripts: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 4, and the variable is named; for the model under test as for the judge."""
    monkeypatch.delenv("OPENAI_API_KEY")
    for arguments in (
        ("run", "-m", MODEL, "-c", "continuity"),
        ("scan", transcripts(row()), "--profile", "publish", "--judge", MODEL),
    ):
        code, _, err = ib(*arguments, *FAST, "--out", tmp_path / "out")
        assert (code, "OPENAI_API_KEY" in err) == (4, True)
        assert not (tmp_path / "out").exists()


PLANS = """
import json, sys
from ib.cli import run
for command in json.loads(sys.argv[1]):
    print("ended", run(command), "litellm" in sys.modules)
"""


def test_a_dry_run_needs_neither_a_key_nor_litellm(
    transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan can be made on any machine, and quickly: it does not import the client library."""
    monkeypatch.delenv("OPENAI_API_KEY")
    commands = (
        ("run", "-m", MODEL, "-c", "continuity", "--dry-run"),
        ("scan", str(transcripts(row())), "--profile", "publish", "--judge", MODEL, "--dry-run"),
    )
    command = [sys.executable, "-c", PLANS, json.dumps(commands)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    ended = [line for line in done.stdout.splitlines() if line.startswith("ended ")]
    assert ended == ["ended 0 False"] * 2, done.stderr


def test_a_model_that_may_cost_money_needs_a_limit(ib: Call, tmp_path: Path) -> None:
    """The price is not known: how many calls are allowed has to be said."""
    code, _, err = ib("run", "-m", MODEL, "-c", "continuity", "--out", tmp_path / "out")
    assert (code, "--max-calls" in err) == (2, True)


@pytest.mark.parametrize("name", ["nobody/some-model", "some-model"])
def test_an_unknown_provider_is_a_usage_error(ib: Call, tmp_path: Path, name: str) -> None:
    """The message says how a model is named."""
    code, _, err = ib("run", "-m", name, "-c", "continuity", *FAST, "--out", tmp_path / "out")
    assert (code, "PROVIDER/MODEL" in err) == (2, True)


def test_the_limit_of_calls_is_a_hard_stop(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Exit 4; not one call more; what was answered is kept, and --resume asks only the rest."""
    path, out = transcripts(row()), tmp_path / "scan"
    with LoopbackServer(judges) as server:
        base = ("scan", path, "--profile", "publish", "--judge", MODEL, "--base-url", server.base_url)
        code, _, err = ib(*base, "--max-calls", 10, "--out", out)
        assert (code, "--max-calls" in err) == (4, True)
        assert server.seen.requests <= 10
        kept = len((out / scans.REPLIES).read_text().splitlines()) - 1
        assert kept == server.seen.answered == 10
        code, _, err = ib(*base, "--max-calls", 10_000, "--out", out, "--resume")
        assert code == 0, err
        paid = len((out / scans.REPLIES).read_text().splitlines()) - 1
        assert server.seen.answered == paid


def test_questions_without_an_answer_end_with_exit_4(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Where retries are exhausted: results, but no release; resumed, only those are asked again."""
    path, out = transcripts(row()), tmp_path / "scan"
    conditions = Conditions(server_error=0.3, seed=1)
    with LoopbackServer(judges, conditions) as server:
        base = ("scan", path, "--profile", "publish", "--judge", MODEL, "--base-url", server.base_url)
        code, _, err = ib(*base, "--max-calls", 10_000, "--max-retries", 0, "--out", out)
        assert (code, "have no answer" in err) == (4, True)
        assert not (out / scans.MANIFEST).exists()
        assert (out / scans.RESULTS).read_bytes().count(b"\n") == 1
        assert (out / scans.SUMMARY).exists()
        assert json.loads((out / scans.COST).read_text())["answered"] > 0
        code, _, err = ib("publish", out, "--out", tmp_path / "release")
        assert (code, "no complete scan" in err) == (3, True)
        answered = server.seen.answered
        code, _, err = ib(*base, "--max-calls", 10_000, "--max-retries", 8, "--out", out, "--resume")
        assert code == 0, err
        assert server.seen.answered - answered < answered
        assert (out / scans.MANIFEST).exists()
        assert b'"fault"' not in (out / scans.REPLIES).read_bytes()


@pytest.mark.parametrize("extra", ["x", "=1", "k={"])
def test_a_further_parameter_has_a_form(ib: Call, tmp_path: Path, extra: str) -> None:
    """KEY=JSON; anything else is a usage error."""
    code, _, err = ib("run", "-m", MODEL, "--extra", extra, *FAST, "--out", tmp_path / "out")
    assert (code, "KEY=JSON" in err) == (2, True)


def test_a_setting_out_of_range_is_named(ib: Call, tmp_path: Path) -> None:
    """A temperature of 7 is no temperature."""
    code, _, err = ib("run", "-m", MODEL, "--temperature", 7, *FAST, "--out", tmp_path / "out")
    assert (code, "temperature" in err) == (3, True)


def test_no_file_and_no_message_holds_a_key(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Not in the plan, the journal, the manifest or an error."""
    with LoopbackServer(judges, Conditions(server_error=0.3)) as server:
        _, out, err = ib(
            "scan", transcripts(row()), "--profile", "publish", "--judge", MODEL,
            "--base-url", server.base_url, *FAST, "--max-retries", 0, "--out", tmp_path / "scan",
        )  # fmt: skip
        assert any(KEY in value for seen in server.seen.headers for value in seen.values()), err
    files = [path for path in (tmp_path / "scan").rglob("*") if path.is_file()]
    assert files
    assert not [path.name for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in out + err


@pytest.mark.gate
def test_a_second_scan_pays_for_nothing_that_the_first_was_told(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """Answers come from the cache, and are journaled and counted; faults do not; --no-cache asks again."""
    path, cache = transcripts(row()), tmp_path / "answers.sqlite"
    with LoopbackServer(judges, Conditions(server_error=0.3, seed=3)) as server:
        base = (
            "scan", path, "--profile", "dev", "--judge", MODEL, "--base-url", server.base_url,
            "--max-calls", 10_000, "--cache", cache,
        )  # fmt: skip
        code, _, err = ib(*base, "--max-retries", 0, "--out", tmp_path / "faults")
        assert (code, "have no answer" in err) == (4, True)
        first = server.seen.answered
        assert first
        assert ib(*base, "--max-retries", 8, "--out", tmp_path / "one")[0] == 0
        asked = server.seen.answered
        assert ib(*base, "--out", tmp_path / "two")[0] == 0
        assert server.seen.answered == asked
        assert ib(*base, "--max-retries", 8, "--no-cache", "--out", tmp_path / "three")[0] == 0
        assert server.seen.answered > asked
    costs = [json.loads((tmp_path / name / scans.COST).read_text()) for name in ("one", "two", "three")]
    needed = (tmp_path / "one" / scans.REPLIES).read_bytes().count(b"\n") - 1
    assert 0 < costs[0]["from_cache"] == needed - costs[0]["answered"] < needed
    assert (costs[1]["from_cache"], costs[1]["answered"]) == (needed, 0)
    assert (costs[2]["from_cache"], costs[2]["answered"]) == (0, needed)
    for name in (scans.REPLIES, scans.RESULTS):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert KEY.encode() not in cache.read_bytes()


def test_a_damaged_cache_is_a_notice(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The scan goes on without it."""
    (tmp_path / "answers.sqlite").write_text("nothing")
    with LoopbackServer(judges) as server:
        code, _, err = ib(
            "scan", transcripts(row()), "--profile", "dev", "--judge", MODEL, "--base-url", server.base_url,
            *FAST, "--cache", tmp_path / "answers.sqlite", "--out", tmp_path / "scan",
        )  # fmt: skip
    assert (code, err.count("the cache of answers cannot be used")) == (0, 1)


RESUME = """
import sys
from ib.cli import run
code = run(sys.argv[1:])
print(code, "litellm" in sys.modules)
"""


def test_resuming_a_finished_scan_loads_no_client(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """No call, no key, no litellm, whose import takes seconds."""
    with LoopbackServer(judges) as server:
        arguments = [
            "scan", transcripts(row()), "--profile", "dev", "--judge", MODEL, "--base-url", server.base_url,
            *FAST, "--out", tmp_path / "scan",
        ]  # fmt: skip
        assert ib(*arguments)[0] == 0
    command = [sys.executable, "-c", RESUME, *map(str, arguments), "--resume"]
    env = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 False"
    assert "complete" in done.stderr


def test_a_parameter_that_a_model_does_not_take_is_named_before_any_call(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """Exit 2; the option and its value; nothing was sent or written."""
    with LoopbackServer(judges) as server:
        to = ("--base-url", server.base_url, *FAST, "--out", tmp_path / "out")
        scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", "openai/o3-mini-2025-01-31")
        run = ("run", "-m", "openai/gpt-4o-2024-08-06", "-c", "continuity")
        for arguments, said in (
            ((*scan, "--temperature", 0), "does not support --temperature 0"),
            ((*run, "--reasoning-effort", "low"), "does not support --reasoning-effort low"),
        ):
            code, _, err = ib(*arguments, *to)
            assert (code, said in err) == (2, True), err
            assert not (tmp_path / "out").exists()
        assert server.seen.requests == 0


def test_lesson_22_each_vote_has_a_seed_of_its_own(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """One seed for all votes of a question could give one vote several times."""
    with LoopbackServer(judges) as server:
        code, _, err = ib(
            "scan", transcripts(row(tags=[])), "--profile", "publish", "--judge", MODEL, "--check", "IB-A1",
            "--base-url", server.base_url, "--seed", 7, *FAST, "--out", tmp_path / "s",
        )  # fmt: skip
        assert code == 0, err
        assert sorted(told["seed"] for told in server.seen.parameters) == [7, 8, 9]
    assert json.loads((tmp_path / "s" / scans.PLAN).read_text())["judge"]["params"] == {"seed": 7}


def test_what_is_not_fixed_is_noticed_in_the_plan(ib: Call, transcripts: Write) -> None:
    """On stderr and in the plan: a name that moves, a temperature that the provider decides."""
    scan = ("scan", transcripts(row()), "--profile", "publish", "--dry-run", "--json", "--judge")
    _, out, err = ib(*scan, "openai/gpt-4o")
    first, second = json.loads(out)["plan"]["notices"]
    assert "openai/gpt-4o does not fix a model" in first
    assert "temperature and seed" in second
    assert first in err
    assert second in err
    _, out, _ = ib(*scan, "openai/gpt-4o-2024-08-06", "--temperature", 1, "--seed", 1)
    assert json.loads(out)["plan"]["notices"] == []
    _, out, _ = ib("scan", transcripts(row()), "--dry-run", "--json")
    assert json.loads(out)["plan"]["notices"] == []
    _, out, err = ib("run", "-m", "openai/gpt-4o", "-m", "reference/attentive", "--dry-run", "--json")
    assert json.loads(out)["plan"]["notices"] == [first.replace("judge:", "model:")]
    assert "openai/gpt-4o does not fix a model" in err


PRICED = "openai/gpt-4o-mini"
"""A model with a price in litellm's table, and served here by the loopback server."""


def test_the_limit_of_dollars_is_a_hard_stop(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Exit 4 when the limit is spent; what was paid for is kept, and --resume asks only the rest."""
    path, out = transcripts(row()), tmp_path / "scan"
    with LoopbackServer(judges) as server:
        base = ("scan", path, "--profile", "publish", "--judge", PRICED, "--base-url", server.base_url)
        code, _, err = ib(*base, "--max-cost-usd", 0.003, "--max-tokens", 500, "--out", out)
        assert (code, "--max-cost-usd" in err) == (4, True)
        kept = len((out / scans.REPLIES).read_text().splitlines()) - 1
        assert kept == server.seen.answered > 0
        calls = [json.loads(line) for line in (out / CALLS).read_text().splitlines()]
        assert len(calls) == kept
        costs = [call["usd"] for call in calls]
        assert 0.003 <= sum(costs) < 0.003 + max(costs)
        code, _, err = ib(*base, "--max-cost-usd", 1, "--max-tokens", 500, "--out", out, "--resume")
        assert code == 0, err
    cost = json.loads((out / scans.COST).read_text())
    (spending,) = cost["spending"]
    assert (
        spending["calls"] == server.seen.answered == len((out / scans.REPLIES).read_text().splitlines()) - 1
    )
    price = load_prices(benchmark_folder()).price(PRICED)
    assert price is not None
    tokens = (spending["input_tokens"], spending["output_tokens"], spending["cached_tokens"])
    assert cost["spent_usd"] == spending["usd"] == pytest.approx(price.usd(*tokens))


def test_a_limit_of_dollars_needs_a_price(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """An unknown price is a usage error, also in a dry run, and the message names the other limit."""
    for arguments in (
        ("run", "-m", MODEL, "-c", "continuity"),
        ("scan", transcripts(row()), "--profile", "publish", "--judge", MODEL),
    ):
        for more in (("--dry-run",), ("--max-calls", 10, "--out", tmp_path / "out")):
            code, _, err = ib(*arguments, "--max-cost-usd", 1, *more)
            assert (code, "--max-calls" in err, MODEL in err) == (2, True, True)


PRICES = """schema_version: 1
prices:
  - model: openai/gpt-4o-mini
    input: {price}
    output: 0.6
    source: the price list
    checked: 2026-11-20
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PRICES.format(price="-0.15"), ":4: prices.0.input: "),
        (PRICES.format(price="cheap"), ":4: prices.0.input: "),
        (PRICES.format(price="0.15").replace("input", "in"), ":4: prices.0.in: unknown key"),
        ("prices: [", ":2: broken YAML"),
    ],
)
def test_an_error_in_the_price_table_stops_before_any_call(
    ib: Call, transcripts: Write, tmp_path: Path, text: str, said: str
) -> None:
    """Exit 3 with file, line and key, for a run and a scan, planned or not."""
    root = tmp_path / "benchmark"
    shutil.copytree(benchmark_folder(), root)
    (root / "configs" / "prices.yaml").write_text(text)
    for arguments in (
        ("run", "-m", PRICED, "-c", "continuity"),
        ("scan", transcripts(row()), "--profile", "publish", "--judge", PRICED),
    ):
        for more in (("--dry-run",), (*FAST, "--out", tmp_path / "out")):
            code, _, err = ib(*arguments, "--benchmark", root, *more)
            assert (code, f"prices.yaml{said}" in err) == (3, True), err
            assert not (tmp_path / "out").exists()


def test_a_run_lists_what_it_paid(ib: Call, tmp_path: Path) -> None:
    """By model; a known price needs no limit."""
    with LoopbackServer(says) as server:
        code, _, err = ib(
            "run", "-m", PRICED, "-c", "continuity", "--base-url", server.base_url, "--out", tmp_path / "run"
        )
        assert code == 0, err
    cost = json.loads((tmp_path / "run" / runs.COST).read_text())
    (spending,) = cost["spending"]
    assert (spending["model"], spending["calls"]) == (PRICED, server.seen.answered)
    assert cost["spent_usd"] == spending["usd"] > 0


def test_a_judge_on_this_machine_is_published_without_its_address(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """A private address refuses no stage, and stands in no public file."""
    with LoopbackServer(judges) as server:
        scan = (
            "scan",
            transcripts(row()),
            "--profile",
            "publish",
            "--judge",
            MODEL,
            "--out",
            tmp_path / "scan",
        )
        code, _, err = ib(*scan, "--base-url", server.base_url, *FAST)
        assert code == 0, err
    code, _, err = ib("publish", tmp_path / "scan", "--stage", "research", "--out", tmp_path / "release")
    assert code == 0, err
    board = json.loads((tmp_path / "release" / "leaderboard.json").read_text())
    assert board["judge"]["base"] == "[withheld: a private address]"
    assert not [p for p in (tmp_path / "release").rglob("*.json") if b"127.0.0.1" in p.read_bytes()]
    published = tmp_path / "release" / "leaderboard.json"
    assert ib("leaderboard", "check", tmp_path / "scan", "--leaderboard", published)[0] == 0


def test_a_plan_says_the_price_before_the_first_call(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Calls, tokens, dollars and the table of prices, on stdout of a dry run and on stderr of a scan."""
    path = transcripts(row())
    scan = ("scan", path, "--profile", "publish", "--judge", PRICED, "--max-tokens", 300)
    code, out, err = ib(*scan, "--dry-run", "--out", tmp_path / "plan")
    assert code == 0, err
    (said,) = re.findall(r"about \$[0-9.]+, at most \$[0-9.]+; .*litellm 1\.", out)
    plan = json.loads((tmp_path / "plan" / scans.PLAN).read_text())
    (cost,) = plan["cost"]
    assert cost["calls"] == plan["planned_calls"] < cost["calls_expected"] < plan["planned_calls_max"]
    assert 0 < cost["usd"] == plan["estimated_cost_usd"] < cost["usd_max"]
    assert set(plan["estimated_from"]["prices"]) == {"configs/prices.yaml", cost["price"]["source"]}
    with LoopbackServer(judges) as server:
        code, _, err = ib(*scan, "--base-url", server.base_url, "--out", tmp_path / "scan")
    assert (code, said in err) == (0, True), err


@pytest.mark.gate
def test_a_scan_is_reconciled_with_its_plan(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Every planned unit ended in one state, and calls and dollars stay within the plan, through faults."""
    path, out, cache = transcripts(row(), row(scenario="night-02")), tmp_path / "scan", tmp_path / "cache"
    rough = Conditions(rate_limit=0.1, server_error=0.05, malformed=0.1, empty=0.05, length=0.05, seed=2)
    with LoopbackServer(judges, rough) as server:
        scan = (
            "scan", path, "--profile", "publish", "--judge", PRICED, "--base-url", server.base_url,
            "--max-tokens", 300, "--max-retries", 8, "--cache", cache,
        )  # fmt: skip
        code, _, err = ib(*scan, "--max-calls", 20, "--out", out)
        assert code == 4, err
        stopped = json.loads((out / scans.COST).read_text())
        assert (stopped["complete"], stopped["spending"][0]["calls"]) == (False, 20)
        assert stopped["units"]["answered"] > 0
        assert stopped["units"]["not_asked"] > 0
        code, _, err = ib(*scan, "--out", out, "--resume")
        assert code == 0, err
        first = json.loads((out / scans.COST).read_text())
        answered = server.seen.answered
        code, _, err = ib(*scan, "--out", tmp_path / "again")
        assert code == 0, err
        assert server.seen.answered == answered, "the cache has every answer"
    again = json.loads((tmp_path / "again" / scans.COST).read_text())
    for cost in (stopped, first, again):
        assert sum(cost["units"].values()) == cost["planned_units"]
    (estimate,), (spending,) = first["cost"], first["spending"]
    assert spending["calls"] <= estimate["calls_max"] == first["planned_calls_max"]
    assert spending["usd"] <= estimate["usd_max"]
    assert (first["complete"], first["units"]["from_cache"], first["units"]["not_asked"]) == (True, 0, 0)
    assert again["units"]["from_cache"] == first["units"]["answered"]
    assert (again["units"]["answered"], again["spent_usd"]) == (0, 0.0)


def test_a_run_is_reconciled_with_its_plan(ib: Call, tmp_path: Path) -> None:
    """Each planned turn was answered, lost to a fault, or not played."""
    run = ("run", "-m", PRICED, "-c", "continuity", "--max-tokens", 300)
    with LoopbackServer(says) as server:
        here = (*run, "--base-url", server.base_url, "--out", tmp_path / "run")
        code, _, err = ib(*here, "--max-calls", 5)
        assert code == 4, err
        stopped = json.loads((tmp_path / "run" / runs.COST).read_text())
        code, _, err = ib(*here, "--resume")
        assert code == 0, err
    whole = json.loads((tmp_path / "run" / runs.COST).read_text())
    assert (stopped["complete"], stopped["units"]["answered"]) == (False, 5)
    assert whole["units"] == {"answered": whole["planned_calls"], "fault": 0, "not_asked": 0}
    (estimate,), (spending,) = whole["cost"], whole["spending"]
    assert stopped["units"]["not_asked"] == whole["planned_calls"] - 5
    assert spending["calls"] == whole["planned_calls"] <= whole["planned_calls_max"]
    assert spending["usd"] <= estimate["usd_max"]
    assert estimate["usd"] == whole["estimated_cost_usd"] > 0
