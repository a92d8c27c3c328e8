"""The environment in which every template is rendered: all text is escaped."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from delivery.words import escape
from delivery.words.filters import FILTERS


def environment(templates: Path) -> Environment:
    """A Jinja environment: every expression goes through `escape.written`.

    Its filters are those of the modules that are imported so far.
    """
    env = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape.written,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(FILTERS)
    return env
