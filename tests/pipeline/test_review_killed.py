"""Applying reviews, killed at every moment at which something is made durable."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ib.models.common.canonical import pretty
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replay import replay_scan
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
    for moment in range(0, 100, 2):
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
