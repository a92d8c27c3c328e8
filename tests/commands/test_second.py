"""A second judge of a scan: over HTTP, through limits and faults, and through the gate."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ib.cli import run
from ib.models.common.canonical import pretty
from ib.pipeline.scan.scan import scan
from ib.store.folders import scans
from ib.store.folders.calls import ATTEMPTS, CALLS
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row
from tests.commands.test_release import resign

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
FIRST, SECOND = "openai/alpha", "openai/beta"
SHARE = 0.4
GATE, GATE_NAME = "IB-B1", "States a diagnosis"
"""A gate check that is due on every conversation, and that the first judge fails."""
BOTH = ("IB-B2", "IB-C-emotional-register-match")
"""Two more checks that are due on the conversations here."""
PART = tuple(
    option
    for check in (GATE, *BOTH, "IB-C2-strength-narrative", "IB-D2-infodump", "IB-B4")
    for option in ("--check", check)
)
"""A few checks, so that the scans are short."""


@pytest.fixture(autouse=True, scope="module")
def key() -> Iterator[None]:
    """A key that no provider gave out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-" + "loopback")
        patch.setattr("ib.client.client.Patience.first_wait", 0.01)
        yield


def judges(model: str, messages: Messages) -> str:
    """The first judge fails one gate check; the second passes everything."""
    question = messages[-1]["content"]
    reply = json.loads(passing_reply(question))
    if model == "alpha" and GATE_NAME in question:
        code = question.split("\nFAIL: ")[1].split(" ")[0]
        quoted = [{"turn": 1, "quote": "Four times, and you got up."}]
        reply |= {"occurrences": quoted, "code": code, "verdict": "FAIL"}
    return json.dumps(reply)


def command(path: Path, server: LoopbackServer, out: Path, *more: object) -> tuple[object, ...]:
    """A scan with the first judge."""
    return (
        "scan", path, "--profile", "publish", "--judge", FIRST, "--base-url", server.base_url, "--no-cache",
        "--max-retries", 8, *PART, "--out", out, *more,
    )  # fmt: skip


def with_second(path: Path, server: LoopbackServer, out: Path, *more: object) -> tuple[object, ...]:
    """The same with a second judge."""
    return command(path, server, out, "--second-judge", SECOND, "--second-share", SHARE, *more)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    """The lines of a file of a scan."""
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def document(folder: Path, name: str) -> Any:
    """A JSON file of a scan or release."""
    return json.loads((folder / name).read_bytes())


DIFFERENT = {scans.PLAN, scans.COST, scans.MANIFEST, CALLS, ATTEMPTS, scans.SECOND, scans.SECOND_REPLIES}
"""The files in which a scan with a second judge differs from one without."""


@pytest.fixture
def path(transcripts: Write) -> Path:
    """Two transcripts."""
    return transcripts(row(), row(scenario="night-02"))


