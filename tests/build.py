"""Builders of small test data: a benchmark with a few checks, transcripts, judge replies, result rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.asker import Asker
from ib.engine.questions.protocol import Asking, advance
from ib.engine.reading.lexicons import Matcher
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.verifiers.base import CheckContext
from ib.engine.votes.granularity import units_of
from ib.engine.votes.voting import Quota, Stop
from ib.models.benchmark.benchmark import Benchmark, Corpus, Frame, ReplyFields, Rules
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexicon import Lexicon
from ib.models.benchmark.scoring import Scoring
from ib.models.common.base import Aggregation, Bucket, Role, Route, Severity, State, Unit, Verdict
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, JudgeSpec
from ib.models.scan.plan import ScanPlan
from ib.models.scan.result import Row, TranscriptResult, VerdictResult
from ib.pipeline.scan.plan import Planner
from ib.pipeline.scan.supplements import Beside
from ib.store.benchmark.loading import benchmark_folder

CANARY = "CANARY of the tests"
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
CODES = {verdict: f"{verdict.value.lower()}_code" for verdict in Verdict}
PASS, FAIL, UNCLEAR, NA = Verdict.PASS, Verdict.FAIL, Verdict.UNCLEAR, Verdict.NOT_APPLICABLE

Answering = Callable[[JudgeRequest], JudgeReply]


def check(check_id: str = "IB-C1", **given: Any) -> Check:
    """A check with usual values. Keyword arguments replace them; keys of `routing` are passed directly."""
    routing_keys = (
        "route", "unit_of_analysis", "lexicon", "lexicon_group", "repetitions",
        "aggregation", "rule", "recovery", "suppressed_by_tags",
    )  # fmt: skip
    routing = {
        "route": Route.LLM_PRIMARY,
        "unit_of_analysis": Unit.SESSION_STATE,
        **{key: given.pop(key) for key in routing_keys if key in given},
    }
    calibration = given.pop("calibration", "unvalidated")
    values: dict[str, Any] = {
        "id": check_id,
        "name": f"Name of {check_id}",
        "summary": "One sentence.",
        "bucket": check_id[3],
        "severity": Severity.S3,
        "scope": "universal",
        "eligibility": {"scenario_tags_any": given.pop("tags", ("any",))},
        "pass_rule": "p",
        "fail_rule": "f",
        "unclear_rule": "u",
        "not_applicable_rule": "n",
        "good_response": "g",
        "caregiver_benefit": "b",
        "sources": [{"citation": "c", "supports": "s"}],
        "failure": given.pop("failure", "said"),
        "rationale_codes": {verdict.value: {code: f"means {code}"} for verdict, code in CODES.items()},
        "routing": routing,
        "prompt": {
            "question": "Did it occur?",
            "cues": "cues",
            "not_judged": "nothing",
            "screen": f"screen for {check_id}",
        },
        "examples": _examples(),
        "calibration": {
            "status": calibration,
            "note": "note",
            "gold_n": 9 if calibration == "validated" else 0,
        },
        **given,
    }
    return Check.model_validate(values)


def gate_check(check_id: str = "IB-A1", **given: Any) -> Check:
    """A check of severity S5, whose failure is a hard fail."""
    return check(check_id, **{"severity": Severity.S5, **given})


def _examples() -> dict[str, Any]:
    said = [{"user": "u"}, {"assistant": "a"}]
    return {
        "pass": [{"id": f"p{i}", "messages": said, "why": "w"} for i in range(3)],
        "fail": [{"id": f"f{i}", "messages": said, "quote": "a", "why": "w"} for i in range(3)],
        "edge": [{"id": f"e{i}", "messages": said, "expected": "UNCLEAR", "why": "w"} for i in range(2)],
    }


def lexicon(
    name: str = "words",
    *,
    deciding: Iterable[str] = (),
    proposing: Iterable[str] = (),
    speaker: Role = Role.ASSISTANT,
) -> Lexicon:
    """A lexicon with phrases that decide and phrases that only propose a candidate."""
    patterns = [
        *({"id": f"d{i}", "phrase": phrase, "decides": True} for i, phrase in enumerate(deciding)),
        *({"id": f"c{i}", "phrase": phrase} for i, phrase in enumerate(proposing)),
    ]
    ten = [{"text": f"text {i}"} for i in range(10)]
    return Lexicon.model_validate(
        {
            "name": name,
            "speaker": speaker,
            "purpose": "for tests",
            "patterns": patterns,
            "examples": {"hit": ten, "miss": ten},
        }
    )


def frame(**changed: Any) -> Frame:
    """A prompt frame that uses every placeholder."""
    values: dict[str, Any] = {
        "canary": CANARY,
        "version": "1",
        "system": "You judge.",
        "place": "In $country.",
        "transcript": "<<<BEGIN $nonce>>>\n$messages\n<<<END $nonce>>>",
        "judged": "Judge the $turns of more.",
        "judged_alone": "Judge the $turns.",
        "unit": {unit.value: f"Unit {unit.value}." for unit in Unit},
        "cue": "Cue in $cue.",
        "episode": "Cues in $cues, deciding $raising.",
        "check": "$name $question $cues $fail $passes $unclear $not_applicable $not_judged",
        "laws": "Laws:\n$laws",
        "recovery": {"counts": "Later counts.", "does_not_count": "Later does not count."},
        "heard": "Heard in $turns.",
        "hints": "Hints:\n<<<BEGIN $nonce>>>\n$hints\n<<<END $nonce>>>",
        "verify": "Turn $turn said:\n<<<BEGIN $nonce>>>\n$claim\n<<<END $nonce>>>\nReference:\n$reference",
        "nearest": "Quote the nearest.",
        "reply": "Form:\n$fields\nCodes:\n$codes",
        "fields": {name: f'"{name}"' for name in ReplyFields.model_fields},
        "extract": "Extract.",
        "screen": "Screen:\n$failures",
        "reask": "Not counted: $problem\n<<<BEGIN $nonce>>>\n$reply\n<<<END $nonce>>>",
        **changed,
    }
    return Frame.model_validate(values)


def scoring(**changed: Any) -> Scoring:
    """The scoring contract of the benchmark, without flags. Keyword arguments replace its values."""
    adaptive = {"votes": "adaptive", "gate_stop": "first_pass", "stop": "first_pass", "may_publish": False}
    values: dict[str, Any] = {
        "schema_version": 1,
        "canary": CANARY,
        "weights": {"C": 1.0, "D": 1.0, "F": 1.0},
        "coverage_floor": {"check": 0.8, "bucket": 0.8, "gate_check": 1.0},
        "support": {"count_only_below": 5, "low_power_below": 30, "wide_from": 0.3},
        "corrected_quote_min_chars": 20,
        "flags": (),
        "profiles": {
            "smoke": {
                "checks": "deterministic",
                "votes": "none",
                "gate_stop": "none",
                "stop": "none",
                "may_publish": False,
            },
            "dev": {"checks": ["A", "B", "F"], **adaptive},
            "full": {"checks": "all", **adaptive},
            "publish": {
                "checks": "all",
                "votes": "full",
                "gate_stop": "none",
                "stop": "two_agree",
                "votes_after_gate_fail": 2,
                "may_publish": True,
            },
        },
        **changed,
    }
    return Scoring.model_validate(values)


def rules(**changed: Any) -> Rules:
    """A rule set with a certain and an uncertain question, a disclosure and a denial."""
    values: dict[str, Any] = {
        "id": "base",
        "title": "Rules of the tests",
        "disclosure_on_asking": {
            "ask_patterns": [
                {"id": "certain", "regex": r"\bare you human\b", "certain": True},
                {"id": "perhaps", "regex": r"\bwho are you\b", "certain": False},
            ],
            "disclosure_patterns": [{"id": "ai", "regex": r"\bi am an ai\b"}],
            "denial_patterns": [{"id": "human", "regex": r"\bi am a human\b"}],
            "mention_patterns": [{"id": "machine", "regex": r"\b(?:ai|machine)\b"}],
        },
        "disclosure_cadence": {"minutes": 180, "assistant_turns": 40, "source": {"citation": "c"}},
        "crisis_actions": (),
        "crisis_resources": {},
        **changed,
    }
    return Rules.model_validate(values)


def corpus(*statements: str) -> Corpus:
    """A reference corpus with these statements."""
    entries = [
        {
            "id": f"e{i}",
            "topic": "topic",
            "jurisdiction": "base",
            "statement": statement,
            "source": {"citation": "c"},
        }
        for i, statement in enumerate(statements or ("Medicare pays for one hundred days.",))
    ]
    return Corpus.model_validate({"title": "Corpus", "entries": entries})


def benchmark(*checks: Check, lexicons: Iterable[Lexicon] = (), **parts: Any) -> Benchmark:
    """A benchmark with these checks, in this order."""
    values: dict[str, Any] = {
        "checks": {item.id: item for item in checks},
        "lexicons": {item.name: item for item in lexicons},
        "scoring": scoring(),
        "rules": {"base": rules()},
        "frame": frame(),
        "corpus": corpus(),
        **parts,
    }
    return Benchmark.model_construct(**values)


def transcript(*said: str, minutes: Sequence[int] | None = None, **fields: Any) -> Transcript:
    """A transcript of alternating user and assistant messages; one `minutes` and `sessions` value a turn."""
    sessions = fields.pop("sessions", None)
    messages = []
    for index, content in enumerate(said):
        turn = index // 2
        message: dict[str, Any] = {
            "turn": turn + 1,
            "role": "assistant" if index % 2 else "user",
            "content": content,
        }
        if minutes is not None:
            message["time"] = EPOCH + timedelta(minutes=minutes[turn])
        if sessions is not None:
            message["session"] = sessions[turn]
        messages.append(message)
    values = {"model_id": "lab/model", "model": "Model", "scenario_id": "scenario-1", **fields}
    return Transcript.model_validate({**values, "messages": messages})


def anchor(
    check_id: str, cue: int, first: int, last: int, episode: str | None = None, *, raises: bool = False
) -> dict[str, Any]:
    """An anchor in the form of a transcript; `episode` names its danger for the check."""
    named = {} if episode is None else {check_id: episode}
    turns = {"cue_turn": cue, "from_turn": first, "to_turn": last}
    return {**turns, "checks": (check_id,), "episode": named, "raises": raises}


def hash_of(item: Transcript) -> str:
    """The hash that identifies a transcript."""
    return line_hash(transcript_line(item))


def indexed(item: Transcript, *lexicons: Lexicon) -> IndexedTranscript:
    """An indexed transcript, as verifiers receive it."""
    matchers = (Matcher(lexicons, Role.ASSISTANT), Matcher(lexicons, Role.USER))
    return IndexedTranscript(item, *matchers, hash_of(item), item.country)


def engine(world: Benchmark, profile: str = "publish", spec: JudgeSpec | None = None) -> ModeEngine:
    """An engine for a benchmark."""
    return ModeEngine(world, profile, spec or JudgeSpec(model="judge"))


def beside(engine: ModeEngine) -> Beside:
    """No supplementary measures, and the question about over-alarm of the package."""
    return Beside(engine, benchmark_folder(), None)


def case(
    item: Check,
    said: Transcript,
    *lexicons: Lexicon,
    asked: int = 3,
    stop: Stop = Stop.NONE,
    after_fail: int = 0,
    spec: JudgeSpec | None = None,
) -> CheckContext:
    """The context of one check on one transcript, as a verifier receives it."""
    world = benchmark(item, lexicons=lexicons)
    asker = Asker(spec or JudgeSpec(model="judge"), world.frame, {item.id: digest(item)})
    units = units_of(asker.spec.granularity)
    quota = Quota(asked, stop, after_fail)
    return CheckContext(item, indexed(said, *lexicons), world, asker, units, quota, "prompt-hash")


def reply(
    verdict: Verdict,
    *quotes: str,
    turn: int = 1,
    role: Role = Role.ASSISTANT,
    code: str | None = None,
    cues: Mapping[int, bool] | None = None,
) -> Answer:
    """A well-formed reply of the judge. A FAIL lists its quotes as occurrences; another verdict quotes the
    first as what comes nearest. `cues` says for each cue's turn whether it was met."""
    quoted = [{"role": role.value, "turn": turn, "quote": quote} for quote in quotes]
    failed = verdict is Verdict.FAIL
    value = {
        "nearest": None if failed or not quoted else quoted[0],
        "occurrences": quoted if failed else [],
        "cues": [{"turn": turn, "met": met} for turn, met in (cues or {}).items()],
        "reason": "a reason",
        "code": code or CODES[verdict],
        "verdict": verdict.value,
    }
    return Answer(json.dumps(value))


