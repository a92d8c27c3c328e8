"""A file of models with their settings: who is played and who judges, and what a file may not hold."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import ib as package
from ib.pipeline.common.configured import load_models
from ib.store.folders import runs, scans
from ib.testing.conditions import Conditions
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row
from tests.commands.test_live import KEY, judges, says

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
SCENARIOS = ("-c", "continuity", "--limit", 1)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of models."""

    def write(*models: Any, **more: Any) -> Path:
        path = tmp_path / "models.yaml"
        path.write_text(yaml.safe_dump({"models": list(models), **more}))
        return path

    return write


def cool(base: str, **given: Any) -> dict[str, Any]:
    return {"model": "openai/m", "settings": {"base_url": base, "temperature": 0, **given}}


def test_every_model_of_a_file_is_played_with_its_settings(
    ib: Call, config: Callable[..., Path], tmp_path: Path
) -> None:
    """The id names it in transcripts; provenance has the settings and the name at the provider."""
    with LoopbackServer(says) as server:
        path = config(
            cool(server.base_url),
            {**cool(server.base_url, temperature=1.5, extra={"top_k": 4}), "id": "warm"},
        )
        code, _, err = ib("run", "--config", path, *SCENARIOS, "--max-calls", 99, "--out", tmp_path / "run")
        assert code == 0, err
        bodies = {body["temperature"]: body for body in server.seen.parameters}
    assert set(bodies) == {0, 1.5}
    assert {body["model"] for body in bodies.values()} == {"m"}
    assert bodies[1.5]["top_k"] == 4
    lines = [json.loads(line) for line in (tmp_path / "run" / runs.TRANSCRIPTS).read_text().splitlines()]
    assert [line["model_id"] for line in lines] == ["openai/m", "warm"]
    assert lines[1]["provenance"]["sampling"]["model"] == "openai/m"
    assert "model" not in lines[0]["provenance"]["sampling"]


def test_some_models_of_a_file_are_named(ib: Call, config: Callable[..., Path]) -> None:
    """By id, or by the name at the provider where that is plain; reference assistants may stand beside."""
    path = config(cool("http://127.0.0.1:1/v1"), {"model": "openai/n", "id": "mine"})
    for names, expected in (
        (("-m", "mine"), ["mine"]),
        (("-m", "openai/n", "-m", "reference/attentive"), ["mine", "reference/attentive"]),
        ((), ["mine", "openai/m"]),
    ):
        code, out, err = ib("run", "--config", path, *names, "--dry-run", "--json")
        assert code == 0, err
        assert [model["model_id"] for model in json.loads(out)["plan"]["models"]] == expected


def test_a_judge_is_named_by_its_id(
    ib: Call, config: Callable[..., Path], transcripts: Write, tmp_path: Path
) -> None:
    """The plan has its name at the provider and its settings, as it would have them from options."""
    with LoopbackServer(judges) as server:
        path = config({**cool(server.base_url), "id": "careful"}, {"model": "openai/other"})
        scan = ("scan", transcripts(row()), "--profile", "publish", "--max-calls", 999)
        code, _, err = ib(*scan, "--config", path, "--judge", "careful", "--out", tmp_path / "a")
        assert code == 0, err
        options = ("--base-url", server.base_url, "--temperature", 0)
        assert ib(*scan, "--judge", "openai/m", *options, "--out", tmp_path / "b")[0] == 0
    plans = [(tmp_path / name / scans.PLAN).read_bytes() for name in "ab"]
    assert plans[0] == plans[1]
    assert json.loads(plans[0])["judge"]["model"] == "openai/m"


def test_settings_change_the_plan_and_limits_do_not(ib: Call, config: Callable[..., Path]) -> None:
    """What changes answers is in the plan, what changes only the pace is not."""

    def plan(**given: Any) -> Any:
        path = config({"model": "openai/m", **given})
        code, out, err = ib("run", "--config", path, "--dry-run", "--json")
        assert code == 0, err
        return json.loads(out)["plan"]

    usual = plan()
    assert plan(limits={"max_connections": 3, "rpm": 5, "tpm": 9, "timeout": 5, "max_retries": 0}) == usual
    for name, value in {
        "base_url": "http://127.0.0.1:1/v1", "temperature": 0.1, "top_p": 0.5, "max_tokens": 9, "seed": 1,
        "reasoning_effort": "low", "reasoning_tokens": 99, "extra": {"top_k": 1},
    }.items():  # fmt: skip
        assert plan(settings={name: value}) != usual, name


