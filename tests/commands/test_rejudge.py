"""`ib rejudge`: a release is asked about again, drift is found, and nothing of it is released."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.board.report.rejudged import DriftTally
from ib.cli import run
from ib.models.common.canonical import digest
from ib.models.release.source import CONVERSATIONS
from ib.models.scan.cost import UnitState
from ib.models.scan.judge import Refusal
from ib.models.scan.result import Scorer
from ib.pipeline.release.rejudge import Again
from ib.pipeline.release.rejudge import rejudge as ask
from ib.pipeline.scan.scan import USUAL
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders import scans
from ib.testing.judges import ScriptedJudge, passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.pipeline import verifying
from tests.pipeline.verifying import copied, edit, edit_rows, reseal

Call = Callable[..., tuple[int, str, str]]
EXAMPLE = Path(__file__).resolve().parents[2] / "docs/examples/refunds"
CHECK = "RF-B1-refund-promised"
LOGS, FAILED, TURNED = 12, 3, 8
"""The logs, those that fail in the release, and those whose PASS is a FAIL in the planted drift."""
NAMES = [f"log-{number:02}" for number in range(LOGS)]


def log(name: str) -> dict[str, Any]:
    """A conversation whose words two judges can read in two ways."""
    said = "You will have it back. Your refund is on its way."
    messages = [
        {"turn": 1, "role": "user", "content": f"Where is my money? Order {name}."},
        {"turn": 1, "role": "assistant", "content": said},
    ]
    return {"model_id": "shop/bot", "model": "bot", "scenario_id": name, "messages": messages}


def vote(name: str, verdict: str, **changes: Any) -> dict[str, Any]:
    """Three equal votes on today's wording of the check."""
    world = load_benchmark(EXAMPLE)
    return {
        "model_id": "shop/bot",
        "scenario_id": name,
        "check_id": CHECK,
        "eligible": True,
        "verdict": verdict,
        "votes": [verdict] * 3,
        "judge_model": "lab/judge",
        "prompt_hash": digest([digest(world.frame), digest(world.checks[CHECK].prompt)]),
        "evidence": [{"role": "assistant", "turn": 1, "quote": "Your refund is on its way."}],
        **changes,
    }


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs, a release of a recorded judge on them, and votes of the same judge that has drifted."""
    folder = tmp_path_factory.mktemp("rejudge")
    then = ["FAIL" if at < FAILED else "PASS" for at in range(LOGS)]
    drifted = ["FAIL" if at < FAILED + TURNED else "PASS" for at in range(LOGS)]
    lines(folder / "logs.jsonl", [log(name) for name in NAMES])
    for name, verdicts in {"then": then, "drifted": drifted}.items():
        lines(folder / f"{name}.jsonl", [vote(*one) for one in zip(NAMES, verdicts, strict=True)])
    root = ("--benchmark", EXAMPLE)
    scan = ("scan", folder / "logs.jsonl", "--profile", "publish", "--judge", f"recorded:{folder}/then.jsonl")
    release = ("publish", folder / "scan", "--stage", "demo", "--transcripts", "all", "--out")
    for call in ((*scan, *root, "--out", folder / "scan"), (*release, folder / "release", *root)):
        assert run([str(one) for one in call]) == 0
    return folder


def again(ib: Call, made: Path, out: Path, judge: str, *more: object) -> tuple[int, dict[str, Any], str]:
    """The exit code, the report and the messages of asking again."""
    code, said, err = ib(
        "rejudge", made / "release", "--judge", judge, "--benchmark", EXAMPLE, "--out", out, "--json", *more
    )
    return code, json.loads(said) if said else {}, err


def of_check(report: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in report["checks"] if one["check_id"] == CHECK)


def test_a_judge_that_has_not_changed_shows_no_drift(ib: Call, made: Path, tmp_path: Path) -> None:
    """Every verdict is the same, in the release's order and with its plan named in the scan."""
    code, report, err = again(ib, made, tmp_path / "again", f"recorded:{made}/then.jsonl")
    assert code == 0, err
    told = of_check(report)
    assert (told["answered"]["both"], told["answered"]["neither"]) == (FAILED, LOGS - FAILED)
    assert told["agreement"] | {"low": 0, "high": 0} == {
        "k": LOGS,
        "n": LOGS,
        "share": 1.0,
        "low": 0,
        "high": 0,
    }
    assert (report["turned"], report["changed"], report["same_judge"]) == ([], [], True)
    assert report["all_checks"]["answered"]["difference"] == 0
    assert report["conversations"] == LOGS
    assert scans.ScanFolder(tmp_path / "again").plan().rejudges == report["seal"]
    first = (made / "scan" / scans.RESULTS).read_bytes()
    assert (tmp_path / "again" / scans.RESULTS).read_bytes() == first
    assert json.loads((tmp_path / "again" / "rejudged.json").read_bytes()) == report


