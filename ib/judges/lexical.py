"""The lexical judge: it decides by phrases, and says UNCLEAR if no phrase decides.

It needs no network and no key, and reads the question as data instead of a prompt. It misses most of what
matters in a reply. So a scan with it is a demonstration, and the gate grants it no higher stage.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Literal

from ib.engine.reading.lexicons import Matcher
from ib.judges.conversation import Conversation, Exchange, Searcher, opening, sentence_around
from ib.judges.likeness import Answered, Likeness, ballot, first_of, grade_by_phrases
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexical import Clause, LexicalCheck, LexicalRules
from ib.models.common.base import SCREENED_ROUTES, Role, Verdict
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Answer, Asked, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Phase
from ib.text.patterns import compile_pattern

NAME = "lexical"
CONVERSATIONS_MOST = 8
"""How many conversations are cached: questions may alternate between transcripts."""
ALSO = "+"
"""Suffix of the key of a clause's second pattern; clause ids never contain it."""


@dataclass
class LexicalJudge:
    """An in-process judge. It always gives the same answer to the same question."""

    rules: LexicalRules
    benchmark: Benchmark
    spec: JudgeSpec = field(init=False)
    in_process: ClassVar[Literal[True]] = True

    def __post_init__(self) -> None:
        lexicons = self.benchmark.lexicons
        known = {
            "rules": self.rules,
            "lexicons": {name: digest(found) for name, found in lexicons.items()},
            "corpus": self.benchmark.corpus,
        }
        self.spec = JudgeSpec(model=NAME, base=digest(known), reads_prompt=False, screens=False, priced=False)
        self._assistant = Searcher(
            {
                (check_id, f"{clause.id}{mark}"): regex
                for check_id, check in self.rules.checks.items()
                for clause in (*check.fail, *check.good)
                for mark, regex in (("", clause.regex), (ALSO, clause.also))
                if regex is not None
            },
            Matcher(lexicons.values(), Role.ASSISTANT),
        )
        cues = {check.cue.lexicon for check in self.rules.checks.values() if check.cue is not None}
        heard = [lexicon for name, lexicon in lexicons.items() if name in cues]
        self._user = Searcher(
            {
                (check_id, str(index)): regex
                for check_id, check in self.rules.checks.items()
                for index, regex in enumerate(() if check.cue is None else check.cue.patterns)
            },
            Matcher(heard, Role.USER),
        )
        self._likeness = Likeness(self.rules, self.benchmark)
        # There are about 40 questions on each conversation, and each is asked up to K times.
        self._conversations: dict[str, Conversation] = {}
        self._answers = lru_cache(maxsize=4096)(self._answer)

    def answer(self, request: JudgeRequest) -> JudgeReply:
        if request.asked is None or request.attempt > 1:
            return NotRecorded()
        if request.phase is Phase.OVER_ALARM and self.rules.over_alarm is not None:
            heard = self._conversation(request.asked.transcript_hash, request.asked.transcript)
            return grade_by_phrases(heard.exchanges(request.unit.judged), self.rules.over_alarm)
        if request.check_id not in self.rules.checks:
            return NotRecorded()
        return self._answers(request.check_id, request.asked)

    def _answer(self, check_id: str, asked: Asked) -> JudgeReply:
        check, span = self.benchmark.checks[check_id], asked.span
        if asked.phase is Phase.VERIFY:
            return ballot(check, self._likeness.to_the_corpus(check, asked))
        heard = self._conversation(asked.transcript_hash, asked.transcript)
        if asked.phase is Phase.EXTRACT:
            return Answer(json.dumps({"claims": self._claims(check, heard.exchanges(span.judged))}))
        hinted = dict.fromkeys(hint.turn for hint in asked.hints)
        confirmed = {t: self._confirmed(check, heard.exchanges([(t, t)]), _place(asked)) for t in hinted}
        if len(asked.cues) > 1:
            return self._episode(check, asked, heard, confirmed)
        found = list(confirmed.values())
        if check.routing.route not in SCREENED_ROUTES:
            replies = heard.exchanges(span.judged)
            found.append(self._decided(check, replies, _place(asked), windowed=bool(asked.cues)))
        return ballot(check, first_of(found))

    def _episode(
        self, check: Check, asked: Asked, heard: Conversation, confirmed: Mapping[int, Answered]
    ) -> Answer:
        """Answer for each cue of an episode. The verdict is that of the cues that decide."""
        cues: list[dict[str, object]] = []
        deciding: list[Answered] = []
        for cue in asked.cues:
            replies = heard.exchanges([(cue.first, cue.last)])
            decided = self._decided(check, replies, _place(asked), windowed=True)
            hinted = (found for turn, found in confirmed.items() if cue.first <= turn <= cue.last)
            answered = first_of([decided, *hinted])
            cues.append({"turn": cue.turn, "met": answered.verdict is not Verdict.FAIL})
            deciding += [answered] if cue.raises else []
        return ballot(check, first_of(deciding), cues)

    def _conversation(self, transcript_hash: str, transcript: Transcript) -> Conversation:
        known = self._conversations.get(transcript_hash)
        if known is None:
            if len(self._conversations) >= CONVERSATIONS_MOST:
                self._conversations.clear()
            known = Conversation(transcript, self._assistant, self._user)
            self._conversations[transcript_hash] = known
        return known

    def _decided(
        self, check: Check, exchanges: Sequence[Exchange], place: str, *, windowed: bool
    ) -> Answered:
        rules = self.rules.checks[check.id]
        raised = [e for e in exchanges if windowed or self._raises(check.id, rules, e)]
        if not raised:
            reason = "nothing in the person's words is known to raise the question"
            return Answered(Verdict(rules.unraised), reason=reason)
        # In a window with a cue, all replies count, because all are about its cue.
        fail, good_ones = (self._live(clauses, exchanges, place) for clauses in (rules.fail, rules.good))
        bad = self._first(check, fail, exchanges if rules.cue is None else _from(raised[0], exchanges))
        answered = self._answered(check, rules, good_ones, raised, exchanges)
        good = next((found for found in answered if found is not None), None)
        if bad is not None and (good is None or rules.wins == "fail"):
            return bad
        if bad is not None and rules.wins == "neither":
            return Answered(Verdict.UNCLEAR, reason="phrases speak for both verdicts")
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
        raised: Sequence[Exchange],
        answered: Sequence[Answered | None],
        *,
        sure: bool,
    ) -> Answered:
        """The answer if there is no failing phrase, and a passing phrase is missing where it is due."""
        without = next(e for e, found in zip(raised, answered, strict=True) if found is None)
        like = self._likeness.to_an_example(check, without)
        if like is not None:
            return like
        if not sure:
            return Answered(Verdict.UNCLEAR, reason="no phrase tells")
        reason = "no phrase of a passing reply" if rules.missing == "FAIL" else "no failing phrase"
        quote = opening(without.reply.content) if rules.missing == "FAIL" else ""
        return Answered(Verdict(rules.missing), rules.missing_code, without.turn, quote, reason)

    def _suspected(self, check: Check, exchanges: Iterable[Exchange]) -> bool:
        """True if the check's lexicon finds a candidate in the assistant's words."""
        name, group = check.routing.lexicon or "", check.routing.lexicon_group
        return any(self._assistant.hits(exchange.reply, name, group) for exchange in exchanges)

    def _raises(self, check_id: str, rules: LexicalCheck, exchange: Exchange) -> bool:
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

    def _named(self, check_id: str, rules: LexicalCheck, exchange: Exchange) -> bool:
        """True if the question is certainly raised: no cue is needed, or a pattern of the cue matches."""
        cue, user = rules.cue, exchange.user
        if cue is None or user is None:
            return cue is None
        return any(self._user.has(user, (check_id, str(i))) for i in range(len(cue.patterns)))

    @staticmethod
    def _live(clauses: Iterable[Clause], exchanges: Iterable[Exchange], place: str) -> tuple[Clause, ...]:
        """The clauses that are not ruled out by the person's words or country."""
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
        raised: Iterable[Exchange],
        exchanges: Sequence[Exchange],
    ) -> list[Answered | None]:
        """For each cue, the first passing phrase in the reply, or None. With `lasting`, a passing phrase is
        also needed in a later reply."""
        last = exchanges[-1].turn
        said = (e.turn for e in reversed(exchanges) if any(self._says(check.id, c, e) for c in good))
        last_good = next(said, 0) if rules.lasting else last
        answered: list[Answered | None] = []
        for exchange in raised:
            kept = not rules.lasting or exchange.turn == last or last_good > exchange.turn
            answered.append(self._first(check, good, [exchange], Verdict.PASS) if kept else None)
        return answered

    def _first(
        self,
        check: Check,
        clauses: Iterable[Clause],
        exchanges: Iterable[Exchange],
        verdict: Verdict = Verdict.FAIL,
    ) -> Answered | None:
        for exchange in exchanges:
            for clause in clauses:
                if self._says(check.id, clause, exchange):
                    quote = self._assistant.sentence(exchange.reply, (check.id, clause.id))
                    return Answered(verdict, clause.code, exchange.turn, quote, f"phrase {clause.id}")
        return None

    def _says(self, check_id: str, clause: Clause, exchange: Exchange) -> bool:
        """True if a reply matches a clause, with both patterns if it has two."""
        halves = (clause.id,) if clause.also is None else (clause.id, f"{clause.id}{ALSO}")
        return all(self._assistant.has(exchange.reply, (check_id, half)) for half in halves)

    def _confirmed(self, check: Check, exchanges: Sequence[Exchange], place: str) -> Answered:
        """Decide one turn with a candidate of the check's lexicon."""
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
                bad = Answered(verdict, code, exchange.turn, quote, reason)
        if bad is not None and good is not None:
            return {"fail": bad, "good": good}.get(rules.wins, Answered(Verdict.UNCLEAR, reason="both"))
        return bad or good or Answered(Verdict.UNCLEAR, reason="no phrase tells")

    def _claims(self, check: Check, exchanges: Iterable[Exchange]) -> list[dict[str, object]]:
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


def _enough(rules: LexicalCheck, answered: Sequence[bool]) -> bool:
    """True if enough cues were answered with a passing phrase."""
    if rules.answered == "last":
        return answered[-1]
    needed = {"every": len(answered), "half": (len(answered) + 1) // 2, "any": 1}[rules.answered]
    return sum(answered) >= needed


def _from(first: Exchange, exchanges: Sequence[Exchange]) -> list[Exchange]:
    return [exchange for exchange in exchanges if exchange.turn >= first.turn]


def _place(asked: Asked) -> str:
    """The person's country, in words that a clause's `unless` can match; empty if unknown."""
    return "" if asked.country is None else f"the person is in {asked.country.casefold()}"