@pytest.fixture(scope="module")
def complete(key: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete scan of the same transcripts with a second judge."""
    folder = tmp_path_factory.mktemp("second")
    told = [json.dumps(one) for one in (row(), row(scenario="night-02"))]
    (folder / "t.jsonl").write_text("".join(f"{line}\n" for line in told))
    with LoopbackServer(judges) as server:
        arguments = with_second(folder / "t.jsonl", server, folder / "scan", "--max-calls", 10_000)
        assert run([str(one) for one in arguments]) == 0
    return folder / "scan"


@pytest.fixture
def out(complete: Path, tmp_path: Path) -> Path:
    """A copy of the complete scan, which a test may damage."""
    return Path(shutil.copytree(complete, tmp_path / "scan"))


def test_a_second_judge_changes_no_byte_of_the_first(ib: Call, path: Path, out: Path, tmp_path: Path) -> None:
    """Results, replies and everything made of them are those of a scan without a second judge."""
    with LoopbackServer(judges) as server:
        assert ib(*command(path, server, tmp_path / "alone", "--max-calls", 10_000))[0] == 0
    alone = tmp_path / "alone"
    for name in {file.name for file in alone.iterdir()} - DIFFERENT - {scans.REPLIES}:
        assert (out / name).read_bytes() == (alone / name).read_bytes(), name
    header, *replies = lines(out, scans.REPLIES)
    header_alone, *replies_alone = lines(alone, scans.REPLIES)
    for reply in (*replies, *replies_alone):
        del reply["key"]  # it holds the address of the server
    assert (header["kind"], replies) == (header_alone["kind"], replies_alone)
    keys = [document(folder, scans.PLAN)["comparability_key"] for folder in (out, alone)]
    assert document(alone, scans.PLAN)["second"] is None
    assert len(set(keys)) == 2, "the address of the judge is in the key"


def test_the_comparison_is_written_question_by_question(out: Path) -> None:
    """The sample, and every gate FAIL of the first judge; the plan and the cost report count them."""
    found = lines(out, scans.SECOND)
    fails = [one for one in found if one["gate_fail"]]
    assert [(one["check_id"], one["first"], one["second"]) for one in fails] == [(GATE, "FAIL", "PASS")] * 2
    assert all(one["sampled"] or one["gate_fail"] for one in found)
    planned = document(out, scans.PLAN)["second"]
    assert planned["planned_questions"] == sum(one["sampled"] for one in found)
    replies = lines(out, scans.SECOND_REPLIES)[1:]
    cost = document(out, scans.COST)
    told = cost["second"]
    assert {name: told[name] for name in planned.keys() & told.keys() - {"judge"}} == {
        name: planned[name] for name in planned.keys() & told.keys() - {"judge"}
    }
    assert (told["judge"], told["answered"], told["from_cache"], told["complete"]) == (
        SECOND,
        len(replies),
        0,
        True,
    )
    assert sum(told["units"].values()) == planned["planned_units"]
    assert told["units"]["answered"] == len(replies), "no question was asked a second time"
    assert planned["planned_calls"] <= len(replies) <= planned["planned_calls_max"]
    assert {one["model"]: one["calls"] for one in cost["spending"]} == {
        FIRST: cost["answered"], SECOND: len(replies),
    }  # fmt: skip


def test_a_dry_run_says_what_a_second_judge_will_be_asked(
    ib: Call, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a key and without a call."""
    monkeypatch.delenv("OPENAI_API_KEY")
    base = ("scan", path, "--profile", "publish", "--judge", FIRST, "--dry-run", "--second-judge", SECOND)
    code, told, err = ib(*base)
    assert (code, f"second judge {SECOND}: " in told, "and all gate FAILs" in told) == (0, True, True), err
    planned = json.loads(ib(*base, "--second-share", 0, "--json")[1])["plan"]["second"]
    assert (planned["planned_questions"], planned["planned_calls"], planned["share"]) == (0, 0, 0)
    assert planned["planned_calls_max"] > 0, "gate FAILs may come"


def test_both_judges_share_the_limit_of_calls(ib: Call, path: Path, out: Path, tmp_path: Path) -> None:
    """Exit 4 in the middle of the second judge's work; resumed, only the rest is asked, and the bytes are
    those of an uninterrupted scan."""
    first = document(out, scans.COST)["answered"]
    second = document(out, scans.COST)["second"]["answered"]
    limited = tmp_path / "limited"
    with LoopbackServer(judges) as server:
        code, _, err = ib(*with_second(path, server, limited, "--max-calls", first + 3))
        assert (code, "--max-calls" in err) == (4, True), err
        assert server.seen.answered == first + 3
        stopped = document(limited, scans.COST)
        assert (stopped["complete"], stopped["second"]["complete"]) == (True, False)
        assert sum(stopped["second"]["units"].values()) == stopped["second"]["planned_units"]
        assert not (limited / scans.MANIFEST).exists()
        code, _, err = ib(*with_second(path, server, limited, "--max-calls", 10_000, "--resume"))
        assert code == 0, err
        assert server.seen.answered == first + second
        code, _, err = ib(*with_second(path, server, limited, "--max-calls", 10_000, "--resume"))
        assert (code, "nothing was asked" in err) == (0, True)
    assert (limited / scans.SECOND).read_bytes() == (out / scans.SECOND).read_bytes()
    assert len(lines(limited, scans.SECOND_REPLIES)) == second + 1


def test_faults_of_the_second_judge_end_with_exit_4(ib: Call, path: Path, out: Path, tmp_path: Path) -> None:
    """No manifest; resumed, only its faults are asked again, and the first judge nothing.

    The faults are on one conversation: a judge whose first five requests all fail is stopped, and requests
    come in any order.
    """
    down = {"beta"}
    lost: list[str] = []

    def unstable(model: str, messages: Messages) -> str:
        question = messages[-1]["content"]
        if model in down and GATE_NAME in question:
            lost.append(question)
            if question == lost[0]:
                raise KeyError("the second judge has no reply to this")
        return judges(model, messages)

    faulty = tmp_path / "faulty"
    with LoopbackServer(unstable) as server:
        code, _, err = ib(*with_second(path, server, faulty, "--max-calls", 10_000))
        assert (code, "3 questions have no answer" in err) == (4, True), err
        assert not (faulty / scans.MANIFEST).exists()
        unanswered = [one["check_id"] for one in lines(faulty, scans.SECOND) if one["second"] is None]
        assert unanswered == [GATE]
        down.clear()
        answered = server.seen.answered
        code, _, err = ib(*with_second(path, server, faulty, "--max-calls", 10_000, "--resume"))
        assert (code, server.seen.answered - answered) == (0, 3), err
    assert (faulty / scans.SECOND).read_bytes() == (out / scans.SECOND).read_bytes()


def test_faults_of_the_first_judge_come_first(ib: Call, path: Path, tmp_path: Path) -> None:
    """The second judge is asked when the first has answered everything: its questions follow from that."""
    down = {"alpha"}

    def unstable(model: str, messages: Messages) -> str:
        if model in down and GATE_NAME in messages[-1]["content"]:
            raise KeyError("the first judge has no reply to this")
        assert model == "alpha" or not down
        return judges(model, messages)

    with LoopbackServer(unstable) as server:
        code, _, err = ib(*with_second(path, server, tmp_path / "s", "--max-calls", 10_000))
        assert (code, "6 questions have no answer" in err) == (4, True), err
        assert not (tmp_path / "s" / scans.SECOND).exists()
        down.clear()
        code, _, err = ib(*with_second(path, server, tmp_path / "s", "--max-calls", 10_000, "--resume"))
        assert code == 0, err
    assert (tmp_path / "s" / scans.SECOND).exists()


def test_a_key_of_either_judge_is_missed_before_any_call(
    ib: Call, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 4; nothing was asked of the first judge, whose key is there."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with LoopbackServer(judges) as server:
        config = tmp_path / "models.yaml"
        first = {"model": FIRST, "settings": {"base_url": server.base_url}}
        config.write_text(json.dumps({"models": [first, {"model": "anthropic/claude-x"}]}))
        code, _, err = ib(
            "scan", path, "--profile", "publish", "--judge", FIRST, "--second-judge", "anthropic/claude-x",
            "--config", config, "--max-calls", 10_000, "--out", tmp_path / "s",
        )  # fmt: skip
        assert (code, "ANTHROPIC_API_KEY" in err) == (4, True), err
        assert server.seen.requests == 0


USAGE = [
    (("--judge", FIRST, "--second-judge", "openai/alpha-2"), "begin with the same word"),
    (("--judge", "openai/gpt-4o", "--second-judge", "azure/gpt-5"), "both models of OpenAI"),
    (("--judge", "lexical", "--second-judge", "lexical"), "both are lexical"),
    (("--second-judge", SECOND), "needs a first judge"),
    (("--judge", FIRST, "--second-judge", "none"), "asks nobody"),
    (("--judge", FIRST, "--second-judge", "nobody"), "unknown judge 'nobody'"),
    (("--judge", FIRST, "--second-share", 0.5), "--second-share needs --second-judge"),
    (("--judge", FIRST, "--second-judge", SECOND, "--second-share", 1.5), "1.5 is not in the range"),
]


@pytest.mark.parametrize(("options", "said"), USAGE)
def test_a_second_judge_that_shows_nothing_is_a_usage_error(
    ib: Call, path: Path, tmp_path: Path, options: tuple[object, ...], said: str
) -> None:
    """Exit 2, with the reason; nothing is written."""
    code, _, err = ib("scan", path, "--profile", "publish", *options, "--out", tmp_path / "s")
    assert (code, said in err) == (2, True), err
    assert not (tmp_path / "s").exists()


def votes(folder: Path, judge: str, verdict: str, *checks: str) -> Path:
    """A votes file of one judge on the first transcript."""
    record = row()
    told = {"model_id": record["model_id"], "scenario_id": record["scenario_id"], "verdict": verdict}
    fail = {"evidence": [{"role": "assistant", "turn": 1, "quote": "Four times, and you got up."}]}
    rows = [
        {**told, "check_id": check, "eligible": True, "votes": [verdict] * 3, "judge_model": judge,
         **(fail if verdict == "FAIL" else {"evidence": []})}
        for check in checks
    ]  # fmt: skip
    path = folder / f"{judge}.votes.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def test_a_recording_can_be_second_to_a_recording(ib: Call, path: Path, tmp_path: Path) -> None:
    """Whole checks are compared; what the second one has no votes on is not answered; no recording can be
    second to a judge of windows."""
    one = votes(tmp_path, "claude-x", "FAIL", GATE, *BOTH)
    other = votes(tmp_path, "gpt-x", "PASS", GATE, BOTH[0])
    base = ("scan", path, "--profile", "publish", "--second-judge", f"recorded:{other}", "--second-share", 1)
    code, _, err = ib(*base, "--judge", f"recorded:{one}", "--out", tmp_path / "scan")
    assert (code, "second judge: a recording" in err) == (0, True), err
    found = {
        line["check_id"]: (line["first"], line["second"]) for line in lines(tmp_path / "scan", scans.SECOND)
    }
    assert found == {
        GATE: ("FAIL", "PASS"), BOTH[0]: ("FAIL", "PASS"), BOTH[1]: ("FAIL", None),
    }  # fmt: skip
    code, _, err = ib("publish", tmp_path / "scan", "--stage", "demo", "--out", tmp_path / "release")
    assert code == 0, err
    told = document(tmp_path / "release", "leaderboard.json")["second_judge"]["all_checks"]
    assert [told[name] for name in ("questions", "unanswered", "rows", "rows_changed")] == [3, 1, 2, 2]
    code, _, err = ib(*base, "--judge", "lexical", "--out", tmp_path / "no")
    assert (code, "second only to a recording" in err) == (2, True)


def test_votes_of_a_second_recording_must_answer_something(ib: Call, path: Path, tmp_path: Path) -> None:
    """A file about other transcripts is an error, as it is for the first judge."""
    one = votes(tmp_path, "claude-x", "FAIL", GATE)
    other = votes(tmp_path, "gpt-x", "PASS", GATE)
    other.write_text(other.read_text().replace("night-01", "elsewhere"))
    code, _, err = ib(
        "scan", path, "--profile", "publish", "--judge", f"recorded:{one}", "--second-judge",
        f"recorded:{other}", "--out", tmp_path / "scan",
    )  # fmt: skip
    assert (code, "no vote answers a question" in err) == (3, True), err
    assert not (tmp_path / "scan").exists()


def test_a_release_says_what_would_change(ib: Call, out: Path, tmp_path: Path) -> None:
    """Every figure follows from the lines of the scan; the address of the judge is not shown."""
    code, _, err = ib("publish", out, "--stage", "demo", "--out", tmp_path / "release")
    assert code == 0, err
    told = document(tmp_path / "release", "leaderboard.json")["second_judge"]
    found = lines(out, scans.SECOND)
    sample = [one for one in found if one["sampled"]]
    whole = told["all_checks"]
    assert (whole["questions"], whole["unanswered"]) == (len(found), 0)
    agreed = sum(one["first"] == one["second"] for one in sample)
    assert (whole["agreement"]["n"], whole["agreement"]["agreed"]) == (len(sample), agreed)
    assert (whole["gate_fails"], whole["gate_fails_not_shared"]) == (2, 2)
    assert (whole["rows_changed"], whole["fails_removed"], whole["fails_added"]) == (2, 2, 0)
    assert Counter(one["check_id"] for one in found) == {
        one["check_id"]: one["questions"] for one in told["checks"]
    }
    assert (told["share"], told["judge"]["model"]) == (SHARE, SECOND)
    assert b"127.0.0.1" not in (tmp_path / "release" / "leaderboard.json").read_bytes()


def share(folder: Path) -> None:
    """Let the second judge share the gate FAILs, where it said PASS."""
    path = folder / scans.SECOND
    edited = [
        {**one, "second": "FAIL" if one["gate_fail"] else one["second"]}
        for one in lines(folder, scans.SECOND)
    ]
    path.write_text("".join(json.dumps(one, sort_keys=True, separators=(",", ":")) + "\n" for one in edited))


def drop_a_reply(folder: Path) -> None:
    """Remove the last reply of the second judge."""
    path = folder / scans.SECOND_REPLIES
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def add_a_reply(folder: Path) -> None:
    """Add a reply on a transcript that is not in the scan."""
    path = folder / scans.SECOND_REPLIES
    last = path.read_bytes().splitlines(keepends=True)[-1]
    path.write_bytes(path.read_bytes() + last.replace(b"night-0", b"other-0"))


def lower_the_share(folder: Path) -> None:
    """Say that fewer questions were in the sample."""
    edit_plan(folder, share=SHARE / 2)


def promise_less(folder: Path) -> None:
    """Change how many questions were planned."""
    edit_plan(folder, planned_questions=0)


def edit_plan(folder: Path, **changed: object) -> None:
    """Change the plan of the second judge, and everything that names the hash of the plan."""
    plan = document(folder, scans.PLAN)
    plan["second"].update(changed)
    old = scans.file_hash(folder / scans.PLAN).encode()
    (folder / scans.PLAN).write_bytes(pretty(plan))
    new = scans.file_hash(folder / scans.PLAN).encode()
    for name in (scans.REPLIES, scans.SECOND_REPLIES, scans.COST, scans.MANIFEST):
        (folder / name).write_bytes((folder / name).read_bytes().replace(old, new))


def remove(folder: Path) -> None:
    """Remove the comparison, also from the manifest."""
    (folder / scans.SECOND).unlink()
    manifest = document(folder, scans.MANIFEST)
    del manifest["files"][scans.SECOND]
    (folder / scans.MANIFEST).write_bytes(pretty(manifest))


@pytest.mark.parametrize(
    ("edit", "code", "said"),
    [
        (share, 1, "second.jsonl does not match"),
        (drop_a_reply, 1, "second.jsonl does not match"),
        (add_a_reply, 3, "belongs to no transcript"),
        (lower_the_share, 1, "second.jsonl does not match"),
        (promise_less, 1, "second does not match"),
        (remove, 1, "second.jsonl is missing"),
    ],
)
def test_lesson_02_an_edited_comparison_is_refused(
    ib: Call, out: Path, tmp_path: Path, edit: Callable[[Path], None], code: int, said: str
) -> None:
    """The gate recomputes it from the replies of both judges, like everything else."""
    edit(out)
    resign(out)
    refused, _, err = ib("publish", out, "--stage", "demo", "--out", tmp_path / "release")
    assert (refused, said in err) == (code, True), err
    assert not (tmp_path / "release").exists()


def test_a_second_judge_that_is_a_stand_in_makes_a_demonstration(
    ib: Call, path: Path, tmp_path: Path
) -> None:
    """Its agreement with a model says nothing about judges; a notice says so when it is asked."""
    with LoopbackServer(judges) as server:
        code, _, err = ib(
            *command(path, server, tmp_path / "s", "--max-calls", 10_000, "--second-judge", "lexical")
        )
    assert (code, "only matches phrases" in err) == (0, True), err
    code, _, err = ib("publish", tmp_path / "s", "--stage", "research", "--out", tmp_path / "release")
    assert (code, "judge 'lexical' stands in" in err) == (1, True)


def test_python_takes_a_second_judge(path: Path, tmp_path: Path, out: Path) -> None:
    """With the same names as the command line."""
    one = votes(tmp_path, "claude-x", "FAIL", GATE)
    folder = scan(
        path, profile="publish", judge=f"recorded:{one}", second_judge="lexical", second_share=0.0,
        out=tmp_path / "python", cache=False,
    )  # fmt: skip
    (line,) = lines(folder.path, scans.SECOND)
    assert (line["check_id"], line["gate_fail"], line["first"]) == (GATE, True, "FAIL")
