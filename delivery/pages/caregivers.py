"""The page for people who need help: help lines by country, what this site is, how to report an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from delivery.pages.guides import path, signed
from delivery.pages.page import Page
from delivery.release.view import Release
from ib.models.benchmark.benchmark import CrisisResource
from ib.models.benchmark.site import HelpPage

FRESH = timedelta(days=180)
"""A telephone number that was checked longer ago may have changed."""
PURPOSES: Mapping[str, str] = {
    "emergency": "A life is in danger",
    "suicide": "Thoughts of suicide, or no way forward",
    "domestic_abuse": "Somebody hurts you at home",
    "elder_abuse": "Somebody hurts or neglects an older person",
    "poison": "A wrong dose, or poison",
    "carer_support": "Support for people who care for somebody",
}
"""What the lines are for, in the order of the page. The page leaves out other purposes."""


@dataclass(frozen=True)
class Lines:
    """The lines of one country."""

    country: str
    lines: tuple[tuple[str, CrisisResource], ...]
    """Each with what it is for."""
    checked: date
    """The day of the oldest check."""

    def is_old(self, day: date) -> bool:
        """True if a number was checked too long before a day."""
        return day - self.checked > FRESH


def pages(release: Release) -> Iterator[Page]:
    """The page, if the benchmark has one."""
    page = help_page(release)
    if page is not None:
        view: dict[str, object] = {"countries": lines_by_country(release), "fresh_days": FRESH.days}
        view["guides"] = [(path(one).removesuffix(".md"), one) for one in signed(release)]
        yield Page(f"{page.path}.md", "caregivers.html", page.title, view)


def help_page(release: Release) -> HelpPage | None:
    """What the site says of this page. None if it has none: not every benchmark has a line of help."""
    line = release.background.site.help
    return None if line is None else line.page


def lines_by_country(release: Release) -> tuple[Lines, ...]:
    """The lines of each country whose source was read, in the order of the rule set `base`."""
    base = release.benchmark.rules.get("base")
    told = {} if base is None else base.crisis_resources
    found = ((country, tuple(_sorted(resources))) for country, resources in told.items())
    return tuple(
        Lines(country, lines, min(one.checked for _, one in lines if one.checked is not None))
        for country, lines in found
        if lines
    )


def _sorted(resources: tuple[CrisisResource, ...]) -> Iterator[tuple[str, CrisisResource]]:
    for purpose, words in PURPOSES.items():
        for one in resources:
            if one.purpose == purpose and one.checked is not None:
                yield words, one


def old_lines(release: Release, day: date) -> tuple[str, ...]:
    """A warning for each country whose numbers were checked too long before a day."""
    if help_page(release) is None:
        return ()
    return tuple(
        f"crisis lines of {one.country} were last checked on {one.checked.isoformat()}, more than "
        f"{FRESH.days} days ago; check them, and set `checked` in configs/rules/base.yaml"
        for one in lines_by_country(release)
        if one.is_old(day)
    )
