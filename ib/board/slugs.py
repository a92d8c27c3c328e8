"""Names for files and pages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ib.models.canonical import digest

RESERVED = frozenset({"index"})
"""Names that pages of another kind have."""


def unique_slugs(names: Mapping[str, object]) -> dict[str, str]:
    """A file-safe name for each, lower case, of at most 80 characters, never the same for two."""
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
