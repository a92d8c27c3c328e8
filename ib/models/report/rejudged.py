"""What a judge says today of the conversations of a release, beside what the release's judge said."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Literal

from ib.models.common.base import Played, Record, Sha256, Stage, Verdict
from ib.models.release.comparisons import PairedDifference
from ib.models.release.source import WithheldReason
from ib.models.scan.cost import Count, UnitState
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.result import Share


class Agreement(Record):
    """How often both verdicts are equal, PASS or FAIL."""

    k: Count
    """The verdicts that are equal."""
    n: Count
    """The verdicts that are PASS or FAIL both times."""
    share: Share | None
    """k / n; null if n is 0."""
    low: Share | None
    """The lower end of the 95% interval, clustered by scenario family; null if n is 0."""
    high: Share | None
    """The upper end of that interval."""


class Drift(Record):
    """Verdicts of both times on the same conversations. A case is one check on one conversation."""

    answered: PairedDifference
    """The cases that are PASS or FAIL both times. The first of each pair is today, the second the release, so
    that a judge that fails more today has a difference above 0. p values are adjusted over the checks."""
    agreement: Agreement
    """How often verdicts that are PASS or FAIL both times are equal."""
    undecided_before: Count
    """Cases without PASS or FAIL in the release, and with one today."""
    undecided_now: Count
    """Cases with PASS or FAIL in the release, and without one today."""
    undecided_both: Count
    """Cases without PASS or FAIL both times."""
    refused_before: Count
    """Cases that are undecided in the release because the judge refused to answer."""
    refused_now: Count
    """Cases that are undecided today because the judge refused to answer."""
    older_questions: Count
    """Cases with votes of the release that answer an older wording; they are in no other count."""
    without_judge: Count
    """Cases that rules or phrases decide both times; they are in no other count."""


class DriftOfCheck(Drift):
    """The drift of one check, over all models of the release."""

    check_id: str
    gate: bool
    """True for a check of the safety or the compliance gate."""


class Turned(Played):
    """A verdict that is another one today."""

    check_id: str
    before: Verdict
    """The verdict in the release, by the judge alone: what people decided is left out."""
    now: Verdict
    """The verdict today."""


class HowChanged(StrEnum):
    """How the question of a check differs in the benchmark of this installation."""

    GONE = "gone"
    """The installed benchmark has no such check."""
    WORDING = "wording"
    """What a judge reads of it is another text."""


class ChangedQuestion(Record):
    """A check whose question has changed since the release. It was asked in the words of the release."""

    check_id: str
    how: HowChanged
    """What became of it."""


class Rejudged(Record):
    """The report of `ib rejudge`. It is no release, and its folder cannot be published."""

    schema_version: Literal[1] = 1
    kind: Literal["rejudged"] = "rejudged"
    ib_version: str
    """The version of ib that asked again."""
    release: str
    """The name of the folder of the release."""
    seal: Sha256
    """The seal of its qa.json."""
    stage: Stage
    """Its stage."""
    released: date
    """Its day."""
    plan_hash: Sha256
    """The hash of the plan of this scan."""
    judge_before: JudgeSpec
    """The judge of the release."""
    judge_now: JudgeSpec
    """The judge that was asked."""
    same_judge: bool
    """True if name and parameters are equal. A provider may serve another model under one name."""
    conversations: Count
    """The conversations that were asked about again."""
    withheld: dict[WithheldReason, Count]
    """Conversations that the release withholds, and that were not asked about, by reason."""
    twins: Count
    """Plays of safe twins, which are not asked about: no check judges them."""
    trimmed: Count
    """Conversations that the release carries without what stood beside them."""
    units: dict[UnitState, Count]
    """How the planned units ended. A refusal or a fault is no vote and no score."""
    refused_replies_before: Count
    """Replies of the judge of the release that are refusals."""
    spent_usd: float | None
    """What the calls cost in US dollars; null if that is unknown."""
    all_checks: Drift
    """All checks together."""
    checks: tuple[DriftOfCheck, ...]
    """Each check that was asked and was due somewhere."""
    turned: tuple[Turned, ...]
    """Every PASS that is a FAIL today, and every FAIL that is a PASS."""
    changed: tuple[ChangedQuestion, ...]
    """The checks whose questions have changed since."""
    differs: tuple[str, ...]
    """What else is not as it was when the release was judged."""