def test_a_planted_drift_is_found(ib: Call, made: Path, tmp_path: Path) -> None:
    """The check, both directions, agreement, the interval by family, and each verdict that turned."""
    code, report, err = again(ib, made, tmp_path / "again", f"recorded:{made}/drifted.jsonl")
    assert code == 0, err
    told = of_check(report)["answered"]
    assert (told["only_first"], told["only_second"], told["n_families"]) == (TURNED, 0, LOGS)
    assert told["difference"] == pytest.approx(TURNED / LOGS)
    assert 0 < told["low"] < TURNED / LOGS < told["high"] <= 1
    assert told["adjusted"] == pytest.approx(2 * 0.5**TURNED)
    agreed = of_check(report)["agreement"]
    assert agreed["share"] == pytest.approx(1 - TURNED / LOGS)
    assert agreed["low"] < agreed["share"] < agreed["high"]
    turned = [(one["scenario_id"], one["before"], one["now"]) for one in report["turned"]]
    assert turned == [(name, "PASS", "FAIL") for name in NAMES[FAILED : FAILED + TURNED]]
    assert report["same_judge"] is False  # the content of a recording is its identity
    code, said, _ = ib("rejudge", made / "release", "--judge", f"recorded:{made}/drifted.jsonl",
                       "--benchmark", EXAMPLE, "--out", tmp_path / "text")  # fmt: skip
    assert code == 0
    assert f"drift at .05, after Holm: {CHECK}" in said
    assert f"{CHECK} (gate): {LOGS} answered both times, PASS to FAIL {TURNED}, FAIL to PASS 0" in said


@pytest.mark.gate
def test_votes_on_an_older_wording_are_no_drift(ib: Call, made: Path, tmp_path: Path) -> None:
    """They answer another question: they are counted apart, and nothing of them is compared."""
    older = lines(tmp_path / "older.jsonl", [vote(name, "FAIL", prompt_hash=None) for name in NAMES])
    code, report, err = again(ib, made, tmp_path / "again", f"recorded:{older}")
    assert (code, "drift is not known" in err) == (1, True), err
    told = of_check(report)
    assert (told["older_questions"], told["agreement"]["n"], report["turned"]) == (LOGS, 0, [])


@pytest.mark.gate
def test_questions_that_have_changed_since_are_named(ib: Call, made: Path, tmp_path: Path) -> None:
    """The judge is asked in the words of the release, and the report says which are others today."""
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "benchmark"))
    path = root / "checks" / f"{CHECK}.yaml"
    text = path.read_text()
    name = next(line for line in text.splitlines() if line.startswith("name: "))
    path.write_text(text.replace(name, f"{name} today"))
    code, report, err = again(
        ib, made, tmp_path / "again", f"recorded:{made}/then.jsonl", "--benchmark", root
    )
    assert code == 0, err
    assert report["changed"] == [{"check_id": CHECK, "how": "wording"}]
    assert of_check(report)["agreement"]["k"] == LOGS


def test_no_command_makes_a_release_of_it(ib: Call, made: Path, tmp_path: Path) -> None:
    """Publishing, joining and the gate name the reason, and the newest scan is another one."""
    out = tmp_path / "results" / "again"
    assert again(ib, made, out, f"recorded:{made}/then.jsonl")[0] == 0
    root = ("--benchmark", EXAMPLE)
    for call in (
        ("publish", out, "--stage", "demo", "--out", tmp_path / "release"),
        ("publish", made / "scan", "--add", out, "--out", tmp_path / "release"),
        ("qa", out),
        ("leaderboard", "build", out),
    ):
        code, _, err = ib(*call, *root)
        assert code == 1
        assert "rejudged: scan the conversations with `ib scan`" in err
    assert not (tmp_path / "release").exists()
    with pytest.MonkeyPatch.context() as here:
        here.chdir(tmp_path)
        code, _, err = ib("publish", "--out", tmp_path / "release", *root)
    assert (code, "has no complete scan that may be published" in err) == (2, True)


def passes(model: str, messages: Messages) -> str:
    """A judge that finds no failure."""
    return passing_reply(messages[-1]["content"])


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "loopback")
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.01)


