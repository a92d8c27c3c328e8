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
