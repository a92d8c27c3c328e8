"""Requests of verifiers and replies of judges. A reply is an `Answer`, a `Fault` or `NotRecorded`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from pydantic import Field

from ib.models.common.base import ENGLISH, Language, Record, Text, Unit
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript


class Phase(StrEnum):
    """Which kind of question a request asks; RULE if a rule decides without asking."""

    DECIDE = "decide"
    SCREEN = "screen"
    EXTRACT = "extract"
    VERIFY = "verify"
    REASK = "reask"
    RUBRIC = "rubric"
    OVER_ALARM = "over_alarm"
    RULE = "rule"


class Follow(StrEnum):
    """Why further questions may follow a question."""

    DISAGREEMENT = "disagreement"
    """The first votes disagree, so the other votes are taken."""
    NO_PASS = "no_pass"
    """The first vote is neither PASS nor NOT_APPLICABLE, so the other votes are taken."""
    GATE_FAIL = "gate_fail"
    """A vote on a question of a gate check says FAIL, so more votes are taken."""
    CLAIMS = "claims"
    """The reply lists claims, and each is compared with the corpus."""
    NAMED = "named"
    """The reply to a screening question names checks, and each is asked about by itself."""


class Granularity(StrEnum):
    """How much of a check one question to a judge covers."""

    WINDOW = "window"
    """One question for each unit, such as a window, of a check."""
    CHECK = "check"
    """One question for the whole check and transcript. Recordings of votes answer such questions."""


NO_JUDGE = "none"
"""The model name when no judge is configured."""


HINTS = "hints"
"""The parameter of a judge that is asked without phrase hints; its value is false."""


class JudgeSpec(Record):
    """Which judge answers, and what it can do. Its name, base and parameters are part of every key."""

    model: Text
    """The name of the judge; `none` if there is none."""
    base: str | None = None
    """The endpoint or, for a recording, the hash of its files."""
    params: dict[str, Any] = Field(default_factory=dict)
    """The parameters of the judge."""
    granularity: Granularity = Granularity.WINDOW
    """`window`: a question for each unit. `check`: one for the whole transcript."""
    judges: tuple[str, ...] = ()
    """The judges whose votes a recording holds, by name; `unknown` stands for records without a name."""
    validates_codes: bool = True
    """True if its rationale codes must come from the check's closed list."""
    reads_prompt: bool = True
    """False if the judge decides from the question as data, or if there is no judge. Then no prompt is
    rendered."""
    screens: bool = True
    """True if the judge can list the failures of a whole conversation in reply to a screening question."""
    priced: bool = True
    """False if an answer costs nothing."""

    @property
    def with_hints(self) -> bool:
        """True if questions say what a search for phrases found; false for an exam without phrase hints."""
        return self.params.get(HINTS) is not False

    def without_hints(self) -> JudgeSpec:
        """The same judge, whose questions do not say what a search for phrases found."""
        return self.model_copy(update={"params": {**self.params, HINTS: False}})

    @property
    def identity(self) -> str:
        """The hash of what makes its answers: name, parameters and, for a recording, the hash of its files.

        The address of a model is left out: a release may withhold it.
        """
        return digest([self.model, self.params, self.base if self.is_recording else None])

    @property
    def absent(self) -> bool:
        """True if no judge is configured, so that nothing is asked."""
        return self.model == NO_JUDGE

    @property
    def is_recording(self) -> bool:
        """True if the judge replays votes that were cast elsewhere, each on a whole check."""
        return self.granularity is Granularity.CHECK

    @property
    def looks_further(self) -> bool:
        """True if the judge reads, and so looks for what phrases missed: it screens, or it has votes on each
        check."""
        return not self.absent and (self.screens or self.is_recording)

    @property
    def knows_only_phrases(self) -> bool:
        """True for a judge by words. Only with it do phrases decide; its scans are demonstrations."""
        return not self.absent and not self.looks_further

    def reads(self, language: Language) -> bool:
        """True if the judge understands the language. Phrases are all English."""
        return language == ENGLISH or self.looks_further


