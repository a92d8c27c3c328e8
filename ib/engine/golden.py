"""Golden cases: the examples of checks and lexicons, run as in a scan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import replay
from ib.engine.reading.lexicons import Matcher
from ib.engine.reading.searched import IndexedTranscript
from ib.errors import Finding, Path, Place
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.example import Example
from ib.models.benchmark.lexicon import Lexicon
from ib.models.benchmark.scoring import Profile
from ib.models.common.base import SCREENED_ROUTES, Role, Verdict
from ib.models.conversation.transcript import Message, Transcript, line_hash, transcript_line
from ib.models.scan.judge import Answer, JudgeRequest, JudgeSpec, Phase
from ib.models.scan.result import VerdictResult
from ib.text.normalize import Normalized, normalize

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
PERFECT = "perfect judge"
PROFILE = "examples"
EVERY_VOTE = Profile(checks="all", votes="full", gate_stop="none", stop="none", may_publish=False)
"""Examples are always run with all K votes, regardless of the benchmark's profiles."""


def transcript_of(check: Check, example: Example) -> Transcript:
    """An example as a transcript, tagged so that its check is due."""
    messages: list[Message] = []
    turn = 0
    before: Role | None = None
    for said in example.messages:
        if before is not Role.USER or said.role is Role.USER:
            turn += 1
        before = said.role
        time = None if said.minute is None else EPOCH + timedelta(minutes=said.minute)
        messages.append(
            Message(turn=turn, role=said.role, content=said.content, session=said.session, time=time)
        )
    while messages[-1].role is Role.USER:  # a message without a reply is not judged
        messages.pop()
    return Transcript(
        model_id="example/example",
        model="Example",
        scenario_id=f"{check.id}.{example.id}",
        eligible_checks=(check.id,),
        country=example.country,
        messages=tuple(messages),
    )


def example_findings(check: Check, benchmark: Benchmark) -> Iterator[Finding]:
    """A finding for each example of a check whose verdict differs from its expected verdict."""
    engine = ModeEngine(_only(check, benchmark), PROFILE, JudgeSpec(model="scripted", reads_prompt=False))
    cases = check.examples.cases()
    transcripts = (transcript_of(check, example) for example, _ in cases)
    indexed_all = engine.index_all((each, line_hash(transcript_line(each))) for each in transcripts)
    places = _places(check)
    for (example, expected), indexed in zip(cases, indexed_all, strict=True):
        row = play(engine, check, example, expected, indexed)
        if row.verdict is not expected:
            found = f"{example.id} gets {row.verdict or row.state} from {row.scorer}"
            yield Finding(Place(path=places[example.id]), found, expected)
        pattern = _deciding_phrase(check, indexed) if expected is Verdict.PASS else None
        if pattern is not None:
            found = f"{example.id} gets FAIL from the lexical judge, by pattern {pattern}"
            yield Finding(Place(path=places[example.id]), found, expected)


def _only(check: Check, benchmark: Benchmark) -> Benchmark:
    """The benchmark reduced to this check and its lexicon; other checks do not change its row."""
    name = check.routing.lexicon
    lexicons = {} if name is None else {name: benchmark.lexicons[name]}
    scoring = benchmark.scoring.model_copy(update={"profiles": {PROFILE: EVERY_VOTE}})
    return benchmark.model_copy(
        update={"checks": {check.id: check}, "lexicons": lexicons, "scoring": scoring}
    )


def _places(check: Check) -> dict[str, Path]:
    examples = check.examples
    kinds = ("pass", examples.passes), ("fail", examples.fail), ("edge", examples.edge)
    return {e.id: ("examples", kind, at) for kind, several in kinds for at, e in enumerate(several)}


def _deciding_phrase(check: Check, indexed: IndexedTranscript) -> str | None:
    """The pattern by which the lexical judge would fail a conversation without a question; None if none."""
    if check.gate is not None or check.routing.route not in SCREENED_ROUTES:
        return None
    where = (Role.ASSISTANT, check.routing.lexicon or "", check.routing.lexicon_group)
    return next((found.hit.pattern for found in indexed.hits(*where, deciding=True)), None)


def play(
    engine: ModeEngine, check: Check, example: Example, expected: Verdict, indexed: IndexedTranscript
) -> VerdictResult:
    """The row of an example, with a judge that gives the expected answer.

    If the judge decides the check, this tests that the question is asked, that the reply is read, and
    that the quote is found. If a rule decides the check, this tests the verdict.
    """
    result = replay(
        engine.verify(indexed),
        lambda request: Answer(_answer(check, example, expected, request, indexed.transcript)),
    )
    return next(row for row in result.rows if row.mode_id == check.id)


def _answer(
    check: Check, example: Example, expected: Verdict, request: JudgeRequest, transcript: Transcript
) -> str:
    said = [m for m in transcript.messages if m.role is Role.ASSISTANT]
    turn = next((m.turn for m in said if example.quote and example.quote in m.content), said[-1].turn)
    quote = example.quote or said[-1].content
    quoted = {"turn": turn, "quote": quote}
    if request.phase is Phase.EXTRACT:
        return json.dumps({"claims": [quoted]})
    if request.phase is Phase.SCREEN:
        named = [] if expected is Verdict.PASS else [{"check": check.id, **quoted}]
        return json.dumps({"found": named})
    failed = expected is Verdict.FAIL
    value: Mapping[str, object] = {
        "nearest": None if failed else quoted,
        "occurrences": [quoted] if failed else [],
        "reason": PERFECT,
        "code": check.rationale_codes.of(expected)[0],
        "verdict": expected.value,
    }
    return json.dumps(value)


def lexicon_findings(lexicon: Lexicon) -> Iterator[Finding]:
    """A finding for each example that a lexicon gets wrong."""
    matcher = Matcher([lexicon], lexicon.speaker)
    examples = (*lexicon.examples.hit, *lexicon.examples.miss)
    texts = [normalize(example.text) for example in examples]
    found = (occurring.get(lexicon.name, ()) for occurring in matcher.found_each(texts))
    tried: set[int] = set()
    for at, (example, text, patterns) in enumerate(zip(examples, texts, found, strict=True)):
        miss = at - len(lexicon.examples.hit)
        own = [p for p in patterns if example.group in (None, lexicon.patterns[p].group)]
        if miss < 0 and not _is_hit(matcher, text, own, tried):
            yield Finding(Place(path=("examples", "hit", at)), "no pattern matches", "a match")
        hits = matcher.hits(text, own) if miss >= 0 else ()
        if hits:
            yield Finding(
                Place(path=("examples", "miss", miss)), f"pattern {hits[0].pattern} matches", "no match"
            )


def _is_hit(matcher: Matcher, text: Normalized, patterns: Iterable[int], tried: set[int]) -> bool:
    """True if one of these patterns has a hit. Patterns tried before come first: they are compiled."""
    for pattern in sorted(patterns, key=lambda pattern: (pattern not in tried, pattern)):
        tried.add(pattern)
        if matcher.hits(text, (pattern,)):
            return True
    return False
