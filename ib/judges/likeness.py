"""How like a reply is to the examples of a check, and a claim to the statements of the corpus."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from ib.judges.answered import Answered
from ib.judges.conversation import Exchange, opening
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import references_for
from ib.models.benchmark.lexical import LexicalRules
from ib.models.common.base import Role, Verdict
from ib.models.scan.judge import Asked

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
