"""Workers of a scan that is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ib.store.files.writing import only_writer

SCRIPT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from ib.pipeline.scan import results
from ib.store.files.writing import only_writer

def work(_):
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: both workers write to one pipe
    time.sleep(60)

with only_writer(Path(sys.argv[1])):
    pool = ProcessPoolExecutor(2, multiprocessing.get_context("fork"), results.begin_worker)
    list(pool.map(work, range(2)))
"""


@pytest.mark.parametrize("_time", range(4))
def test_workers_of_a_killed_scan_end_and_hold_no_lock(_time: int, tmp_path: Path) -> None:
    """After kill -9 of a scan its folder is free at once, and its workers end by themselves."""
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as scan:
        assert scan.stdout is not None
        workers = [int(scan.stdout.readline()) for _ in range(2)]
        scan.kill()
        scan.wait()
        with only_writer(tmp_path):
            pass
    assert all(_ended(worker) for worker in workers)


def _ended(process: int) -> bool:
    """True if the process ends within a minute. A process that nobody waited for counts as ended."""
    for _ in range(600):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False
