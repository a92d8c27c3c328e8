"""Origin: which harness, model, judge and profile a release came from.

Each rule yields one line per problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ib.board.gate.inputs import GateInputs
from ib.models.scan.judge import JudgeSpec

PUBLIC_HARNESSES = ("llm/raw",)
UNKNOWN_HARNESSES = (None, "unknown", "import/chat", "import/inspect")
"""Without a name, or imported: a log of another tool does not say how the model was called."""
LEAST_CELL = 10
"""The fewest conversations of real people that a published figure may be about."""
STAND_INS = ("scripted", "reference", "example")
STAND_IN_JUDGES = ("none", "lexical", "scripted", "scripts", "unknown")
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")


def as_often(inputs: GateInputs) -> Iterable[str]:
    """Every model played every scenario equally often, because a rate counts transcripts.

    An open log is counted as it is.
    """
    if inputs.plan.only_open_logs:
        return
    played = inputs.results.played
    often = Counter(played.values()).most_common(1)[0][0] if played else 0
    for (model_id, scenario_id), times in sorted(played.items()):
        if times != often:
            yield f"{model_id}: {scenario_id} has {times} transcripts, where most scenarios have {often}"


def enough_logs(inputs: GateInputs) -> Iterable[str]:
    """No figure of open logs is about fewer than LEAST_CELL conversations: few people could be recognized."""
    if not inputs.plan.only_open_logs:
        return
    counts = Counter(planned.model_id for planned in inputs.plan.transcripts)
    for model_id, count in sorted(counts.items()):
        if count < LEAST_CELL:
            yield f"{model_id}: {count} open logs; figures of real people need at least {LEAST_CELL}"


def profile(inputs: GateInputs) -> Iterable[str]:
    """The profile of the scan is one that may be published."""
    if not inputs.benchmark.scoring.profiles[inputs.plan.profile].may_publish:
        yield f"profile {inputs.plan.profile} is for development; scan with --profile publish"


def part(inputs: GateInputs) -> Iterable[str]:
    """The scan judged every check of its profile on every transcript that it was given, or on every one of
    the sets that were named."""
    if not inputs.plan.part.has_whole_sets:
        yield f"the scan judged only a part of the work; scan again without {inputs.plan.part}"


def sampled(inputs: GateInputs) -> Iterable[str]:
    """The scan is no sample of logs: a release counts conversations, which were drawn with different
    probabilities."""
    sample = inputs.plan.sample
    if sample is not None:
        size = f"{sample.n:,} of {sample.conversations:,} conversations"
        yield (
            f"the judge read a sample, {size}, so that shares of counts are no rates; `ib report` has the "
            "rates of a sample, and a release needs a scan without --sample"
        )


def judge(inputs: GateInputs) -> Iterable[str]:
    """No judge is a stand-in."""
    for judge in _judges(inputs):
        if stands_in(judge):
            yield f"judge {judge.model!r} stands in for a judge"


def stands_in(judge: JudgeSpec) -> bool:
    """True if the judge is no model that reads: phrases, scripts, a recording without a name, or nobody."""
    return any(word.startswith(STAND_IN_JUDGES) for word in _words(judge.model))


def _judges(inputs: GateInputs) -> tuple[JudgeSpec, ...]:
    """The judge, and the second judge if there is one."""
    second = inputs.plan.second
    return (inputs.plan.judge,) if second is None else (inputs.plan.judge, second.judge)


def one_judge(inputs: GateInputs) -> Iterable[str]:
    """All recorded votes are of one judge: a verdict of one judge cannot be compared with one of another."""
    for named in (judge.judges for judge in _judges(inputs)):
        if len(named) > 1:
            votes = f"the votes are of {len(named)} judges, {', '.join(named)}"
            yield f"{votes}; scan the votes of each by itself"


def _words(name: str) -> list[str]:
    """The words of an identifier."""
    return _BETWEEN_WORDS.split(name.lower())


def harness(inputs: GateInputs) -> Iterable[str]:
    """The models are not stand-ins, and their harness is not experimental."""
    known = (*PUBLIC_HARNESSES, *UNKNOWN_HARNESSES)
    for harness in sorted(str(name) for name in inputs.results.harnesses if name not in known):
        kind = "a stand-in for a model" if harness in STAND_INS else "experimental"
        yield f"harness {harness!r} is {kind}"
    named = {model.model_id for model in inputs.leaderboard.models}
    named |= inputs.results.served
    for name in sorted(named):
        if set(_words(name)) & set(STAND_INS):
            yield f"{name} is a stand-in for a model"
    yield from inputs.results.impostors


def provenance(inputs: GateInputs) -> Iterable[str]:
    """The harness of every transcript is known."""
    unknown = sum(inputs.results.harnesses[harness] for harness in UNKNOWN_HARNESSES)
    if unknown:
        yield f"{unknown} transcripts do not say by which harness they were made"
