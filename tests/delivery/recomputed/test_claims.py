"""Every figure on every page is recomputed: exactly one function claims each part with a number."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from tests.browser.kinds import KINDS, kinds_of
from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import CLAIMS, Claim, Here
from tests.delivery.recomputed.conftest import Shown
from tests.delivery.recomputed.data import shown
from tests.delivery.recomputed.fixed import FIXED
from tests.delivery.recomputed.parts import FINDING, Part, numbers, parts, results

for _module in sorted(Path(__file__).parent.glob("on_*.py")):  # the modules register their claims
    import_module(f"{__package__}.{_module.stem}")

WHOLE = {"row", "svg"}
"""Tags of parts that have to be claimed even without a number."""


def read(here: Here, part: Part) -> list[str]:
    """What a part shows."""
    return shows(here, part.tag, part.section, part.text)


def shows(here: Here, tag: str, section: str, text: str) -> list[str]:
    """The numbers of a text; in rows and drawings also names and states, in findings and heads also names."""
    source = here.source
    if tag == "trust":
        return text.split()
    if tag in WHOLE:
        return results(text, source.names, source.told)
    if tag == "head" or section.startswith(FINDING):
        return results(text, source.names, source.told, states=False)
    return numbers(text, source.names)


def problems(pages: Shown) -> Iterator[str]:
    """Parts without a claim or with several, and parts that show something else than recomputed."""
    for here in pages:
        claimed: dict[Claim, list[Part]] = defaultdict(list)
        for part in parts(here.root):
            if part.tag == "quote" or not (part.is_data or read(here, part)):
                continue
            fitting = [one for one in CLAIMS if one.holds(here.kind, part.section, part.tag)]
            if len(fitting) != 1:
                who = ", ".join(map(str, fitting)) or "nothing"
                where = f"{here.address or 'home'} #{part.section} <{part.tag}>"
                yield f"{where} is claimed by {who}: {part.text[:200]!r}"
            for one in fitting[:1]:
                claimed[one].append(part)
        for one in CLAIMS:
            if one.is_of(here.kind) and (claimed[one] or not here.is_logs):
                yield from differences(here, one, claimed[one])


def differences(here: Here, one: Claim, found: list[Part]) -> Iterator[str]:
    """Where the parts of a claim differ from what it recomputes."""
    section = found[0].section if found else ""
    told = [(text, shows(here, one.tag, section, shown(text))) for text in one.told(here)]
    said = [(part.text, read(here, part)) for part in found]
    if one.tag not in WHOLE:
        told, said = ([(text, has) for text, has in side if has] for side in (told, said))
    where = f"{here.address or 'home'} ({one})"
    for at in range(max(len(told), len(said))):
        expected, has = (side[at] if at < len(side) else ("nothing", None) for side in (told, said))
        if expected[1] != has[1]:
            yield f"{where} shows {has[0]!r}\n    that is {has[1]}\n    instead of {expected[1]}"
            if len(told) != len(said):
                return


def report(found: Iterable[str]) -> str:
    """The first problems, and how many there are."""
    every = list(found)
    return "\n".join([f"{len(every)} problems", *every[:40]]) if every else ""


def test_every_figure_of_the_sample(whole: Shown) -> None:
    """All pages of a release in which every kind of figure occurs."""
    assert not report(problems(whole))


def test_every_figure_of_open_logs(logs: Shown) -> None:
    """All pages of a release that compares no models."""
    assert not report(problems(logs))


def test_every_figure_of_the_demonstration(demonstration: Shown) -> None:
    """Pages of a release with many cases: long replies, slopes, rates with intervals."""
    assert not report(problems(demonstration))


def test_every_claim_has_a_part(whole: Shown, logs: Shown, demonstration: Shown) -> None:
    """A claim for a part that no page has is removed."""
    used = {
        one
        for here in (*whole, *logs, *demonstration)
        for part in parts(here.root)
        for one in CLAIMS
        if one.holds(here.kind, part.section, part.tag)
    }
    assert {str(one) for one in CLAIMS} == {str(one) for one in used}


def test_every_kind_of_page_is_read(whole: Shown) -> None:
    """The sample has every kind of page but guides, and the one for missing addresses, which mkdocs makes."""
    found = {kind for here in whole for kind in kinds_of(here.address)}
    assert KINDS.keys() - found == {"guides", "missing"}


def test_fixed_numbers_are_on_the_pages(whole: Shown) -> None:
    """A number that no page has any more is removed from the list of fixed numbers."""
    text = "\n".join(part.text for here in whole for part in parts(here.root))
    assert [pattern for pattern in FIXED if not re.search(pattern, text)] == []


def test_limits_are_those_of_the_benchmark(demonstration: Shown) -> None:
    """The limits of the support flags are written here a second time."""
    limits = demonstration[0].source.scoring["support"]
    assert limits == {"count_only_below": say.FEW, "low_power_below": say.LOW, "wide_from": say.WIDE}
