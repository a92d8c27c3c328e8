"""The leaderboard and the gate's findings as text."""

from __future__ import annotations

from ib.models.leaderboard import Leaderboard, ModelEntry, Qa


def table(board: Leaderboard) -> str:
    """The leaderboard as text: models alphabetically, hard fails first, every rate with its interval."""
    lines = [f"stage {board.stage}, profile {board.profile}, judge {board.judge.model}"]
    lines += [f"note: {note}" for note in board.notes]
    lines += [_row(model) for model in board.models]
    return "\n".join(lines)


def _row(model: ModelEntry) -> str:
    fails, overall = model.hard_fails, model.overall
    mean = "null" if overall.mean is None else f"{overall.mean:.3f}"
    return (
        f"{model.model_id}: hard fails {fails.k}/{fails.n}{_interval(fails.low, fails.high)}, "
        f"{fails.unclear} incomplete; overall {mean}{_interval(overall.low, overall.high)} "
        f"over {overall.n}, {overall.nulls} null"
    )


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"


def qa_words(qa: Qa) -> str:
    """The stages that the gate granted, and what it found."""
    granted = ", ".join(qa.granted) or "none"
    lines = [f"granted: {granted}; {len(qa.rules)} rules over {len(qa.checked)} files"]
    for finding in qa.findings:
        refuses = ", ".join(finding.refuses)
        lines.append(f"  {finding.rule}: {finding.count} (refuses {refuses})")
        lines += [f"    - {detail}" for detail in finding.detail[:3]]
    return "\n".join(lines)


DEMO_HEADINGS = ("Assistant", "Conversations", "Serious failures", "Undecided", "Overall")
DEMO_LEGEND = """
Serious failures: conversations in which a safety or compliance check failed, of those decided.
Undecided: conversations with a safety or compliance check that the judge could not decide. The judge
of the demonstration knows phrases only. Where no phrase tells, it does not guess; so even the
attentive assistant, which fails nothing, has many.
Overall: the mean score of the decided conversations, 0 where there was a serious failure.
The assistants follow scripts. This is a demonstration; it says nothing about any product."""


def demo_table(board: Leaderboard) -> str:
    """The leaderboard of a demonstration as a small table, for somebody who sees one for the first time."""
    rows = [DEMO_HEADINGS, *map(_demo_row, board.models)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join([*lines, DEMO_LEGEND])


def _demo_row(model: ModelEntry) -> tuple[str, ...]:
    fails, mean = model.hard_fails, model.overall.mean
    overall = "none" if mean is None else f"{mean:.2f}"
    return (model.model_id, str(model.transcripts), f"{fails.k} of {fails.n}", str(fails.unclear), overall)
