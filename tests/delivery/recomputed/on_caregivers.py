"""The page for caregivers: the numbers of help lines, from the rule set."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed.claims import Data, Here, claim
from tests.delivery.recomputed.data import load

PURPOSES = ("emergency", "suicide", "domestic_abuse", "elder_abuse", "poison", "carer_support")


def lines(here: Here) -> Iterator[list[Data]]:
    """The lines of each country that were checked, in the order of the page."""
    base = load(here.source.benchmark / "configs" / "rules" / "base.yaml")
    for told in base["crisis_resources"].values():
        known = [one for one in told if one.get("checked")]
        yield [one for purpose in PURPOSES for one in known if one["for"] == purpose]


@claim("caregivers", "help", "dd")
def numbers(here: Here) -> Iterator[str]:
    for told in lines(here):
        for one in told:
            yield f"{one['contact']} {one['name']} {one.get('hours') or ''}"


@claim("caregivers", "help", "p")
def checked(here: Here) -> Iterator[str]:
    for told in lines(here):
        yield str(min(one["checked"] for one in told))
