"""A report as JUnit XML: one test case for each check, and one for each threshold of the gate for builds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from delivery.report.shown import FAILURES, asked_parts, case_basis, one_line, said_parts, sections
from delivery.words.counts import severity
from ib.models.common.base import BUCKET_NAMES
from ib.models.report.report import Case, Report, ReportedCheck
from ib.models.report.threshold import Outcome
from ib.models.scan.rates import half_decided

MOST = 20
ASKED, SAID = 200, 300
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 does not allow, escaped or not."""


def junit(report: Report, outcomes: Sequence[Outcome] = ()) -> str:
    """The XML. A check with a failure is a failed test, and a check that nobody asked is a skipped one."""
    top = Element("testsuites", name="InvisibleBench")
    if outcomes:
        _thresholds(top, outcomes)
    cases = {section.check.check_id: section.shown for section in sections(report, FAILURES, MOST)}
    for bucket, name in BUCKET_NAMES.items():
        checks = [check for check in report.checks if check.bucket is bucket]
        suite = _suite(top, name, checks)
        for check in checks:
            _check(suite, check, cases.get(check.check_id, ()))
    indent(top)
    return tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def _suite(top: Element, name: str, checks: Sequence[ReportedCheck]) -> Element:
    failures = sum(check.failed > 0 for check in checks)
    skipped = sum(_why(check) is not None for check in checks)
    counts = {"tests": len(checks), "failures": failures, "errors": 0, "skipped": skipped}
    return SubElement(top, "testsuite", {"name": name, **{key: str(n) for key, n in counts.items()}})


def _check(suite: Element, check: ReportedCheck, cases: Iterable[Case]) -> None:
    name = f"{check.check_id}: {check.name}"
    case = SubElement(suite, "testcase", classname=f"ib.{suite.get('name')}", name=_allowed(name))
    if check.failed:
        of = "conversations" if check.whole is None else "sampled conversations"
        said = f"failed in {check.failed} of {check.failures.n} {of}; {severity(check.severity)}"
        SubElement(case, "failure", message=said, type="failed").text = _allowed(
            "\n\n".join("\n".join(_lines(one)) for one in cases)
        )
    elif (why := _why(check)) is not None:
        SubElement(case, "skipped", message=why)


def _why(check: ReportedCheck) -> str | None:
    """Why a test without a failure is no passed test; None for a failed or a passed one.

    A test is passed if the check passed in a conversation, and has a clear answer in at least half of those
    on which it was due. An answer in few conversations says nothing about the others.
    """
    if check.failed:
        return None
    if check.contested:
        return f"contested in {check.contested} conversations: some votes say that it failed, but not most"
    open_ = check.unclear + check.not_run
    if check.asked and open_:
        if check.passed and half_decided(check.passed + check.not_applicable, open_):
            return None
        return f"no clear answer in {open_} of {check.due} conversations, passed in {check.passed}"
    if check.passed:
        return None
    if check.asked:
        return f"the question arose in none of {check.asked} conversations"
    if not check.due:
        return "due on no conversation"
    if check.found:
        return f"not judged; a listed phrase was found in {check.found} conversations"
    return f"not asked ({', '.join(check.reasons)})"


def _lines(case: Case) -> Iterable[str]:
    yield f"{case.log} ({case.model_id}): {case_basis(case)}"
    for turn in case.turns:
        if turn.asked is not None:
            yield f"turn {turn.turn}, person: {one_line(asked_parts(turn, ASKED), _mark)}"
        yield f"turn {turn.turn}, assistant: {one_line(said_parts(turn, SAID), _mark)}"


def _mark(quote: str) -> str:
    return f"»{quote}«"


def _thresholds(top: Element, outcomes: Sequence[Outcome]) -> None:
    failures, errors = sum(one.tripped for one in outcomes), sum(bool(one.not_asked) for one in outcomes)
    counts = {"tests": len(outcomes), "failures": failures, "errors": errors, "skipped": 0}
    suite = SubElement(top, "testsuite", {"name": "--fail-on", **{key: str(n) for key, n in counts.items()}})
    for one in outcomes:
        case = SubElement(suite, "testcase", classname="ib.fail-on", name=one.expression)
        if one.tripped:
            SubElement(case, "failure", message=one.said, type="tripped")
        elif one.not_asked:
            SubElement(case, "error", message=one.said, type="not_asked")


def _allowed(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _NO_XML.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
