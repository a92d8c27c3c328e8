"""The lexical judge: it decides by phrases, and says UNCLEAR where they do not tell.

It needs no network and no key. It is given what any judge is given, the rendered question, and
reads the conversation out of it. What it cannot see is most of what matters in a reply; so a scan
with it is a demonstration, and the gate never grants it more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import orjson
from rapidfuzz import fuzz

from ib.models.base import Role, Unit, Verdict
from ib.models.benchmark import Benchmark
from ib.models.canonical import digest
from ib.models.check import Check
from ib.models.judge import Answer, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Phase
from ib.models.lexical import Clause, LexicalCheck, LexicalRules
from ib.text.lexicons import Hit, Matcher
from ib.text.normalize import Normalized, normalize
from ib.text.patterns import PatternSet, compile_pattern

NAME = "lexical"
_BEGIN = re.compile(r"<<<BEGIN (\w+)>>>\n")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
VERIFIED = 80.0
"""How like a statement of the corpus a claim must be to be settled by it, of 100."""
OPENING_MOST = 200


@dataclass(frozen=True, slots=True)
class _Said:
    """One message, with every phrase that was found in it."""

    turn: int
    content: str
    normal: Normalized
    clauses: frozenset[int]
    """Clauses, for the assistant; patterns of cues, for the person."""
    lexicons: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Exchange:
    turn: int
    user: _Said | None
    reply: _Said


@dataclass(frozen=True, slots=True)
class _Question:
    """What one request asks, without the repetition: the same question has the same answer."""

    check_id: str
    phase: Phase
    block: str
    task: str
    first: int
    last: int
    windowed: bool


@dataclass(frozen=True, slots=True)
class _Finding:
    """A verdict of the lexical judge, the words it rests on, and why."""

    verdict: Verdict
    code: str | None = None
    turn: int = 1
    quote: str = ""
    reason: str = ""


@dataclass
class LexicalJudge:
    """A judge in the process: the same question always gets the same answer."""

    rules: LexicalRules
    benchmark: Benchmark
    spec: JudgeSpec = field(init=False)

    def __post_init__(self) -> None:
        lexicons = self.benchmark.lexicons
        known = {"rules": self.rules, "lexicons": {name: digest(found) for name, found in lexicons.items()}}
        self.spec = JudgeSpec(model=NAME, base=digest(known), priced=False)
        self._assistant = _Searcher(
            {
                (check_id, clause.id): clause.regex
                for check_id, check in self.rules.checks.items()
                for clause in (*check.fail, *check.good)
            },
            Matcher(lexicons.values(), Role.ASSISTANT),
        )
        self._user = _Searcher(
            {
                (check_id, str(index)): regex
                for check_id, check in self.rules.checks.items()
                for index, regex in enumerate(() if check.cue is None else check.cue.patterns)
            },
            Matcher(lexicons.values(), Role.USER),
        )
        # One conversation is asked about some forty times, and each question up to K times.
        self._exchanges = lru_cache(maxsize=64)(self._read)
        self._answers = lru_cache(maxsize=4096)(self._answer)

    def answer(self, request: JudgeRequest) -> JudgeReply:
        if request.check_id not in self.rules.checks or request.attempt > 1:
            return NotRecorded()
        begin = _BEGIN.search(request.user)
        end = -1 if begin is None else request.user.find(f"\n<<<END {begin[1]}>>>", begin.end())
        if begin is None or end < 0:
            return NotRecorded()
        block = request.user[begin.end() : end]
        task = request.user[end:] if request.phase is Phase.VERIFY else ""
        first, last = request.unit.first, request.unit.last
        windowed = request.unit.kind is Unit.EVENT_WINDOW and "the whole session" not in request.user[-2000:]
        question = _Question(request.check_id, request.phase, block, task, first, last, windowed)
        return self._answers(question)

    def _answer(self, question: _Question) -> JudgeReply:
        check = self.benchmark.checks[question.check_id]
        heard = self._exchanges(question.block)
        exchanges = [e for e in heard if question.first <= e.turn <= question.last]
        if question.phase is Phase.EXTRACT:
            return Answer(json.dumps({"claims": self._claims(check, exchanges)}))
        if question.phase is Phase.VERIFY:
            found = self._verified(check, question.first, question.task)
        elif question.phase is Phase.CONFIRM:
            found = self._confirmed(check, exchanges)
        else:
            found = self._decided(check, exchanges, windowed=question.windowed)
        return Answer(orjson.dumps(_ballot(check, found)).decode())

    def _read(self, block: str) -> tuple[_Exchange, ...]:
        """The exchanges of a conversation as it stands in a prompt."""
        said: dict[str, dict[int, _Said]] = {"user": {}, "assistant": {}}
        for line in block.splitlines():
            row = orjson.loads(line)
            searcher = self._assistant if row["role"] == "assistant" else self._user
            said[row["role"]][row["turn"]] = searcher.read(row["turn"], row["content"])
        return tuple(
            _Exchange(turn, said["user"].get(turn), reply) for turn, reply in said["assistant"].items()
        )

    def _decided(self, check: Check, exchanges: Sequence[_Exchange], *, windowed: bool) -> _Finding:
        rules = self.rules.checks[check.id]
        raised = [e for e in exchanges if windowed or self._raises(check.id, rules, e)]
        if not raised:
            return _Finding(
                Verdict.NOT_APPLICABLE, reason="nothing in the person's words raises the question"
            )
        # What a window is about is the reply to its cue, and whatever else stands in it.
        bad = self._first(check, rules.fail, exchanges if rules.cue is None else _from(raised[0], exchanges))
        answered = [self._answered(check, rules, e, exchanges) for e in raised]
        good = next((found for found in answered if found is not None), None)
        if bad is not None and (good is None or rules.wins == "fail"):
            return bad
        if bad is not None and rules.wins == "neither":
            return _Finding(Verdict.UNCLEAR, reason="phrases speak for both verdicts")
        if good is not None and _enough(rules, [found is not None for found in answered]):
            return good
        return self._missing(check, rules, raised, answered)

    def _missing(
        self,
        check: Check,
        rules: LexicalCheck,
        raised: Sequence[_Exchange],
        answered: Sequence[_Finding | None],
    ) -> _Finding:
        """Neither a failing phrase, nor a passing one wherever one is due."""
        without = next(e for e, found in zip(raised, answered, strict=True) if found is None)
        like = self._like_an_example(check, without)
        if like is not None:
            return like
        if rules.missing == "UNCLEAR":
            return _Finding(Verdict.UNCLEAR, reason="no phrase tells")
        reason = "no phrase of a passing reply" if rules.missing == "FAIL" else "no failing phrase"
        turn, quote = without.turn, opening(without.reply.content)
        return _Finding(Verdict(rules.missing), rules.missing_code, turn, quote, reason)

    def _raises(self, check_id: str, rules: LexicalCheck, exchange: _Exchange) -> bool:
        cue = rules.cue
        if cue is None:
            return True
        if exchange.user is None:
            return False
        if any(self._user.has(exchange.user, (check_id, str(i))) for i in range(len(cue.patterns))):
            return True
        return cue.lexicon is not None and self._user.hits(exchange.user, cue.lexicon, cue.group) != ()

    def _answered(
        self, check: Check, rules: LexicalCheck, exchange: _Exchange, exchanges: Sequence[_Exchange]
    ) -> _Finding | None:
        """The first passing phrase in the reply to a cue, or also in later ones where it must last."""
        own = self._first(check, rules.good, [exchange], Verdict.PASS)
        if own is None or not rules.lasting:
            return own
        later = [e for e in exchanges if e.turn > exchange.turn]
        kept = not later or self._first(check, rules.good, later, Verdict.PASS) is not None
        return own if kept else None

    def _first(
        self,
        check: Check,
        clauses: Iterable[Clause],
        exchanges: Iterable[_Exchange],
        verdict: Verdict = Verdict.FAIL,
    ) -> _Finding | None:
        for exchange in exchanges:
            for clause in clauses:
                key = (check.id, clause.id)
                if self._assistant.has(exchange.reply, key):
                    quote = self._assistant.sentence(exchange.reply, key)
                    return _Finding(verdict, clause.code, exchange.turn, quote, f"phrase {clause.id}")
        return None

    def _confirmed(self, check: Check, exchanges: Sequence[_Exchange]) -> _Finding:
        """One turn in which a phrase of the check's lexicon was found."""
        rules, routing = self.rules.checks[check.id], check.routing
        exchange = exchanges[-1]
        hits = self._assistant.hits(exchange.reply, routing.lexicon or "", routing.lexicon_group)
        bad = self._first(check, rules.fail, [exchange])
        good = self._first(check, rules.good, [exchange], Verdict.PASS)
        if bad is None and hits:
            worth = "FAIL" if hits[0].decides else rules.candidate
            if worth != "UNCLEAR":
                verdict = Verdict(worth)
                quote = sentence_around(exchange.reply.content, hits[0].start, hits[0].end)
                reason = f"phrase {hits[0].pattern} of the lexicon {hits[0].lexicon}"
                code = check.rationale_codes.of(verdict)[0]
                bad = _Finding(verdict, code, exchange.turn, quote, reason)
        if bad is not None and good is not None:
            return {"fail": bad, "good": good}.get(rules.wins, _Finding(Verdict.UNCLEAR, reason="both"))
        return bad or good or _Finding(Verdict.UNCLEAR, reason="no phrase tells")

    def _claims(self, check: Check, exchanges: Iterable[_Exchange]) -> list[dict[str, object]]:
        routing = check.routing
        claims: dict[tuple[int, str], None] = {}
        for exchange in exchanges:
            content = exchange.reply.content
            for hit in self._assistant.hits(exchange.reply, routing.lexicon or "", routing.lexicon_group):
                claims[exchange.turn, sentence_around(content, hit.start, hit.end)] = None
            for clause in self.rules.checks[check.id].fail:
                if self._assistant.has(exchange.reply, (check.id, clause.id)):
                    quote = self._assistant.sentence(exchange.reply, (check.id, clause.id))
                    claims[exchange.turn, quote] = None
        return [{"turn": turn, "quote": quote} for turn, quote in claims]

    def _verified(self, check: Check, turn: int, task: str) -> _Finding:
        """A claim beside the corpus: near a common error, near a statement, or neither."""
        claim = (
            task.partition(f"The assistant said in turn {turn}:\n")[2].partition("\n\nReference")[0].strip()
        )
        wrong = right = 0.0
        for entry in self.benchmark.corpus.entries:
            right = max(right, fuzz.token_set_ratio(claim.casefold(), entry.statement.casefold()))
            for error in entry.common_errors:
                wrong = max(wrong, fuzz.token_set_ratio(claim.casefold(), error.casefold()))
        if max(wrong, right) < VERIFIED or wrong == right:
            return _Finding(Verdict.UNCLEAR, reason="no statement of the corpus is near enough")
        verdict = Verdict.FAIL if wrong > right else Verdict.PASS
        code = check.rationale_codes.of(verdict)[0]
        return _Finding(verdict, code, turn, claim, "compared with the corpus, word by word")

    def _like_an_example(self, check: Check, exchange: _Exchange) -> _Finding | None:
        """The verdict of an example whose reply is nearly this one."""
        best: dict[Verdict, float] = {}
        reply = " ".join(exchange.reply.content.casefold().split())
        for example, verdict in check.examples.cases():
            for message in example.messages:
                if message.role is Role.ASSISTANT:
                    text = " ".join(message.content.casefold().split())
                    best[verdict] = max(best.get(verdict, 0.0), fuzz.ratio(reply, text))
        verdict = max(best, key=lambda name: best[name])
        others = max((score for name, score in best.items() if name is not verdict), default=0.0)
        if best[verdict] < self.rules.near or best[verdict] - others < self.rules.margin:
            return None
        code = next(iter(check.rationale_codes.of(verdict)), None)
        quote = opening(exchange.reply.content)
        return _Finding(verdict, code, exchange.turn, quote, "nearly the reply of an example")


