"""Two releases compared, for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from ib.models.release.ledger import Cause
from ib.models.release.moved import FigureValue, MovedFigure, ReleaseDiff, VerdictFlip

WHY = {
    Cause.MODELS: "other models on the board",
    Cause.TRANSCRIPTS: "other transcripts",
    Cause.JUDGE: "another judge",
    Cause.PROMPTS: "the check and its question changed",
    Cause.CORPUS: "the scenarios changed",
    Cause.CONTRACT: "scoring, rules, lexicons or the profile changed",
    Cause.REVIEWS: "people decided",
    Cause.STAGE: "another stage",
    Cause.SCAN: "another scan with the same figures",
    Cause.VOTES: "the judge answered the same question otherwise",
}
"""The causes in words."""
MOST = 3
"""How many flipped verdicts of a check and model are shown."""
CUT = 200
"""How many characters of a quote are shown."""


def why(causes: tuple[Cause, ...]) -> str:
    """Causes in words."""
    return "; ".join(WHY[cause] for cause in causes)


def value_words(value: FigureValue | None) -> str:
    """A figure in words: `3 of 12`, a mean, or a dash."""
    if value is None:
        return "-"
    if value.k is not None:
        return f"{value.k} of {value.n}"
    return "no value" if value.value is None else f"{value.value:.3f}"


def moved_text(diff: ReleaseDiff) -> str:
    """The comparison of two releases for the terminal."""
    return "\n".join(_text(diff))


def moved_markdown(diff: ReleaseDiff) -> str:
    """The comparison of two releases in Markdown: its text as code, so that quoted words stay plain."""
    lines = (f"    {line}" for line in moved_text(diff).splitlines())
    return "\n".join(("## InvisibleBench comparison", "", *lines)) + "\n"


def _text(diff: ReleaseDiff) -> Iterator[str]:
    yield f"{diff.before} -> {diff.after}"
    yield f"why: {why(diff.causes) or 'nothing moved'}"
    for word, models in (("added", diff.added), ("lost", diff.lost), ("changed checks", diff.changed_checks)):
        if models:
            yield f"{word}: {', '.join(models)}"
    for model_id, figures in groupby(diff.figures, key=lambda one: one.model_id):
        yield from ("", f"{model_id or 'over all models'}: what moved")
        yield from map(_figure, figures)
    for (model_id, check_id), flips in groupby(diff.flips, key=lambda one: (one.model_id, one.check_id)):
        listed = list(flips)
        yield from ("", f"{model_id}, {check_id}: {_counted(listed)}")
        for flip in listed[:MOST]:
            yield from flip_lines(flip)
        if len(listed) > MOST:
            yield f"  and {len(listed) - MOST} more (--json has all)"


def _figure(one: MovedFigure) -> str:
    return f"  {one.figure}: {value_words(one.before)} -> {value_words(one.after)} ({why(one.causes)})"


def _counted(flips: list[VerdictFlip]) -> str:
    counts = Counter(f"{flip.before} -> {flip.after}" for flip in flips)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


def flip_lines(flip: VerdictFlip) -> Iterator[str]:
    """One verdict that flipped, with its words."""
    run = "" if flip.epoch is None else f", run {flip.epoch}"
    yield f"  {flip.scenario_id}{run}: {flip.before} -> {flip.after} ({why(flip.causes)})"
    for word, quotes in (("before", flip.quotes_before), ("after", flip.quotes_after)):
        for quote in quotes[:MOST]:
            yield f"    {word}: {quote[:CUT]!r}"
