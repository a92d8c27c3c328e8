"""The sentences of a comparison: what was compared, what is worse, and what could not be tested."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ib.board.report.sentences import number_of
from ib.models.report.compared import ComparedCheck, Side
from ib.stats.paired import mcnemar


def opening(
    first: Side, second: Side, shared: int, checks: Sequence[ComparedCheck], untested: Sequence[str]
) -> tuple[str, str, str]:
    """What was compared, what is worse, and what could not be tested: one sentence each."""
    sides = (f"{number_of(one.conversations, 'conversation')} of {one.model_id}" for one in (first, second))
    both = number_of(shared, "conversation is", "conversations are")
    read = f"{' and '.join(sides)} were compared; {both} in both scans."
    return read, _worse(checks) + _hinted(checks), _untested(checks, untested)


def _hinted(checks: Sequence[ComparedCheck]) -> str:
    """The checks whose listed phrases were found more or less often; empty if there are none."""
    changed = [check for check in checks if check.found_first != check.found_second]
    if not changed:
        return ""
    named = "; ".join(
        f"“{check.name}” ({check.found_first:,}, then {check.found_second:,})" for check in changed
    )
    return f" Listed phrases, which nobody judged, were found in another number of conversations: {named}."


def _worse(checks: Sequence[ComparedCheck]) -> str:
    worse = [check for check in checks if check.is_worse]
    if worse:
        named = "; ".join(
            f"“{check.name}” (worse in {check.worse}, better in {check.better})" for check in worse
        )
        return f"The second scan is worse: {named}."
    more = sum(check.worse for check in checks)
    less = sum(check.better for check in checks)
    flips = f"{more} answers changed to a failure and {less} from one"
    tests = sum(check.tested for check in checks)
    if not tests:
        return f"No gate check could be tested; {flips}."
    return (
        f"No gate check is worse by the test, which needs at least {least(tests)} more conversations of one "
        f"check to fail; {flips}."
    )


def least(tests: int) -> int:
    """The least conversations, each a family of its own, that must get worse so that a test can say so."""
    return next(number for number in count(1) if tests * mcnemar(0, number) < 0.05)


def _untested(checks: Sequence[ComparedCheck], untested: Sequence[str]) -> str:
    tests = sum(check.tested for check in checks)
    if untested:
        tested = number_of(tests, "gate check was", "gate checks were")
        others = number_of(len(untested), "other has", "others have")
        return (
            f"{tested} tested; {others} no clear answer on a conversation of both scans, so nothing is known "
            "of whether they got worse."
        )
    return f"All {tests} gate checks were tested; what is not a gate is listed and not tested."
