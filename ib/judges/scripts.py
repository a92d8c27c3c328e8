"""The judge that knows the scripts: it answers what a reference assistant declares about its own lines.

It judges only conversations that a reference assistant played: every reply must be what the character says
there. A scan with it shows that the rest of the chain is right, so the gate grants it no higher stage than
the demonstration.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol

from ib.judges.conversation import opening
from ib.judges.likeness import Answered, ballot, first_of
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role, Verdict
from ib.models.common.canonical import digest
from ib.models.conversation.character import Character
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import (
    Answer,
    Asked,
    Cue,
    Fault,
    FaultKind,
    JudgeReply,
    JudgeRequest,
    JudgeSpec,
    NotRecorded,
    Phase,
    Stretch,
)
from ib.models.scan.over_alarm import ALARM, OVER_CAUTIOUS, PROPORTIONATE
from ib.models.scan.run import Said

NAME = "scripts"
DECLARED = "declared words of the script"
KNOWN_MOST = 64
"""How many conversations are remembered as replayed."""
Reply = tuple[int, str]
"""The turn and the words of a reply."""


class Scripted(Protocol):
    """A reference assistant that can say again what it said."""

    @property
    def character(self) -> Character: ...

    def reply(self, messages: Sequence[Said], scenario_id: str, /) -> str: ...


@dataclass
class ScriptsJudge:
    """An in-process judge of conversations with reference assistants, and of no others."""

    assistants: Mapping[str, Scripted]
    """The reference assistants, by model id."""
    benchmark: Benchmark
    spec: JudgeSpec = field(init=False)
    in_process: ClassVar[Literal[True]] = True

    def __post_init__(self) -> None:
        known = {name: one.character for name, one in sorted(self.assistants.items())}
        self.spec = JudgeSpec(model=NAME, base=digest(known), reads_prompt=False, priced=False)
        self._replayed: dict[str, str] = {}

    def answer(self, request: JudgeRequest) -> JudgeReply:
        asked = request.asked
        if asked is None or request.attempt > 1:
            return NotRecorded()
        wrong = self._foreign(asked)
        if wrong:
            return Fault(FaultKind.DETERMINISTIC, wrong)
        character = self.assistants[asked.transcript.model_id].character
        return self._answered(character, request.check_id, asked)

    def _answered(self, character: Character, check_id: str, asked: Asked) -> JudgeReply:
        """The reply to a question about a conversation that the character played."""
        if asked.phase is Phase.OVER_ALARM:
            return _graded(character, asked)
        if asked.phase is Phase.SCREEN:
            return Answer(json.dumps({"found": list(_named(character, asked))}))
        if asked.phase is Phase.EXTRACT:
            return _claimed(character, check_id, asked)
        if asked.phase is Phase.VERIFY:
            return self._verified(character, check_id, asked)
        return self._decide(character, check_id, asked) if asked.phase is Phase.DECIDE else NotRecorded()

    def _foreign(self, asked: Asked) -> str:
        """Why a conversation cannot be judged; empty if a reference assistant said every reply of it."""
        key = f"{asked.transcript.model_id} {asked.transcript_hash}"
        if key not in self._replayed:
            if len(self._replayed) >= KNOWN_MOST:
                self._replayed.clear()
            self._replayed[key] = self._difference(asked.transcript)
        return self._replayed[key]

    def _difference(self, transcript: Transcript) -> str:
        assistant = self.assistants.get(transcript.model_id)
        if assistant is None:
            known = ", ".join(sorted(self.assistants)) or "none in this benchmark"
            return f"{transcript.model_id} is no reference assistant; the judge {NAME} knows only {known}"
        said: list[Said] = []
        session: int | None = None
        for message in transcript.messages:
            if said and message.session != session:
                said.append(Said("system", "A new session."))
            session = message.session
            replied = message.role is Role.ASSISTANT
            if replied and assistant.reply(said, transcript.scenario_id) != message.content:
                where = f"turn {message.turn} of {transcript.scenario_id}"
                return f"{where}: the reply is not what {transcript.model_id} says there"
            said.append(Said("user" if message.role is Role.USER else "assistant", message.content))
        return ""

    def _verified(self, character: Character, check_id: str, asked: Asked) -> Answer:
        """FAIL for a claim with declared words; else what is declared for other words."""
        phrase = next((one for one in character.fails_by.get(check_id, ()) if one in asked.claim), None)
        found = _unsaid(character, check_id)
        if phrase is not None:
            found = Answered(Verdict.FAIL, None, asked.span.first, asked.claim, DECLARED)
        return ballot(self.benchmark.checks[check_id], found)

    def _decide(self, character: Character, check_id: str, asked: Asked) -> Answer:
        check, cues = self.benchmark.checks[check_id], asked.cues
        said = _failing(character.fails_by.get(check_id, ()), _replies(asked, asked.span.judged))
        if said is not None or check_id not in character.misses:
            found = said or _unsaid(character, check_id)
            met = [found.verdict is not Verdict.FAIL] * len(cues)
            return ballot(check, found, _listed(cues, met))
        code = None if check.lexical is None else check.lexical.missing_code
        judged = [[(cue.first, cue.last)] for cue in cues] if len(cues) > 1 else [asked.span.judged]
        words = character.misses[check_id]
        answered = [_answered(words, _replies(asked, stretches), code) for stretches in judged]
        deciding = (
            [one for one, cue in zip(answered, cues, strict=True) if cue.raises] if cues[1:] else answered
        )
        met = [one.verdict is not Verdict.FAIL for one in answered]
        return ballot(check, first_of(deciding), _listed(cues, met))


def _listed(cues: Sequence[Cue], met: Sequence[bool]) -> list[dict[str, object]]:
    """Which cues of an episode are met; a question about one cue has no list."""
    if len(cues) < 2:
        return []
    return [{"turn": cue.turn, "met": one} for cue, one in zip(cues, met, strict=True)]


def _named(character: Character, asked: Asked) -> Iterator[dict[str, object]]:
    """The checks that a screening names: those with declared words, and those of which nothing is declared,
    so that their own question says so."""
    replies = _replies(asked, [(asked.span.first, asked.span.last)])
    for check_id in asked.screened:
        said = _failing(character.fails_by.get(check_id, ()), replies)
        if said is None and _unsaid(character, check_id).verdict is Verdict.UNCLEAR:
            said = Answered(Verdict.UNCLEAR, None, replies[0][0], opening(replies[0][1]))
        if said is not None:
            yield {"check": check_id, "turn": said.turn, "quote": said.quote}


def _claimed(character: Character, check_id: str, asked: Asked) -> JudgeReply:
    """The declared claims that were said. No answer if nothing is declared about other words."""
    if _unsaid(character, check_id).verdict is Verdict.UNCLEAR:
        return NotRecorded()
    phrases = character.fails_by.get(check_id, ())
    said = [
        {"turn": turn, "quote": phrase}
        for turn, content in _replies(asked, asked.span.judged)
        for phrase in phrases
        if phrase in content
    ]
    return Answer(json.dumps({"claims": said}))


def _graded(character: Character, asked: Asked) -> JudgeReply:
    """The grade of over-alarm, with the declared words that earn it. No answer if nothing is declared."""
    if character.alarms is None:
        return NotRecorded()
    worded = [(OVER_CAUTIOUS, phrase) for phrase in character.alarms.over_cautious]
    worded += [(ALARM, phrase) for phrase in character.alarms.alarm]
    found = [
        (grade, turn, phrase)
        for turn, content in _replies(asked, asked.span.judged)
        for grade, phrase in worded
        if phrase in content
    ]
    highest = max((grade for grade, _, _ in found), default=PROPORTIONATE)
    listed = [{"turn": turn, "quote": phrase, "grade": grade} for grade, turn, phrase in found]
    return Answer(json.dumps({"occurrences": listed, "reason": DECLARED, "grade": highest}))


def _replies(asked: Asked, stretches: Iterable[Stretch]) -> list[Reply]:
    """The replies of these turns, in order."""
    kept = [
        (message.turn, message.content)
        for message in asked.transcript.messages
        if message.role is Role.ASSISTANT
    ]
    return [reply for first, last in stretches for reply in kept if first <= reply[0] <= last]


def _failing(phrases: Sequence[str], replies: Iterable[Reply]) -> Answered | None:
    """A FAIL with the first declared words that were said; None if none were."""
    for turn, content in replies:
        for phrase in phrases:
            if phrase in content:
                return Answered(Verdict.FAIL, None, turn, phrase, DECLARED)
    return None


def _answered(phrases: Sequence[str], replies: Sequence[Reply], code: str | None) -> Answered:
    """PASS if declared words that answer the cue were said, else FAIL with the reply that misses it."""
    for turn, content in replies:
        for phrase in phrases:
            if phrase in content:
                return Answered(Verdict.PASS, None, turn, phrase, "declared words that answer the cue")
    turn, content = replies[0]
    return Answered(Verdict.FAIL, code, turn, opening(content), "the script misses this")


def _unsaid(character: Character, check_id: str) -> Answered:
    """The answer if no declared words were said, for a check that is not failed by silence."""
    if check_id in character.never_fails:
        return Answered(Verdict.PASS, reason=f"{character.id} never fails this check")
    if check_id in character.passes_otherwise:
        return Answered(Verdict.PASS, reason=f"{character.id} said none of the words that fail this check")
    if check_id in character.never_arises:
        why = f"{character.id} never does what this check presupposes"
        return Answered(Verdict.NOT_APPLICABLE, reason=why)
    return Answered(Verdict.UNCLEAR, reason=f"{character.id} declares nothing about these replies")
