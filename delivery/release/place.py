"""Where a site is served, and where its source can be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from ib.errors import UsageError


def site_source() -> Path:
    """The folder with mkdocs.yml and site_src: the parent folder in a checkout, `_site` in a wheel."""
    here = Path(__file__).resolve().parents[1]
    inside = here / "_site"
    return inside if inside.is_dir() else here.parent


SETS = "sets"
"""The folder of a site with a whole site for each set of scenarios that stands beside the core."""


@dataclass(frozen=True)
class OtherBoard:
    """A board of other scenarios, whose site stands in the same folder."""

    title: str
    href: str
    """Its leaderboard, from the home page of the site that links to it."""


_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9._~-]+)*/?")


@dataclass(frozen=True)
class Place:
    """The public addresses of a site. Raises UsageError for an address that is not plain https."""

    url: str | None = None
    """Where the site is served, with a slash at the end. Without it, the site works anywhere, but has no
    canonical links and no sitemap."""
    source: str | None = None
    """The source repository, which is also the contact."""
    signers: Path | None = None
    """A file of allowed signers: the release must be signed by one of them, whom the pages name."""
    others: tuple[OtherBoard, ...] = ()
    """The boards of other scenarios. No figure of one is part of another."""
    parts: Mapping[str, Path] = field(default_factory=dict)
    """The built sites of sets, by the name of the set; they become folders of this site."""
    is_part: bool = False
    """True for the site of a set, whose links are checked with the site that it is part of."""

    def __post_init__(self) -> None:
        for what, address in (("site address", self.url), ("source address", self.source)):
            if address is not None and not _ADDRESS.fullmatch(address):
                allowed = "an address such as https://example.org/bench/"
                raise UsageError(f"the {what} is {address[:120]!r}; allowed is {allowed}")
        if self.url is not None and not self.url.endswith("/"):
            object.__setattr__(self, "url", f"{self.url}/")

    def of_set(self, name: str) -> Place:
        """The place of the site of a set inside this one, which links back."""
        url = None if self.url is None else f"{self.url}{SETS}/{name}/"
        core = OtherBoard("Core", "../../leaderboard/")
        return Place(url, self.source, self.signers, others=(core,), is_part=True)

    @property
    def path(self) -> str:
        """The path under which the site is served: `/` if that is not known."""
        return "/" if self.url is None else urlsplit(self.url).path

    def absolute(self, address: str) -> str:
        """An address inside the site: absolute if the place is known, else from the site's root."""
        return f"{self.url or ''}{address}"


NOWHERE = Place()
