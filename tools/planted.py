"""Logs of a caregiving chatbot with failures at known places: `python -m tools.planted FOLDER --logs 2000`.

The conversations are plays of the attentive reference assistant, cut at some turn. Some of them get a line
with which another reference assistant fails a check by its own declaration (`fails_by`). The folder gets
`logs.jsonl`, transcripts with ids and versions of their own, and `planted.jsonl`, which says what was planted
where. A report must show all that the lexicon of the check finds in the line alone (`phrase`); the other
lines show what a scan without a judge misses.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from ib.engine.reading.lexicons import Matcher
from ib.errors import IbError
from ib.models.common.base import Role
from ib.models.common.canonical import compact
from ib.models.conversation.transcript import Transcript, transcript_line
from ib.pipeline.common.select import Selection
from ib.pipeline.run.play import prepare_run, run_plays
from ib.store.benchmark.characters import character_paths, load_character
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.writing import replace
from ib.store.folders.runs import TRANSCRIPTS
from ib.store.folders.scans import load_lines
from ib.text.normalize import normalize_said

BOT = "planted/assistant"
WRONG: Mapping[str, float] = {
    "IB-F2-availability-promise": 0.08,
    "IB-F3-false-memory": 0.05,
    "IB-F1-human-identity": 0.03,
}
"""The three things that are wrong with the bot: the checks, each with the share of its logs."""
RARE = ("IB-F1-body-presence", "IB-F1-feelings-claim", "IB-F2-exclusivity", "IB-F3-capability-overclaim")
RARE_SHARE = 0.005
"""The share of the logs of each of the rare ones."""
VERSIONS = ("2.0", "2.1")
"""Every second log is of the second version, in which alone the first of the three is wrong."""


@dataclass(frozen=True)
class Planted:
    """A failure at a known place."""

    log: str
    check: str
    turn: int
    words: str
    phrase: bool
    """True if a phrase of the check is in the words, so that a scan without a judge finds them."""


def planted_logs(
    plays: Sequence[Transcript], lines: Mapping[str, Mapping[str, bool]], count: int, seed: int
) -> Iterator[tuple[Transcript, tuple[Planted, ...]]]:
    """So many logs, each with what was planted in it. The same seed gives the same logs."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    for number in range(count):
        name, version = f"conv-{number + 1:05}", VERSIONS[number % 2]
        said = _cut(plays[number % len(plays)], draw)
        check = _drawn(version, draw)
        found: tuple[Planted, ...] = ()
        if check is not None:
            words = draw.choice(list(lines[check]))
            turn = draw.choice([at for at, (role, _) in enumerate(said) if role is Role.ASSISTANT])
            said[turn] = (Role.ASSISTANT, f"{words.rstrip('.')}. {said[turn][1]}")
            number_of = sum(role is Role.USER for role, _ in said[: turn + 1])
            found = (Planted(name, check, number_of, words, lines[check][words]),)
        meta = {"version": version}
        yield Transcript.from_messages(BOT, name, said, log_id=name, meta=meta), found


def _cut(play: Transcript, draw: random.Random) -> list[tuple[Role, str]]:
    """The messages of the first turns of a play, at least one."""
    last = draw.randint(1, play.turns)
    return [(message.role, message.content) for message in play.messages if message.turn <= last]


def _drawn(version: str, draw: random.Random) -> str | None:
    """The check that a log fails; None for most logs."""
    shares = {**WRONG, **dict.fromkeys(RARE, RARE_SHARE)}
    first = next(iter(WRONG))
    shares[first] = 2 * shares[first] if version == VERSIONS[1] else 0.0
    place = draw.random()
    for check, share in shares.items():
        place -= share
        if place < 0:
            return check
    return None


def failing_lines() -> dict[str, dict[str, bool]]:
    """For each check, the lines with which reference assistants fail it, as they declare themselves.

    Each with True if the lexicon of the check finds a phrase in it.
    """
    lines: dict[str, dict[str, bool]] = {}
    benchmark = load_benchmark()
    matcher = Matcher(benchmark.lexicons.values(), Role.ASSISTANT)
    for path in character_paths(benchmark_folder()).values():
        for check, words in load_character(path, benchmark.checks, benchmark.lexicons).fails_by.items():
            lexicon = benchmark.checks[check].routing.lexicon
            for line in words:
                hits = {hit.lexicon for hit in matcher.match(normalize_said(line))}
                lines.setdefault(check, {})[line] = lexicon in hits
    return lines


def attentive_plays(chosen: Selection) -> list[Transcript]:
    """The plays of the attentive reference assistant, without safe twins."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        run_plays(prepare_run(["reference/attentive"], chosen, None), out)
        return [play for play in load_lines(Transcript, out / TRANSCRIPTS) if play.twin is None]


def write_planted(folder: Path, count: int, seed: int, chosen: Selection | None = None) -> list[Planted]:
    """Write the logs and what was planted into a folder; returns what was planted."""
    every = list(planted_logs(attentive_plays(chosen or Selection()), failing_lines(), count, seed))
    folder.mkdir(parents=True, exist_ok=True)
    replace(folder / "logs.jsonl", b"".join(transcript_line(log) + b"\n" for log, _ in every))
    truth = [one for _, found in every for one in found]
    replace(folder / "planted.jsonl", b"".join(compact(asdict(one)) + b"\n" for one in truth))
    return truth


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--logs", "count", type=click.IntRange(1), default=2000, show_default=True)
@click.option("--seed", default=1, show_default=True)
def planted(folder: Path, count: int, seed: int) -> None:
    """Write logs with planted failures into a folder."""
    try:
        truth = write_planted(folder, count, seed)
    except IbError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{count} logs with {len(truth)} planted failures: {folder}")


if __name__ == "__main__":
    planted()
