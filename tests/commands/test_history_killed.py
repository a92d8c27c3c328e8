"""kill -9 while a release is published, joined, withdrawn or restored, or while reviews are applied: the old
state, or the new one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ib.models.common.canonical import pretty
from ib.models.review.batch import Design
from ib.pipeline.review.draw import draw_batch
from tests.commands.test_history import scanned
from tests.commands.test_review import answers

__all__ = ["scanned"]

AT_MOMENTS = """
import json, os, random, shutil, signal, sys
from datetime import date
from pathlib import Path
from ib.board.history import ledger as lines
from ib.pipeline.release import history
from ib.pipeline.release.history import Why, recorded, reinstated, write_recorded
from ib.pipeline.release.joined import Given
from ib.pipeline.release.publish import Wanted, made_of
from ib.pipeline.review import apply as applying
from ib.store.files import together, writing
from ib.store.folders import ledger as folders

root, moments, seed = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
TRACED = {m.__file__ for m in (history, together, writing, folders, lines, applying)}
OUT, KEPT = Path("data/leaderboard"), folders.ReleasesFolder(Path("data/releases"))
scans = [root / "both", root / "third"]

def made(models, without, day):
    return made_of([Given(root / name) for name in models], without, Wanted("demo", day=date(2026, 11, day)))

FIRST = made(["both"], (), 23)
MORE = made(["both", "third"], (), 24)
LESS = made(["both"], ("v/b",), 24)

def publish(one, why=Why()):
    write_recorded(recorded(one[0].because(why.words), OUT, KEPT, one[1], why))

def restore():
    first = next(iter(KEPT.ledger().releases))
    write_recorded(reinstated(KEPT, OUT, first, date(2026, 11, 25), "A reason."))

def apply():
    if not Path("data/reviewed").exists():  # it is never overwritten
        applying.apply_reviews(root / "both", [root / "answers.json"], Path("data/reviewed"))

WORK = {
    "publish": ((), lambda: publish(FIRST)),
    "add": ((FIRST,), lambda: publish(MORE)),
    "withdraw": ((FIRST,), lambda: publish(LESS, Why(("v/b",), "A reason."))),
    "restore": ((FIRST, MORE), restore),
    "review apply": ((), apply),
}

def inside(place, work):
    here = os.getcwd()
    os.chdir(place)
    try:
        return work()
    finally:
        os.chdir(here)

def state(place):
    # The scan that reviews are applied to is part of the state.
    both = (place / "data", root / "both")
    every = (path for folder in both for path in folder.rglob("*") if path.is_file())
    kept = ((os.path.relpath(path, place), path) for path in every)
    return {name: content(path) for name, path in kept if ".ib-tmp" not in name and ".lock" not in name}

def content(path):
    data = path.read_bytes()
    if path.name == "scan_manifest.json":
        return {name: one for name, one in json.loads(data).items() if name != "finished"}  # a time
    return data

def in_child(place, work, step):
    # Runs `work` in a child, which is killed at a line; returns how many lines it ran, or None if killed.
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        ran = 0
        def trace(frame, event, _):
            nonlocal ran
            if frame.f_code.co_filename not in TRACED:
                return None
            ran += event == "line"
            if step and ran == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace
        os.chdir(place)
        sys.settrace(trace)
        work()
        sys.settrace(None)
        os.write(writer, str(ran).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        ran = said.read()
    os.waitpid(child, 0)
    return int(ran) if ran else None

def counted(kind):
    before, work = WORK[kind]
    base = root / kind / "base"
    (base / "data").mkdir(parents=True)
    for one in before:
        inside(base, lambda: publish(one))
    old = state(base)
    whole = root / kind / "whole"
    shutil.copytree(base, whole)
    lines_run = in_child(whole, work, 0)
    new = state(whole)
    assert new != old
    drawn, late = random.Random(seed + kind), moments // 4  # the renames are among the last lines
    draw = drawn.sample(range(1, lines_run + 1), moments - 2 * late)
    draw += drawn.sample(range(lines_run * 7 // 8, lines_run + 1), late)
    draw += drawn.sample(range(lines_run - 40, lines_run + 1), late)
    found = {"old": 0, "new": 0, "other": [], "lines": lines_run}
    for step in draw:
        place = root / kind / "killed"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(base, place)
        in_child(place, work, step)  # the last lines are not always reached: names are random
        inside(place, lambda: together.finish(OUT))
        inside(place, lambda: folders.check_history(KEPT, OUT))
        now = state(place)
        kind_of = "old" if now == old else "new" if now == new else "other"
        if kind_of == "other":
            found["other"].append((step, sorted(set(now) ^ set(new))))
            continue
        found[kind_of] += 1
        if kind_of == "old":  # the same work again gives the new state, and removes what the kill left
            inside(place, work)
            left = [str(path) for path in place.rglob("*.ib-tmp")]
            if state(place) != new or left:
                found["other"].append((step, left))
    return found

print(json.dumps({kind: counted(kind) for kind in WORK}))
"""


def at_moments(folder: Path, scans: Path, moments: int, seed: str = "") -> dict[str, dict[str, Any]]:
    """What became of each kind of work, killed at so many moments of it."""
    shutil.copytree(scans, folder, dirs_exist_ok=True)
    batch = draw_batch(folder / "both", n=40, design=Design.UNIFORM).batch
    answers(json.loads(pretty(batch)), folder / "answers.json")
    command = [sys.executable, "-c", AT_MOMENTS, str(folder), str(moments), seed]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.gate
def test_a_kill_leaves_the_old_history_or_the_new_one(scanned: Path, tmp_path: Path) -> None:
    """After a kill at any line, the next command finds one whole state: release, copy, ledger, scans.

    `make study` kills 40 times in each of five kinds of work.
    """
    found = at_moments(tmp_path / "work", scanned, 10)
    assert found.keys() == {"publish", "add", "withdraw", "restore", "review apply"}
    for kind, told in found.items():
        assert told["other"] == [], (kind, told)
        assert told["old"] != 0, (kind, told)
    assert any(told["new"] for told in found.values()), "some kills came after the renames"
