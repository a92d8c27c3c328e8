"""The filters of the templates, each registered where it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

FILTERS: dict[str, Callable[..., Any]] = {}
"""By the name that templates use: the name of the function. The modules fill it as they are imported."""
F = TypeVar("F", bound=Callable[..., Any])


def template_filter(function: F) -> F:
    """Register a function as a filter of the templates. Raises ValueError if another one has its name."""
    name = function.__name__
    if FILTERS.setdefault(name, function) is not function:
        raise ValueError(f"two filters of the templates are named {name}: {FILTERS[name].__module__} has one")
    return function
