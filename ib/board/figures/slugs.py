"""Slugs: safe names for files and pages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ib.models.common.canonical import digest

RESERVED = frozenset({"index"})
"""Names that other pages use."""


def unique_slugs(names: Mapping[str, object]) -> dict[str, str]:
    """A unique slug for each name: lower case, safe in file names, at most 80 characters."""
    slugs: dict[str, str] = {}
    taken = set(RESERVED)
    for name in sorted(names):
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80].strip("-") or "x"
        salt = name
        while slug in taken:
            salt = digest(salt)
            slug = f"{slug[:60]}-{salt[:12]}"
        taken.add(slug)
        slugs[name] = slug
    return slugs


def case_id(slug: str, epoch: int | None) -> str:
    """The id of a verdict on the page of its check and model; `slug` is that of the scenario."""
    return f"{slug}{'' if epoch is None else f'-run-{epoch}'}"


def quotes_path(model: str, check_id: str) -> str:
    """The address inside a site of the evidence of a model on a check; `model` is the slug of the model."""
    return f"models/{model}/{check_id}/"


def transcript_path(model: str, scenario: str, epoch: int | None, plays: int) -> str:
    """The address inside a site of a transcript, by slugs. The model played the scenario `plays` times."""
    return f"transcripts/{model}/{scenario}{f'--{epoch}' if plays > 1 else ''}/"
