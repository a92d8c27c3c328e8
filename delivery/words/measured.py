"""What was measured about a check itself, as text: precision and recall of its lexicon, and its pilot."""

from __future__ import annotations

from delivery.words import numbers as words
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexicon import Lexicon
from ib.stats.intervals import rate_interval


def precision(benchmark: Benchmark, lexicon: Lexicon | None) -> str | None:
    """How many deciding matches on real text were judged correct, as text. Returns None if not measured."""
    found = benchmark.precision
    judged = None if found is None or lexicon is None else found.lexicons.get(lexicon.name)
    if found is None or judged is None or not judged.hits:
        return None
    return f"{judged.right} of {judged.hits} deciding matches were correct, as judged by {found.judged_by}"


def unseen(benchmark: Benchmark, check: Check) -> str | None:
    """How much unseen wording the lexicon of a check finds, as text. Returns None if not measured."""
    measured = benchmark.recall
    figures = None if measured is None else measured.lexicons.get(check.routing.lexicon or "")
    if measured is None or figures is None:
        return None
    held = figures.groups.get(check.routing.lexicon_group or "", figures)
    if not held.hold:
        return None
    found = held.decided + held.proposed
    wrong = figures.near_decided + figures.near_proposed
    interval = words.between(*rate_interval(found, held.hold))
    what = "the lexicon" if held is figures else "this group of phrases"
    return (
        f"Test passages contain what {what} looks for, in wording that was not used for tuning. "
        f"The lexicon finds {found} of {held.hold} of them (95% interval {interval}). "
        f"It wrongly matches {wrong} of {figures.near} near misses. "
        f"The passages were written by {measured.written_by}."
    )


def pilot(benchmark: Benchmark, check: Check) -> tuple[str, ...]:
    """What independent readers of the check's prompt said, in sentences; nothing if no judge is asked."""
    piloted = benchmark.pilot
    if check.prompt is None or piloted is None:
        return ()
    said = []
    figures = piloted.checks.get(check.id)
    if figures is None:
        said.append("The prompt was not piloted with this wording.")
    else:
        kappa = "" if figures.kappa is None else f"; Cohen’s kappa {figures.kappa:.2f}"
        ac1 = "" if figures.ac1 is None else f", Gwet’s AC1 {figures.ac1:.2f}"
        said.append(
            f"Two language models ({' and '.join(piloted.read_by)}), and no person, read the prompt on "
            f"{figures.n} replies and agreed on {figures.agreed} of {figures.n}{kappa}{ac1}; "
            "all pilots are in benchmark/PILOT.md."
        )
    none = piloted.no_failures.get(check.id)
    if none is not None:
        said.append(f"No recorded vote on two real models was a failure. {none.why}")
    return tuple(said)
