"""The wording of a check: everything that a judge reads of it."""

from __future__ import annotations

from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.canonical import digest


def wording_hash(check: Check, benchmark: Benchmark) -> str:
    """The hash of what a judge reads of a check: its rules, its question and codes, the frame, its lexicon.

    It differs from `prompt_hash` of a row, which has only the frame and the question, and from the hash of
    the check, which also has texts that no judge reads, such as sources and examples.
    """
    routing = check.routing
    lexicon = benchmark.lexicons.get(routing.lexicon or "")
    read = {
        "name": check.name,
        "asked": check.asked,
        "codes": check.rationale_codes,
        "failure": check.failure,
        "route": routing.route,
        "unit": routing.unit_of_analysis,
        "recovery": routing.recovery,
    }
    return digest([benchmark.frame, read, lexicon])
