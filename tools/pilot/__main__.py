"""The commands of a pilot."""

from __future__ import annotations

from pathlib import Path

import click

from ib.errors import IbError, UsageError
from ib.models.benchmark.pilot import OVER_ALARM
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_twins
from ib.store.benchmark.supplementary import load_over_alarm
from ib.store.files.tokens import token_counter
from ib.store.files.writing import replace
from tools.pilot.alarms import AlarmAsking, played_alarms, written_alarms
from tools.pilot.asking import Asking
from tools.pilot.base import BASE_RATES, base_rates
from tools.pilot.choosing import FAIL
from tools.pilot.files import Desk
from tools.pilot.sources import Real, Reference, load_written
from tools.pilot.work import Drawn, Pool, draw_alarm, draw_check, draw_screening, read_batch

CASES = Path(__file__).resolve().parents[2] / "tests" / "cases"
KNOWN = CASES / "known-answers.yaml"
KNOWN_ALARMS = CASES / "known-alarms.yaml"
WRITTEN = "pilot/written.yaml"
existing = click.Path(path_type=Path, exists=True, file_okay=False)


@click.group()
def pilot() -> None:
    """Pilots of prompts, read by two independent readers."""


@pilot.command()
@click.option("--batch", type=click.IntRange(min=1), required=True, help="The number of the batch.")
@click.option(
    "--check", "names", multiple=True, help="Only this check, screening question or over-alarm; repeatable."
)
@click.option("--real", type=existing, required=True, help="A folder of real transcripts and recorded votes.")
@click.option("--demo", type=existing, help="A folder that `ib demo --out` made.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where the sheets go.")
def draw(batch: int, names: tuple[str, ...], real: Path, demo: Path | None, out: Path) -> None:
    """Draw items for readers, and write a sheet for each check into OUT/BATCH.

    The items are written into the benchmark's folder `pilot`, without words. Without --demo, no replies of
    reference assistants are drawn.
    """
    root, asking, desk = benchmark_folder(), Asking(load_benchmark()), Desk(out, batch)
    known = {check.id for check in asking.checks()} | {one.id for one in asking.screenings()} | {OVER_ALARM}
    if unknown := sorted({*names} - known):
        raise UsageError(f"unknown check {unknown[0]!r}; `ib show check` lists all checks")
    reference = None if demo is None else Reference.load(demo, KNOWN)
    pool = Pool(Real.load(real), reference, load_written(root / WRITTEN))
    for check in asking.checks():
        if not names or check.id in names:
            _tell(draw_check(asking, check, pool, root, desk))
    for screening in asking.screenings():
        if not names or screening.id in names:
            _tell(draw_screening(asking, screening, root, desk))
    if not names or OVER_ALARM in names:
        alarms = AlarmAsking(asking.benchmark, load_over_alarm(root))
        played = () if demo is None else played_alarms(demo, KNOWN_ALARMS)
        written = written_alarms(pool.written, load_twins(root))
        _tell(draw_alarm(alarms, [*played, *written], root, desk))


def _tell(drawn: Drawn) -> None:
    """One line about a draw."""
    counter = token_counter()
    shown = ("2", "1") if drawn.name == OVER_ALARM else (FAIL,)
    meant = ", ".join(f"{drawn.meant(choice)} meant as {choice}" for choice in shown)
    sources = [item.source.value for item in drawn.items]
    counted = ", ".join(f"{sources.count(source)} {source}" for source in dict.fromkeys(sorted(sources)))
    tokens = sum(counter(line) for line in drawn.text.splitlines())
    click.echo(f"{drawn.name}: {len(sources)} items ({counted}), {meant}, {tokens:,} tokens")
    for problem in drawn.problems:
        click.echo(f"  {problem}", err=True)


@pilot.command()
@click.argument("folder", type=existing)
@click.option("--batch", type=click.IntRange(min=1), required=True, help="The number of the batch.")
@click.option("--reader", type=click.Choice(["one", "two"]), required=True, help="Which of the two readers.")
@click.option("--by", required=True, help="The name of the language model that read.")
def read(folder: Path, batch: int, reader: str, by: str) -> None:
    """Read the answers of one reader in FOLDER, and write the verdicts into the benchmark."""
    done = read_batch(Asking(load_benchmark()), benchmark_folder(), Desk(folder, batch), reader, by)
    click.echo(f"read {len(done.names)} sheets of reader {reader}")
    for name, count in done.invalid.items():
        click.echo(f"  {name}: {count} replies do not count", err=True)
    if done.missing:
        click.echo(f"  not answered: {', '.join(done.missing)}", err=True)


@pilot.command()
@click.option("--real", type=existing, required=True, help="A folder of real transcripts and recorded votes.")
def base(real: Path) -> None:
    """Count how often recorded votes on real models failed each check."""
    replace(benchmark_folder() / BASE_RATES, base_rates(Real.load(real)).encode())


def main() -> None:
    """Run a command. An error of the project is a message, not a traceback."""
    try:
        pilot.main(standalone_mode=False)
    except IbError as error:
        raise SystemExit(str(error)) from error
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from error


if __name__ == "__main__":
    main()
