"""Options that several commands share: models, the part of the work, and what a release is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from ib.commands.common import Command
from ib.errors import DataError
from ib.models.common.base import Bucket
from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.scan.part import Part
from ib.pipeline.common.configured import Calling, check_base_url
from ib.pipeline.common.select import Selection
from ib.store.files.validation import findings_of

log_option = click.option(
    "--log-file",
    type=click.Path(path_type=Path),
    help="Append a line of JSON for each attempt at a call and each retry, without keys and texts.",
)
draw_option = click.option(
    "--draw",
    metavar="public|KEYFILE",
    help="The draw that chooses the words of slots: the public one, or that of the key in a file.  "
    "[default: public]",
)
key_option = click.option(
    "--draw", metavar="KEYFILE", help="The file of the key of a private draw. Only its hash is written."
)
FIRST = click.IntRange(1)
BUCKETS = click.Choice([bucket.value for bucket in Bucket])

OF_RUN = (
    click.option(
        "-s", "--scenario", "ids", multiple=True, help="The exact id of a scenario; may be repeated."
    ),
    click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="NAME",
        help="A set of scenarios, or `core` for those of no set; may be repeated.  [default: core]",
    ),
    click.option("-c", "--category", "categories", multiple=True, help="A category; may be repeated."),
    click.option("--tag", "tags", multiple=True, help="A tag of scenarios; may be repeated."),
    click.option("--limit", type=FIRST, help="Play only the first N of these scenarios, by id."),
)
OF_SCAN = (
    click.option("--check", "checks", multiple=True, help="Judge only this check; may be repeated."),
    click.option(
        "--bucket", "buckets", multiple=True, type=BUCKETS,
        help="Judge only checks of this dimension; may be repeated.",
    ),
    click.option(
        "-s", "--scenario", "scenarios", multiple=True,
        help="Judge only transcripts of this scenario; may be repeated.",
    ),
    click.option(
        "-c", "--category", "categories", multiple=True,
        help="Judge only transcripts of this category; may be repeated.",
    ),
    click.option(
        "--set", "sets", multiple=True, metavar="NAME",
        help="Judge only transcripts of this set, or of the core; may be repeated.",
    ),
    click.option("--limit", type=FIRST, help="Judge only the first N transcripts, in plan order."),
)  # fmt: skip


def selection_options(command: Command) -> Command:
    """Add the options of `Selection` to a command, which gets them by the names of its fields."""
    return _with(OF_RUN, command)


def part_options(command: Command) -> Command:
    """Add the options of `Part` to a command, which gets them by the names of its fields."""
    return _with(OF_SCAN, command)


def selection_in(called: dict[str, Any]) -> Selection:
    """Take the selection out of the values of the options."""
    return Selection(**{field.name: called.pop(field.name) for field in fields(Selection)})


def part_in(called: dict[str, Any]) -> Part:
    """Take the part out of the values of the options."""
    return Part.model_validate({name: called.pop(name) for name in Part.model_fields})


def _with(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


EFFORTS = click.Choice(["none", "minimal", "low", "medium", "high"])

OPTIONS = (
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        help="A YAML file of models with their settings, in place of the options from --base-url to --extra.",
    ),
    click.option("--base-url", help="The address of an OpenAI-compatible server, for one provider's models."),
    click.option("--temperature", type=float, help="Sampling temperature.  [default: the provider's]"),
    click.option("--top-p", type=float, help="Nucleus sampling.  [default: the provider's]"),
    click.option("--max-tokens", type=int, help="Maximum tokens in a reply.  [default for Claude: 8,192]"),
    click.option("--seed", type=int, help="Sampling seed, if the provider takes one."),
    click.option("--reasoning-effort", type=EFFORTS, help="For reasoning models."),
    click.option("--reasoning-tokens", type=int, help="Maximum tokens for reasoning."),
    click.option("--extra", multiple=True, metavar="KEY=JSON",
                 help="Another parameter of the provider; may be repeated."),
    click.option("--max-connections", type=int, help="Concurrent calls.  [default: adapts to the provider]"),
    click.option("--rpm", type=int, help="Most attempts per minute and model, evenly spaced."),
    click.option("--tpm", type=int, help="Most tokens per minute and model, of prompts and replies."),
    click.option("--timeout", type=float, default=120.0, show_default=True, help="Seconds for one attempt."),
    click.option("--max-retries", type=int, default=6, show_default=True, help="Retries of one call."),
    click.option("--max-calls", type=int, help="Most calls in all sessions; required for unknown prices."),
    click.option("--max-cost-usd", type=float, help="Most US dollars in all sessions, or one call more."),
)  # fmt: skip


def model_options(command: Command) -> Command:
    """Add the options of `ModelSettings` and `CallLimits` to a command, which gets them by their names."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def calling_in(called: dict[str, Any]) -> Calling:
    """Take settings and limits out of the values of the options. Raises DataError if one is out of range."""
    config = called.pop("config")
    limits = {name: called.pop(name) for name in CallLimits.model_fields}
    check_base_url(called["base_url"])
    called["extra"] = dict(map(_extra, called["extra"]))
    try:
        return Calling(ModelSettings.model_validate(called), CallLimits.model_validate(limits), config)
    except ValidationError as error:
        raise DataError(findings_of(error, ModelSettings, "command line")) from error


def _extra(text: str) -> tuple[str, Any]:
    """`KEY=JSON` as a pair. Raises click's usage error for any other form."""
    key, equals, value = text.partition("=")
    try:
        return (key, json.loads(value)) if key and equals else _wrong(text)
    except ValueError:
        return _wrong(text)


def _wrong(text: str) -> tuple[str, Any]:
    shown = repr(text.partition("=")[0]) if "=" in text else "a value"  # the rest may be an access key
    message = f"{shown} does not have the form KEY=JSON, for example logprobs=true"
    raise click.BadParameter(message, param_hint="--extra")


OWN_RULES = "own"
"""The name of the rules that --redact uses."""
REDACT = (
    click.option(
        "--redact", is_flag=True,
        help="Put stand-ins in place of e-mail addresses, numbers, addresses and names of the log.",
    ),
    click.option(
        "--redactor", "redactors", multiple=True, metavar="NAME",
        help="Also use the rules of an installed package; may be repeated.",
    ),
)  # fmt: skip


def redact_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(REDACT):
        command = option(command)
    return command


def redact_in(called: dict[str, Any]) -> tuple[str, ...]:
    """Take the rules of redaction out of the values of the options."""
    own, others = called.pop("redact"), called.pop("redactors")
    return (OWN_RULES, *others) if own or others else ()