def listing(*found: tuple[str, int, str]) -> Answer:
    """A well-formed reply to a screening question: the check, the turn and the words of each place."""
    places = [{"check": check_id, "turn": turn, "quote": quote} for check_id, turn, quote in found]
    return Answer(json.dumps({"found": places}))


def claims(*found: tuple[int, str]) -> Answer:
    """A well-formed reply to an extraction."""
    return Answer(json.dumps({"claims": [{"turn": turn, "quote": quote} for turn, quote in found]}))


Rounds = list[tuple[JudgeRequest, ...]]


def run(make: Callable[[], Asking[Any]], answer: Answering) -> tuple[Any, Rounds]:
    """The result of a verification through `advance`, and the requests of each round."""
    known: dict[str, JudgeReply] = {}
    rounds: Rounds = []
    while True:
        outcome = advance(make, known)
        if not outcome or not isinstance(outcome[0], JudgeRequest):
            (result,) = outcome
            return result, rounds
        wanted = tuple(request for request in outcome if isinstance(request, JudgeRequest))
        rounds.append(wanted)
        known.update({request.key: answer(request) for request in wanted})


def in_turn(*replies: JudgeReply) -> Answering:
    """Answers repetition n with the n-th reply, also when the question is asked again."""
    return lambda request: replies[request.repetition - 1]


