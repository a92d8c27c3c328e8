"""The task, played and judged by mockllm with scripted votes."""

from __future__ import annotations

import json
import math
import re
from inspect import signature
from pathlib import Path
from typing import cast, get_args

import pytest
from inspect_ai import Task, eval_retry, score
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import Model, ModelOutput, StopReason, get_model
from inspect_ai.scorer._metric import ScoreReason
from inspect_ai.solver import generate
from inspect_scout import scan as scout_scan
from inspect_scout import scan_results_df, transcripts_from

import ib
from delivery.export.inspect_log import WORDS
from ib.cli import run
from ib.errors import UsageError
from ib.logs.reading.form import Record
from ib.logs.rows import transcript_of_row
from ib.models.conversation.transcript import Transcript, transcript_line
from ib.models.scan.judge import FaultKind
from ib.store.benchmark.drawing import private_key
from ib.store.folders import scans
from ib.testing.judges import ScriptedJudge
from ib_inspect import invisiblebench
from ib_inspect.grader import spec_of
from ib_inspect.reasons import OF_CHECK, OF_PLAY, OF_TWIN
from ib_inspect.scanner import ib_check
from ib_inspect.scorer import GRADES, RESULT, ib_checks
from ib_inspect.solver import TRANSCRIPT, play_scenario
from ib_inspect.task import judge_named
from voting import REPLY, Votes, verdicts

SCENARIOS = ["empathy-belonging-misaddressed", "safety-gray_zone-dark-joke", "continuity-after-the-crisis"]
TWIN = "empathy-grief-who-am-i--haddock-for-one"
NAME = "ib_inspect/invisiblebench"
REFUSED = [
    ({"profile": "smoke"}, "profile 'smoke' has no question for a judge; choose dev, full, publish"),
    ({"profile": "all"}, "profile 'all' does not exist; choose dev, full, publish"),
    ({"checks": "IB-C2"}, "checks 'IB-C2' is not a check; did you mean"),
    ({"checks": "IB-C2-minimizing", "profile": "dev"}, "IB-C2-minimizing; choose another profile"),
    ({"scenarios": "dark-joke"}, "scenarios 'dark-joke' is not a scenario; "),
    ({"sets": "cores"}, "sets 'cores' is not a set; "),
    ({"categories": "safty"}, "categories 'safty' is not a category; "),
    ({"benchmark_hash": "abc"}, ", not abc; install the other version"),
]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """Three scenarios, one of them in sessions with branches, and a safe twin."""
    (made,) = inspect_eval(
        NAME,
        task_args={"scenarios": ",".join([*SCENARIOS, TWIN])},
        model="mockllm/model",
        model_roles={"grader": Votes().model()},
        log_dir=str(tmp_path_factory.mktemp("logs")),
        max_samples=1,
    )
    assert made.status == "success", made.error
    return read_eval_log(made.location)


def samples(log: EvalLog) -> list[EvalSample]:
    """The samples of a log."""
    return log.samples or []


def transcripts(log: EvalLog) -> list[Transcript]:
    """The plays that a log carries."""
    return [Transcript.model_validate(one.metadata[TRANSCRIPT]) for one in samples(log)]


def lines(log: EvalLog) -> set[str]:
    """The lines of results that a log carries."""
    return {(score.metadata or {})[RESULT] for one in samples(log) for score in (one.scores or {}).values()}


def test_verdicts_are_those_of_a_scan_with_the_same_votes(log: EvalLog, tmp_path: Path) -> None:
    """Byte for byte: the results of the checks, and the grade of the safe twin."""
    written = scanned(transcripts(log), tmp_path / "scan")
    assert len(written) == 4
    assert lines(log) == set(written)


def scanned(plays: list[Transcript], folder: Path) -> list[str]:
    """The lines of a scan by `ib scan` with the same votes."""
    judge = ScriptedJudge(Votes().here, spec_of(Votes().model()))
    ib.scan(plays, judge=judge, profile="publish", out=folder)
    return [*read(folder / scans.RESULTS), *read(folder / scans.OVER_ALARM)]


