"""Reference assistants: characters that reply by fixed rules, in this process.

Their results show the lowest and the highest value of every metric. The slots of a character see
only the messages, as a model does, so the person's country, fears and earlier statements are found there.
A reply that was written for a turn of a scenario is found by the scenario's id.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import Template

from ib.engine.reading.lexicons import Matcher
from ib.models.common.canonical import digest
from ib.models.conversation.character import Character, Slot, SpeechRule, When
from ib.models.scan.run import REFERENCE, Completion, CompletionReply, CompletionRequest, ModelSpec, Said
from ib.targets.base import InProcess
from ib.text.normalize import Normalized, normalize_said
from ib.text.patterns import compile_pattern

PREFIX = "reference/"
QUOTE_MOST = 140
"""Maximum length, in characters, of a sentence that the character repeats."""
HEARD_MOST = 4096
"""Number of turns in the cache, so that a long conversation is not analyzed again for each reply."""
EARLIER_MOST = 5
"""Maximum number of earlier sentences in a reply."""
EARLIER_LEAST = 1.5
"""Minimum weight of the words that an earlier sentence shares with a question."""
_BETWEEN = re.compile(r"(?<=[.!?])\s+|\n")
_STOP = re.compile(
    r"what|which|who|whom|whose|when|where|how|did|do|does|done|was|is|are|were|be|been|again|remember|remind|"
    r"said|say|says|tell|told|you|me|can|could|will|would|the|an|of|to|in|on|at|for|with|it|its|that|this|im|my|"
    r"mentioned|mention|earlier|before|called|name|and|or|but|so|as|if|have|has|had|not|no|just|get|got|going|"
    r"go|she|he|they|them|her|his|him|your|we|us|our|there|then|than|one|more|put|want|need|write|read|back|"
    r"know|give|gave|ever|exactly|about|up|out|down"
)
_STATE = re.compile(
    r"\b(?:die|died|dead|wake|woke|scared|afraid|tired|cry|cried|crying|hate|mean|coward|sorry|alone|nobody|"
    r"fault|hurt|love|miss|sleep|slept|ashamed|feel|felt|bawled|lonely|promised|trust|wish\w*|stopped|anymore)\b",
    re.IGNORECASE,
)
"""Words about how somebody feels."""
_WORD = re.compile(r"[\w']+")
_ASKS = re.compile(
    r"\?$|\b(?:what|when|which|how|read|remind)\b.*"
    r"\b(?:i (?:say|said|tell|told|give|gave|put|write|wrote)|told you|me)\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thurs?|fri|sat(?:ur)?|sun)(?:days?)?\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bspring\b|"
    r"\b(?:jan|feb|mar(?:ch)?\b|apr|june?\b|july?\b|aug|sept?|oct|nov|dec)(?:[a-z]*\b)",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|noon|midnight|fortnight)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_SORTS = (
    (re.compile(r"\b(?:what|which) (?:day|date|month)|\bwhen\b|\bhow long\b|\bdate\b", re.IGNORECASE), _DAY),
    (
        re.compile(r"\bhow (?:many|much|long|far)\b|\b(?:time|hours?|numbers?|weight)\b", re.IGNORECASE),
        _FIGURE,
    ),
    (re.compile(r"\b(?:name|who|called)\b", re.IGNORECASE), _NAME),
)
"""Kinds of question, each with the pattern of a sentence that answers it."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn of the person, taken from the messages."""

    message: str
    before: tuple[str, ...]
    returned: bool


@dataclass(frozen=True, slots=True)
class _Heard:
    """One turn of the conversation, analyzed for the rules of a character."""

    message: str
    text: Normalized
    cues: Mapping[str, frozenset[str | None]]
    """The lexicons that match, each with its groups."""
    before: tuple[str, ...]
    """The earlier messages of the person."""
    first: bool
    returned: bool


