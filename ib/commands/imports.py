"""`ib import`: conversations of other tools become a transcripts file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ib.commands.common import OutPath, emit, json_option, reporting, say, shown
from ib.commands.options import redact_in, redact_options
from ib.logs.reading.notes import Change
from ib.pipeline.imports.logs import Imported, import_logs

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
    Change.CONTAINED: ("call repeated in a longer one merged", "calls repeated in a longer one merged"),
    Change.APART: ("call of a thread that its longest call does not repeat left out",
                   "calls of a thread that its longest call does not repeat left out"),
    Change.FAILED_CALLS: ("failed call left out", "failed calls left out"),
    Change.UNANSWERED_CALLS: ("call without words in its reply left out",
                              "calls without words in their replies left out"),
    Change.OTHER_CALLS: ("record that is no chat call left out", "records that are no chat calls left out"),
    Change.BRANCHES: ("message of another branch left out", "messages of other branches left out"),
    Change.CHOICES: ("further choice of a reply left out", "further choices of replies left out"),
    Change.NEVER_SENT: ("hidden message kept apart", "hidden messages kept apart"),
    Change.STAND_INS: ("stand-in put for personal data", "stand-ins put for personal data"),
    Change.EMPTY: ("conversation without a message left out", "conversations without a message left out"),
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
    lines += [f"meta {name}: {count:,} of {done.conversations:,}" for name, count in done.meta.items()]
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


OUT_HELP = "The transcripts file to create.  [default: NAME.transcripts.jsonl here, after the first file]"
FORM_HELP = "The form of all files, if their keys do not tell it; docs/import.md lists the forms."
META_HELP = (
    "Metadata to keep: a key of the log (dots lead to inner keys), or NAME=KEY; may be repeated. Results are "
    "grouped by it."
)
NAME_HELP = "A further key of the log with the name of the person, for --redact; may be repeated."
FORMER = ("chat", "inspect")


class Import(click.Command):
    """A command that still takes the words `chat` and `inspect` of earlier releases, and needs neither."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] and args[0] in FORMER and len(args) > 1 and not Path(args[0]).exists():
            say(f"`ib import {args[0]} FILE` is now `ib import FILE`")
            args = args[1:]
        return super().parse_args(ctx, args)


@click.command("import", cls=Import)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=OutPath(), help=OUT_HELP)
@click.option("--form", metavar="NAME", help=FORM_HELP)
@click.option("--model", metavar="ID", help="The model of all conversations.")
@click.option("--meta", multiple=True, metavar="KEY", help=META_HELP)
@click.option("--id", metavar="KEY", help="The key with the id of a conversation.  [default: by the form]")
@click.option("--group-by", metavar="KEY", help=GROUP_HELP)
@click.option("--skip-broken", is_flag=True, help="Leave out broken conversations; list them.")
@click.option("--with-system", is_flag=True, help="Show judges the system texts.")
@click.option("--with-tools", is_flag=True, help="Show judges the tool calls and their results.")
@redact_options
@click.option("--redact-name", "redact_names", multiple=True, metavar="KEY", help=NAME_HELP)
@json_option
def imports(files: tuple[Path, ...], out: Path | None, *, as_json: bool, **called: Any) -> None:
    """Import logs of other tools as transcripts, which `ib scan` judges.

    FILES are recognized by their keys: chats, one message a row, calls of APIs, spans, exports and Inspect
    logs, in .jsonl, .json, .csv, .parquet or .eval. Nothing is written until all are checked.

    Example: ib import export.jsonl --model my/assistant --meta version --out talks.jsonl
    """
    called["redact"] = redact_in(called)
    out = out or Path(f"{files[0].name.partition('.')[0] or 'log'}.transcripts.jsonl")
    with reporting() as callbacks:
        done = import_logs(files, out, **called, callbacks=callbacks)
    _tell(done, as_json=as_json)


def _tell(done: Imported, *, as_json: bool) -> None:
    """Print what was done, and what to do next."""
    for finding in done.left_out:
        say(f"left out: {finding}")
    emit(done.as_dict(), as_json=as_json, text=lambda _: import_words(done))
    say(f"next: ib scan {shown(done.out)} --profile publish --judge PROVIDER/MODEL --out scan")
