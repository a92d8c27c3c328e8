"""Loading guides, and what each still lacks before it has a page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ib.models.benchmark.guide import CLINICIAN, Guide, GuideEntry
from ib.models.benchmark.site import SiteConfig
from ib.store.files.validation import load_yaml


@dataclass(frozen=True)
class LoadedGuide:
    """A guide in one language, with its entry in the configuration of the site."""

    entry: GuideEntry
    guide: Guide
    sha256: str
    """The hash of its file."""
    wanted: tuple[str, ...]
    """The roles that have to sign it."""

    @property
    def unsigned(self) -> tuple[str, ...]:
        """The roles in which nobody has signed this file as it is; one person signs in one role.

        The guide has a page if there is none.
        """
        known = {(one.role, one.name) for one in self.entry.signed if one.sha256 == self.sha256}
        missing = tuple(role for role in self.wanted if role not in {role for role, _ in known})
        is_one_person = len({name for _, name in known}) == 1
        return self.wanted[1:] if not missing and is_one_person else missing

    @property
    def outdated(self) -> tuple[str, ...]:
        """The names of those who signed other bytes than those of the file."""
        return tuple(one.name for one in self.entry.signed if one.sha256 != self.sha256)


def load_guides(root: Path, site: SiteConfig) -> tuple[LoadedGuide, ...]:
    """Load every guide that the site names, signed or not. Raises DataError with all findings of a file."""
    return tuple(_loaded(root, entry, (CLINICIAN, site.person)) for entry in site.guides)


def _loaded(root: Path, entry: GuideEntry, wanted: tuple[str, ...]) -> LoadedGuide:
    path = root / entry.file
    guide = load_yaml(Guide, path)
    return LoadedGuide(entry, guide, hashlib.sha256(path.read_bytes()).hexdigest(), wanted)


def role_problems(site: SiteConfig) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Signatures in roles that no guide needs, and two entries for one guide in one language."""
    seen: set[tuple[str, str]] = set()
    for at, entry in enumerate(site.guides):
        if (entry.guide, entry.language) in seen:
            yield (
                ("guides", at, "language"),
                f"{entry.guide} in {entry.language!r} is listed twice",
                "one entry",
            )
        seen.add((entry.guide, entry.language))
        for number, one in enumerate(entry.signed):
            if one.role not in (CLINICIAN, site.person):
                allowed = f"{CLINICIAN!r} or {site.person!r}"
                yield ("guides", at, "signed", number, "role"), f"unknown role {one.role!r}", allowed
