"""`ib review`: people read verdicts without knowing model or verdict, and what they decide counts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ib.commands.common import OutPath, benchmark_option, emit, json_option, of_benchmark, say, shown
from ib.commands.holding import held_command
from ib.commands.reviewing import dispute_command, export_command, import_command, say_next
from ib.errors import UsageError
from ib.models.common.canonical import pretty
from ib.models.review.batch import Design, Purpose

if TYPE_CHECKING:
    from ib.pipeline.review.draw import DrawnBatch

SIZE = 50


@click.group()
def review() -> None:
    """Draw verdicts for people to read blind, and apply what they decide."""


review.add_command(dispute_command)
review.add_command(export_command)
review.add_command(import_command)
review.add_command(held_command)


@review.command("draw")
@click.argument("scan", type=click.Path(path_type=Path))
@click.option("--n", type=click.IntRange(1, 100_000), help=f"How many verdicts.  [default: {SIZE}]")
@click.option(
    "--design",
    type=click.Choice([design.value for design in Design]),
    help="uniform: each verdict with the same probability. stratified: about as many from each dimension and "
    "pattern of votes. checks: about as many from each check.  [default: stratified]",
)
@click.option("--seed", help="Another seed, another batch.  [default: from the hash of the results]")
@click.option(
    "--for",
    "purpose",
    type=click.Choice([Purpose.GATE.value]),
    help="What stage public needs: each FAIL, contested, UNCLEAR or voided verdict of a gate check, and as "
    "many unanimous PASSes, over all models alike.",
)
@click.option("--out", required=True, type=OutPath(), help="The file of the batch.")
@benchmark_option
@json_option
def draw_command(
    scan: Path,
    n: int | None,
    design: str | None,
    seed: str | None,
    purpose: str | None,
    out: Path,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Draw a batch of verdicts to be read blind.

    The batch names no model and no verdict, and its order is random. The command prints each stratum with its
    size, how many were drawn, and the probability of each to be drawn. Readers should not see that table.
    """
    from ib.pipeline.review.draw import draw_batch
    from ib.store.files.writing import replace

    if purpose is not None and (n, design, seed) != (None, None, None):
        raise UsageError("--for gate takes all that is needed; leave --n, --design and --seed out")
    made = draw_batch(
        scan,
        purpose=Purpose(purpose or Purpose.SAMPLE),
        n=n or SIZE,
        design=Design(design or Design.STRATIFIED),
        seed=seed,
        benchmark=benchmark_dir,
    )
    replace(out, pretty(made.batch))
    say(f"batch: {shown(out)}, {len(made.batch.items)} items, hash {made.batch.hash[:12]}")
    say_next(out, scan, "", of_benchmark(benchmark_dir))
    emit(_strata(made), as_json=as_json, text=_strata_words)


@review.command("page")
@click.argument("batch", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=OutPath(), help="The HTML file to write.")
@benchmark_option
def page_command(batch: Path, out: Path, benchmark_dir: Path | None) -> None:
    """Make the page on which a person reads a batch: one HTML file that works without a network.

    Whoever reads opens the file in a browser, answers, and sends the exported answers file back. Answers stay
    in the browser until they are exported.
    """
    from delivery.pages.review import review_page
    from ib.store.benchmark.loading import load_benchmark
    from ib.store.files.writing import replace
    from ib.store.folders.reviews import load_batch

    page = review_page(load_batch(batch), load_benchmark(benchmark_dir))
    replace(out, page.encode())
    say(f"page: {shown(out)}")
    say("next: every reader opens it in a browser, answers and exports; apply all files together")


@review.command("apply")
@click.argument("scan", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=OutPath(), help="The folder of the new scan.")
@benchmark_option
@json_option
def apply_command(
    scan: Path, files: tuple[Path, ...], out: Path, benchmark_dir: Path | None, as_json: bool
) -> None:
    """Apply what readers answered, and write a new scan with what people decided.

    FILES are answers files that the review page exported, of one reader or more, and the claims of disputes.
    One person decides a verdict alone, two if they agree, three or more by more than half; otherwise the
    verdict stays as it was. Answers of language models are kept and decide nothing. SCAN stays as it is.
    """
    from ib.pipeline.review.apply import apply_reviews

    applied = apply_reviews(scan, files, out, benchmark_dir)
    say(f"new scan: {shown(out)}")
    say(f"next: ib qa {shown(out)}{of_benchmark(benchmark_dir)}")
    emit(asdict(applied), as_json=as_json, text=_applied_words)


def _applied_words(found: dict[str, int]) -> str:
    return (
        f"{found['read']} verdicts read, {found['decided']} decided by people: "
        f"{found['to_fail']} became FAIL, {found['to_pass']} became PASS; "
        f"{found['open']} read and not decided; "
        f"{found['of_models']} answers of language models, which decide nothing"
    )


def _strata(made: DrawnBatch) -> dict[str, Any]:
    """The draw as data."""
    strata = [
        {
            "stratum": one.name,
            "population": one.population,
            "drawn": one.drawn,
            "probability": one.probability,
        }
        for one in made.drawn.strata.values()
    ]
    return {"batch": made.batch.hash, "draw": made.batch.draw, "strata": strata}


def _strata_words(found: dict[str, Any]) -> str:
    return "\n".join(
        f"{one['stratum']}: {one['drawn']} of {one['population']} (probability {one['probability']:.3f})"
        for one in found["strata"]
    )