def test_a_limit_of_the_file_holds(ib: Call, config: Callable[..., Path], tmp_path: Path) -> None:
    """Of the limits, those of the file come before those of the command line."""
    with LoopbackServer(says, Conditions(server_error=1)) as server:
        path = config({**cool(server.base_url), "limits": {"max_retries": 0}})
        options = ("--max-retries", 5, "--max-calls", 99, "--out", tmp_path / "run")
        code, _, err = ib("run", "--config", path, *SCENARIOS, *options)
        assert (code, "plays are incomplete" in err) == (4, True)
        assert server.seen.requests == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "-m", "mien"), "it has mine"),
        (("run", "-m", "openai/x"), "it has openai/m"),
        (("run", "--temperature", "1"), "--config has the settings"),
        (("run", "--extra", "top_k=1"), "--config has the settings"),
        (("scan", "T", "--profile", "publish", "--judge", "lexical"), "it has openai/m, mine"),
        (("scan", "T", "--profile", "publish"), "it has openai/m, mine"),
        (("scan", "T", "--profile", "publish", "--judge", "nobody"), "it has openai/m, mine"),
    ],
)
def test_a_wrong_use_of_a_file_is_a_usage_error(
    ib: Call, config: Callable[..., Path], transcripts: Write, arguments: tuple[str, ...], said: str
) -> None:
    """Exit 2; the message says what the file has."""
    path = config({"model": "openai/m"}, {"model": "openai/n", "id": "mine"})
    named = [str(transcripts(row())) if word == "T" else word for word in arguments]
    code, _, err = ib(*named, "--config", path, "--dry-run")
    assert (code, said in err) == (2, True), err