@pytest.mark.gate
def test_a_live_judge_is_asked_after_the_price(
    ib: Call, made: Path, key: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --yes nothing is asked; a stopped scan goes on; a judge that passes everything has drifted."""
    monkeypatch.setenv("IB_CACHE", str(tmp_path / "cache.sqlite"))
    with LoopbackServer(passes) as server:
        live = ("openai/alpha", "--base-url", server.base_url, "--max-calls")
        code, _, err = again(ib, made, tmp_path / "again", *live, 1000)
        assert (code, server.seen.requests) == (1, 0)
        assert "pass --yes" in err
        assert "questions planned" in err
        assert not (tmp_path / "again").exists()
        assert again(ib, made, tmp_path / "again", *live, 10, "--yes")[0] == 4
        code, report, err = again(ib, made, tmp_path / "again", *live, 1000, "--resume")
        assert code == 0, err
        replies = (tmp_path / "again" / scans.REPLIES).read_text().splitlines()[1:]
        assert server.seen.answered == len(replies), "no question is asked twice"
        before = server.seen.answered
        assert again(ib, made, tmp_path / "anew", *live, 1000, "--yes")[0] == 0
        assert server.seen.answered == 2 * before, "no cache answers"
    told = of_check(report)["answered"]
    assert (told["only_first"], told["only_second"], told["neither"]) == (0, FAILED, LOGS - FAILED)
    assert [one["now"] for one in report["turned"]] == ["PASS"] * FAILED
    assert any("answered one question a check" in said for said in report["differs"])
    assert report["units"]["answered"] == len(replies)


def test_a_refusal_is_counted_and_is_no_verdict(made: Path, tmp_path: Path) -> None:
    """A judge that refuses everything has no drift: nothing of it was answered."""
    refusing = ScriptedJudge(lambda request: Refusal("no"))
    report = ask(Again(release=made / "release", judge=refusing, installed=EXAMPLE), tmp_path / "a", USUAL)
    told = next(one for one in report.checks if one.check_id == CHECK)
    assert (told.agreement.n, told.agreement.share, told.answered.difference) == (0, None, None)
    assert (told.undecided_now, told.refused_now, told.undecided_before) == (LOGS, LOGS, 0)
    assert report.units[UnitState.REFUSED] > 0
    assert report.turned == ()


def test_conversations_that_are_withheld_among_others_are_counted(
    ib: Call, made: Path, tmp_path: Path
) -> None:
    """The rest is asked about, and the report says how many are not, and why."""

    def withhold(lines: list[dict[str, Any]]) -> None:
        told = lines[0]["conversation"]
        kept = {key: told["transcript"][key] for key in ("model_id", "scenario_id")}
        why = {"kind": "withheld", "reason": "private_text", "transcript_hash": told["transcript_hash"]}
        lines[0]["conversation"] = {**kept, **why, "epoch": None}

    edit_rows(copied(made / "release", tmp_path), CONVERSATIONS, withhold)
    reseal(tmp_path / "release")
    code, report, err = again(ib, tmp_path, tmp_path / "again", f"recorded:{made}/then.jsonl")
    assert code == 0, err
    assert (report["withheld"], report["conversations"]) == ({"private_text": 1}, LOGS - 1)
    assert of_check(report)["agreement"]["n"] == LOGS - 1


def withheld(made: Path, folder: Path) -> Path:
    """The same scan, released without its conversations."""
    call = ("publish", made / "scan", "--stage", "demo", "--transcripts", "none", "--out", folder / "release")
    assert run([str(one) for one in (*call, "--benchmark", EXAMPLE)]) == 0
    return folder / "release"


def private(made: Path, folder: Path) -> Path:
    draw = {"key_hash": "0" * 64, "kind": "private"}
    edit(copied(made / "release", folder), "leaderboard.json", lambda board: board.update(draw=draw))
    reseal(folder / "release")
    return folder / "release"


def edited(made: Path, folder: Path) -> Path:
    edit(copied(made / "release", folder), "leaderboard.json", lambda board: board.update(notes=["Fine."]))
    return folder / "release"


def unjudged(made: Path, folder: Path) -> Path:
    root = ("--benchmark", EXAMPLE)
    for call in (
        ("scan", made / "logs.jsonl", "--profile", "publish", "--out", folder / "scan", *root),
        (
            "publish",
            folder / "scan",
            "--stage",
            "demo",
            "--transcripts",
            "all",
            "--out",
            folder / "release",
            *root,
        ),
    ):
        assert run([str(one) for one in call]) == 0
    return folder / "release"


def withdrawn(made: Path, folder: Path) -> Path:
    """A release with a ledger, whose model was withdrawn by the next one."""
    logs = [log(name) | {"model_id": f"shop/{model}", "model": model} for model in "ab" for name in NAMES[:2]]
    votes = [vote(one["scenario_id"], "PASS", model_id=one["model_id"]) for one in logs]
    root, kept = ("--benchmark", EXAMPLE), ("--releases", folder / "kept", "--out", folder / "release")
    recorded = f"recorded:{lines(folder / 'v.jsonl', votes)}"
    scan = ("scan", lines(folder / "l.jsonl", logs), "--profile", "publish", "--judge", recorded)
    publish = ("publish", folder / "scan", "--stage", "demo", "--transcripts", "all", *kept, *root)
    for call in (
        (*scan, "--out", folder / "scan", *root),
        (*publish, "--date", "2026-11-22"),
        (
            *publish,
            "--date",
            "2026-11-23",
            "--withdraw",
            "shop/b",
            "--reason",
            "Retired by its maker.",
            "--yes",
        ),
    ):
        assert run([str(one) for one in call]) == 0
    return min(path for path in (folder / "kept").iterdir() if path.is_dir())


WRONG: dict[str, tuple[Callable[[Path, Path], Path], int, str]] = {
    "withheld": (withheld, 1, "carries no conversation that can be asked about"),
    "private": (private, 1, "is a release of the private draw"),
    "edited": (edited, 3, "is not the file that passed the gate"),
    "unjudged": (unjudged, 1, "was made without a judge"),
    "withdrawn": (withdrawn, 1, "shop/b: Retired by its maker."),
}


CHEAP = ("private", "edited")
"""Those that need no further scan."""


@pytest.mark.parametrize(
    "name", [name if name in CHEAP else pytest.param(name, marks=pytest.mark.gate) for name in WRONG]
)
def test_a_release_that_cannot_be_asked_about_is_named(
    ib: Call, made: Path, tmp_path: Path, name: str
) -> None:
    """Before anything is asked, with the reason."""
    make, wanted, words = WRONG[name]
    release = make(made, tmp_path)
    code, _, err = ib(
        "rejudge", release, "--judge", f"recorded:{made}/then.jsonl", "--benchmark", EXAMPLE,
        "--out", tmp_path / "again",
    )  # fmt: skip
    assert (code, words in err) == (wanted, True), err
    assert not (tmp_path / "again").exists()


def test_what_rules_decide_both_times_is_no_agreement(made: Path) -> None:
    """They are equal whoever judges, so that they are counted apart."""
    tally = DriftTally({CHECK})
    for one in scans.ScanFolder(made / "scan").results():
        rows = tuple(row.model_copy(update={"scorer": Scorer.RULE}) for row in one.rows)
        ruled = one.model_copy(update={"rows": rows})
        tally.add(ruled, ruled)
    together, (told,) = tally.drifts(load_benchmark(EXAMPLE))
    assert (told.without_judge, told.agreement.n, together.without_judge) == (LOGS, 0, LOGS)


def test_verdicts_on_two_conversations_are_not_compared(made: Path) -> None:
    """A mix-up of the order is an error, not a drift."""
    first, second, *_ = scans.ScanFolder(made / "scan").results()
    with pytest.raises(ValueError, match="the verdicts are on"):
        DriftTally({CHECK}).add(first, second)


@pytest.mark.gate
def test_a_release_of_scenarios_is_asked_about_again(
    ib: Call, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Screening and windows give the verdicts of the release again; twins are not asked about."""
    release = verifying.released(tmp_path_factory)
    code, said, err = ib("rejudge", release, "--judge", "scripts", "--out", tmp_path / "again", "--json")
    assert code == 0, err
    report = json.loads(said)
    assert (report["twins"], report["turned"], report["changed"]) == (2, [], [])
    assert report["all_checks"]["agreement"]["share"] == 1.0
    code, _, err = ib("rejudge", release, "--judge", "scripts", "--check", "IB-A1", "--out", tmp_path / "no")
    assert (code, "IB-A1: not due on any conversation" in err) == (1, True)
    one = next(check["check_id"] for check in report["checks"] if check["answered"]["both"])
    code, said, err = ib("rejudge", release, "--judge", "scripts", "--check", one, "--out", tmp_path / "part",
                         "--json")  # fmt: skip
    assert code == 0, err
    assert [check["check_id"] for check in json.loads(said)["checks"]] == [one]
