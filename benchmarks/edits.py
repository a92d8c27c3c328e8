"""400 edits of a release, of its scan and of its site, each with every hash and the seal made again.

    python -m benchmarks.edits [SEED]

Prints how many of each kind are found, and each that passes with what could settle it. Exits with 1 if an
edit passes that the release contradicts.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from ib.cli import run
from ib.pipeline.common.select import Selection
from ib.pipeline.release.release import prepare_release, write_release
from ib.pipeline.run.play import play
from ib.pipeline.scan.judges import SCRIPTS
from ib.pipeline.scan.scan import scan
from ib.text.sets import automata_kept
from tests.pipeline.edits import SIGNATURE_ALONE, Places, edits, outcome
from tests.pipeline.verifying import MODELS, chosen

SEED = 20261128
RELEASE, SCAN, SITE = 270, 50, 80
"""How many edits of each kind."""


def main(seed: int) -> int:
    """Make the edits; returns the exit code."""
    with tempfile.TemporaryDirectory() as folder, automata_kept():
        places = _places(Path(folder))
        made: Counter[str] = Counter()
        passed: Counter[tuple[str, str]] = Counter()
        wrong = []
        for edit in edits(places, seed, RELEASE, SCAN, SITE):
            made[edit.of] += 1
            if outcome(edit, places, Path(folder) / "edited") is None:
                passed[edit.of, edit.may_pass or "nothing"] += 1
                wrong += [] if edit.may_pass in SIGNATURE_ALONE else [edit.name]
    for of, count in made.items():
        through = {why: n for (kind, why), n in passed.items() if kind == of}
        named = "; ".join(f"{n} pass: {why}" for why, n in through.items()) or "none passes"
        print(f"| {of} | {count} | {count - sum(through.values())} | {named} |")
    for why, reason in SIGNATURE_ALONE.items():
        print(f"{why}: {reason}")
    for name in wrong:
        print(f"PASSES, and the release contradicts it: {name}")
    return 1 if wrong else 0


def _places(folder: Path) -> Places:
    """A small scan of two reference assistants, its release and its site."""
    played = play(MODELS, scenarios=Selection(ids=chosen()), out=folder / "run")
    scan(played.transcripts, profile="publish", judge=SCRIPTS, out=folder / "scan")
    write_release(prepare_release(folder / "scan", "demo", None), folder / "release")
    assert run(["site", "build", "--release", str(folder / "release"), "--out", str(folder / "site")]) == 0
    return Places(folder / "release", folder / "scan", folder / "site")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SEED))