SECRET = "Zx9Qw2Lk7Rt5Vb3Nm8Ch4Pd6"
BROKEN: dict[str, tuple[str, str]] = {
    "unknown key": ("models:\n- model: openai/m\n  temprature: 1\n", ":3: models.0.temprature: unknown key"),
    "out of range": (
        "models:\n- model: openai/m\n  settings:\n    temperature: 7\n",
        ":4: models.0.settings.temperature: found 7; at most 2",
    ),
    "no model": ("models: []\n", ":1: models: no model; at least 1"),
    "not a mapping": ("- a\n", "found a list; a mapping of keys"),
    "broken": ("models: [\n", "broken YAML"),
    "twice": ("models:\n- model: openai/m\n- model: openai/m\n", "two models have the id 'openai/m'"),
    "taken": ("models:\n- model: openai/m\n  id: none\n", "begins like a name that `ib` gives"),
    "named like a key": (
        f"models:\n- model: openai/m\n  settings:\n    extra:\n      vendor_api_key: {SECRET}\n",
        ":5: models.0.settings.extra.vendor_api_key: is named like a key",
    ),
    "key beside the settings": (
        f"models:\n- model: openai/m\n  apiKey: {SECRET}\n",
        ":3: models.0.apiKey: is named like a key",
    ),
    "header": (
        f"models:\n- model: openai/m\n  settings:\n    extra: {{h: {{Authorization: Bearer {SECRET}}}}}\n",
        "Authorization: is named like a key",
    ),
    "looks like a key": (
        f"models:\n- model: openai/m\n  settings:\n    extra: {{user: {'sk-proj-' + SECRET * 2}}}\n",
        ":4: models.0.settings.extra.user: looks like a key",
    ),
    "key in use": (
        f"models:\n- model: openai/m\n  settings:\n    extra: {{user: {KEY}}}\n",
        "user: looks like a key",
    ),
    "key in an address": (
        f"models:\n- model: openai/m\n  settings:\n    base_url: https://x/v1?api-key={SECRET}\n",
        "base_url: is named like a key",
    ),
    "password in an address": (
        f"models:\n- model: openai/m\n  settings:\n    base_url: https://me:{SECRET}@x/v1\n",
        "base_url: looks like a key",
    ),
    "set by ib": (
        "models:\n- model: openai/m\n  settings:\n    extra: {stream: true}\n",
        "'stream' is not a parameter that can be passed on",
    ),
    "given twice": (
        "models:\n- model: openai/m\n  settings:\n    extra: {seed: 1}\n    seed: 1\n",
        "'seed' is also given by its own setting",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_bad_data(ib: Call, tmp_path: Path, name: str) -> None:
    """Exit 3 with file, line and key; a key is never repeated in the message."""
    text, said = BROKEN[name]
    path = tmp_path / "models.yaml"
    path.write_text(text)
    code, out, err = ib("run", "--config", path, "--dry-run")
    assert (code, said in err) == (3, True), err
    assert str(path) in err
    assert SECRET not in out + err
    assert KEY not in out + err


def test_names_that_are_none_of_a_key(ib: Call, config: Callable[..., Path]) -> None:
    """Counts of tokens, ids of tokens and the key of a prompt cache are settings."""
    extra = {"max_completion_tokens": 9, "stop_token_ids": [1], "prompt_cache_key": "ib", "top_k": 1}
    path = config({"model": "openai/m", "settings": {"extra": extra}})
    code, _, err = ib("run", "--config", path, "--dry-run")
    assert code == 0, err


@pytest.mark.parametrize(
    "option",
    [f'api_key="{SECRET}"', f'extra_headers={{"Authorization": "Bearer {SECRET}"}}', f'user="{KEY}"'],
)
def test_no_key_among_the_options(ib: Call, tmp_path: Path, option: str) -> None:
    """A key in an option would stand in the plan: refused, and not repeated."""
    code, out, err = ib("run", "-m", "openai/m", "--extra", option, "--dry-run", "--out", tmp_path / "run")
    assert code == 3, err
    assert SECRET not in out + err
    assert KEY not in out + err
    assert not (tmp_path / "run").exists()


def test_no_password_in_an_address(ib: Call) -> None:
    """It would stand in the plan: refused, and not repeated."""
    code, out, err = ib("run", "-m", "openai/m", "--base-url", "http://me:pw7@127.0.0.1:1/v1", "--dry-run")
    assert (code, "--base-url is not an address" in err, "pw7" in out + err) == (2, True, False), err


def test_a_form_that_is_wrong_does_not_repeat_a_key(ib: Call) -> None:
    """A key without quotes is no JSON; the message names only what stands before it."""
    for option in (f"api_key={SECRET}", SECRET):
        code, out, err = ib("run", "-m", "openai/m", "--extra", option, "--dry-run")
        assert (code, "KEY=JSON" in err, SECRET in out + err) == (2, True, False)


def test_python_takes_a_file(config: Callable[..., Path], tmp_path: Path) -> None:
    """`config` of `ib.play` and `ib.scan`."""
    limits = package.CallLimits(max_calls=999)
    with LoopbackServer(answer) as server:
        path = config({**cool(server.base_url), "id": "mine"})
        chosen = package.Selection(categories=["continuity"], limit=1)
        run = package.play(config=path, scenarios=chosen, limits=limits, out=tmp_path / "run")
        scan = package.scan(
            run.transcripts,
            profile="publish",
            judge="mine",
            config=path,
            limits=limits,
            out=tmp_path / "scan",
        )
    assert scan.plan().judge.model == "openai/m"
    assert [one.model_id for one in scan.plan().transcripts] == ["mine"]


def answer(model: str, said: Messages) -> str:
    """Judges if it is asked for a verdict, else talks."""
    return judges(model, said) if "measuring instrument" in said[0]["content"] else says(model, said)


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_an_address_of_the_environment_is_in_the_plan(
    ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Another model may answer there, so that the address is part of every key, as with --base-url."""
    address = "http://127.0.0.1:9/v1"
    monkeypatch.setenv(variable, address)
    run = ("run", "-m", "openai/some-model", "--limit", 1, "--max-calls", 5, "--dry-run")
    plans = []
    for name, more in (("environment", ()), ("option", ("--base-url", address))):
        code, _, err = ib(*run, *more, "--out", tmp_path / name)
        assert code == 0, err
        plans.append((tmp_path / name / "run_plan.json").read_text())
    assert address in plans[0]
    assert plans[0] == plans[1]


@pytest.mark.parametrize("name", [f"openai/{'m' * 5000}", "openai/my model", "openai/m\n"])
def test_a_name_that_cannot_be_an_id_is_wrong_usage(ib: Call, name: str) -> None:
    """It would stand in every result and on every page. The message does not repeat 5,000 characters."""
    for command in (("run", "-m", name), ("scan", "none.jsonl", "--profile", "publish", "--judge", name)):
        code, _, err = ib(*command, "--dry-run")
        assert (code, "cannot be the id of a model; use at most 160 letters" in err) == (2, True), err
        assert len(err) < 500


def test_a_name_of_a_file_that_cannot_be_an_id_needs_one(ib: Call, config: Callable[..., Path]) -> None:
    """The finding says what to do, and with an id such a name is right."""
    path = config({"model": "azure/my deployment"})
    code, _, err = ib("run", "--config", path, *SCENARIOS, "--dry-run")
    assert (code, "'azure/my deployment' cannot be an id of a model; give it an `id`" in err) == (3, True), (
        err
    )
    assert load_models(config({"model": "azure/my deployment", "id": "mine"})).models[0].known_as == "mine"


def test_a_long_name_of_a_file_is_refused(ib: Call, config: Callable[..., Path]) -> None:
    """Even with an id, because pages show the name."""
    path = config({"model": f"openai/{'m' * 5000}", "id": "mine"})
    code, _, err = ib("run", "--config", path, *SCENARIOS, "--dry-run")
    assert (code, "5007 characters" in err, "at most 160 characters" in err) == (3, True, True), err


@pytest.mark.gate
@pytest.mark.parametrize("place", ["options", "file"])
def test_attempts_per_minute_are_limited(
    ib: Call, config: Callable[..., Path], tmp_path: Path, place: str
) -> None:
    """From the option and from the file, for the models of a run that are played at the same time."""
    starts: list[float] = []
    begun = time.monotonic()  # before the first attempt: the server may see that one late

    def timed(model: str, messages: Messages) -> str:
        starts.append(time.monotonic())
        return says(model, messages)

    with LoopbackServer(timed) as server:
        limits = {"limits": {"rpm": 300}} if place == "file" else {}
        path = config({**cool(server.base_url), **limits})
        more = ("--rpm", 300, "--tpm", 10_000_000) if place == "options" else ()
        code, _, err = ib(
            "run", "--config", path, "-c", "continuity", "--limit", 2, "--scenario-parallel", 2,
            "--max-calls", 99, *more, "--out", tmp_path / "run",
        )  # fmt: skip
        assert code == 0, err
    assert len(starts) > 3
    assert starts[-1] - begun > 0.2 * (len(starts) - 1) - 0.1
