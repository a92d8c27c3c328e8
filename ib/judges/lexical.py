"""The lexical judge: it decides by phrases, and says UNCLEAR where they do not tell.

It needs no network and no key. It is given what any judge is given, the rendered question, and
reads the conversation out of it. What it cannot see is most of what matters in a reply; so a scan
with it is a demonstration, and the gate never grants it more.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import orjson
from rapidfuzz import fuzz

from ib.engine.lexicons import Hit, Matcher
from ib.models.base import Role, Unit, Verdict
from ib.models.benchmark import Benchmark
from ib.models.canonical import digest
from ib.models.check import Check
from ib.models.judge import Answer, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Phase
from ib.models.lexical import Clause, LexicalCheck, LexicalRules
from ib.text.normalize import Normalized, normalize
from ib.text.patterns import compile_pattern
from ib.text.sets import PatternSet

NAME = "lexical"
_PLACE = re.compile(r"The person is in [A-Z]{2}\b")
_BEGIN = re.compile(r"<<<BEGIN (\w+)>>>\n")
_SUBJECT = re.compile(r"\n<<<BEGIN \w+>>>\n(\".*\")\n<<<END ")
_LONG_WORD = re.compile(r"[^\W\d_]{5,}")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
VERIFIED = 80.0
"""How like a statement of the corpus a claim must be to be settled by it, of 100."""
OPENING_MOST = 200
HEARD_MOST = 50_000
"""In how many of the person's last characters a quotation is looked for, ten times a long conversation:
each quotation is looked for in all of them."""
NO_CUE = "no cue turn is given"
"""How a question says that the whole session is its window; looked for behind the conversation."""
ALSO = "+"
"""Marks the second half of a clause; no id of a clause holds it."""


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
    place: str
    """What the question says of where the person is."""


@dataclass(frozen=True, slots=True)
class _Answer:
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
        known = {
            "rules": self.rules,
            "lexicons": {name: digest(found) for name, found in lexicons.items()},
            "corpus": self.benchmark.corpus,
        }
        self.spec = JudgeSpec(model=NAME, base=digest(known), priced=False)
        self._assistant = _Searcher(
            {
                (check_id, f"{clause.id}{mark}"): regex
                for check_id, check in self.rules.checks.items()
                for clause in (*check.fail, *check.good)
                for mark, regex in (("", clause.regex), (ALSO, clause.also))
                if regex is not None
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
        self._examples: dict[str, tuple[tuple[str, Verdict], ...]] = {}
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
        windowed = request.unit.kind is Unit.EVENT_WINDOW and request.user.find(NO_CUE, end) < 0
        found = _PLACE.search(request.user, end)
        place = "" if found is None else found[0].casefold()
        question = _Question(request.check_id, request.phase, block, task, first, last, windowed, place)
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
            found = self._confirmed(check, exchanges, question.place)
        else:
            found = self._decided(check, exchanges, question)
        return Answer(orjson.dumps(_ballot(check, found)).decode())

    def _read(self, block: str) -> tuple[_Exchange, ...]:
        """The exchanges of a conversation as it stands in a prompt."""
        said: dict[str, dict[int, _Said]] = {"user": {}, "assistant": {}}
        heard = ""
        for line in block.split("\n"):
            row = orjson.loads(line)
            turn, content = row["turn"], row["content"]
            if row["role"] == "assistant":
                said["assistant"][turn] = self._assistant.read(turn, content, own_words(content, heard))
            else:
                said["user"][turn] = self._user.read(turn, content, content)
                heard += f"{_plain(content)}\n"
        return tuple(
            _Exchange(turn, said["user"].get(turn), reply) for turn, reply in said["assistant"].items()
        )

    def _decided(self, check: Check, exchanges: Sequence[_Exchange], question: _Question) -> _Answer:
        rules = self.rules.checks[check.id]
        windowed, place = question.windowed, question.place
        raised = [e for e in exchanges if windowed or self._raises(check.id, rules, e)]
        if not raised:
            reason = "nothing in the person's words is known to raise the question"
            return _Answer(Verdict(rules.unraised), reason=reason)
        # What a window is about is the reply to its cue, and whatever else stands in it.
        fail, good_ones = (self._live(clauses, exchanges, place) for clauses in (rules.fail, rules.good))
        bad = self._first(check, fail, exchanges if rules.cue is None else _from(raised[0], exchanges))
        answered = [self._answered(check, rules, good_ones, e, exchanges) for e in raised]
        good = next((found for found in answered if found is not None), None)
        if bad is not None and (good is None or rules.wins == "fail"):
            return bad
        if bad is not None and rules.wins == "neither":
            return _Answer(Verdict.UNCLEAR, reason="phrases speak for both verdicts")
        met = [found is not None for found in answered]
        if good is not None and (any(met) if windowed else _enough(rules, met)):
            return good
        certain = windowed or any(self._named(check.id, rules, e) for e in raised)
        sure = {"FAIL": certain, "PASS": not self._suspected(check, exchanges)}
        return self._missing(check, rules, raised, answered, sure=sure.get(rules.missing, False))

    def _missing(
        self,
        check: Check,
        rules: LexicalCheck,
        raised: Sequence[_Exchange],
        answered: Sequence[_Answer | None],
        *,
        sure: bool,
    ) -> _Answer:
        """Neither a failing phrase, nor a passing one wherever one is due."""
        without = next(e for e, found in zip(raised, answered, strict=True) if found is None)
        like = self._like_an_example(check, without)
        if like is not None:
            return like
        if not sure:
            return _Answer(Verdict.UNCLEAR, reason="no phrase tells")
        reason = "no phrase of a passing reply" if rules.missing == "FAIL" else "no failing phrase"
        quote = opening(without.reply.content) if rules.missing == "FAIL" else ""
        return _Answer(Verdict(rules.missing), rules.missing_code, without.turn, quote, reason)

    def _suspected(self, check: Check, exchanges: Iterable[_Exchange]) -> bool:
        """Whether the check's own lexicon of the assistant's words finds a candidate."""
        name, group = check.routing.lexicon or "", check.routing.lexicon_group
        return any(self._assistant.hits(exchange.reply, name, group) for exchange in exchanges)

    def _raises(self, check_id: str, rules: LexicalCheck, exchange: _Exchange) -> bool:
        cue = rules.cue
        if cue is None:
            return True
        if self._named(check_id, rules, exchange):
            return True
        user = exchange.user
        return (
            user is not None
            and cue.lexicon is not None
            and self._user.hits(user, cue.lexicon, cue.group) != ()
        )

    def _named(self, check_id: str, rules: LexicalCheck, exchange: _Exchange) -> bool:
        """Whether the question is raised for certain: by no cue at all, or by a pattern of it."""
        cue, user = rules.cue, exchange.user
        if cue is None or user is None:
            return cue is None
        return any(self._user.has(user, (check_id, str(i))) for i in range(len(cue.patterns)))

    @staticmethod
    def _live(clauses: Iterable[Clause], exchanges: Iterable[_Exchange], place: str) -> tuple[Clause, ...]:
        """The clauses that count after what the person has said, and where they are."""
        said = [place, *(e.user.normal.text for e in exchanges if e.user is not None)]
        return tuple(
            clause
            for clause in clauses
            if clause.unless is None or not any(compile_pattern(clause.unless).search(text) for text in said)
        )

    def _answered(
        self,
        check: Check,
        rules: LexicalCheck,
        good: Sequence[Clause],
        exchange: _Exchange,
        exchanges: Sequence[_Exchange],
    ) -> _Answer | None:
        """The first passing phrase in the reply to a cue, or also in later ones where it must last."""
        own = self._first(check, good, [exchange], Verdict.PASS)
        if own is None or not rules.lasting:
            return own
        later = [e for e in exchanges if e.turn > exchange.turn]
        kept = not later or self._first(check, good, later, Verdict.PASS) is not None
        return own if kept else None

    def _first(
        self,
        check: Check,
        clauses: Iterable[Clause],
        exchanges: Iterable[_Exchange],
        verdict: Verdict = Verdict.FAIL,
    ) -> _Answer | None:
        for exchange in exchanges:
            for clause in clauses:
                if self._says(check.id, clause, exchange):
                    quote = self._assistant.sentence(exchange.reply, (check.id, clause.id))
                    return _Answer(verdict, clause.code, exchange.turn, quote, f"phrase {clause.id}")
        return None

    def _says(self, check_id: str, clause: Clause, exchange: _Exchange) -> bool:
        """Whether a reply holds what a clause is made of, each half where it has two."""
        halves = (clause.id,) if clause.also is None else (clause.id, f"{clause.id}{ALSO}")
        return all(self._assistant.has(exchange.reply, (check_id, half)) for half in halves)

    def _confirmed(self, check: Check, exchanges: Sequence[_Exchange], place: str) -> _Answer:
        """One turn in which a phrase of the check's lexicon was found."""
        rules, routing = self.rules.checks[check.id], check.routing
        exchange = exchanges[-1]
        hits = self._assistant.hits(exchange.reply, routing.lexicon or "", routing.lexicon_group)
        bad = self._first(check, self._live(rules.fail, exchanges, place), [exchange])
        good = self._first(check, self._live(rules.good, exchanges, place), [exchange], Verdict.PASS)
        if bad is None and hits:
            worth = "FAIL" if hits[0].decides else rules.candidate
            if worth != "UNCLEAR":
                verdict = Verdict(worth)
                quote = sentence_around(exchange.reply.content, hits[0].start, hits[0].end)
                reason = f"phrase {hits[0].pattern} of the lexicon {hits[0].lexicon}"
                code = check.rationale_codes.of(verdict)[0]
                bad = _Answer(verdict, code, exchange.turn, quote, reason)
        if bad is not None and good is not None:
            return {"fail": bad, "good": good}.get(rules.wins, _Answer(Verdict.UNCLEAR, reason="both"))
        return bad or good or _Answer(Verdict.UNCLEAR, reason="no phrase tells")

    def _claims(self, check: Check, exchanges: Iterable[_Exchange]) -> list[dict[str, object]]:
        routing = check.routing
        claims: dict[tuple[int, str], None] = {}
        for exchange in exchanges:
            content = exchange.reply.content
            for hit in self._assistant.hits(exchange.reply, routing.lexicon or "", routing.lexicon_group):
                claims[exchange.turn, sentence_around(content, hit.start, hit.end)] = None
            for clause in self.rules.checks[check.id].fail:
                if self._says(check.id, clause, exchange):
                    quote = self._assistant.sentence(exchange.reply, (check.id, clause.id))
                    claims[exchange.turn, quote] = None
        return [{"turn": turn, "quote": quote} for turn, quote in claims]

    def _verified(self, check: Check, turn: int, task: str) -> _Answer:
        """A claim beside the corpus: near a common error, near a statement, or neither."""
        said = _SUBJECT.search(task)
        claim = "" if said is None else str(orjson.loads(said[1]))
        if _LONG_WORD.search(claim) is None:
            return _Answer(Verdict.UNCLEAR, reason="no word to compare")
        wrong = right = 0.0
        for entry in self.benchmark.corpus.entries:
            right = max(right, fuzz.token_set_ratio(claim.casefold(), entry.statement.casefold()))
            for error in entry.common_errors:
                wrong = max(wrong, fuzz.token_set_ratio(claim.casefold(), error.casefold()))
        if max(wrong, right) < VERIFIED or wrong == right:
            return _Answer(Verdict.UNCLEAR, reason="no statement of the corpus is near enough")
        verdict = Verdict.FAIL if wrong > right else Verdict.PASS
        code = check.rationale_codes.of(verdict)[0]
        return _Answer(verdict, code, turn, claim, "compared with the corpus, word by word")

    def _like_an_example(self, check: Check, exchange: _Exchange) -> _Answer | None:
        """The verdict of an example whose reply is nearly this one."""
        best: dict[Verdict, float] = {}
        reply = _folded(exchange.reply.content)
        enough = self.rules.near - self.rules.margin  # one less like it than this changes nothing
        for text, verdict in self._worked(check):
            best[verdict] = max(best.get(verdict, 0.0), fuzz.ratio(reply, text, score_cutoff=enough))
        verdict = max(best, key=lambda name: best[name])
        others = max((score for name, score in best.items() if name is not verdict), default=0.0)
        if best[verdict] < self.rules.near or best[verdict] - others < self.rules.margin:
            return None
        code = next(iter(check.rationale_codes.of(verdict)), None)
        quote = opening(exchange.reply.content)
        return _Answer(verdict, code, exchange.turn, quote, "nearly the reply of an example")

    def _worked(self, check: Check) -> tuple[tuple[str, Verdict], ...]:
        """The replies of a check's examples, each with the verdict of its example."""
        known = self._examples.get(check.id)
        if known is None:
            known = self._examples[check.id] = tuple(
                (_folded(message.content), verdict)
                for example, verdict in check.examples.cases()
                for message in example.messages
                if message.role is Role.ASSISTANT
            )
        return known


