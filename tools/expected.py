"""Makes `benchmark/EXPECTED.md`: how often a good and a weak assistant fail each check, as far as is known.

`python -m tools.expected` plays every reference assistant on the core and on every set, judges it by the
judge that knows the scripts, and counts. It takes minutes, so `make generate` does not do it. With `--real
FOLDER` it only prints how often recorded votes on real models say FAIL; these are written nowhere.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import click

from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Verdict
from ib.models.conversation.contract import CORE
from ib.models.scan.result import OCCURRING
from ib.pipeline.common.select import Selection
from ib.pipeline.run.play import play
from ib.pipeline.run.targets import reference_assistants
from ib.pipeline.scan.judges import SCRIPTS
from ib.pipeline.scan.scan import scan
from ib.stats.intervals import rate_interval
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_contract
from ib.store.files.writing import replace

PAGE = Path(__file__).resolve().parents[1] / "benchmark" / "EXPECTED.md"
GOOD = "reference/attentive"
"""The script that is written to pass everything."""
ABOUT = """<!-- Made by `python -m tools.expected`. Do not edit. -->

# How often a check is expected to fail

Counted on the core and on the sets {sets}, benchmark {version}, with the reference assistants and the judge
that knows their scripts. **Scripts are no models.** The attentive script is written to pass, so its column is
a floor. The other {weak} are each written to fail some checks, so the weakest of them is a ceiling for a
check that its script is about, and says little about any other. What a real model fails is measured only by
playing one. `python -m tools.expected --real FOLDER` prints the shares in recorded votes on real models, on
other scenarios and another wording of the questions; none of them is written here.

“None fails it”: no reference assistant tests that the check can fail. “No answer”: the script declares no
verdict on the check.

| check | due and decided | good: attentive | others: median | weakest | of the weakest |
| --- | ---: | ---: | ---: | --- | ---: |
"""


@dataclass
class Counts:
    """Failures and clear answers, by assistant and check."""

    failed: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    decided: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, assistant: str, check_id: str, verdict: Verdict | None) -> None:
        """Count one row. A row without a clear answer counts nowhere."""
        if verdict in OCCURRING:
            self.decided[check_id][assistant] += 1
            self.failed[check_id][assistant] += verdict is Verdict.FAIL

    def share(self, assistant: str, check_id: str) -> float | None:
        """The share of failures; None without a clear answer."""
        n = self.decided[check_id][assistant]
        return self.failed[check_id][assistant] / n if n else None

    def words(self, assistant: str, check_id: str) -> str:
        """Failures of the clear answers, with the share and its interval."""
        k, n = self.failed[check_id][assistant], self.decided[check_id][assistant]
        if not n:
            return "no answer"
        low, high = rate_interval(k, n)
        return f"{k} of {n} ({low:.0%} to {high:.0%})"


def page(counts: Counts, benchmark: Benchmark, assistants: Sequence[str], sets: Iterable[str]) -> str:
    """The page. `assistants` are all that were played, the good one among them."""
    weak = [one for one in assistants if one != GOOD]
    head = ABOUT.format(sets=", ".join(sets), version=benchmark.version, weak=len(weak))
    return head + "".join(_row(counts, check_id, weak) for check_id in benchmark.checks)


def _row(counts: Counts, check_id: str, weak: Sequence[str]) -> str:
    shares = {one: share for one in weak if (share := counts.share(one, check_id)) is not None}
    n = counts.decided[check_id][GOOD]
    if not shares:
        return f"| `{check_id}` | {n} | {counts.words(GOOD, check_id)} | no answer | | |\n"
    weakest = max(shares, key=lambda one: (shares[one], one))
    named = weakest.removeprefix("reference/") if shares[weakest] else "none fails it"
    cells = (
        f"`{check_id}`",
        str(n),
        counts.words(GOOD, check_id),
        f"{median(shares.values()):.0%}",
        named,
        counts.words(weakest, check_id),
    )
    return f"| {' | '.join(cells)} |\n"


def counted(folder: Path, assistants: Sequence[str], sets: Sequence[str]) -> Counts:
    """The counts of every reference assistant on the core and the sets, played in a folder."""
    played = play(assistants, scenarios=Selection(sets=(CORE, *sets)), out=folder / "run")
    made = scan(played.transcripts, profile="publish", judge=SCRIPTS, out=folder / "scan")
    counts = Counts()
    for result in made.results():
        for row in result.rows:
            counts.add(result.model_id, row.mode_id, row.verdict)
    return counts


def recorded(folder: Path) -> Counts:
    """The counts of recorded votes on real models, in `*.votes.jsonl.gz` of a folder."""
    counts = Counts()
    for path in sorted(folder.glob("*.votes.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["eligible"]:
                    counts.add(row["model_id"], row["check_id"], Verdict(row["verdict"]))
    return counts


def recorded_lines(counts: Counts, checks: Mapping[str, object]) -> Iterable[str]:
    """A line for each check and real model, in the order of the checks."""
    for check_id in checks:
        told = (f"{model}: {counts.words(model, check_id)}" for model in sorted(counts.decided[check_id]))
        yield f"{check_id}: {'; '.join(told) or 'no recorded verdict'}"


@click.command()
@click.option("--real", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Recorded votes.")
def main(real: Path | None) -> None:
    """Write the page, or with --real only print the shares in recorded votes."""
    benchmark, root = load_benchmark(), benchmark_folder()
    if real is not None:
        click.echo("\n".join(recorded_lines(recorded(real), benchmark.checks)))
        return
    contract = load_contract(root)
    sets = tuple(contract.sets) if contract is not None else ()
    assistants = tuple(reference_assistants(benchmark, root))
    with tempfile.TemporaryDirectory(prefix="ib-expected-") as folder:
        counts = counted(Path(folder), assistants, sets)
    replace(PAGE, page(counts, benchmark, assistants, sets).encode())


if __name__ == "__main__":
    main()
