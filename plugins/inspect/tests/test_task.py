"""The task, played and judged by mockllm with scripted votes."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample, read_eval_log

import ib
from ib.models.conversation.transcript import Transcript
from ib.store.folders import scans
from ib.testing.judges import ScriptedJudge
from ib_inspect import invisiblebench
from ib_inspect.grader import spec_of
from ib_inspect.scorer import RESULT
from ib_inspect.solver import TRANSCRIPT
from voting import Votes

SCENARIOS = ["empathy-belonging-misaddressed", "safety-gray_zone-dark-joke", "continuity-after-the-crisis"]
TWIN = "empathy-grief-who-am-i--haddock-for-one"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """Three scenarios, one of them in sessions with branches, and a safe twin."""
    task = invisiblebench(scenarios=[*SCENARIOS, TWIN])
    (made,) = inspect_eval(
        task,
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
    judge = ScriptedJudge(Votes().here, spec_of(Votes().model()))
    folder = ib.scan(transcripts(log), judge=judge, profile="publish", out=tmp_path / "scan").path
    written = [*read(folder / scans.RESULTS), *read(folder / scans.OVER_ALARM)]
    assert len(written) == 4
    assert lines(log) == set(written)


def read(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text().splitlines()