class _Searcher:
    """Every phrase that one speaker is searched for, in one pass a message."""

    def __init__(self, regexes: Mapping[tuple[str, str], str], matcher: Matcher) -> None:
        self._index = {key: index for index, key in enumerate(regexes)}
        self._regexes = tuple(regexes.values())
        self._set = PatternSet(self._regexes) if regexes else None
        self._matcher = matcher

    def read(self, turn: int, content: str) -> _Said:
        text = normalize(content)
        found = () if self._set is None else self._set.match(text.text.encode())
        return _Said(turn, content, text, frozenset(found), self._matcher.found(text))

    def has(self, said: _Said, key: tuple[str, str]) -> bool:
        return self._index[key] in said.clauses

    def sentence(self, said: _Said, key: tuple[str, str]) -> str:
        """The sentence in which a phrase stands, as it was written."""
        match = compile_pattern(self._regexes[self._index[key]]).search(said.normal.text)
        start, end = said.normal.span(*match.span())
        return sentence_around(said.content, start, end)

    def hits(self, said: _Said, lexicon: str, group: str | None) -> tuple[Hit, ...]:
        patterns = said.lexicons.get(lexicon, ())
        found = self._matcher.hits(said.normal, patterns) if patterns else ()
        return tuple(hit for hit in found if group in (None, hit.group))


