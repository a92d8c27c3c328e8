"""The options of commands that call a model elsewhere, as one decorator."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from ib.errors import DataError
from ib.models.settings import CallLimits, ModelSettings
from ib.store.validation import findings_of

Command = TypeVar("Command", bound=Callable[..., Any])
EFFORTS = click.Choice(["none", "minimal", "low", "medium", "high"])

OPTIONS = (
    click.option("--base-url", help="The address of an OpenAI-compatible server."),
    click.option("--temperature", type=float, help="Left to the provider unless it is given."),
    click.option("--top-p", type=float, help="The share of probability that replies are drawn from."),
    click.option("--max-tokens", type=int, help="The most tokens of a reply."),
    click.option("--seed", type=int, help="The provider's seed, where it takes one."),
    click.option("--reasoning-effort", type=EFFORTS, help="For models that reason."),
    click.option("--reasoning-tokens", type=int, help="The most tokens for reasoning."),
    click.option("--extra", multiple=True, metavar="KEY=JSON", help="A further parameter; may be repeated."),
    click.option("--max-connections", type=int, help="Calls at once.  [default: found by trying]"),
    click.option("--timeout", type=float, default=120.0, show_default=True, help="Seconds for one attempt."),
    click.option("--max-retries", type=int, default=6, show_default=True, help="Attempts after the first."),
    click.option("--max-calls", type=int, help="Stop after this many calls; needed for a model elsewhere."),
)


def model_options(command: Command) -> Command:
    """Add the options of `ModelSettings` and `CallLimits` to a command; it gets them as `called`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def settings_of(called: dict[str, Any]) -> tuple[ModelSettings, CallLimits]:
    """The settings and limits of the options; DataError where one is out of range."""
    limits = {name: called.pop(name) for name in CallLimits.model_fields}
    called["extra"] = dict(map(_extra, called["extra"]))
    try:
        return ModelSettings.model_validate(called), CallLimits.model_validate(limits)
    except ValidationError as error:
        raise DataError(findings_of(error, ModelSettings, "command line")) from error


def _extra(text: str) -> tuple[str, Any]:
    """`KEY=JSON` as a pair; click's usage error where it is not of that form."""
    key, equals, value = text.partition("=")
    try:
        return (key, json.loads(value)) if key and equals else _wrong(text)
    except ValueError:
        return _wrong(text)


def _wrong(text: str) -> tuple[str, Any]:
    raise click.BadParameter(
        f"{text!r} is not of the form KEY=JSON, such as logprobs=true", param_hint="--extra"
    )