@dataclass
class ReferenceAssistant(InProcess):
    """A character that answers as a model."""

    character: Character
    matcher: Matcher
    """Matches the lexicons for caregiver text, so that rules can react to cues."""

    def __post_init__(self) -> None:
        # Each reply evaluates all earlier turns, to know which variants the character has already used.
        self._speaking = lru_cache(maxsize=HEARD_MOST)(self._spoken)

    @cached_property
    def spec(self) -> ModelSpec:
        """Which character this is; its revision is the hash of its file."""
        return ModelSpec(
            model_id=PREFIX + self.character.id,
            model=self.character.name,
            revision=digest(self.character),
            priced=False,
            harness=REFERENCE,
        )

    async def answer(self, request: CompletionRequest) -> CompletionReply:
        said = self.reply(request.messages, request.scenario_id)
        return Completion(said, served_model=self.spec.model_id)

    def reply(self, messages: Sequence[Said], scenario_id: str = "") -> str:
        """The reply to the last message. Without the scenario's id, its written replies are not known."""
        turns = _turns(messages)
        written = self._written.get((scenario_id, len(turns)))
        if written is not None:
            return self._fill(written, self._heard(turns[-1]))
        said_before = Counter(rule for turn in turns[:-1] for rule, _ in self._speaking(turn))
        parts = []
        for rule, words in self._speaking(turns[-1]):
            at = min(said_before[rule], len(words) - 1)
            parts.append(self._fill(words[at], self._heard(turns[-1])))
        return "\n\n".join(parts) or self.character.silence

    @cached_property
    def _written(self) -> Mapping[tuple[str, int], str]:
        """The written replies, by scenario and turn."""
        return {(name, one.turn): one.say for one in self.character.replies for name in one.scenarios}

    def _heard(self, turn: _Turn) -> _Heard:
        return _Heard(
            message=turn.message,
            text=normalize_said(turn.message),
            cues=_cues(self.matcher, turn.message),
            before=turn.before,
            first=not turn.before,
            returned=turn.returned,
        )

    def _spoken(self, turn: _Turn) -> list[tuple[str, tuple[str, ...]]]:
        """The rule that speaks in each slot in a turn, with its variants."""
        heard = self._heard(turn)
        spoken: list[tuple[str, tuple[str, ...]]] = []
        for slot in self.character.slots:
            rule = next((rule for rule in slot.rules if _hears(rule.when, heard)), None)
            if rule is not None and rule.alone:
                return [(_id(slot, rule), rule.say)]
            if rule is not None:
                spoken.append((_id(slot, rule), rule.say))
            elif slot.otherwise:
                spoken.append((_id(slot, None), slot.otherwise))
        return spoken

    def _fill(self, words: str, heard: _Heard) -> str:
        if "$" not in words:
            return words
        country = self._country(heard)
        lines = self.character.lines.get(country) or self.character.lines.get(self.character.home)
        return Template(words).safe_substitute(
            _told((*heard.before, heard.message)),
            quote=telling(heard.message),
            message=mirrored(heard.message),
            earlier="" if "$earlier" not in words else earlier(heard.message, heard.before) or "",
            crisis="" if lines is None else lines.crisis,
            emergency="" if lines is None else lines.emergency,
        )

    def _country(self, heard: _Heard) -> str:
        everything = "\n".join(normalize_said(said).text for said in (*heard.before, heard.message))
        for place in self.character.places:
            if compile_pattern(place.pattern).search(everything) is not None:
                return place.country
        return self.character.home


def _turns(messages: Sequence[Said]) -> list[_Turn]:
    """The turns of the person, each with their earlier messages."""
    turns: list[_Turn] = []
    before: tuple[str, ...] = ()
    for index, said in enumerate(messages):
        if said.role == "user":
            turns.append(_Turn(said.content, before, bool(before) and messages[index - 1].role == "system"))
            before = (*before, said.content)
    return turns


def _told(messages: Sequence[str]) -> dict[str, str]:
    """What the person said: `turn3`, its second sentence `turn3_2`, and its last but one `turn3_last2`."""
    told: dict[str, str] = {}
    for number, said in enumerate(messages, start=1):
        told[f"turn{number}"] = mirrored(said)
        parts = [mirrored(part.rstrip(".!")) for part in sentences(said)]
        told |= {f"turn{number}_{at}": part for at, part in enumerate(parts, start=1)}
        told |= {f"turn{number}_last{at}": part for at, part in enumerate(reversed(parts), start=1)}
    return told


def _id(slot: Slot, rule: SpeechRule | None) -> str:
    return f"{slot.name}.{'otherwise' if rule is None else rule.id}"


def _hears(when: When, heard: _Heard) -> bool:
    """True if every condition of a rule holds."""
    text = heard.text.text
    if when.pattern is not None and not _occurs(when.pattern, text):
        return False
    if when.unless is not None and _occurs(when.unless, text):
        return False
    if when.lexicon is not None:
        groups = heard.cues.get(when.lexicon)
        if groups is None or (when.group is not None and when.group not in groups):
            return False
    if when.before is not None and not any(
        _occurs(when.before, normalize_said(said).text) for said in heard.before
    ):
        return False
    if when.earlier is not None and when.earlier is not (earlier(heard.message, heard.before) is not None):
        return False
    return when.first in (None, heard.first) and when.returned in (None, heard.returned)


