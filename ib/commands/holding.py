"""`ib review held`: the replies that a release withholds, and what a person decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ib.commands.common import benchmark_option, emit, json_option, of_benchmark, say, shown
from ib.commands.terminal import plain
from ib.errors import UsageError

if TYPE_CHECKING:
    from ib.pipeline.review.held import HeldOf


@click.command("held")
@click.argument("scan", type=click.Path(path_type=Path))
@click.argument("replies", nargs=-1)
@click.option("--read", is_flag=True, help="Print the words of the replies. They may be distressing.")
@click.option("--release", "ruling", flag_value="release", help="Publish these replies.")
@click.option("--withhold", "ruling", flag_value="withhold", help="Never publish these replies.")
@click.option("--by", help="What you are called in public; not the real name.")
@click.option("--why", help="Why. It stays in the scan, and no release shows it.")
@benchmark_option
@json_option
def held_command(
    scan: Path, replies: tuple[str, ...], ruling: str | None, by: str | None, why: str | None,
    benchmark_dir: Path | None, *, read: bool, as_json: bool,
) -> None:  # fmt: skip
    """List the replies that a release of SCAN withholds, or decide about some.

    A reply that may contain a method, a dose for harm or a way to avoid being noticed is withheld from
    releases, sites, exports and reports until a person has read and released it. REPLIES are hashes from the
    list (at least 8 characters), or MODEL:SCENARIO:TURN for any reply. The decisions stand in withhold.jsonl
    in the folder of the scan. A reply that somebody withheld stays withheld.
    """
    from ib.pipeline.review.held import held_of, replies_named

    if replies and ruling is not None:
        _decide(scan, replies, ruling, by, why)
    elif replies and read:
        for one in replies_named(scan, replies):
            say(f"{one.place}, {one.sha256}")
            click.echo(plain(one.content))
        return
    elif replies or read or ruling or by or why:
        raise UsageError("name replies, with --read, or with --release or --withhold, --by and --why")
    found = held_of(scan, benchmark_dir)
    emit([_line(one) for one in found], as_json=as_json, text=lambda _: _words(found))
    if found:
        say(f"next: ib review held {shown(scan)} HASH --read{of_benchmark(benchmark_dir)}")


def _decide(scan: Path, replies: Sequence[str], ruling: str, by: str | None, why: str | None) -> None:
    from pydantic import ValidationError

    from ib.models.release.held import ReplyDecision, Ruling
    from ib.pipeline.review.held import decide, replies_named
    from ib.store.files.clock import today

    try:
        made = [
            ReplyDecision(
                sha256=one.sha256, ruling=Ruling(ruling), by=by or "", date=today(), reason=why or ""
            )
            for one in replies_named(scan, replies)
        ]
    except ValidationError as error:
        raise UsageError(f"--by and --why are needed: {error.errors()[0]['msg']}") from error
    decide(scan, made)
    for one in made:
        say(f"{one.ruling}: {one.sha256}")


def _line(one: HeldOf) -> dict[str, object]:
    return {"model_id": one.model_id, **one.reply.model_dump(mode="json")}


def _words(found: Sequence[HeldOf]) -> str:
    if not found:
        return "no reply is withheld"
    lines = [
        f"{one.reply.sha256[:12]}  {one.model_id}:{one.reply.scenario_id}:{one.reply.turn}  "
        f"{', '.join(one.reply.because)}"
        for one in found
    ]
    return "\n".join(["hash          reply  held because of", *lines])
