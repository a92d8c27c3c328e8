"""The results of a model in a release, as text."""

from __future__ import annotations

from ib.commands.words.alarm import pair_lines
from ib.commands.words.board import gate_lines
from ib.models.release.leaderboard import CheckEntry, ModelEntry
from ib.models.scan.rates import Rate


def model_words(entry: ModelEntry) -> str:
    """The blindspot profile of a model, one check per line."""
    lines = [f"{entry.model} ({entry.model_id})", *gate_lines(entry)]
    if entry.dangers_and_alarms is not None:
        lines += pair_lines(entry.dangers_and_alarms)
    lines += [f"questions that the judge refused: {entry.refused_questions}", ""]
    lines += [f"{check.check_id:48} {_check_words(check)}" for check in entry.blindspots]
    return "\n".join(lines)


def _check_words(check: CheckEntry) -> str:
    """How often a check failed, or how often its phrases were found, if nobody looked further."""
    counts = {
        "contested": check.contested,
        "unclear": check.failures.unclear,
        "not run": check.not_run,
    }
    found = "found in " if check.no_phrase_found else ""
    rest = [f"{number} {what}" for what, number in counts.items() if number]
    return f"{found}{rate_words(check.failures)}" + (f"; {', '.join(rest)}" if rest else "")


def rate_words(rate: Rate) -> str:
    """k/n with its interval and its first support flag.

    If fewer than half of the due cases are decided, the range that counts the others either way stands for
    the interval.
    """
    if rate.low is None and rate.bounds is not None and rate.n:
        low, high = rate.bounds
        return f"{rate.k}/{rate.n} decided, {low:.3f} to {high:.3f} counting the undecided either way"
    if rate.low is None or rate.high is None:
        return f"{rate.k}/{rate.n} ({rate.support[0]})"
    return f"{rate.k}/{rate.n} [{rate.low:.3f}, {rate.high:.3f}] ({rate.support[0]})"