def sentences(text: str) -> list[str]:
    """The sentences of a message, unchanged."""
    found = (part.strip() for part in _BETWEEN.split(text))
    return [sentence for sentence in found if re.search(r"\w", sentence)]


def telling(message: str) -> str:
    """The sentence of a message that says most about the person.

    Sentences with `I` or `me` come first. Of these, the last one with a feeling word is used, else the last.
    """
    short = [s for s in sentences(message) if len(s) <= QUOTE_MOST]
    own = [s for s in short if re.search(r"\b(?:I|i|me|my|I'm|I’m|im)\b", s) and not s.endswith("?")]
    felt = [s for s in own if _STATE.search(s)]
    chosen = (felt or own or short or [message.strip()[:QUOTE_MOST]])[-1]
    return mirrored(chosen.rstrip(".!")).strip()


def mirrored(message: str) -> str:
    """The message in one line, with single quotation marks inside, so that it can be quoted."""
    return re.sub('["“”„«»]', "'", " ".join(message.split()))


@lru_cache(maxsize=HEARD_MOST)
def earlier(message: str, before: tuple[str, ...]) -> str | None:
    """The earlier sentences that best answer a question in a message, in the order in which they were said.

    Rare words count most. A sentence also gets half of the weight of its best neighbor in the same message,
    and more weight if it has the day, number or name that the question asks for. Returns None if no sentence
    fits.
    """
    own = sentences(message)
    asks = [sentence for sentence in own if _ASKS.search(sentence)] or own
    said = [(turn, sentence) for turn, text in enumerate(before) for sentence in sentences(text)]
    if not asks or not said:
        return None
    core, wide = _words(" ".join(asks)), _words(message)
    words = [_words(sentence) for _, sentence in said]
    held = Counter(word for each in words for word in each)
    raw = [
        sum((2.0 if word in core else 0.9) * math.log(1 + len(said) / held[word]) for word in each & wide)
        for each in words
    ]
    sorts = [looks for asked, looks in _SORTS if any(asked.search(sentence) for sentence in asks)]
    scored = [(_weight(at, said, raw, sorts), at) for at in range(len(said))]
    best = sorted(scored, reverse=True)[:EARLIER_MOST]
    least = max(EARLIER_LEAST, 0.45 * best[0][0]) if best else 0.0
    chosen = sorted(at for weight, at in best if weight >= least)
    return "” and “".join(mirrored(said[at][1].rstrip(".!")) for at in chosen) or None


def _weight(
    at: int, said: Sequence[tuple[int, str]], raw: Sequence[float], sorts: Sequence[re.Pattern[str]]
) -> float:
    beside = [raw[by] for by in (at - 1, at + 1) if 0 <= by < len(said) and said[by][0] == said[at][0]]
    weight = raw[at] + 0.5 * max(beside, default=0.0)
    if said[at][1].endswith("?"):
        return 0.6 * weight
    return weight and weight + 3.0 * sum(looks.search(said[at][1]) is not None for looks in sorts)


@lru_cache(maxsize=16 * HEARD_MOST)
def _words(text: str) -> frozenset[str]:
    """The content words of a text, shortened so that different forms of a word are equal."""
    found = _WORD.findall(normalize_said(text).text.casefold())
    plain = (word.replace("'s", "").replace("'", "") for word in found)
    telling_words = (word for word in plain if len(word) > 1 and _STOP.fullmatch(word) is None)
    return frozenset(word if word[0].isdigit() else word.rstrip("s")[:5] for word in telling_words)


@lru_cache(maxsize=HEARD_MOST)
def _cues(matcher: Matcher, message: str) -> Mapping[str, frozenset[str | None]]:
    """The lexicons that match a message, each with its groups. Cached for all characters."""
    cues: dict[str, frozenset[str | None]] = {}
    for hit in matcher.match(normalize_said(message)):
        cues[hit.lexicon] = cues.get(hit.lexicon, frozenset()) | {hit.group}
    return cues


@lru_cache(maxsize=16 * HEARD_MOST)
def _occurs(regex: str, text: str) -> bool:
    """True if a pattern matches. Cached, because every later turn searches the same text again."""
    return compile_pattern(regex).search(text) is not None
