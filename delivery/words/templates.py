"""The environment in which every template is rendered: all text is escaped."""

from __future__ import annotations

from pathlib import Path

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined

from delivery.words import escape
from delivery.words.filters import FILTERS


def environment(templates: Path, compiled: BytecodeCache | None = None) -> Environment:
    """A Jinja environment: every expression goes through `escape.written`.

    Its filters are those of the modules that are imported so far. `compiled` keeps templates from one
    environment to the next.
    """
    env = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape.written,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=compiled,
    )
    env.filters.update(FILTERS)
    return env
