"""Applying reviews, killed at every moment at which something is made durable."""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ib.models.common.canonical import pretty
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replay import replay_scan
from ib.pipeline.review.apply import apply_reviews
from ib.pipeline.review.draw import draw_batch
from ib.store.folders import scans
from tests.commands.test_review import answers, hashes, make_scan
from tests.once import once

KILLED = """
import os, signal, sys
from pathlib import Path
left, sync = int(sys.argv[1]), os.fsync
def killing(descriptor):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    sync(descriptor)
os.fsync = killing
from ib.pipeline.review.apply import apply_reviews
apply_reviews(Path(sys.argv[2]), [Path(sys.argv[3])], Path(sys.argv[4]))
"""
"""Applies an answers file, and kills its process at the n-th time that a file or a folder is made durable."""


def test_a_killed_apply_leaves_no_scan_or_the_whole_one(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """After each kill the scan is as it was, and the new one is not there or passes the gate; it can be made
    again."""
    unread = once(tmp_path_factory, "review-scan", make_scan) / "scan"
    batch = json.loads(pretty(draw_batch(unread, n=20).batch))
    file, out, before = answers(batch, tmp_path / "a.json"), tmp_path / "new", hashes(unread)
    for moment in range(0, 100, 5):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(moment), str(unread), str(file), str(out)], check=False
        )
        assert hashes(unread) == before
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
        if out.exists():  # killed after the new scan got its name
            assert "demo" in make_release(replay_scan(out)).qa.granted
            shutil.rmtree(out)
    assert moment >= 5, "there were moments to be killed at"
    assert set(hashes(out)) == {*before, scans.REVIEWS} - {".lock"}
    assert "demo" in make_release(replay_scan(out)).qa.granted
    assert [path.name for path in tmp_path.iterdir() if path not in (file, out)] == []


WARM = multiprocessing.get_context("forkserver")
"""Starts each process as a copy of one that has loaded what it needs, so that kills hit the work."""
WARM.set_forkserver_preload(["ib.pipeline.review.apply", "ib.store.benchmark.loading"])
RANDOM_KILLS = 30


@pytest.mark.gate
def test_a_kill_at_any_moment_leaves_no_scan_or_the_whole_one(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """At random moments of time: the old scan is as it was, and the new one is missing or passes the gate."""
    unread = once(tmp_path_factory, "review-scan", make_scan) / "scan"
    batch = json.loads(pretty(draw_batch(unread, n=20).batch))
    file, out, before = answers(batch, tmp_path / "a.json"), tmp_path / "new", hashes(unread)
    _applied(unread, file, out, None)  # the first one also starts the server of processes
    shutil.rmtree(out)
    whole = _applied(unread, file, out, None)
    expected = hashes(out)
    chance, seen = random.Random(26), {True: 0, False: 0}  # noqa: S311 - moments, no secret
    for _ in range(RANDOM_KILLS):
        if out.exists():
            shutil.rmtree(out)
        _applied(unread, file, out, chance.uniform(0.2, 2.0) * whole)
        assert hashes(unread) == before
        seen[out.exists()] += 1
        if out.exists():
            found = hashes(out)
            assert found.keys() == expected.keys()
            assert found[scans.RESULTS] == expected[scans.RESULTS]
            assert found[scans.REVIEWS] == expected[scans.REVIEWS]
            assert "demo" in make_release(replay_scan(out)).qa.granted
    assert seen[False], "no kill came before the new scan was there"
    if not out.exists():
        _applied(unread, file, out, None)
    assert hashes(out)[scans.RESULTS] == expected[scans.RESULTS]
    assert [path.name for path in tmp_path.iterdir() if path not in (file, out)] == []


def _applied(unread: Path, file: Path, out: Path, seconds: float | None) -> float:
    """Apply the file, and kill the process after so many seconds. Returns how long it ran."""
    process = WARM.Process(target=apply_reviews, args=(unread, [file], out))
    begin = time.monotonic()
    process.start()
    process.join(seconds)
    process.kill()
    process.join()
    return time.monotonic() - begin
