"""Find what a reply drafts or quotes: block quotes, code, italics, letters, scripts and quoted words.

There, "I" is somebody else and not the assistant. Drafts are recognized by the layout of the message and by
what introduces them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate

from ib.text.normalize import Span

MOST = 0.8
"""If more than this share of a reply is block quotes, code or italics, they are its style and not drafts.
Letters are not counted: a reply may be one line and the letter that the person asked for."""

_DRAFT = re.compile(
    r"^(?: {0,3}>[^\n]*(?:\n|\Z))+"
    r"|^ {0,3}(?P<fence>```|~~~)[^\n]*\n(?:(?! {0,3}(?P=fence))[^\n]*(?:\n|\Z))*(?: {0,3}(?P=fence)[^\n]*)?"
    r"|(?<=:)(?:\*\*)?\s{1,4}(?P<slant>[*_])(?![*_\s])(?:[^*_\n]|\n(?!\n))+(?P=slant)(?![*_])",
    re.MULTILINE,
)
"""A block quote; a code fence, closed or not; italics after a colon."""
_LETTER = re.compile(
    r"^(?:[^\n]*:[*_ ]*|-{3,} *)\n\s*"
    r"(?P<letter>[*_]{0,3}(?:(?:subject|re)(?=:)|dear|hi|hello|hey|to whom"
    r"|good (?:morning|afternoon|evening))\b[^\n]*\n"
    r"(?:(?!-{3,})[^\n]*\n){0,60}?"
    r"(?:[*_]{0,3}(?:sincerely|respectfully|yours|love|best|thanks|thank you|many thanks|warmly"
    r"|(?:kind|best|warm) (?:regards|wishes)|with (?:love|thanks))\b[^.!?\n]{0,40}"
    r"(?:\n+[^\n]{0,60})?(?=\n|\Z)"
    r"|(?=-{3,})))",
    re.MULTILINE | re.IGNORECASE,
)
"""From a salutation after a colon or a rule to the closing of the letter, or to the next rule."""
_COLON = re.compile(
    r"(?:^|(?<=[.!?] ))(?P<before>[^\n:.!?]{3,160}):[*_]{0,3}[ \n]{1,3}(?P<script>\S[^\n]*)", re.MULTILINE
)
_OWN = re.compile(
    r"\bI(?:['\u2019](?:m|ll|ve|d))?(?![\w'\u2019])"
    r"(?! (?:(?:can |will |could )?play|(?:have )?(?:drafted|wrote|written|prepared|made)"
    r"|(?:would )?(?:suggest|recommend))\b)"
    r"|\b(?:my|mine|from me|let me|let['\u2019]s|allow me|(?:we|us) (?:can|could)|someone to|somebody to)\b",
    re.IGNORECASE,
)
"""The assistant speaks in person ("I want to say this:", "My note to you:"), or says what somebody should say
to the reader. It does not where it has drafted something, or plays somebody."""
_OTHERS = (
    r"(?:him|her|them|yourself|everyone|your|the|his|their|any|one of)\b"
    r"(?! (?:\w+ ){0,2}(?:heart|soul|road|way|record|moment|day|night|world|future)\b)"
)
"""Somebody else than the reader, or what the reader says to himself or herself."""
_PERSON = (
    r"(?:famil(?:y|ies)|sisters?|brothers?|siblings?|m[ou]m|mother|dad|father|sons?|daughters?|kids"
    r"|child(?:ren)?|husband|wife|partner|spouse|friends?|nurses?|doctors?|team|case ?worker|social worker"
    r"|agency|hospice|boss|manager|employer|aunt|uncle|cousins?|neighbou?rs?|teacher|school|insurer|pharmacist|clinic|facility|staff"
    r"|landlord|grand\w+|parents?|colleagues?|visitors|others)"
)
_MADE = (
    r"(?:text|message|note|letter|e-?mail|card|reply|response|answer|words|phrase|sentence|line|statement"
    r"|post)s?"
)
"""What may be written or said. Alone before a colon ("A quick note:"), it is the assistant's own."""
_SAY = re.compile(
    r"(?:^[\W\d_]*|[,;)\u2013\u2014] ?|\b(?:can|could|might|may|please|and|or|then|instead|also|do"
    r"|don['\u2019]t|never|try|(?:what|how|something|thing|words?|lines?|ways?|one|questions|okay|fine|ready"
    r"|able|want|like|need|hesitate|remember|learn|try|help|easier) to) )"
    r"(?:(?:first|then|gently|calmly|kindly|simply|just|quietly|even|also) )*(?:"
    r"(?:say|ask|repeat|whisper|write|respond|reply|answer)(?: (?:with|directly|specifically|exactly|this"
    r"|these|something|out loud|aloud)\b.*)?[*_]*$"
    r"|(?:say|repeat|whisper) (?:(?:it|this|that|something|exactly \w+) )?(?:to "
    + _OTHERS
    + r"|on the phone\b)"
    r"|repeat after me\b"
    r"|(?:tell|ask|remind|text|e-?mail|message) "
    + _OTHERS
    + r"|(?:write|send) (?:to "
    + _OTHERS
    + r"|him|her|them)"
    r"|(?:send|write(?! down)|text|add|leave)(?: \S+){0,5} " + _MADE + r"\b(?: \S+){0,6}$"
    r"|(?:use|try|offer)(?: \S+){0,5} (?:phrase|sentence|words)\b(?: \S+){0,6}$"
    r"|(?:tell|ask|text|e-?mail|message) (?-i:[A-Z])\w+[*_]*$"
    r"|(?:start|begin|open|end|close) (?:\S+ )?(?:call|page|" + _MADE + r"|conversation|visit) with\b)",
    re.IGNORECASE,
)
"""The reader is asked to say or to write something: "You could say:", "Text him:"."""
_TRY = re.compile(
    r"(?:^[\W\d_]*|[,;] ?|\binstead )try(?: this| these words)?[*_]*$"
    r"|(?:^[\W\d_]*|[,;] ?|\b(?:instead|can|could|might|may|please) )try (?:saying|something)\b"
    r"|\bby saying (?:something|this|that)\b"
    r"|(?:^[\W\d_]*|[,;] ?|\b(?:could|might|may|can) (?:sound|go|read) )(?:something )?like(?: this| that)?"
    r"(?:,.*)?[*_]*$",
    re.IGNORECASE,
)
"""What follows is an example of words: "Instead, try:", "Something like this:"."""
_TEXT = re.compile(
    r"\b(?:draft|script|template|sample " + _MADE + r"|mantra|affirmation)s?\b"
    r"|\b" + _MADE + r"(?: message)? (?:to " + _OTHERS + r"|to (?-i:[A-Z])\w+[*_]*$"
    r"|for (?:him|her|them|(?:(?:your|the|his|her|their) )?(?:\w+ )?" + _PERSON + r")\b)"
    r"|\b(?:version|" + _MADE + r")\b(?: \w+){0,2} (?:to|(?:that )?you (?:can|could|might|may))"
    r" (?:send|say|copy|paste|read out|read aloud|read to|adapt|share|post)\b(?! (?:me|us|you)\b)"
    r"|\bplay (?:your|the|his|her)\b"
    r"|\bI (?:have )?(?:drafted|wrote|prepared|made) (?:this|a|an|the|something)\b",
    re.IGNORECASE,
)
"""A text that somebody is to say or to send: "Draft message:", "A sentence for the family:"."""
_NOTE = re.compile(
    r"\b(?:(?:note|message|letter|words?) (?:for|to|on|of|about) .*"
    r"|note|words?|sentence|answer|truth|thing|disclosure|promise|(?:tell|ask) me)[*_]*$",
    re.IGNORECASE,
)
"""What follows is the assistant's own: "A quick honest note:"."""
_QUOTED = re.compile(
    r"[\u201c\u201e\"][^\u201c\u201d\u201e\"\n]{2,600}[\u201c\u201d\"]"
    r"|(?<![\w'\u2019])['\u2018](?:[^'\u2018\u2019\n]|(?<=\w)['\u2019](?=\w)){2,300}['\u2019](?!\w)"
)
"""Words in quotation marks, in one line."""
_WORD = re.compile(r"\w")


