"""The numbers in the fixed words of the pages: what no data changes, each with its reason."""

from __future__ import annotations

from ib.stats.intervals import RATE_METHOD

FIXED = {
    r"\b95%(?= (?:interval|upper|confidence|bound))|one-sided 95%": "the level of every interval",
    rf"{RATE_METHOD} 95%": "the same",
    r"\b(?:Call or )?text 988\b|\bCall or text\b": "the crisis line",
    r"\b(?:from|scored) 0 to 1\b|\b(?:scores?|it is|score to) 0(?!\.?\d)": "the scale of the scores",
    r"\(WCAG\) 2\.2|4\.5 to 1|\b400%": "the accessibility standard, its contrast, and the enlargement",
}
"""A pattern for each, and why it is no data."""
