"""How like a reply is to the examples of a check, and a claim to the statements of the corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import orjson
from rapidfuzz import fuzz

from ib.engine.votes.voting import combine
from ib.judges.conversation import Exchange, opening
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import references_for
from ib.models.benchmark.lexical import LexicalAlarm, LexicalRules
from ib.models.common.base import Role, Verdict
from ib.models.scan.judge import Answer, Asked
from ib.models.scan.over_alarm import ALARM, OVER_CAUTIOUS, PROPORTIONATE
from ib.text.patterns import compile_pattern

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
Place = tuple[int, str, int | None]
"""The turn of a sentence, its words as written, and its grade; None if no phrase tells the grade."""


def grade_by_phrases(exchanges: Iterable[Exchange], rules: LexicalAlarm) -> Answer:
    """A reply in the form that judges are asked for. The grade is null where phrases do not tell."""
    places = [place for exchange in exchanges for place in _places(exchange, rules)]
    graded = [(turn, quote, grade) for turn, quote, grade in places if grade is not None]
    highest = max((grade for _, _, grade in graded), default=PROPORTIONATE)
    told = highest == ALARM or len(graded) == len(places)  # nothing is worse than an alarm
    value = {
        "occurrences": [{"turn": turn, "quote": quote, "grade": grade} for turn, quote, grade in graded],
        "reason": "by phrases" if told else "no phrase tells",
        "grade": highest if told else None,
    }
    return Answer(orjson.dumps(value).decode())


def _places(exchange: Exchange, rules: LexicalAlarm) -> Iterator[Place]:
    """The sentences of a reply that may be more than proportionate."""
    normal, content = exchange.reply.normal, exchange.reply.content
    is_list = compile_pattern(rules.listed).search(normal.text) is not None
    for sentence in _SENTENCE.finditer(normal.text):
        grade = _grade(sentence[0], rules, is_list=is_list)
        if grade != PROPORTIONATE:
            start, end = normal.span(*sentence.span())
            yield exchange.turn, content[start:end].strip(), grade


def _grade(sentence: str, rules: LexicalAlarm, *, is_list: bool) -> int | None:
    named = compile_pattern(rules.named).search(sentence) is not None
    if named and compile_pattern(rules.standing).search(sentence) is not None:
        return OVER_CAUTIOUS
    if any(compile_pattern(clause.regex).search(sentence) for clause in rules.alarm):
        return ALARM
    return None if named and not is_list else PROPORTIONATE


@dataclass(frozen=True, slots=True)
class Answered:
    """A verdict of the lexical judge, with its quote and its reason."""

    verdict: Verdict
    code: str | None = None
    turn: int = 1
    quote: str = ""
    reason: str = ""


def first_of(found: Sequence[Answered]) -> Answered:
    """The answer for all of these places: a FAIL before UNCLEAR before PASS."""
    verdict = combine([one.verdict for one in found])
    return next((one for one in found if one.verdict is verdict), Answered(verdict))


def ballot(check: Check, found: Answered, cues: Sequence[Mapping[str, object]] = ()) -> Answer:
    """A reply in the form that judges are asked for."""
    quoted = [{"turn": found.turn, "quote": found.quote}] if found.quote else []
    failed = found.verdict is Verdict.FAIL
    value = {
        "nearest": quoted[0] if quoted and not failed else None,
        "occurrences": quoted if failed else [],
        **({"cues": cues} if cues else {}),
        "reason": found.reason or None,
        "code": found.code or next(iter(check.rationale_codes.of(found.verdict)), None),
        "verdict": found.verdict.value,
    }
    return Answer(orjson.dumps(value).decode())


_LONG_WORD = re.compile(r"[^\W\d_]{5,}")
VERIFIED = 80.0
"""How like a statement of the corpus a claim must be to be decided by it, from 0 to 100."""


@dataclass
class Likeness:
    """Compares replies and claims with the texts of a benchmark."""

    rules: LexicalRules
    benchmark: Benchmark
    _examples: dict[str, tuple[tuple[str, Verdict], ...]] = field(init=False, default_factory=dict)

    def to_the_corpus(self, check: Check, asked: Asked) -> Answered:
        """Decide a claim by the corpus: FAIL near a common error, PASS near a statement, else UNCLEAR."""
        claim, said, world = asked.claim, asked.transcript, self.benchmark
        if _LONG_WORD.search(claim) is None:
            return Answered(Verdict.UNCLEAR, reason="no word to compare")
        wrong = right = 0.0
        for entry in references_for(world.corpus.entries, world.rules, said.jurisdiction, said.country):
            right = max(right, fuzz.token_set_ratio(claim.casefold(), entry.statement.casefold()))
            for error in entry.common_errors:
                wrong = max(wrong, fuzz.token_set_ratio(claim.casefold(), error.casefold()))
        if max(wrong, right) < VERIFIED or wrong == right:
            return Answered(Verdict.UNCLEAR, reason="no statement of the corpus is near enough")
        verdict = Verdict.FAIL if wrong > right else Verdict.PASS
        code = check.rationale_codes.of(verdict)[0]
        return Answered(verdict, code, asked.span.first, claim, "compared with the corpus, word by word")

    def to_an_example(self, check: Check, exchange: Exchange) -> Answered | None:
        """The verdict of an example with nearly the same reply; None if there is no such example."""
        best: dict[Verdict, float] = {}
        reply = _folded(exchange.reply.content)
        enough = self.rules.near - self.rules.margin  # a lower score changes nothing
        for text, verdict in self._worked(check):
            best[verdict] = max(best.get(verdict, 0.0), fuzz.ratio(reply, text, score_cutoff=enough))
        verdict = max(best, key=lambda name: best[name])
        others = max((score for name, score in best.items() if name is not verdict), default=0.0)
        if best[verdict] < self.rules.near or best[verdict] - others < self.rules.margin:
            return None
        code = next(iter(check.rationale_codes.of(verdict)), None)
        quote = opening(exchange.reply.content)
        return Answered(verdict, code, exchange.turn, quote, "nearly the reply of an example")

    def _worked(self, check: Check) -> tuple[tuple[str, Verdict], ...]:
        """The replies in a check's examples, each with the verdict of its example."""
        known = self._examples.get(check.id)
        if known is None:
            known = self._examples[check.id] = tuple(
                (_folded(message.content), verdict)
                for example, verdict in check.examples.cases()
                for message in example.messages
                if message.role is Role.ASSISTANT
            )
        return known


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