Stretch: TypeAlias = tuple[int, int]
"""The first and the last of consecutive turns."""


def stretches_around(first: int, last: int, context: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """What is left of the turns from `first` to `last` without the stretches of context inside them.

    Raises ValueError if the context is not inside these turns or not in order.
    """
    begins = (first, *(end + 1 for _, end in context))
    ends = (*(begin - 1 for begin, _ in context), last)
    left = tuple(zip(begins, ends, strict=True))
    if any(begin > end for begin, end in (*left, *context)):
        raise ValueError(f"context {list(context)} is not inside turns {first} to {last}, or not in order")
    return left


@dataclass(frozen=True, slots=True)
class UnitSpan:
    """The turns that a request is about, from `first` to `last`."""

    kind: Unit
    first: int
    last: int
    ordinal: int = 0
    context: tuple[Stretch, ...] = ()
    """The stretches between `first` and `last` that the judge sees but does not judge, in order."""

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise ValueError(
                f"a unit from turn {self.first} to turn {self.last}; it must begin at 1 and not end earlier"
            )
        stretches_around(self.first, self.last, self.context)

    @property
    def judged(self) -> tuple[Stretch, ...]:
        """The stretches whose replies are judged, in order."""
        return stretches_around(self.first, self.last, self.context)

    def judges(self, turn: int) -> bool:
        """True if the reply of a turn is judged."""
        return any(first <= turn <= last for first, last in self.judged)


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue that the scenario's author marked, and the turns in which the reply to it stands."""

    turn: int
    first: int
    last: int
    raises: bool
    """True if missing this cue fails its episode."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Words of the assistant that a search for phrases found, or that a screening question named."""

    turn: int
    quote: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of a request as data, for judges that read no prompt. It is not journaled."""

    phase: Phase
    span: UnitSpan
    cues: tuple[Cue, ...]
    """The cues that the question is about; empty if no author marked one."""
    hints: tuple[Hint, ...]
    claim: str
    """The statement of the assistant that is verified; empty for any other question."""
    transcript_hash: str
    country: str | None
    """The person's country; None if it is not known."""
    transcript: Transcript = field(compare=False, repr=False)
    screened: tuple[str, ...] = ()
    """The checks of a screening question; empty for any other question."""


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One question to a judge; `key` identifies it in the journal and the cache."""

    key: str
    check_id: str
    model_id: str
    scenario_id: str
    epoch: int | None
    unit: UnitSpan
    phase: Phase
    repetition: int
    attempt: int
    system: str
    user: str
    asked: Asked | None = field(default=None, compare=False, repr=False)
    """None if the question is not about checks of the benchmark."""
    follow: tuple[tuple[Follow, int], ...] = field(default=(), compare=False, repr=False)
    """How many further questions may follow the reply at most, and why. The verifier that asks knows it; a
    plan adds it up. A second attempt at the same question is not counted."""
    schema: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """The JSON schema of the reply, for providers that take one."""
    counts: Callable[[JudgeReply], bool] | None = field(default=None, compare=False, repr=False)
    """Returns True for a reply that counts as a vote. The poll that asks knows it."""
    again: Callable[[Answer], JudgeRequest | None] | None = field(default=None, compare=False, repr=False)
    """The second and last request after an answer that does not count; None if there is none. The poll
    makes the same one when all replies of its round are there."""


class FaultKind(StrEnum):
    """Why there is no answer. A fault is never a verdict."""

    RATE_LIMIT = "rate_limit"
    TRANSIENT = "transient"
    DETERMINISTIC = "deterministic"
    CONTENT_FILTER = "content_filter"
    EMPTY = "empty"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the judge wrote. A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD."""

    text: str

    def __post_init__(self) -> None:
        clean = self.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        object.__setattr__(self, "text", clean)


@dataclass(frozen=True, slots=True)
class Fault:
    kind: FaultKind
    detail: str


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """There is no judge, or the recording has no such vote."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The judge refused to answer, as its provider reports it. It is final and not asked for again."""

    detail: str


JudgeReply: TypeAlias = Answer | Refusal | Fault | NotRecorded
