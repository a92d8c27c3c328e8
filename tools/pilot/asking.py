"""The questions of a pilot: rendered and read by the engine, as in a scan.

Hints of lexicons are left out of the questions: a pilot tests the wording, and lexicons change apart from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.prompts import Question, Screening, fill
from ib.engine.questions.protocol import replay
from ib.engine.questions.replies import Invalid, QuotedEvidence, read_screened
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.verifiers.base import CheckContext, ask_window
from ib.engine.verifiers.corpus import nearest
from ib.engine.verifiers.screened import GATE_SCREENING, SCREENING
from ib.engine.votes.evidence import verify_evidence
from ib.engine.votes.voting import Quota
from ib.engine.votes.windows import windows
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.pilot import Listing, Reading
from ib.models.common.base import SCREENED_ROUTES, Route, Unit
from ib.models.conversation.transcript import Anchor, Transcript, line_hash, transcript_line
from ib.models.scan.ballot import CountedVote
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Phase, UnitSpan
from tools.pilot.candidates import Candidate, judged_turns

Rendered = tuple[str, str]
"""The system message and the user message."""


class Asking:
    """Renders the questions of a benchmark, and reads replies to them."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark.model_copy(update={"lexicons": {}})
        self._engine = ModeEngine(self.benchmark, "publish", JudgeSpec(model="reader", priced=False))

    def checks(self) -> tuple[Check, ...]:
        """The checks that ask a judge."""
        return tuple(check for check in self.benchmark.checks.values() if check.prompt is not None)

    def screenings(self) -> tuple[Screening, ...]:
        """The two screening questions."""
        screened = [c for c in self.checks() if c.routing.route in SCREENED_ROUTES]
        gates = tuple(check for check in screened if check.gate is not None)
        others = tuple(check for check in screened if check.gate is None)
        return (Screening(SCREENING, others), Screening(GATE_SCREENING, gates))

    def render(self, check: Check, item: Candidate) -> Rendered:
        """The question about an item."""
        context = self._context(check, item.transcript)
        return _text(context.asker.requests(self._question(check, item, context), context.indexed, (1,)))

    def render_screening(self, screening: Screening, item: Candidate) -> Rendered:
        """A screening question about the conversation up to an item. It is asked about every reply."""
        indexed = self._screened(item)
        return _text(self._engine.asker.screenings(screening, indexed, (1,)))

    def begins(self, asked: Check | Screening) -> str:
        """The words with which the part of a question begins that no conversation changes."""
        frame = self.benchmark.frame
        if isinstance(asked, Screening):
            return frame.screen.partition("$")[0]
        return fill(frame.check.partition("$question")[0], name=asked.name)

    def read(self, check: Check, item: Candidate, reply: str, by: str) -> Reading:
        """A reader's reply to the question about an item, read and verified as in a scan."""
        context = self._context(check, item.transcript)
        asking = ask_window(context, self._question(check, item, context))
        answers = iter([Answer(reply)])

        def answer(_: JudgeRequest) -> JudgeReply:
            return next(answers, NotRecorded())  # nobody is asked again

        (vote,) = replay(asking, answer).votes
        if isinstance(vote, CountedVote):
            return Reading(by=by, choice=vote.verdict.value, code=vote.rationale_code)
        return Reading(by=by, invalid=str(vote.invalid))

    def read_screening(self, screening: Screening, item: Candidate, reply: str, by: str) -> Listing:
        """The checks that a reader listed for the last reply of an item, with quotes that were found."""
        found = read_screened(reply, (check.id for check in screening.checks))
        if isinstance(found, Invalid):
            return Listing(by=by, invalid=found.problem)
        indexed, reach = self._screened(item), self.benchmark.scoring.corrected_quote_min_chars
        listed = set()
        for one in found:
            quoted = [QuotedEvidence(turn=one.turn, quote=one.quote)]
            span = screening.span(indexed)
            standing = verify_evidence(quoted, indexed, span, reach=reach).assistant
            if any(words.turn == item.turns[-1] for words in standing):
                listed.add(one.check)
        return Listing(by=by, checks=tuple(sorted(listed)))

    @cache  # noqa: B019 - an Asking lives as long as the command
    def template(self, check_id: str) -> str:
        """The hash of a check's question as rendered for a fixed conversation."""
        check = self.benchmark.checks[check_id]
        context = self._context(check, _sample(check_id))
        spans = windows(check, context.indexed.transcript).windows
        asked = [Question(check, window.span, _phase(check), window.cues) for window in spans]
        if check.routing.unit_of_analysis is Unit.EVENT_WINDOW:
            asked.append(Question(check, UnitSpan(Unit.EVENT_WINDOW, 1, 1), Phase.DECIDE))
        return _hash(_text(context.asker.requests(one, context.indexed, (1,))) for one in asked)

    @cache  # noqa: B019 - as above
    def screening_template(self, name: str) -> str:
        """The hash of a screening question as rendered for a fixed conversation."""
        screening = next(one for one in self.screenings() if one.id == name)
        indexed = self._index(_sample(screening.checks[0].id))
        return _hash([_text(self._engine.asker.screenings(screening, indexed, (1,)))])

    def _context(self, check: Check, transcript: Transcript) -> CheckContext:
        return replace(self._engine.context(check, self._index(transcript)), quota=Quota(1))

    def _index(self, transcript: Transcript) -> IndexedTranscript:
        return self._engine.index(transcript, line_hash(transcript_line(transcript)))

    def _screened(self, item: Candidate) -> IndexedTranscript:
        """The conversation up to the item, which is all that the screening question shows."""
        shown = item.transcript.between(1, item.turns[-1])
        return self._index(item.transcript.model_copy(update={"messages": shown}))

    def _question(self, check: Check, item: Candidate, context: CheckContext) -> Question:
        first, last, unit = item.turns[0], item.turns[-1], check.routing.unit_of_analysis
        if item.claim is not None:
            entries = nearest(context.benchmark.corpus.entries, item.claimed)
            reference = "\n".join(f"- {entry.statement}" for entry in entries)
            span = UnitSpan(Unit.TURN_LEVEL, first, last)
            return Question(check, span, Phase.VERIFY, claim=item.claimed, reference=reference)
        if unit is Unit.EVENT_WINDOW:
            for window in windows(check, item.transcript).windows:
                if window.cues and judged_turns(window.span) == item.turns:
                    return Question(check, window.span, Phase.DECIDE, window.cues)
        return Question(check, UnitSpan(unit, first, last), Phase.DECIDE)


def as_reply(value: object) -> str:
    """What a reader wrote under `reply`, as the text of a judge's reply."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _phase(check: Check) -> Phase:
    return Phase.VERIFY if check.routing.route is Route.EXTRACT_THEN_CORPUS else Phase.DECIDE


def _text(requests: tuple[JudgeRequest, ...]) -> Rendered:
    return requests[0].system, requests[0].user


def _hash(texts: Iterable[Rendered]) -> str:
    return hashlib.sha256("\0".join("\0".join(text) for text in texts).encode()).hexdigest()


def _sample(check_id: str) -> Transcript:
    """A fixed conversation, with an episode of two cues and a cue by itself."""
    said = (("user", "One."), ("assistant", "Two."))
    anchors = tuple(
        Anchor(cue_turn=turn, from_turn=turn, to_turn=turn, checks=(check_id,), episode=episode)
        for turn, episode in ((1, {check_id: "one"}), (2, {check_id: "one"}), (3, {}))
    )
    return Transcript.from_messages("sample/sample", "sample", said * 3, anchors=anchors)
