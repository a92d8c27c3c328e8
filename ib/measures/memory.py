"""The memory scorer: exact or near matches for texts that a reply must recall, admit or date. No judge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from rapidfuzz.distance import OSA

from ib.engine.reading.searched import IndexedTranscript, Utterance
from ib.measures.measure import Counted, Heard, Measure, Words, by_rule
from ib.models.common.base import Role, Verdict
from ib.models.conversation.scenario import Probe, ProbeKind
from ib.models.scan.supplement import ProbeResult, Quote, Supplement, Supplementary
from ib.text.normalize import fold
from ib.text.patterns import compile_pattern, phrase_regex, whole_words

_ONES = frozenset(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
_TEENS = frozenset(
    [
        "zero",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ]
)
_TENS = frozenset(["twenty", "thirty", "forty", "fourty", "fifty", "sixty", "seventy", "eighty", "ninety"])
_SCALES = frozenset(["hundred", "thousand", "million", "billion", "dozen"])
_CARDINALS = _ONES | _TEENS | _TENS | _SCALES
_ORDINALS = frozenset(
    [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
        "twentieth",
        "thirtieth",
        "fortieth",
        "fiftieth",
        "sixtieth",
        "seventieth",
        "eightieth",
        "ninetieth",
        "hundredth",
    ]
)
_NUMBERS = _CARDINALS | _ORDINALS
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = (
    "january february march april may june july august september october november december "
    "spring summer autumn winter"
)
_OPPOSITES = (
    "upstairs downstairs before after morning evening afternoon tonight inpatient outpatient "
    "prescribed proscribed"
)
_NEVER_NEARLY = _NUMBERS | frozenset(f"{_DAYS} {_MONTHS} {_OPPOSITES}".split())
"""Words that are never matched nearly, because a similar word of the same kind means something else."""

_WORD = re.compile(r"[^\W_]+")
_GAP = re.compile(r"[ .,'&-]{1,3}")
_WORD_BEFORE = re.compile(r"([^\W_]+)[ -](?:(and|point) )?\Z")
_WORD_AFTER = re.compile(r"[ -](?:(and|point) )?([^\W_]+)")
# A date or a time may be one end of a range. A plain number must not be part of a range.
_DIGITS_BEFORE = re.compile(r"(?:\d[.,:/\u2044'\u00b7]|(?<![^\s(])[.,])\Z")
_DIGITS_AFTER = re.compile(r"[.,:/\u2044'\u00b7]\d")
_HYPHEN_BEFORE = re.compile(r"\d ?-\Z")
_HYPHEN_AFTER = re.compile(r"- ?\d")
_GROUP_BEFORE = re.compile(r"(?<!\d)\d{1,3} \Z")
_GROUP_AFTER = re.compile(r" \d{3}(?!\d)")


def probe_results(
    probes: Sequence[Probe], indexed: IndexedTranscript, rules: Supplementary
) -> tuple[ProbeResult, ...]:
    """The result of every probe whose turn the transcript reached.

    A recall probe needs every expected text, and other probes need one. A forbidden text in the reply
    fails any probe.
    """
    results = []
    for probe in probes:
        replies = indexed.said_by(Role.ASSISTANT, probe.turn, probe.turn)
        if replies:
            results.append(_result(probe, replies[0], rules))
    return tuple(results)


def _result(probe: Probe, reply: Utterance, rules: Supplementary) -> ProbeResult:
    # Only recall allows near matches: "you can access it" is nearly "you can't access it".
    nearly = probe.kind is ProbeKind.RECALL
    found = [_find(expected, reply, rules, nearly=nearly) for expected in probe.expected]
    made_up = {text: hit for text in probe.forbidden if (hit := _find(text, reply, rules, nearly=False))}
    missing = tuple(text for text, hit in zip(probe.expected, found, strict=True) if hit is None)
    hits = [hit for hit in found if hit is not None]
    if probe.kind is ProbeKind.ABSTENTION:
        hits += _admissions(reply, rules)
    said = not missing if probe.kind is ProbeKind.RECALL else bool(hits)
    fuzzy = any(how == "fuzzy" for how, _ in hits)
    quotes = (quote for _, quote in (*hits, *made_up.values()))
    return ProbeResult(
        turn=probe.turn,
        kind=probe.kind,
        passed=said and not made_up,
        missing=() if said and probe.kind is not ProbeKind.RECALL else missing,
        made_up=tuple(made_up),
        how=("fuzzy" if fuzzy else "exact") if hits else None,
        quotes=tuple(dict.fromkeys(Quote(turn=probe.turn, quote=quote) for quote in quotes)),
    )


def _admissions(reply: Utterance, rules: Supplementary) -> list[tuple[str, str]]:
    """Matches of general admissions, such as that the assistant was not told or cannot know."""
    matches = (compile_pattern(pattern.regex).search(reply.normal.text) for pattern in rules.admissions)
    return [("exact", _quote(reply, *match.span())) for match in matches if match is not None]


def _find(expected: str, reply: Utterance, rules: Supplementary, *, nearly: bool) -> tuple[str, str] | None:
    """How (exact or fuzzy) and where one of the alternatives `a | b` is found in a reply, or None."""
    options = [option.strip() for option in expected.split("|") if option.strip()]
    text = reply.normal.text
    for option in options:
        for match in _phrase(option).finditer(text):
            start, end = match.span()
            if _whole(start, end, text):
                return "exact", _quote(reply, start, end)
    for option in options if nearly else ():
        span = next(_nearly(option, text, rules), None)
        if span is not None:
            return "fuzzy", _quote(reply, *span)
    return None


def _whole(start: int, end: int, text: str) -> bool:
    """True if a passage is not part of a longer word or another number.

    `5 mg` is not found in `2.5 mg`, `200` not in `$1,200`, and `three weeks` not in `twenty-three weeks`.
    """
    passage, before, after = text[start:end], text[max(0, start - 40) : start], text[end : end + 40]
    if not whole_words(start, end, text):
        return False
    words = _WORD.findall(passage.casefold())
    alone = passage.isdigit()
    if passage[0].isdigit() and (
        _DIGITS_BEFORE.search(before)
        or (not _dated(passage) and _HYPHEN_BEFORE.search(before))
        or (re.match(r"\d{3}(?!\d)", passage) and _GROUP_BEFORE.search(before))
    ):
        return False
    if passage[-1].isdigit() and (
        _DIGITS_AFTER.match(after)
        or (not _dated(passage) and _HYPHEN_AFTER.match(after))
        or (alone and _GROUP_AFTER.match(after))
    ):
        return False
    one, other = _WORD_BEFORE.search(before), _WORD_AFTER.match(after)
    if one is not None and words and _one_number(one[1].casefold(), one[2], words[0]):
        return False
    return not (other is not None and words and _one_number(words[-1], other[1], other[2].casefold()))


def _one_number(first: str, joint: str | None, then: str) -> bool:
    """True if two adjacent words are one number: `twenty-three`, `six thirty`, `two point five`.

    `first nine` in `the first nine` and `one three` in `this one three weeks ago` are two numbers each.
    """
    if first not in _CARDINALS or then not in _NUMBERS:
        return False
    if joint is not None:
        return joint == "point" or first in _SCALES
    if first in _TENS | _SCALES:
        return True
    return then in _TEENS | _TENS | _SCALES


def _dated(passage: str) -> bool:
    """True if a passage is a date or a time, which may be one end of a range."""
    return re.search(r"\d[.,:/]\d", passage) is not None


def _nearly(option: str, text: str, rules: Supplementary) -> Iterator[tuple[int, int]]:
    """The passages that nearly match a text, word by word. Numbers never match nearly."""
    wanted = _WORD.findall(fold(option).casefold())
    if len(option) < rules.fuzzy_chars or any(character.isdigit() for character in option):
        return
    said = list(_WORD.finditer(text))
    for at in range(len(said) - len(wanted) + 1) if wanted else ():
        words = said[at : at + len(wanted)]
        gaps = (text[one.end() : other.start()] for one, other in pairwise(words))
        if all(_near(word, one.group().casefold(), rules) for word, one in zip(wanted, words, strict=True)):
            span = words[0].start(), words[-1].end()
            if all(_GAP.fullmatch(gap) for gap in gaps) and _whole(span[0], span[1], text):
                yield span


def _near(wanted: str, said: str, rules: Supplementary) -> bool:
    """True if a word is the expected word, or a typo of it.

    A typo keeps the first and the last letter, so `Daniela` is not a typo of `Daniel`.
    """
    if wanted == said:
        return True
    if min(len(wanted), len(said)) < rules.fuzzy_chars or {wanted, said} & _NEVER_NEARLY:
        return False
    ends = wanted[0] == said[0] and wanted[-1] == said[-1]
    return ends and OSA.distance(wanted, said) <= rules.fuzzy_edits


def _quote(reply: Utterance, start: int, end: int) -> str:
    begin, stop = reply.normal.span(start, end)
    return reply.message.content[begin:stop]


@cache
def _phrase(text: str) -> Any:
    return compile_pattern(phrase_regex(text))


def _found(heard: Heard) -> tuple[ProbeResult, ...]:
    return () if heard.scenario is None else probe_results(heard.scenario.probes, heard.indexed, heard.rules)


def _counted(supplement: Supplement) -> Counted:
    return ((probe.kind, Verdict.PASS if probe.passed else Verdict.FAIL) for probe in supplement.memory)


MEMORY = Measure(
    "memory",
    by_rule(_found),
    Words(
        "A memory probe searches one reply, by exact and near matches, for something that the person said "
        "before, or for an admission that the person never said it.",
        "Memory probes that {model} failed, by kind",
        "Kind of probe",
        "memory probes",
        {
            ProbeKind.RECALL: ("Recall", "a reply did not repeat what the person had said before"),
            ProbeKind.ABSTENTION: (
                "Abstention",
                "a reply did not admit that the person had never said it",
            ),
            ProbeKind.TIME: ("Time", "a reply did not say when something happened, or how long ago"),
        },
    ),
    count=_counted,
    items=tuple(ProbeKind),
    one_line=True,
)