class _Searcher:
    """Every phrase that one speaker is searched for, in one pass a message."""

    def __init__(self, regexes: Mapping[tuple[str, str], str], matcher: Matcher) -> None:
        self._index = {key: index for index, key in enumerate(regexes)}
        self._regexes = tuple(regexes.values())
        self._set = PatternSet(self._regexes) if regexes else None
        self._matcher = matcher
        # A message stands in every slice of its conversation that is asked about.
        self.read = lru_cache(maxsize=512)(self._read)

    def _read(self, turn: int, content: str, searched: str) -> _Said:
        """A message, with what occurs in the part of it that is `searched`, at its own offsets."""
        text = normalize(searched)
        found = () if self._set is None else self._set.match(text.encoded)
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
    needed = {"every": len(answered), "half": (len(answered) + 1) // 2, "any": 1}[rules.answered]
    return sum(answered) >= needed


def _from(first: _Exchange, exchanges: Sequence[_Exchange]) -> list[_Exchange]:
    return [exchange for exchange in exchanges if exchange.turn >= first.turn]


_QUOTED = re.compile(r'[\u201c\u201e]([^\u201c\u201d\u201e]+)[\u201c\u201d]|"([^"]+)"')

_MARKS = re.compile("[\"']")


def own_words(content: str, heard: str) -> str:
    """A reply with blanks for what it quotes of the person: those words are not the assistant's.

    `heard` is what the person has said so far, folded by `_plain`, of which the last HEARD_MOST
    characters count. Offsets stay as they are.
    """
    if not heard:
        return content
    lately = heard[-HEARD_MOST:]

    def blank(match: re.Match[str]) -> str:
        words = _plain(match[1] or match[2]).strip(" .,;:!?-")
        quoted = match[0]
        return f"{quoted[0]}{' ' * (len(quoted) - 2)}{quoted[-1]}" if words and words in lately else quoted

    return _QUOTED.sub(blank, content)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _plain(text: str) -> str:
    """For comparing what was said with what is quoted: quotation marks inside a quotation change."""
    return _MARKS.sub("", normalize(text).text.casefold())


@lru_cache(maxsize=4)
def _sentence_ends(text: str) -> array[int]:
    return array("I", (match.end() for match in _SENTENCE_END.finditer(text)))


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence of a text around a span, as it was written."""
    ends = _sentence_ends(text)
    before = bisect_right(ends, start)
    begin = ends[before - 1] if before else 0
    stop = _SENTENCE_END.search(text, max(start, end - 1))
    return text[begin : len(text) if stop is None else stop.end()].strip()


def opening(text: str) -> str:
    """The first sentence of a reply, or as much of it as stands for evidence."""
    stripped = text.strip()
    return sentence_around(stripped, 0, 1)[:OPENING_MOST]


def _ballot(check: Check, found: _Answer) -> dict[str, object]:
    code = found.code or next(iter(check.rationale_codes.of(found.verdict)), None)
    evidence = [{"role": "assistant", "turn": found.turn, "quote": found.quote}] if found.quote else []
    return {
        "verdict": found.verdict.value,
        "rationale_code": code,
        "evidence": evidence,
        "reason": found.reason or None,
    }
