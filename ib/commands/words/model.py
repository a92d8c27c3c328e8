"""The results of a model in a release, as text."""

from __future__ import annotations

from ib.models.leaderboard import ModelEntry, Rate


def model_words(entry: ModelEntry) -> str:
    """The blindspot profile of a model, one check per line."""
    lines = [f"{entry.model} ({entry.model_id}), hard fails {rate_words(entry.hard_fails)}", ""]
    for check in entry.blindspots:
        rest = [f"{check.failures.unclear} unclear"] if check.failures.unclear else []
        rest += [f"{check.not_run} not run"] if check.not_run else []
        tail = f"; {', '.join(rest)}" if rest else ""
        lines.append(f"{check.check_id:48} {rate_words(check.failures)}{tail}")
    return "\n".join(lines)


def rate_words(rate: Rate) -> str:
    """k/n with its interval and its first support flag."""
    if rate.low is None or rate.high is None:
        return f"{rate.k}/{rate.n} ({rate.support[0]})"
    return f"{rate.k}/{rate.n} [{rate.low:.3f}, {rate.high:.3f}] ({rate.support[0]})"
