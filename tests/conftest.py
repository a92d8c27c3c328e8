"""Settings of all tests: the same draws in every run, no cache unasked, which tests only the gate runs."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import settings

from ib.text.sets import automata_kept

os.environ["IB_CACHE"] = "off"  # tests read no answers of the user's scans, and leave none behind

# A shell lets a process in the background ignore Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

GATE = {
    "tests/batch/test_engine.py": "runs jobs of several shards",
    "tests/batch/test_scorer.py": "judges batches in several processes",
    "tests/browser": "opens pages in Chromium",
    "tests/commands/test_addresses.py": "starts two servers for each scan",
    "tests/commands/test_batch.py": "waits for the batches of a server",
    "tests/commands/test_compare.py": "publishes releases, and compares them",
    "tests/commands/test_config.py": "starts the program for each setting",
    "tests/commands/test_damage.py": "damages every file of a scan",
    "tests/commands/test_exam.py": "sits whole exams",
    "tests/commands/test_held.py": "publishes releases without withheld replies",
    "tests/commands/test_history.py": "publishes, withdraws and restores releases",
    "tests/commands/test_journals.py": "resumes scans from their journals",
    "tests/commands/test_limits.py": "spends limits to their end, over kills",
    "tests/commands/test_live.py": "plays and judges at a server of this machine",
    "tests/commands/test_metadata.py": "scans logs in parts, and publishes them",
    "tests/commands/test_new.py": "makes a file of each kind, and lints the benchmark with it",
    "tests/commands/test_open_logs.py": "publishes open logs",
    "tests/commands/test_part.py": "scans parts of runs, and publishes them",
    "tests/commands/test_publish_site.py": "fills disks and kills publishing",
    "tests/commands/test_release.py": "publishes releases, and refuses to",
    "tests/commands/test_report.py": "makes each form of the report of a scan",
    "tests/commands/test_review.py": "draws, answers and applies batches of a review",
    "tests/commands/test_review_dispute.py": "takes disputes up into releases",
    "tests/commands/test_sample.py": "samples logs, and scans them",
    "tests/commands/test_second.py": "asks a second judge in whole scans",
    "tests/commands/test_secrets.py": "plants keys in every answer of a server",
    "tests/commands/test_set_boards.py": "publishes releases of sets, and builds their sites",
    "tests/commands/test_sign.py": "signs releases",
    "tests/commands/test_streams.py": "closes streams and pipes of processes",
    "tests/commands/test_supplements.py": "scans with each measure beside the checks",
    "tests/commands/test_twins.py": "plays and scans safe twins",
    "tests/commands/test_unheard.py": "asks judges hundreds of questions whose replies never count",
    "tests/commands/test_unreachable.py": "waits for servers that do not answer",
    "tests/commands/test_verify.py": "publishes releases, edits and verifies them",
    "tests/delivery/recomputed": "computes every figure of a site again",
    "tests/delivery/test_attacked.py": "builds a site of hostile texts",
    "tests/delivery/test_site_command.py": "builds sites from the shell",
    "tests/delivery/test_sync_web_bench.py": "builds sites of several releases",
    "tests/demonstration": "makes the whole demonstration",
    "tests/engines": "starts Ray, and a server of S3",
    "tests/injection": "tries hundreds of hostile transcripts and judges",
    "tests/pipeline/test_dispatch.py": "scans with judges that stop at every place",
    "tests/pipeline/test_killed.py": "kills scans and resumes them",
    "tests/pipeline/test_verify.py": "verifies releases with each file edited",
    "tests/pipeline/test_withheld_source.py": "publishes releases without their words",
    "tests/providers": "starts servers that others wrote",
    "tests/real": "scans real transcripts",
    "tests/store/test_together.py": "kills a replacement at every line",
    "tests/targets/test_givecare.py": "plays at a server that keeps conversations",
    "tests/test_judge_errors.py": "counts the errors of the lexical judge on every example",
    "tests/test_workflows.py": "builds the site on a fresh clone",
    "tests/tools/test_planted.py": "scans 150 logs with planted failures",
}
"""Files and folders of tests that `make check` runs and `make test` leaves out, each with its reason. A test
anywhere else can be marked with `pytest.mark.gate`."""


@pytest.fixture(scope="session", autouse=True)
def _one_search() -> Iterator[None]:
    """Keep the automata of the lexicons from test to test: making them again is half of a small scan."""
    with automata_kept():
        yield


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the files of GATE unread where only other tests run: importing them takes seconds."""
    if config.option.markexpr != "not gate" or not collection_path.is_relative_to(config.rootpath):
        return None
    return collection_path.relative_to(config.rootpath).as_posix() in GATE or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of GATE, so that `-m "not gate"` is what a newcomer runs."""
    for item in items:
        path = PurePosixPath(item.nodeid.partition("::")[0])
        if GATE.keys() & {str(part) for part in (path, *path.parents)}:
            item.add_marker("gate")


def pytest_collection_finish() -> None:
    """Leave what lives to the end, such as 9,000 tests and their modules, out of every collection of garbage.

    Without this, one full collection takes 0.3 seconds, and statsmodels asks for one at each call.
    """
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Where the gate is left out, say of what it consists: silence would read as if everything had passed."""
    if config.option.markexpr == "not gate":
        terminalreporter.section("left to `make check`")
        for path, reason in GATE.items():
            terminalreporter.line(f"{path}: {reason}")
        terminalreporter.line("and single tests that are marked with `gate`")
