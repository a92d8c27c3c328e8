"""The kinds of page that a site has, told by their paths. Every built page belongs to exactly one."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = r"[^/]+"
KINDS = {
    "home": r"",
    "leaderboard": r"leaderboard/",
    "models": r"models/",
    "model": rf"models/{_NAME}/",
    "part of a model": rf"models/{_NAME}/[a-z-]+/",
    "evidence": rf"models/{_NAME}/IB-{_NAME}/",
    "transcripts": r"transcripts/",
    "transcripts of a model": rf"transcripts/{_NAME}/",
    "transcript": rf"transcripts/{_NAME}/{_NAME}/",
    "checks": r"checks/",
    "check": rf"checks/{_NAME}/",
    "scenarios": r"scenarios/",
    "scenario": rf"scenarios/{_NAME}/",
    "compare": r"compare/",
    "pair": rf"compare/{_NAME}--{_NAME}/",
    "contrast sets": r"contrast/",
    "reference assistants": r"reference/",
    "methodology": r"methodology/",
    "part of the methodology": rf"methodology/{_NAME}/",
    "how sure": r"sure/",
    "judges": r"judges/",
    "data": r"data/",
    "about": r"about/",
    "caregivers": r"caregivers/",
    "guides": rf"guides/{_NAME}/",
    "limits": r"limits/",
    "accessibility": r"accessibility/",
    "missing": r"404\.html",
}
"""A pattern for the addresses of each kind, from the root of the site."""


def addresses(site: Path) -> list[str]:
    """The address of every page of a built site, from its root: `models/` for `models/index.html`."""
    found = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return sorted(re.sub(r"(^|/)index\.html$", r"\1", path) for path in found)


def kinds_of(address: str) -> list[str]:
    """The kinds whose pattern an address has."""
    return [kind for kind, pattern in KINDS.items() if re.fullmatch(pattern, address)]


def examples(site: Path, kind: str) -> list[str]:
    """The first and the last page of a kind: in the sample, the last is of the model that attacks."""
    found = [address for address in addresses(site) if kinds_of(address) == [kind]]
    return list(dict.fromkeys([*found[:1], *found[-1:]]))
