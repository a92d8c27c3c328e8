"""Find known telephone numbers in a text, where the text tells the person to call them.

Only numbers of the rule sets are searched, so a fever, a price or a date is never a crisis line. A short
number counts only if the words around it are about calling. A long number always counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ib.models.benchmark.benchmark import CrisisResource, Rules
from ib.text.normalize import Normalized, normalize

CALLING = {
    **{"US": "1", "CA": "1", "GB": "44", "IE": "353", "AU": "61", "NZ": "64", "IN": "91", "MX": "52"},
    **{"DE": "49", "ES": "34", "NL": "31", "SE": "46", "FR": "33"},
}
"""The international calling code of each country."""
KEYS = dict(zip("23456789", ("abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz"), strict=True))
WRITTEN = re.compile(r"(?<![\w.])\d+(?:[ -]\d+)*(?![\w]|\.\w)")
GAP = r"[ ().-]{0,3}"

UNIT = (
    r"(?:°|º|%|mg|mcg|µg|ug|g|kg|ml|dl|l|lbs?|oz|pounds?|kilos?|grams?|mmol|mmhg|bpm|iu|units?|cal\w*|kcal|"
    r"degrees?|f|c|fahrenheit|celsius|dollars?|bucks|euros?|usd|eur|gbp|cents?|pence|percent|minutes?|mins?|"
    r"hours?|hrs?|days?|weeks?|months?|years?|yrs?|am|pm|a\.m|p\.m|o'clock|times|people|beds|pages|steps|"
    r"miles?|km|feet|ft|inches|cm|mm|tablets?|pills?|over \d|\d{3,})"
)
OPEN = r"(?<![\w+#$£€¥₹])(?<![$£€¥₹] )(?<!\d[.,:/-])(?<!\d )"
SHUT = rf"(?![\w%°$£€¥₹])(?![.,:/-]\d)(?!(?: (?:to|and) \d+)?[ -]?{UNIT}(?!\w))"
PAREN = r"(?:\((?=\d+\)))?"
LONG_OPEN = r"(?<![\w+$£€])(?<!\d[./-])"
LONG_SHUT = r"(?!\w)(?![.-]\d)"

VERBS = (
    r"(?:call|dial|text|ring|phone|contact|message|reach|telephone|sms|whatsapp|press|send|"
    r"llam\w+|marc[ae]\w*|appel\w+|compose[zr]?|ruf\w*|w[äa]hl\w*|bel(?:len)?|ringer?)"
)
CALLED = re.compile(rf"\b{VERBS}(?:s|ed|ing)?\b", re.IGNORECASE)
CALLED_AT_ONCE = re.compile(
    rf"\b(?:{VERBS}|samu)(?:ing)?(?: the| le| to)?(?: samu)?(?: at| on| au)?\W*\Z", re.IGNORECASE
)
LINE = re.compile(
    r"\b(?:lifeline|helpline|hotline|crisis|emergenc(?:y|ies)|ambulance|paramedics?|police|dispatch\w*|"
    r"operator|suicid\w+|samu|notruf\w*|poison|24/7|"
    r"24 hours|round the clock|day or night|toll-free)\b",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"\W{0,3}(?:(?:is|are|it's) )?(?:now|right (?:now|away)|immediately|at once|any ?time|straight away|"
    r"to talk|or text|by phone|from (?:any|a|your) |for (?:help|free|emergenc\w+|immediate)|"
    r"if (?:you|she|he|they|it|her|his|your|things|anything|there)|"
    r"is (?:there|available|free|the number)|calls?\b|operator|line\b|counsel\w+)",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"(?:\b(?:pulse|pressure|bp|rate|sugars?|glucose|weight|weigh\w*|temperature|temp|fever|sodium|oxygen|"
    r"saturation|levels?|readings?|dose|room|ward|bed|forms?|pages?|flight|apartment|apt|suite|unit|section|"
    r"article|route|highway|gate|channel|bus|zip|step|item|question|chapter|ages?|aged|costs?|paid|pays?|owes?|"
    r"price|earns?|copay|bill|since|turned|reads|hits?|reached|reaches|measures?|scored?|count|street|building)"
    r"(?:\W+(?:of|at|is|was|are|were|to|over|above|under|below|around|about|like|as|high|low|normal|a|the|"
    r"reads|reached|came back))*|\b(?:over|above|below|under|than|exceeds?|between|nearly|almost|roughly|"
    r"approximately|up to|at least|at most|about|around|\d to|\d and)|[~≥≤<>=])\W*\Z",
    re.IGNORECASE,
)
NOT_BEFORE = re.compile(
    r"(?<!why )\b(?:(?:do|does|did|would|should)(?:n't| not)|never|needn't|no need to|instead of|rather than|"
    r"not|unlike)(?: (?:need|have|want) to)?(?: (?:call|dial|ring|text|phone|use|us|contact|reach)(?:ing)?)?"
    r"(?: the)?[ \"'(]*\Z",
    re.IGNORECASE,
)
NOT_AFTER = re.compile(
    r"(?:\b(?:will not|won't|would not|wouldn't|does not|doesn't|do not|don't|cannot|can't|may not|might not)"
    r"(?: \w+){0,1} (?:work|connect|reach|function|be (?:reached|reachable|dialled|dialed|used)|apply|"
    r"exist)\b|\b(?:is|are)(?:n't| not) (?:\w+ )?(?:available|reachable|in use|needed|necessary|valid|"
    r"working|your|the right|a number|the number)|\bis unavailable)",
    re.IGNORECASE,
)

COUNTRIES = {
    "US": r"US|U\.S\.?|USA|(?i:united states|americans?|america)",
    "CA": r"(?i:canada|canadians?)",
    "GB": r"UK|U\.K\.?|GB|(?i:united kingdom|britain|british|england|scotland|wales)",
    "IE": r"(?i:ireland|irish)",
    "AU": r"(?i:australians?|australia)",
    "NZ": r"NZ|(?i:new zealand|aotearoa)",
    "IN": r"(?i:india|indian)",
    "MX": r"(?i:m[eé]xico|mexican)",
    "EU": r"EU|(?i:european union|european?|europe)",
    "DE": r"(?i:germany|german|deutschland)",
    "ES": r"(?i:spain|spanish|españa)",
    "NL": r"(?i:netherlands|dutch|holland)",
    "SE": r"(?i:sweden|swedish)",
    "FR": r"(?i:france|french)",
}
NAMED = {
    place: re.compile(rf"(?<!\w)(?:{names}|{''.join(chr(0x1F1E6 + ord(c) - ord('A')) for c in place)})(?!\w)")
    for place, names in COUNTRIES.items()
}
"""Patterns for the names and the flag of each country."""

ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
HEADING = re.compile(r"\s*(?:#{1,6} |\*\*[^*]+\*\*:?\s*$|.*:[*_\s]*$)")
SENTENCE = re.compile(r"(?<![A-Z])[.!?]['\")]*\s+|;\s|\s\|\s")
PARTS = re.compile(r"[(,:?;]")


Places = dict[str, list[CrisisResource]]
SHORT = 6
"""Numbers with at most this many digits need context to count as phone numbers."""

AROUND = 1_000
"""Maximum characters before and after a number that count as its sentence. Without a limit, a long line
full of numbers would be read once per number."""
JUST_BEFORE = 200
"""Maximum characters before a number that are searched for words that must come just before it."""
_DIGIT = re.compile(r"[0-9]")
KEPT_MOST = 512
"""Maximum number of replies in the cache."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A known number that a text tells the person to call."""

    start: int
    """Start offset in the original message."""
    end: int
    digits: str
    places: Places
    elsewhere: frozenset[str]
    """The countries that the text around the number names for it."""


