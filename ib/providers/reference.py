"""Reference assistants: characters that answer by rule, in the process, always the same.

They are the floor and the ceiling of every metric. A character sees what a model sees, the messages
and nothing else: where the person is, what they fear and what they said before it has to hear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Any

from rapidfuzz import fuzz

from ib.models.canonical import digest
from ib.models.character import Character, Slot, SpeechRule, When
from ib.models.run import Completion, CompletionReply, CompletionRequest, ModelSpec, Said
from ib.text.lexicons import Matcher
from ib.text.normalize import Normalized, normalize
from ib.text.patterns import compile_pattern

PREFIX = "reference/"
QUOTE_MOST = 140
"""How long a sentence may be to be repeated to the person, in characters."""
EARLIER_LEAST = 55.0
"""How like a question an earlier sentence must be to answer it, of 100."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_ASKING = re.compile(
    r"\b(?:what|which|who|when|where|how|did|do|does|was|is|are|again|remember|remind|said|say|tell|told|you|me|can|"
    r"the|a|an|of|to|it|that|i|my|mentioned?|earlier|before|called|name)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Heard:
    """One turn of the conversation as a character hears it."""

    message: str
    text: Normalized
    cues: Mapping[str, frozenset[str | None]]
    """The lexicons that were hit, each with its groups."""
    before: tuple[str, ...]
    """What the person said in earlier turns."""
    first: bool
    returned: bool


@dataclass
class ReferenceAssistant:
    """One character behind the seam of a model."""

    character: Character
    matcher: Matcher
    """The lexicons of the user's words, by which a character hears cues."""

    def __post_init__(self) -> None:
        self._cues = cache(self._cues_of)

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(
            model_id=PREFIX + self.character.id,
            model=self.character.name,
            revision=digest(self.character),
            priced=False,
        )

    async def answer(self, request: CompletionRequest) -> CompletionReply:
        return Completion(self.reply(request.messages), served_model=self.spec.model_id)

    def reply(self, messages: Sequence[Said]) -> str:
        """What the character says to the last message."""
        heard = self._hear(messages)
        said_before: dict[str, int] = {}
        for earlier in heard[:-1]:
            for rule, _ in self._speaking(earlier):
                said_before[rule] = said_before.get(rule, 0) + 1
        parts = []
        for rule, words in self._speaking(heard[-1]):
            at = min(said_before.get(rule, 0), len(words) - 1)
            parts.append(self._fill(words[at], heard[-1]))
        return "\n\n".join(parts) or self.character.silence

    def _hear(self, messages: Sequence[Said]) -> list[_Heard]:
        heard: list[_Heard] = []
        for index, said in enumerate(messages):
            if said.role != "user":
                continue
            text = normalize(said.content)
            heard.append(
                _Heard(
                    message=said.content,
                    text=text,
                    cues=self._cues(said.content),
                    before=tuple(earlier.message for earlier in heard),
                    first=not heard,
                    returned=bool(heard) and messages[index - 1].role == "system",
                )
            )
        return heard

    def _cues_of(self, message: str) -> Mapping[str, frozenset[str | None]]:
        cues: dict[str, frozenset[str | None]] = {}
        for hit in self.matcher.match(normalize(message)):
            cues[hit.lexicon] = cues.get(hit.lexicon, frozenset()) | {hit.group}
        return cues

    def _speaking(self, heard: _Heard) -> list[tuple[str, tuple[str, ...]]]:
        """What every slot says, with the rule that says it."""
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
        country = self._country(heard)
        lines = self.character.lines.get(country) or self.character.lines.get(self.character.home)
        return Template(words).safe_substitute(
            quote=telling(heard.message),
            message=" ".join(heard.message.split()),
            earlier=earlier(heard.message, heard.before) or "",
            crisis="" if lines is None else lines.crisis,
            emergency="" if lines is None else lines.emergency,
        )

    def _country(self, heard: _Heard) -> str:
        everything = normalize("\n".join((*heard.before, heard.message))).text
        for place in self.character.places:
            if _compiled(place.pattern).search(everything) is not None:
                return place.country
        return self.character.home


def _id(slot: Slot, rule: SpeechRule | None) -> str:
    return f"{slot.name}.{'otherwise' if rule is None else rule.id}"


def _hears(when: When, heard: _Heard) -> bool:
    """Whether everything that a rule listens for is there."""
    text = heard.text.text
    if when.pattern is not None and _compiled(when.pattern).search(text) is None:
        return False
    if when.unless is not None and _compiled(when.unless).search(text) is not None:
        return False
    if when.lexicon is not None:
        groups = heard.cues.get(when.lexicon)
        if groups is None or (when.group is not None and when.group not in groups):
            return False
    if when.before is not None and not any(
        _compiled(when.before).search(normalize(said).text) is not None for said in heard.before
    ):
        return False
    if when.earlier is not None and when.earlier is not (earlier(heard.message, heard.before) is not None):
        return False
    return when.first in (None, heard.first) and when.returned in (None, heard.returned)


def sentences(text: str) -> list[str]:
    """The sentences of a message, as written."""
    found = (match.strip() for match in _SENTENCE.findall(text))
    return [sentence for sentence in found if re.search(r"\w", sentence)]


def telling(message: str) -> str:
    """The sentence of a message that says most of the person: the last that speaks of `I` or `me`."""
    short = [s for s in sentences(message) if len(s) <= QUOTE_MOST]
    own = [s for s in short if re.search(r"\b(?:I|i|me|my|I'm|I’m|im)\b", s) and not s.endswith("?")]
    chosen = (own or short or [message.strip()[:QUOTE_MOST]])[-1]
    return chosen.rstrip(".!").strip()


def earlier(message: str, before: Sequence[str]) -> str | None:
    """The earlier sentence that answers the question of a message best, or None where none is like it."""
    question = next((s for s in reversed(sentences(message)) if s.endswith("?")), None)
    if question is None:
        return None
    core = " ".join(_ASKING.sub(" ", question).split()).casefold()
    if not core:
        return None
    scored = [
        (fuzz.token_set_ratio(core, " ".join(_ASKING.sub(" ", sentence).split()).casefold()), at, sentence)
        for at, sentence in enumerate(s for text in before for s in sentences(text) if not s.endswith("?"))
    ]
    best = max(scored, default=None)
    return None if best is None or best[0] < EARLIER_LEAST else best[2].rstrip(".!")


@cache
def _compiled(regex: str) -> Any:
    return compile_pattern(regex)