def row(item: Check, verdict: Verdict | None, state: State | None = None, **given: Any) -> VerdictResult:
    """A result row of a check: JUDGED if a verdict is given, else NOT_RUN. FOUND has a phrase."""
    found = state or (State.NOT_RUN if verdict is None else State.JUDGED)
    values: dict[str, Any] = {
        "mode_id": item.id,
        "state": found,
        "severity": item.severity,
        "primary_bucket": item.bucket,
        "gate": item.gate,
        "scorer_version": "1",
        **(given if verdict is None else {**_judged(verdict), **given}),
    }
    if found is State.NOT_RUN:
        values.setdefault("reason", "no_judge")
    if found is State.FOUND:
        values.setdefault("evidence", (span("words").model_copy(update={"pattern": "claims/words"}),))
    return outcome(values)


def _judged(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "confidence": 1.0,
        "scorer": "judge",
        "evidence": (span("words"),) if verdict is FAIL else (),
        "reason": "no_majority" if verdict is UNCLEAR else None,
    }


def outcome(values: Mapping[str, Any]) -> VerdictResult:
    """The outcome of a check from the fields that it has in JSON."""
    return _OUTCOMES.validate_python(values)


_OUTCOMES: TypeAdapter[VerdictResult] = TypeAdapter(Row)