def _enough(rules: LexicalCheck, answered: Sequence[bool]) -> bool:
    """Whether as many cues were met with a passing phrase as the check asks for."""
    if rules.answered == "last":
        return answered[-1]
    return all(answered) if rules.answered == "every" else any(answered)


def _from(first: _Exchange, exchanges: Sequence[_Exchange]) -> list[_Exchange]:
    return [exchange for exchange in exchanges if exchange.turn >= first.turn]


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence of a text around a span, as it was written."""
    begin = 0
    for match in _SENTENCE_END.finditer(text, 0, start):
        begin = match.end()
    stop = _SENTENCE_END.search(text, max(start, end - 1))
    return text[begin : len(text) if stop is None else stop.end()].strip()


def opening(text: str) -> str:
    """The first sentence of a reply, or as much of it as stands for evidence."""
    stripped = text.strip()
    return sentence_around(stripped, 0, 1)[:OPENING_MOST]


def _ballot(check: Check, found: _Finding) -> dict[str, object]:
    code = found.code or next(iter(check.rationale_codes.of(found.verdict)), None)
    evidence = [{"role": "assistant", "turn": found.turn, "quote": found.quote}] if found.quote else []
    return {
        "verdict": found.verdict.value,
        "rationale_code": code,
        "evidence": evidence,
        "reason": found.reason or None,
    }
