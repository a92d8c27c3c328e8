"""`ib import`: conversations of other tools become a transcripts file."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from ib.commands.common import Command, OutPath, emit, json_option, reporting, say, shown
from ib.commands.words.imports import import_words
from ib.pipeline.imports.gathered import Imported
from ib.pipeline.imports.logs import ImportOptions, import_chat, import_inspect

GROUP_HELP = (
    "In a file with one message a row: the key that tells conversations apart; - if each file is one "
    "conversation.  [default: conversation_id and the like]"
)


@click.group("import")
def imports() -> None:
    """Import chat logs or Inspect logs as transcripts, which `ib scan` judges."""


def _options(command: Command) -> Command:
    """The arguments and options that both imports have."""
    for add in (
        json_option,
        click.option("--with-tools", is_flag=True, help="Show judges the tool calls and their results."),
        click.option("--with-system", is_flag=True, help="Show judges the system texts."),
        click.option("--skip-broken", is_flag=True, help="Leave out broken conversations; list them."),
        click.option("--model", metavar="ID", help="The model of all conversations."),
        click.option("--out", required=True, type=OutPath(), help="The transcripts file to create."),
        click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command


@imports.command()
@_options
@click.option("--group-by", metavar="KEY", help=GROUP_HELP)
def chat(files: tuple[Path, ...], out: Path, *, as_json: bool, **options: Unpack[ImportOptions]) -> None:
    """Import chat logs: OpenAI, ShareGPT or WildChat form, or lists of messages.

    FILES are .jsonl or .json, plain or gzipped. Nothing is written until all are checked.

    Example: ib import chat export.jsonl --model my/assistant --out talks.jsonl
    """
    with reporting() as callbacks:
        options["callbacks"] = callbacks
        done = import_chat(files, out, **options)
    _tell(done, as_json=as_json)


@imports.command()
@_options
def inspect(files: tuple[Path, ...], out: Path, *, as_json: bool, **options: Unpack[ImportOptions]) -> None:
    """Import Inspect logs: .eval (complete or interrupted) or .json.

    Samples with an error or without a reply are left out and counted. Epochs are kept.

    Example: ib import inspect logs/*.eval --out talks.jsonl
    """
    with reporting() as callbacks:
        options["callbacks"] = callbacks
        done = import_inspect(files, out, **options)
    _tell(done, as_json=as_json)


def _tell(done: Imported, *, as_json: bool) -> None:
    """Print what was done, and what to do next."""
    for finding in done.left_out:
        say(f"left out: {finding}")
    emit(done.as_dict(), as_json=as_json, text=lambda _: import_words(done))
    say(f"next: ib scan {shown(done.out)} --profile publish --judge PROVIDER/MODEL --out scan")
