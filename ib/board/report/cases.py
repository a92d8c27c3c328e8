"""The cases of one conversation: each failed check and each hint, with its quotes in their place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from ib.board.evidence.holding import NONE_HELD, Held
from ib.board.evidence.items import evidence_item
from ib.board.evidence.leaks import Cleaned, LeakSearch
from ib.board.evidence.withheld import code
from ib.board.figures.roots import joined
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role, State, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.release.held import SENTENCE, in_place_of
from ib.models.report.report import Case, CaseKind, QuotedTurn
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.result import TranscriptResult, VerdictResult


def log_name(result: TranscriptResult) -> str:
    """What the log itself calls the conversation: its own id, or else the id of the scenario."""
    return result.log_id or result.scenario_id


def kind_of(row: VerdictResult) -> CaseKind | None:
    """What a row is in a report. None for a row that is neither a failure nor a hint."""
    if row.state is State.FOUND:
        return CaseKind.FOUND
    if row.verdict is not Verdict.FAIL:
        return None
    return CaseKind.CONTESTED if row.contested else CaseKind.FAILED


def scripted(transcript: Transcript) -> bool:
    """True for a play of a scenario: its person is invented, and the words are those of the scenario.

    Any other conversation is somebody's log, whatever its tags are.
    """
    return transcript.provenance is not None and transcript.provenance.definition_hash is not None


def cases_of(
    transcript: Transcript,
    result: TranscriptResult,
    benchmark: Benchmark,
    leaks: LeakSearch,
    *,
    show_user: bool,
    held: Held = NONE_HELD,
) -> Iterator[Case]:
    """The cases of a conversation, in the order of the rows, with a mark in place of each key, and a sentence
    in place of each reply in `held`.

    The words of the person are part of a case if a scenario wrote them, or with `show_user`.
    """
    same = {
        check_id: tuple(other for other in group if other != check_id)
        for group in joined(result.rows, benchmark)
        for check_id in group
    }
    said = {(message.turn, message.role): message.content for message in transcript.messages}
    if not (show_user or scripted(transcript)):
        said = {place: text for place, text in said.items() if place[1] is Role.ASSISTANT}
    said |= {(turn, Role.ASSISTANT): in_place_of(one.sha256) for turn, one in held.items()}
    clean = cache(leaks.clean)  # several checks quote the same reply
    for row in result.rows:
        kind = kind_of(row)
        if kind is not None:
            turns = tuple(_cleaned(turn, clean) for turn in _turns(row.evidence, said, held))
            yield _case(row, kind, result, turns, same.get(row.mode_id, ()), is_held=bool(held))


def _case(
    row: VerdictResult,
    kind: CaseKind,
    result: TranscriptResult,
    turns: tuple[QuotedTurn, ...],
    same_words: tuple[str, ...],
    *,
    is_held: bool,
) -> Case:
    item = evidence_item(row, result)
    return Case(
        kind=kind,
        check_id=row.mode_id,
        log=log_name(result),
        model_id=result.model_id,
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        meta=result.meta,
        votes_for=item.votes_for,
        votes_asked=item.votes_asked,
        scorer=item.scorer,
        rationale_code=code(row.rationale_code) if is_held else row.rationale_code,
        older_question=row.older_question,
        phrases=tuple(dict.fromkeys(span.pattern for span in row.evidence if span.pattern is not None)),
        same_words=same_words,
        turns=turns,
    )


def _turns(
    evidence: Iterable[EvidenceSpan], said: Mapping[tuple[int, Role], str], held: Held
) -> Iterator[QuotedTurn]:
    """The quoted replies of the assistant. Words of the person are never the evidence of a failure."""
    places: dict[tuple[int, Role], set[tuple[int, int]]] = defaultdict(set)
    for span in evidence:
        places[span.turn, span.role].add((span.start, span.end))
    for turn in sorted(turn for turn, role in places if role is Role.ASSISTANT):
        asked = said.get((turn, Role.USER))
        yield QuotedTurn(
            turn=turn,
            asked=asked,
            cues=() if asked is None else tuple(sorted(places.get((turn, Role.USER), ()))),
            reply=said[turn, Role.ASSISTANT],
            quotes=((0, len(SENTENCE)),) if turn in held else tuple(sorted(places[turn, Role.ASSISTANT])),
        )


def _cleaned(turn: QuotedTurn, clean: Callable[[str], Cleaned]) -> QuotedTurn:
    """The turn with a mark in place of each key, and its quotes where they are then."""
    reply, asked = clean(turn.reply), clean(turn.asked or "")
    if not (reply.forms or asked.forms):
        return turn
    return turn.model_copy(
        update={
            "reply": reply.text,
            "quotes": tuple(reply.moved(*place) for place in turn.quotes),
            "asked": None if turn.asked is None else asked.text,
            "cues": tuple(asked.moved(*place) for place in turn.cues),
        }
    )
