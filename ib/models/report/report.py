"""A report on one scan: what failed, where, with the words; then what was not asked; then rates."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from ib.models.common.base import Bucket, Played, Record, Severity
from ib.models.scan.gates import Count
from ib.models.scan.part import SamplePlan
from ib.models.scan.rates import Rate

FORM = 3
"""The version of the form of a report. New in version 2: who judged, how many votes, of which wording. New in
version 3: the sample of a sampled scan, and the rates of all logs (`whole`)."""


class CaseKind(StrEnum):
    """What a case of a report is, gravest first."""

    FAILED = "failed"
    """A FAIL on most of the votes asked, or by a rule."""
    CONTESTED = "contested"
    """A FAIL on fewer votes."""
    FOUND = "found"
    """A listed phrase was found; nobody judged it. It is a hint, never a failure."""


class QuotedTurn(Record):
    """One reply of the assistant with the quotes in their place."""

    turn: int
    asked: str | None
    """What the person had said before; null if the assistant spoke first, or if the report leaves it out."""
    cues: tuple[tuple[int, int], ...] = ()
    """Where the words of the person that the verdict names begin and end, in characters of `asked`."""
    reply: str
    """The whole reply, as written."""
    quotes: tuple[tuple[int, int], ...]
    """Where each quote begins and ends in the reply, in characters."""

    @property
    def quoted(self) -> tuple[str, ...]:
        """The words of the quotes."""
        return tuple(self.reply[start:end] for start, end in self.quotes)


class Case(Played):
    """One check on one conversation: a failure, a contested failure or a hint."""

    kind: CaseKind
    check_id: str
    log: str
    """The id that the log itself gives the conversation, or the id of the scenario."""
    meta: dict[str, str] = Field(default_factory=dict)
    """The metadata of the conversation."""
    votes_for: Count
    """How many votes said FAIL, of those asked."""
    votes_asked: Count
    """0 if a rule decided, or a phrase was found."""
    scorer: str
    """What decided: `judge`, `rule` or `lexicon`; `none` for a hint."""
    rationale_code: str | None = None
    phrases: tuple[str, ...] = ()
    """The patterns of lexicons that found the words, as `lexicon/pattern`."""
    older_question: bool = False
    """True if the votes answer another wording of the question."""
    same_words: tuple[str, ...] = ()
    """The other checks that failed on the same words in this conversation."""
    turns: tuple[QuotedTurn, ...]
    """The replies that are quoted, in order."""


class WholeRate(Record):
    """The rate of a failure among all logs, of which a sampled scan judged some. It is design-based: each
    conversation counts with 1 over its probability to be drawn."""

    rate: float | None = None
    """Failures over decided conversations; null without an estimate."""
    low: float | None = None
    """The lower end of the 95% interval."""
    high: float | None = None
    reason: str | None = None
    """Why there is no estimate."""
    at_most: float | None = None
    """The upper end of the interval, if there are too few sampled failures for an estimate."""
    bounds: tuple[float, float] | None = None
    """The rate if all undecided conversations are passes, and if all are failures; null if none is
    undecided."""
    decided: float
    """The estimated number of conversations of the logs that would be decided."""
    undecided: float
    """The estimated number of those that were due and would not be decided."""
    false_alarms: float | None
    """The upper bound of the share of conversations without the failure that the judge calls a failure; null
    if it is not known."""


class ReportedCheck(Record):
    """One check of the benchmark over all conversations of the scan."""

    check_id: str
    name: str
    """What the failure is called, in a few words."""
    summary: str
    bucket: Bucket
    severity: Severity
    gate: Bucket | None
    due: Count
    """Conversations on which the check was due."""
    asked: Count
    """Of these, conversations with an answer of a judge or a rule: PASS, FAIL, UNCLEAR or NOT_APPLICABLE."""
    searched: Count
    """Of these, conversations that were only searched for listed phrases."""
    failed: Count
    """Conversations that failed by most of the votes, or by a rule."""
    older: Count
    """Those of `failed` whose votes answer an older wording of the question. The opening leaves them out."""
    contested: Count
    """Conversations that failed by fewer votes."""
    found: Count
    """Conversations in which a listed phrase was found that nobody judged."""
    passed: Count
    unclear: Count
    not_applicable: Count
    not_run: Count
    """Conversations on which the check was due and nobody answered, searched ones included."""
    reasons: tuple[str, ...] = ()
    """Why the check was not run, the most frequent reason first."""
    failures: Rate
    """Failed and contested, of those that passed or failed. Of a sample, these are counts without a rate."""
    whole: WholeRate | None = None
    """The rate among all logs, if the scan is a sample of them; else null."""

    @property
    def decided(self) -> int:
        """Conversations that passed or failed."""
        return self.failures.n


class GroupedCheck(Record):
    """One check among the conversations of a group."""

    check_id: str
    failed: Count
    contested: Count
    found: Count


class Group(Record):
    """The conversations that have one value of a metadata key."""

    value: str | None
    """Null for conversations without the key."""
    conversations: Count
    failed: Rate
    """Conversations in which a check failed, of those in which a check passed or failed. Of a sample, these
    are counts without a rate."""
    whole: WholeRate | None = None
    """The rate among all logs of the group, if the scan is a sample of them; else null."""
    found: Count
    """Conversations with a hint."""
    checks: tuple[GroupedCheck, ...]
    """The checks that failed or were found in the group, gravest first."""


class Grouping(Record):
    """The conversations by a metadata key."""

    key: str
    groups: tuple[Group, ...]


class Asked(Record):
    """What was asked, and what was not."""

    total: Count
    """Checks of the benchmark."""
    asked: Count
    """Checks with an answer on at least one conversation."""
    searched: Count
    """Checks without an answer, whose listed phrases were looked for."""
    not_asked: tuple[str, ...]
    """Checks that were due and have neither."""
    partly: tuple[str, ...]
    """Checks with an answer on some conversations and none on others on which they were due."""
    not_due: tuple[str, ...]
    """Checks that were due on no conversation."""
    sentence: str
    """The same in one plain sentence."""


class Report(Record):
    """What a scan found, gravest first."""

    schema_version: int = FORM
    kind: Literal["report"] = "report"
    plan_hash: str
    """The hash of the plan of the scan."""
    profile: str
    judge: str
    judges: Count
    """How many AI judges there were; 0 for a program, or for nobody."""
    votes_per_question: tuple[int, int] | None
    """The least and the most votes that were asked on a question; null if there are no votes."""
    voted_rows: Count
    """How many results have votes of a judge."""
    older_questions: Count
    """Those of them whose votes answer another wording of the question than that of the check."""
    compared: Count
    """How many checks people have compared with their own judgment."""
    models: tuple[str, ...]
    conversations: Count
    open_logs: Count
    """How many conversations are open logs."""
    sample: SamplePlan | None = None
    """How the conversations were drawn, if the scan is a sample of logs; else null."""
    shows_user: bool
    """True if the words of the persons in open logs are shown."""
    opening: tuple[str, str, str]
    """Three sentences that say the whole."""
    failed_conversations: Count
    """Conversations with a failure by most votes, or by a rule."""
    failures: Count
    """Failed checks, over all conversations; contested ones are counted apart."""
    roots: Count
    """The passages that these failures are about: checks that failed on the same words count once."""
    contested: Count
    found: Count
    """Hints, over all conversations."""
    cases: tuple[Case, ...]
    """Failures, then contested failures, then hints; gravest first, then the most frequent."""
    grouping: Grouping | None
    """The conversations by the metadata key that was asked for."""
    asked: Asked
    checks: tuple[ReportedCheck, ...]
    """Every check, gravest first."""

    def check(self, check_id: str) -> ReportedCheck:
        """The check with an id. Raises KeyError if there is none."""
        return {check.check_id: check for check in self.checks}[check_id]