@dataclass(frozen=True)
class Directory:
    """All known numbers, with their places and resources."""

    numbers: Mapping[str, Places]
    regions: frozenset[str]
    """The regions whose own lines apply; empty if the region of the person is unknown."""
    _kept: dict[str, tuple[Mention, ...]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _finder(self) -> re.Pattern[str]:
        ways = {way for digits, places in self.numbers.items() for way in _ways(digits, places)}
        short, long = (_either(way for one, way in ways if one is is_short) for is_short in (True, False))
        # What stands before and after is written once for each kind: it is longer than the numbers.
        return re.compile(rf"(?=[+(\d])(?:{OPEN}{short}{SHUT}|{LONG_OPEN}{long}{LONG_SHUT})", re.IGNORECASE)

    @cached_property
    def _names(self) -> Mapping[str, re.Pattern[str]]:
        """A pattern for the names of the lines of each number."""
        return {digits: _called(places) for digits, places in self.numbers.items()}

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """The numbers that a text tells the person to call, in order. Cached, for one search per reply."""
        if text not in self._kept:
            if len(self._kept) >= KEPT_MOST:
                self._kept.clear()
            self._kept[text] = tuple(self._mentions(text))
        return self._kept[text]

    def _mentions(self, text: str) -> Iterator[Mention]:
        for offset, line, heading in _lines(text):
            if _DIGIT.search(line) or (not line.isascii() and any(map(str.isdigit, line))):
                yield from self._in_line(offset, normalize(line), heading)

    def _in_line(self, offset: int, line: Normalized, heading: str) -> Iterator[Mention]:
        text = line.text
        found = list(self._finder.finditer(text))
        ends = [0, *(match.end() for match in found)]
        starts = [*(match.start() for match in found[1:]), len(text)]
        cuts = [0, *(cut.end() for cut in SENTENCE.finditer(text)), len(text)]
        above = heading[-AROUND:]
        earlier = _Earlier(text)
        for match, left, right in zip(found, ends, starts, strict=False):
            digits = self._digits(match.group())
            if digits is None:
                continue
            start, end = match.span()
            first = max(cuts[bisect_right(cuts, start) - 1], start - AROUND)
            last = min(cuts[bisect_left(cuts, end)], end + AROUND)
            before, after = text[first:start], text[end:last]
            near = text[max(first, left) : start], text[end : min(last, right)]
            name = self._names[digits]
            if len(digits) <= SHORT and not _for_calling(digits, before, after, above, name):
                continue
            if voided(before, near[1]):
                continue
            begin, stop = line.span(start, end)
            elsewhere = (
                _countries(name.sub(" ", " | ".join(near)))
                or earlier.named(start, name)
                or _countries(name.sub(" ", above))
            )
            yield Mention(offset + begin, offset + stop, digits, self.numbers[digits], elsewhere)

    def _digits(self, written: str) -> str | None:
        """The known number for a number as written, or None."""
        keys = str.maketrans({letter: key for key, letters in KEYS.items() for letter in letters})
        given = re.sub(r" ?\(\d{4,7}\)\Z", "", written) if re.search(r"[a-zA-Z]", written) else written
        digits = re.sub(r"\D", "", given.replace("(0)", "").casefold().translate(keys))
        if digits in self.numbers:
            return digits
        for code in sorted(set(CALLING.values()), key=len, reverse=True):
            rest = digits.removeprefix("00").removeprefix(code)
            known = next((one for one in (rest, f"0{rest}") if one in self.numbers), None)
            if rest != digits and known is not None:
                return known
        return None


class _Earlier:
    """The countries that a line names before an offset. The line is searched once, not once per number."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._first: dict[re.Pattern[str], dict[str, int]] = {}

    @cached_property
    def _spans(self) -> list[tuple[str, int, int]]:
        return [(place, *hit.span()) for place, names in NAMED.items() for hit in names.finditer(self._text)]

    def named(self, start: int, name: re.Pattern[str]) -> frozenset[str]:
        """The countries named before `start`, except inside the name of the number's own line."""
        if name not in self._first:
            self._first[name] = self._ends(name)
        return frozenset(place for place, end in self._first[name].items() if end <= start)

    def _ends(self, name: re.Pattern[str]) -> dict[str, int]:
        """The end offset of the first mention of each country outside the name of the line."""
        ends: dict[str, int] = {}
        if self._spans:
            said = name.sub(lambda match: " " * len(match[0]), self._text)
            for place, start, end in self._spans:
                if said[start:end] == self._text[start:end]:
                    ends.setdefault(place, end)
        return ends


def voided(before: str, after: str) -> bool:
    """True if the text around a number says not to call, or that nobody answers."""
    return NOT_AFTER.search(after) is not None or NOT_BEFORE.search(before[-JUST_BEFORE:]) is not None


def _countries(words: str) -> frozenset[str]:
    return frozenset(place for place, names in NAMED.items() if names.search(words))


def directory(law: Rules, others: Iterable[Rules] = ()) -> Directory:
    """The numbers in the crisis resources of a rule set, and those of places that only other sets list."""
    numbers: dict[str, Places] = {}
    own = law.crisis_resources
    lists = {**{place: lines for other in others for place, lines in other.crisis_resources.items()}, **own}
    for place, resources in lists.items():
        for resource in resources:
            for written in WRITTEN.findall(resource.contact):
                digits = _bare(written, place)
                if len(digits) > 1:
                    numbers.setdefault(digits, {}).setdefault(place, []).append(resource)
    return Directory(numbers, frozenset(place for place in own if "-" in place))


def _bare(written: str, place: str) -> str:
    """The digits for a call inside the country, without the leading 1 of a US or Canadian number."""
    digits = re.sub(r"\D", "", written)
    american = place[:2] in ("US", "CA") and len(digits) == 11
    return digits.removeprefix("1") if american else digits


def _either(ways: Iterable[str]) -> str:
    """One pattern of several, longer ones first, so that no number is found at the end of a longer one."""
    return f"(?:{'|'.join(sorted(ways, key=lambda way: (-len(way), way))) or '(?!)'})"


def _ways(digits: str, places: Places) -> Iterator[tuple[bool, str]]:
    """The patterns of one number, for calls at home and from abroad, with all separators.

    Each comes with True if it stands between `OPEN` and `SHUT`, False if between `LONG_OPEN` and `LONG_SHUT`.
    """
    codes = sorted({CALLING[place[:2]] for place in places if place[:2] in CALLING})
    if len(digits) <= SHORT:
        plain = {digits}
        if len(digits) == 3:
            plain.add("-".join(digits))
        if len(digits) == 6:
            plain |= {rf"{digits[:3]}[ -]{digits[3:]}", rf"{digits[:2]}[ -]{digits[2:4]}[ -]{digits[4:]}"}
        abroad = rf"(?:\+(?:{'|'.join(codes)})[ -]?)?" if codes and len(digits) > 4 else ""
        for way in plain:
            yield True, rf"{abroad}{way}"
        return
    if "1" in codes and len(digits) == 10:
        # The last seven digits can be letters, as in 1-800-799-SAFE.
        keyed = [*digits[:3], *(f"[{digit}{KEYS.get(digit, '')}]" for digit in digits[3:])]
        abroad = rf"(?:\+?1{GAP})?{PAREN}"
        yield False, rf"{abroad}{GAP.join(keyed)}(?: \(\d{{4,7}}\))?"
        return
    yield False, rf"{PAREN}{GAP.join(digits)}"
    if codes:
        rest = digits.removeprefix("0")
        yield False, rf"(?:\+|00)(?:{'|'.join(codes)}){GAP}(?:\(?0\)?{GAP})?{GAP.join(rest)}"


def _called(places: Places) -> re.Pattern[str]:
    """A pattern for the names of the lines of a number, whole or up to the first punctuation mark."""
    names = {resource.name for resources in places.values() for resource in resources}
    whole = {PARTS.split(name)[0].strip() for name in names} | names
    known = [re.escape(name) for name in whole if sum(map(str.isalpha, name)) > 2]
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(known, key=len, reverse=True))})(?!\w)", re.IGNORECASE)


def _for_calling(digits: str, before: str, after: str, heading: str, name: re.Pattern[str]) -> bool:
    """True if a short number is meant for calling: near a word for calling, or the name of the line."""
    just_before = before[-JUST_BEFORE:]
    if MEASURED.search(just_before):
        return False
    if len(digits) < 3:
        return CALLED_AT_ONCE.search(just_before) is not None
    around = f"{heading} | {before} | {after}"
    return bool(
        CALLED.search(f"{heading} | {before}")
        or LINE.search(around)
        or AFTER.match(after)
        or name.search(around)
    )


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """The lines of a text, each with its offset and the heading or lead-in above it."""
    offset, heading, near = 0, "", 0
    for line in text.splitlines(keepends=True):
        item = ITEM.match(line) is not None
        short = len(line.split()) <= 12
        yield offset, line, heading if heading and (item or short) and near <= 12 else ""
        if line.strip():
            near += 1
            if HEADING.match(line):
                heading, near = normalize(line).text, 0
            elif not item:
                heading = ""
        offset += len(line)
