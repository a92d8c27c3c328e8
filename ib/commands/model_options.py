"""The options of commands that call a model at a provider, as one decorator."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from ib.errors import DataError
from ib.models.common.settings import CallLimits, ModelSettings
from ib.pipeline.common.configured import Calling, check_base_url
from ib.store.files.validation import findings_of

Command = TypeVar("Command", bound=Callable[..., Any])
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