def span(quote: str, role: Role = Role.ASSISTANT, turn: int = 1) -> EvidenceSpan:
    """A verified quote."""
    return EvidenceSpan(role=role, turn=turn, quote=quote, start=0, end=len(quote))


def scanned(
    world: Benchmark,
    transcripts: Sequence[Transcript],
    answer: Answering,
    *,
    profile: str = "publish",
    spec: JudgeSpec | None = None,
) -> tuple[ScanPlan, tuple[TranscriptResult, ...]]:
    """The plan and the results of a scan with a scripted judge."""
    judged = engine(world, profile, spec)
    planner = Planner(judged, beside(judged))
    plan = planner.plan(planner.transcripts((t, hash_of(t)) for t in transcripts))

    def result(item: Transcript) -> TranscriptResult:
        read = judged.index(item, hash_of(item))
        found, _ = run(lambda: judged.verify(read), answer)
        assert isinstance(found, TranscriptResult)
        return found

    return plan, tuple(result(item) for item in transcripts)


def gates() -> Mapping[Bucket, Check]:
    """One gate check for each gate bucket."""
    return {Bucket.A: gate_check("IB-A1"), Bucket.B: gate_check("IB-B1", severity=Severity.S4_GATE)}


ANY_FAIL = Aggregation.ANY_FAIL
