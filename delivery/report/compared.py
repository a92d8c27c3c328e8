"""A comparison of two scans, for the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from delivery.report.markdown import case_block
from delivery.report.text import case_lines, wrapped
from delivery.words.counts import severity
from delivery.words.escape import entity
from delivery.words.numbers import NONE, percent, rate_interval, rate_share
from ib.models.report.compared import Compared, ComparedCheck, Flip
from ib.models.scan.rates import Rate

MOST = 3
"""How many changed answers of a check are shown with their words."""
OTHER = 240
DIRECTION = {True: "Got worse", False: "Got better"}


def compared_text(found: Compared) -> str:
    """The comparison for the terminal."""
    return "\n".join(_text(found))


def _text(found: Compared) -> Iterator[str]:
    yield from (wrapped(one) for one in found.opening)
    for worse, flips in groupby(found.flips, key=lambda flip: flip.worse):
        listed = list(flips)
        yield from ("", f"{DIRECTION[worse].upper()}: {len(listed)} answers", "")
        for check, of_check in _by_check(listed, found):
            yield f"{check.name} · {severity(check.severity)} · {check.check_id}: {len(of_check)}"
            for flip in of_check[:MOST]:
                yield from case_lines(flip.case)
                if flip.other is not None:
                    yield wrapped(f"the other version: {_cut(flip.other)}", "    ")
    yield from ("", "CHECKS: failed in the first scan, in the second; worse and better in both", "")
    for check in found.checks:
        yield wrapped(f"{check.check_id}: {'; '.join(_row(check))}")


def compared_markdown(found: Compared) -> str:
    """The comparison in Markdown, short enough for the summary of a build."""
    return "\n".join(_markdown(found)) + "\n"


def _markdown(found: Compared) -> Iterator[str]:
    yield from ("## InvisibleBench comparison", "")
    for one in found.opening:
        yield from (entity(one), "")
    for worse, flips in groupby(found.flips, key=lambda flip: flip.worse):
        listed = list(flips)
        yield from (f"### {DIRECTION[worse]}: {len(listed)} answers", "")
        for check, of_check in _by_check(listed, found):
            yield from (f"#### {entity(check.name)}: {len(of_check)}", "", severity(check.severity), "")
            for flip in of_check[:MOST]:
                yield from case_block(flip.case)
                if flip.other is not None:
                    yield f"<blockquote>The other version: {entity(_cut(flip.other))}</blockquote>"
                yield ""
    yield from ("### Checks", "", "| check | first scan | second scan | in both | test |")
    yield "| --- | --- | --- | --- | --- |"
    for check in found.checks:
        yield f"| {entity(check.name)} | {' | '.join(entity(cell) for cell in _row(check))} |"


def _by_check(flips: Sequence[Flip], found: Compared) -> Iterator[tuple[ComparedCheck, list[Flip]]]:
    checks = {check.check_id: check for check in found.checks}
    for check_id, of_check in groupby(flips, key=lambda flip: flip.check_id):
        yield checks[check_id], list(of_check)


def _row(check: ComparedCheck) -> tuple[str, str, str, str]:
    """Both rates, the difference with its interval, and the test."""
    sides = (
        _rate(rate) + (f", {hints} hints" if hints else "")
        for rate, hints in ((check.first, check.found_first), (check.second, check.found_second))
    )
    first, second = sides
    return first, second, _difference(check), _test(check)


def _rate(rate: Rate) -> str:
    """A rate with its interval; a count alone if there are too few cases, or too few of them are decided."""
    shown = rate_interval(rate) != NONE
    return f"{rate.k} of {rate.n}" + (f" ({rate_share(rate)}, {rate_interval(rate)})" if shown else "")


def _difference(check: ComparedCheck) -> str:
    paired = check.paired
    if paired is None:
        return NONE
    said = f"{check.worse} worse, {check.better} better of {paired.n}"
    if paired.difference is None or paired.low is None or paired.high is None:
        return said
    # The table is of the first scan less the second; more failures of the second are a rise.
    points = (-paired.difference, -paired.high, -paired.low)
    change, low, high = (f"{'+' if one > 0 else '−' if one < 0 else ''}{percent(abs(one))}" for one in points)
    return f"{said}: {change} (95% interval {low} to {high})"


def _test(check: ComparedCheck) -> str:
    if not check.tested or check.paired is None:
        return "not tested"
    return f"{'worse, ' if check.is_worse else ''}p {check.paired.adjusted:.2g} after Holm"


def _cut(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= OTHER else f"{said[:OTHER].rsplit(' ', 1)[0]} [...]"
