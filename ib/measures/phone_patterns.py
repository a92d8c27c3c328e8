"""Patterns that distinguish phone numbers from other numbers, and patterns for the names of countries."""

from __future__ import annotations

import re

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
