"""`ib import`: conversations of other tools become a transcripts file."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from ib.commands.common import Command, OutPath, emit, json_option, reporting, say, shown
from ib.logs.notes import Change
from ib.pipeline.imports.logs import Imported, ImportOptions, import_chat, import_inspect

_WORDS = {
    Change.GROUPED: ("conversation told apart by a key of its rows",
                     "conversations told apart by a key of their rows"),
    Change.JOINED: ("message joined from parts", "messages joined from parts"),
    Change.MERGED: ("message merged into the one before", "messages merged into the one before"),
    Change.TRAILING: ("trailing user message cut", "trailing user messages cut"),
    Change.LEADING: ("first message of an assistant kept as turn 1",
                     "first messages of assistants kept as turn 1"),
    Change.SYSTEM: ("system text kept apart", "system texts kept apart"),
    Change.CALLS: ("tool call kept apart", "tool calls kept apart"),
    Change.RESULTS: ("tool result kept apart", "tool results kept apart"),
    Change.REASONING: ("reasoning text kept apart", "reasoning texts kept apart"),
    Change.UNOPENED: ("text before </think> without <think> taken for reasoning",
                      "texts before </think> without <think> taken for reasoning"),
    Change.MEDIA: ("part without text replaced by its type", "parts without text replaced by their types"),
    Change.HIDDEN: ("unreadable part left out", "unreadable parts left out"),
    Change.TIMES: ("conversation without usable times (missing, mixed or out of order)",
                   "conversations without usable times (missing, mixed or out of order)"),
    Change.UNKNOWN_MODEL: ("conversation of an unknown model (unknown/unknown; --model names it)",
                           "conversations of an unknown model (unknown/unknown; --model names it)"),
    Change.FAILED: ("sample with an error left out", "samples with an error left out"),
    Change.INVALIDATED: ("invalidated sample left out", "invalidated samples left out"),
    Change.UNANSWERED: ("sample without a reply left out", "samples without a reply left out"),
    Change.BROKEN: ("broken conversation left out", "broken conversations left out"),
}  # fmt: skip
"""Each change in the singular and in the plural, in the order in which they are listed."""
MOST_KEYS = 12
"""How many of the keys that were not read are listed."""


def import_words(done: Imported) -> str:
    """What was imported, what was changed, and which keys were not read."""
    head = f"{_count(done.conversations, 'conversation', 'conversations')} from "
    head += f"{_count(done.files, 'file', 'files')}"
    changed = [
        _count(done.changes[change], *words) for change, words in _WORDS.items() if change in done.changes
    ]
    lines = [f"{head}: {', '.join(changed) or 'nothing changed'}"]
    lines += [f"{form}: {count:,}" for form, count in done.forms.items()]
    lines += [f"model {name}: {count:,}" for name, count in done.models.items()]
    if done.shown:
        lines.append(f"judges are shown: {', '.join(done.shown)}")
    if done.unread:
        keys = [f"{key[:40]} ({count:,})" for key, count in done.unread.items()]
        more = f" and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS else ""
        lines.append(f"keys not read: {', '.join(keys[:MOST_KEYS])}{more}")
    return "\n".join(lines)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


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
