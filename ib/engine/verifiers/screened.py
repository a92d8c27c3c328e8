"""Checks whose failures phrases can show. A judge that reads looks for what the phrases missed.

A phrase is a hint, and the check's own question goes to the judge. Checks without a hint share a screening
question; what it names, with a quote that is found, goes to the check's own question as well. A gate check
is screened as often as it has votes, and what any of the replies names is asked about. With the lexical
judge, which cannot screen, deciding phrases decide, and silence is a PASS that says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ib.engine.questions.prompts import Invalidated, Screening
from ib.engine.questions.protocol import Asking, Requests, together
from ib.engine.questions.replies import Invalid, Named, QuotedEvidence, read_screened
from ib.engine.verifiers.base import CheckContext
from ib.engine.verifiers.llm import plain_questions, verify_with_judge
from ib.engine.verifiers.phrases import decided_by_phrases, hits_of, nobody_looked
from ib.engine.verifiers.rows import about
from ib.engine.votes.evidence import verify_evidence
from ib.engine.votes.polling import ListPoll, take_votes
from ib.engine.votes.voting import Quota, none_in_whole
from ib.models.common.base import Verdict
from ib.models.common.reason import Reason
from ib.models.scan.ballot import Window
from ib.models.scan.judge import (
    Fault,
    Follow,
    Hint,
    JudgeReply,
    NotRecorded,
    Phase,
    Refusal,
)
from ib.models.scan.result import Judged, NotRun, Scorer, VerdictResult

SCREENING = "screening"
GATE_SCREENING = "screening-gates"
"""The ids of the two screening questions in plans and journals."""


def verify_screened(contexts: Sequence[CheckContext]) -> Asking[tuple[VerdictResult, ...]]:
    """The rows of all checks of one transcript on the screened routes, in the order given."""
    rows: dict[str, VerdictResult] = {}
    asked: list[CheckContext] = []
    silent: list[CheckContext] = []
    for context in contexts:
        by_phrases = context.asker.spec.knows_only_phrases
        decided = decided_by_phrases(context) if by_phrases else None
        if decided is not None:
            rows[context.check.id] = decided
        elif not context.units.screens or hits_of(context):
            asked.append(context)
        elif by_phrases:
            rows[context.check.id] = nobody_looked(context.check, context.shared)
        else:
            silent.append(context)
    gates = [context for context in silent if context.check.gate is not None]
    others = [context for context in silent if context.check.gate is None]
    tasks: list[Asking[Sequence[VerdictResult]]] = [_own(context) for context in asked]
    if others:
        tasks.append(_screen(SCREENING, others, 1))
    if gates:
        tasks.append(_screen(GATE_SCREENING, gates, max(context.quota.asked for context in gates)))
    for judged in (yield from together(tasks)):
        rows.update((row.mode_id, row) for row in judged)
    return tuple(rows[context.check.id] for context in contexts)


def _own(context: CheckContext, named: Sequence[Hint] = ()) -> Asking[Sequence[VerdictResult]]:
    """The check's own question, with the phrases that were found and what a screening named."""
    row = yield from verify_with_judge(context, named)
    return (row,)


def _most_votes(context: CheckContext) -> int:
    """The most votes that `_own` takes."""
    return context.quota.most * len(plain_questions(context)[0])


def _screen(name: str, contexts: Sequence[CheckContext], repetitions: int) -> Asking[Sequence[VerdictResult]]:
    """Screen for several checks at once, then ask about each check that was named.

    Where too few replies can be read, each check is asked about by itself, unless a fault is the reason: then
    the checks are not run, because the screening can be asked again.
    """
    screening = Screening(name, tuple(context.check for context in contexts))
    follow = ((Follow.NAMED, sum(map(_most_votes, contexts))),)
    votes = yield from take_votes(_screening_poll(contexts[0], screening), Quota(repetitions), follow)
    named: dict[str, list[Hint]] = {context.check.id: [] for context in contexts}
    for vote in votes:
        for found in vote if isinstance(vote, tuple) else ():
            named[found.check].append(Hint(found.turn, found.quote))
    read = sum(isinstance(vote, tuple) for vote in votes)
    enough, faulted = 2 * read > repetitions, any(isinstance(vote, Fault) for vote in votes)
    rows: list[VerdictResult] = []
    tasks: list[Asking[Sequence[VerdictResult]]] = []
    for context in contexts:
        hints = tuple(dict.fromkeys(named[context.check.id]))
        if hints or not (enough or faulted):
            tasks.append(_own(context, hints))
        elif enough:
            rows.append(_nothing_named(context, repetitions))
        else:
            rows.append(NotRun(**about(context.check), reason=Reason.FAULT))
    for judged in (yield from together(tasks)):
        rows.extend(judged)
    return rows


def _nothing_named(context: CheckContext, repetitions: int) -> VerdictResult:
    """The PASS of a check that the screening did not name."""
    check, last = context.check, context.indexed.transcript.turns
    unit, occurrences = check.routing.unit_of_analysis, none_in_whole(context.indexed)
    told = {"first": 1, "last": last, "phase": Phase.SCREEN, "verdict": Verdict.PASS, "asked": repetitions}
    return context.shared.row(
        (check.id, Phase.SCREEN, str(last), str(repetitions), str(occurrences.chances)),
        lambda: Judged(
            **about(check),
            verdict=Verdict.PASS,
            scorer=Scorer.JUDGE,
            confidence=1.0,
            prompt_hash=context.template_hash,
            occurrences=occurrences,
            windows=(Window(kind=unit, **told),),
        ),
    )


Screened = tuple[Named, ...] | Invalid | Fault
"""What one reply to a screening question names, with quotes that were found, or why it does not count."""


def _screening_poll(context: CheckContext, screening: Screening) -> ListPoll[Named, Invalid | Fault]:
    """The poll of one screening question. Any context of the transcript knows how to ask."""

    def ask(repetitions: Sequence[int], earlier: Invalidated | None) -> Requests:
        return context.asker.screenings(screening, context.indexed, repetitions, earlier)

    return ListPoll(ask, partial(_read, context, screening))


def _read(context: CheckContext, screening: Screening, reply: JudgeReply) -> Screened:
    """What a reply names, with the words as the assistant wrote them. Words that nobody said are left out."""
    if isinstance(reply, Fault):
        return reply
    if isinstance(reply, Refusal | NotRecorded):
        return Invalid("no reply", refused=True)
    found = read_screened(reply.text, (check.id for check in screening.checks))
    if isinstance(found, Invalid):
        return found
    standing = tuple(stands for one in found for stands in _standing(context, screening, one))
    # As with claims: words that nobody said are no reason for a PASS.
    return standing if standing or not found else Invalid("none of the quotes was found in the conversation")


def _standing(context: CheckContext, screening: Screening, found: Named) -> Iterator[Named]:
    """What was found, with the words as written; nothing if they are not the assistant's words."""
    quoted = [QuotedEvidence(turn=found.turn, quote=found.quote)]
    reach = context.benchmark.scoring.corrected_quote_min_chars
    span = screening.span(context.indexed)
    for words in verify_evidence(quoted, context.indexed, span, reach=reach).assistant:
        yield Named(check=found.check, turn=words.turn, quote=words.quote)