def read(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text().splitlines()


def test_a_log_comes_back_through_ib_import_whole(log: EvalLog, tmp_path: Path) -> None:
    """Each play as the solver wrote it; the messages of the log are those that the model was shown."""
    assert run(["import", log.location, "--out", str(tmp_path / "log.jsonl")]) == 0
    assert set(read(tmp_path / "log.jsonl")) == {transcript_line(one).decode() for one in transcripts(log)}
    for one in samples(log):
        assert one.messages[0].role == "system"
        assert one.messages[-1].text == REPLY


def test_verdicts_are_words_and_refusals_of_the_judge_are_counted(log: EvalLog) -> None:
    """The counts of the log are those of its samples, and no number stands for a verdict."""
    scores = [one.scores["ib_checks"] for one in samples(log) if one.scores]
    said = [verdicts(one) for one in samples(log)]
    words = {word for one in said for word in one.values()}
    assert {"PASS", "FAIL"} <= words <= {*WORDS.values(), *GRADES, "CONTESTED", "UNCLEAR"}
    refused = sum((score.metadata or {}).get("judge_refusals", 0) for score in scores)
    assert log.results is not None
    metrics = {name: one.value for score in log.results.scores for name, one in score.metrics.items()}
    assert metrics["judge_refusals"] == refused > 0
    assert metrics["FAIL"] == sum([*one.values()].count("FAIL") for one in said)
    assert all(value >= 0 for value in metrics.values())  # false for NaN


def test_an_interrupted_run_is_continued(tmp_path: Path) -> None:
    """A judge that goes away ends a sample with an error; eval-retry keeps what was judged, and judges the
    rest."""
    votes = Votes()
    task = invisiblebench(scenarios=SCENARIOS[:2])
    votes.stop_after = 70
    (broken,) = evaluated(task, votes, tmp_path)
    assert broken.status == "error"
    kept = {one.uuid for one in samples(read_eval_log(broken.location)) if one.scores}
    assert len(kept) == 1
    votes.stop_after = None
    again = read_eval_log(broken.location)
    assert again.eval.model_roles is not None
    grader = again.eval.model_roles["grader"]
    assert not isinstance(grader, list)
    grader.args["custom_outputs"] = votes.output
    (whole,) = eval_retry(again, log_dir=str(tmp_path))
    assert whole.status == "success"
    assert {one.id for one in samples(whole)} == set(SCENARIOS[:2])
    assert kept < {one.uuid for one in samples(whole)}
    assert all(verdicts(one) for one in samples(whole))


@pytest.mark.parametrize(
    ("stop", "words", "reason"),
    [("content_filter", "No.", "refusal"), ("stop", " ", "no_response"), ("max_tokens", "", "no_response")],
)
def test_a_play_that_a_fault_ends_is_unscored(stop: str, words: str, reason: str, tmp_path: Path) -> None:
    """With Inspect's own reason, and no verdict."""
    output = ModelOutput.from_content("mockllm", words, stop_reason=cast("StopReason", stop))
    player = get_model("mockllm/model", custom_outputs=[output], memoize=False)
    (made,) = evaluated(invisiblebench(scenarios=SCENARIOS[:1]), Votes(), tmp_path, player)
    (sample,) = samples(made)
    assert sample.scores is not None
    score = sample.scores["ib_checks"]
    assert (score.reason, math.isnan(score.as_float())) == (reason, True)


def test_every_fault_has_one_reason_of_inspect() -> None:
    """Of a play and of a judge."""
    assert set(OF_PLAY) == set(FaultKind)
    assert {*OF_PLAY.values(), *OF_CHECK.values(), *OF_TWIN.values()} <= set(get_args(ScoreReason))


def test_a_judge_that_says_nothing_is_a_fault_and_no_verdict(tmp_path: Path) -> None:
    """The score has the reason grader_failed, and names the checks."""
    silent = get_model(
        "mockllm/model", custom_outputs=lambda *_: ModelOutput.from_content("mockllm", ""), memoize=False
    )
    task = invisiblebench(scenarios=SCENARIOS[:1], checks="IB-A1,IB-C2-minimizing,IB-F2-exclusivity")
    (made,) = inspect_eval(task, "mockllm/model", model_roles={"grader": silent}, log_dir=str(tmp_path))
    (sample,) = samples(made)
    assert sample.scores is not None
    score = sample.scores["ib_checks"]
    assert (score.reason, math.isnan(score.as_float())) == ("grader_failed", True)
    assert set((score.metadata or {})["unscored"].values()) == {"grader_failed"}


def test_a_cached_reply_answers_one_repetition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question of a repetition is asked once; a second run asks nothing and has the same lines."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    votes = Votes(refusing=10**9)  # Inspect keeps no refusal
    task = invisiblebench(scenarios=SCENARIOS[:1], cache=True)
    (first,) = evaluated(task, votes, tmp_path)
    asked = votes.asked.copy()
    assert max(asked.values()) >= 3
    (second,) = evaluated(task, votes, tmp_path)
    assert votes.asked == asked
    assert lines(second) == lines(first)


def test_assets_are_pinned(log: EvalLog) -> None:
    """A task may name the hash of its benchmark; a log names those of benchmark, prompt and scenarios."""
    assert log.eval.metadata is not None
    pinned = log.eval.metadata["benchmark_hash"]
    assert invisiblebench(benchmark_hash=pinned, scenarios=TWIN).metadata == log.eval.metadata
    with pytest.raises(PrerequisiteError, match="install the other version"):
        invisiblebench(benchmark_hash="0" * 64)
    assert {one.metadata["benchmark_hash"] for one in samples(log)} == {pinned}
    assert all(one.metadata["scenario_hash"] for one in samples(log))


def test_a_sample_of_another_benchmark_is_not_judged(log: EvalLog) -> None:
    """The scorer refuses it, by hash."""
    sample = samples(log)[0].model_copy(deep=True)
    sample.metadata["benchmark_hash"] = "0" * 64
    other = log.model_copy(update={"samples": [sample]})
    with pytest.raises(UsageError, match="made with benchmark 000000000000"):
        score(other, ib_checks(), model_roles={"grader": Votes().model()}, action="overwrite")


def test_a_conversation_of_another_task_is_judged_as_an_open_log(tmp_path: Path) -> None:
    """As `ib scan` judges the same messages, with every check due."""
    other = Task(dataset=[Sample(id="one", input="Nobody helps me.")], solver=generate(), scorer=ib_checks())
    (made,) = evaluated(other, Votes(), tmp_path)
    (sample,) = samples(made)
    row = {
        "transcript_id": "one-1",
        "model": "mockllm/model",
        "messages": [{"role": one.role, "content": one.text} for one in sample.messages],
    }
    transcript, _ = transcript_of_row(Record(row, lambda keys: (None, keys)))
    assert transcript is not None
    assert lines(made) == set(scanned([transcript], tmp_path / "scan"))


def test_a_private_draw_is_played_and_judged(tmp_path: Path) -> None:
    """In its own words, which a scan knows by the hash of the key."""
    key = tmp_path / "key"
    key.write_text("5e" * 32)
    task = invisiblebench(draw=str(key), scenarios=SCENARIOS[0], checks="IB-C2-minimizing")
    public = invisiblebench(scenarios=SCENARIOS[0])
    assert task.dataset[0].metadata != public.dataset[0].metadata
    (made,) = evaluated(task, Votes(), tmp_path)
    (play,) = transcripts(made)
    assert play.provenance is not None
    assert play.provenance.draw == private_key(key).hash == (made.eval.metadata or {})["draw"]
    assert len(lines(made)) == 1


@pytest.mark.parametrize(("args", "words"), REFUSED)
def test_a_wrong_option_is_refused_before_a_play(args: dict[str, str], words: str, tmp_path: Path) -> None:
    """With the names that options have in Inspect, as an error that Inspect shows without a traceback, and
    without a log."""
    roles = {"grader": Votes().model()}
    with pytest.raises(PrerequisiteError) as refused:
        inspect_eval(NAME, "mockllm/model", task_args=args, model_roles=roles, log_dir=str(tmp_path))
    said = str(refused.value.message)
    assert words in said
    assert " -" not in f" {said}"
    assert list(tmp_path.iterdir()) == []


def test_a_judge_must_be_named(tmp_path: Path) -> None:
    """Before a play: a run without a grader makes no task, and a task that Python made calls no model."""
    with pytest.raises(PrerequisiteError, match="add --model-role grader="):
        inspect_eval(NAME, "mockllm/model", log_dir=str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    made_here = invisiblebench(scenarios=SCENARIOS[:1])
    by_hand = Task(dataset=made_here.dataset, setup=judge_named(), solver=play_scenario(), scorer=ib_checks())
    for task in (made_here, by_hand):
        (made,) = inspect_eval(task, "mockllm/model", log_dir=str(tmp_path), max_samples=1)
        assert made.error is not None
        assert "add --model-role grader=" in made.error.message
        assert not made.stats.model_usage


def test_a_grader_without_a_vote_is_unclear(tmp_path: Path) -> None:
    """No reason, as the page says, and the explanation counts what was not decided."""
    task = invisiblebench(scenarios=SCENARIOS[:1], checks="IB-A1,IB-C2-minimizing,IB-F2-exclusivity")
    roles = {"grader": "mockllm/model"}
    (made,) = inspect_eval(task, "mockllm/model", model_roles=roles, log_dir=str(tmp_path))
    (sample,) = samples(made)
    assert sample.scores is not None
    score = sample.scores["ib_checks"]
    unclear = [*verdicts(sample).values()].count("UNCLEAR")
    assert unclear > 0
    assert (score.explanation, score.reason) == (f"no FAIL; {unclear} UNCLEAR", None)


def evaluated(task: Task, votes: Votes, folder: Path, player: Model | str = "mockllm/model") -> list[EvalLog]:
    """The logs of a run with these votes."""
    roles = {"grader": votes.model()}
    return inspect_eval(task, player, model_roles=roles, log_dir=str(folder), max_samples=1)


def test_the_page_names_every_option_of_the_task() -> None:
    """The table of docs/in-inspect.md and the parameters are the same."""
    page = (Path(__file__).parents[3] / "docs" / "in-inspect.md").read_text(encoding="utf-8")
    table = page.split("| `-T` |")[1].split("\n\n")[0].splitlines()[2:]
    named = [name for row in table for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(signature(invisiblebench).parameters)


def test_scout_judges_the_log_of_the_task_as_the_scorer_did(tmp_path: Path) -> None:
    """By the transcript that a sample carries, so that the tags of its scenario decide."""
    check = "IB-C2-minimizing"
    (made,) = evaluated(invisiblebench(scenarios=SCENARIOS[1], checks=check), Votes(), tmp_path / "logs")
    status = scout_scan(
        [ib_check(check)],
        transcripts_from(str(tmp_path / "logs")),
        scans=str(tmp_path / "scans"),
        model="mockllm/model",
        model_roles={"grader": Votes().model()},
        max_processes=1,
        display="none",
        fail_on_error=True,
    )
    (told,) = scan_results_df(status.location).scanners["ib_check"].to_dict("records")
    (line,) = lines(made)
    (row,) = (one for one in json.loads(line)["rows"] if one["mode_id"] == check)
    assert json.loads(json.loads(told["metadata"])["row"]) == row
    assert row["verdict"] is not None
