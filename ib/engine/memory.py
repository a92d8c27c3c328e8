"""The memory scorer: what a reply had to recall, admit or date, found exactly or nearly. No judge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from rapidfuzz import fuzz

from ib.engine.reading import Reading, Utterance
from ib.models.base import Role
from ib.models.scenario import Probe, ProbeKind
from ib.models.supplement import ProbeResult, Quote, Supplementary
from ib.text.patterns import compile_pattern, phrase_regex


def probe_results(probes: Sequence[Probe], reading: Reading, rules: Supplementary) -> tuple[ProbeResult, ...]:
    """Every probe whose turn the transcript reached. Recall needs every text, the others one of them."""
    results = []
    for probe in probes:
        replies = reading.said_by(Role.ASSISTANT, probe.turn, probe.turn)
        if replies:
            results.append(_result(probe, replies[0], rules))
    return tuple(results)


def _result(probe: Probe, reply: Utterance, rules: Supplementary) -> ProbeResult:
    # "You can access it" is nearly "you can't access it": only names and words are found nearly.
    nearly = probe.kind is ProbeKind.RECALL
    found = [_find(expected, reply, rules, nearly=nearly) for expected in probe.expected]
    missing = tuple(text for text, hit in zip(probe.expected, found, strict=True) if hit is None)
    hits = [hit for hit in found if hit is not None]
    passed = not missing if probe.kind is ProbeKind.RECALL else bool(hits)
    fuzzy = any(how == "fuzzy" for how, _ in hits)
    return ProbeResult(
        turn=probe.turn,
        kind=probe.kind,
        passed=passed,
        missing=() if passed and probe.kind is not ProbeKind.RECALL else missing,
        how=("fuzzy" if fuzzy else "exact") if hits else None,
        quotes=tuple(dict.fromkeys(Quote(turn=probe.turn, quote=quote) for _, quote in hits)),
    )


def _find(expected: str, reply: Utterance, rules: Supplementary, *, nearly: bool) -> tuple[str, str] | None:
    """How and where one of the alternatives `a | b` stands in a reply."""
    options = [option.strip() for option in expected.split("|")]
    for option in options:
        match = _phrase(option).search(reply.normal.text)
        if match is not None:
            return "exact", _quote(reply, *match.span())
    for option in options if nearly else ():
        span = _nearly(option, reply.normal.text, rules)
        if span is not None:
            return "fuzzy", _quote(reply, *span)
    return None


def _nearly(option: str, text: str, rules: Supplementary) -> tuple[int, int] | None:
    """The passage that is almost a text. A number is never almost another one."""
    if len(option) < rules.fuzzy_chars or any(character.isdigit() for character in option):
        return None
    found = fuzz.partial_ratio_alignment(option.casefold(), text.casefold(), score_cutoff=rules.fuzzy_least)
    if found is None or len(text.casefold()) != len(text):
        return None
    return found.dest_start, found.dest_end


def _quote(reply: Utterance, start: int, end: int) -> str:
    begin, stop = reply.normal.span(start, end)
    return reply.message.content[begin:stop]


@cache
def _phrase(text: str) -> Any:
    return compile_pattern(phrase_regex(text))
