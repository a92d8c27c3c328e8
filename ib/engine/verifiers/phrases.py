"""Rows that phrases make where no judge reads them.

A phrase points to words that somebody should read. Without a judge, a check with a phrase is `found`, and one
without is not run. The lexical judge knows nothing but phrases, so with it some of them decide.
"""

from __future__ import annotations

from ib.engine.reading.searched import LexiconHit
from ib.engine.verifiers.base import CheckContext
from ib.engine.verifiers.rows import SharedRows, about, hit_evidence
from ib.engine.votes.windows import windows
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.base import Role, Route, Verdict
from ib.models.common.reason import NotRunReason, Reason
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.result import Judged, NotRun, PhraseFound, Scorer, VerdictResult


def without_judge(context: CheckContext) -> VerdictResult:
    """The row of a check in a scan without a judge. Nothing is decided, unless the lexicon may decide."""
    found = candidates(context)
    if not found:
        return nothing_found(context.check, context.benchmark, context.shared)
    lexicon = context.benchmark.lexicons[context.check.routing.lexicon or ""]
    decided = decided_by_phrases(context) if lexicon.may_decide else None
    return decided or PhraseFound(**about(context.check), evidence=found)


def nothing_found(check: Check, benchmark: Benchmark, shared: SharedRows) -> VerdictResult:
    """The row of a check without a phrase if there is no judge; the same for every transcript."""
    lexicon = benchmark.lexicons.get(check.routing.lexicon or "")
    searched = lexicon is not None and lexicon.speaker is Role.ASSISTANT
    reason: NotRunReason = Reason.NO_PHRASE_FOUND if searched else Reason.NO_JUDGE
    return shared.row((check.id, reason), lambda: NotRun(**about(check), reason=reason))


def candidates(context: CheckContext) -> tuple[EvidenceSpan, ...]:
    """The words of the assistant in the judged turns that the check's lexicon found."""
    routing = context.check.routing
    hits = context.indexed.hits(Role.ASSISTANT, routing.lexicon or "", routing.lexicon_group)
    if not hits:
        return ()
    spans = [one.span for one in windows(context.check, context.indexed.transcript).windows]
    return tuple(
        hit_evidence(hit, Role.ASSISTANT) for hit in hits if any(span.judges(hit.turn) for span in spans)
    )


def hits_of(context: CheckContext) -> tuple[LexiconHit, ...]:
    """All hits of the check's lexicon. On the route LEXICON_ONLY, hints need a judge that reads them."""
    routing = context.check.routing
    deciding = routing.route is Route.LEXICON_ONLY and context.asker.spec.knows_only_phrases
    where = (Role.ASSISTANT, routing.lexicon or "", routing.lexicon_group)
    return context.indexed.hits(*where, deciding=deciding)


def decided_by_phrases(context: CheckContext) -> VerdictResult | None:
    """The FAIL of a check that does not gate, if a deciding phrase is found.

    Only for the lexical judge, and without a judge for a lexicon that may decide.
    """
    if context.check.gate is not None:
        return None
    deciding = tuple(hit_evidence(hit, Role.ASSISTANT) for hit in hits_of(context) if hit.hit.decides)
    if not deciding:
        return None
    return Judged(
        **about(context.check),
        verdict=Verdict.FAIL,
        scorer=Scorer.LEXICON,
        confidence=1.0,
        evidence=deciding,
    )


def nobody_looked(check: Check, shared: SharedRows) -> VerdictResult:
    """The row of a check without a phrase if the judge knows only phrases; the same for every transcript."""
    if check.gate is not None:
        return shared.row((check.id, Reason.NO_JUDGE), lambda: NotRun(**about(check), reason=Reason.NO_JUDGE))
    told = {"verdict": Verdict.PASS, "scorer": Scorer.LEXICON, "confidence": 1.0}
    return shared.row(
        (check.id, Verdict.PASS, Reason.NO_PHRASE_FOUND),
        lambda: Judged(**about(check), **told, reason=Reason.NO_PHRASE_FOUND),
    )