@lru_cache(maxsize=64)
def drafts(text: str) -> tuple[Span, ...]:
    """The spans of the drafts in a message, in order. Quoted words are not among them."""
    if ">" not in text and "```" not in text and "~~~" not in text and ":" not in text and "---" not in text:
        return ()
    set_apart = [
        match.span()
        for match in _DRAFT.finditer(text)
        if not (match["slant"] and _is_own(_lead(text, match.start())))
    ]
    if sum(end - start for start, end in set_apart) > MOST * len(text):
        set_apart = []
    letters = [
        match.span("letter")
        for match in _LETTER.finditer(text)
        if _WORD.search(
            text, 0, match.start("letter")
        )  # a salutation at the very beginning is the assistant's own
        and not _is_own(_lead(text, match.start("letter")))
    ]
    return tuple(sorted([*set_apart, *letters]))


@lru_cache(maxsize=64)
def scripts(text: str) -> tuple[Span, ...]:
    """The spans of words in quotation marks, and of words after a colon that somebody is to say, in order."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    asked = [match.span("script") for match in _COLON.finditer(text) if _leads_to_a_script(match["before"])]
    return tuple(sorted([*quoted, *asked]))


def _leads_to_a_script(before: str) -> bool:
    """True if the words before a colon name words that somebody is to say or to write.

    What they quote is left out. What the assistant says in person leads to no script.
    """
    lead = _QUOTED.sub(lambda quote: "," if quote[0][-2] == "," else " ", before).strip()
    return not _OWN.search(lead) and any(form.search(lead) for form in (_SAY, _TRY, _TEXT))


def _is_own(lead: str) -> bool:
    """True if the words before a colon say that the assistant speaks itself."""
    return not _leads_to_a_script(lead) and bool(_OWN.search(lead) or _NOTE.search(lead))


def _lead(text: str, end: int) -> str:
    """The last sentence before a place, without the colon; empty if no colon is there."""
    before = text[:end].rstrip("*_ \n-")
    return re.split(r"[\n.!?]", before[:-1])[-1] if before.endswith(":") else ""


def is_drafted(text: str, start: int, end: int) -> bool:
    """True if a part of a message overlaps a draft, or is inside a script."""
    begun = bisect_left(drafts(text), (end,))
    if begun > 0 and _farthest(drafts(text))[begun - 1] > start:
        return True
    around = bisect_right(scripts(text), (start, len(text)))
    return around > 0 and _farthest(scripts(text))[around - 1] >= end


@lru_cache(maxsize=128)
def _farthest(spans: tuple[Span, ...]) -> tuple[int, ...]:
    """For each span, the greatest end of it and the spans before it."""
    return tuple(accumulate((stop for _, stop in spans), max))
