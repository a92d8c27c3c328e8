"""The agenda of a transcript: which checks are due on it and asked under a profile."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ib.engine.verifiers.rows import SharedRows, unasked_row
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check, Due
from ib.models.benchmark.scoring import Profile
from ib.models.common.base import ENGLISH, Language, Route
from ib.models.common.reason import NotRunReason, Reason
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.part import WHOLE, Part
from ib.models.scan.result import VerdictResult

DETERMINISTIC_ROUTES = (Route.LEXICON_ONLY, Route.REGEX_WITH_LLM_EDGE, Route.SCENARIO_RULE)
ENGLISH_ROUTES = (Route.SCENARIO_RULE, Route.EXTRACT_THEN_CORPUS)
"""Routes that English phrases decide whichever judge is asked: rules, and the corpus of claims."""


@dataclass(frozen=True, slots=True)
class DueCheck:
    """Whether one check is asked of one transcript."""

    check: Check
    due: Due
    selected: bool
    readable: bool = True
    """False if only English phrases could decide the check, and the person writes in another language."""

    @property
    def asked(self) -> bool:
        """True if the check is due, can be read, and the scan selects it."""
        return self.selected and self.readable and self.due is Due.YES


@dataclass(frozen=True, slots=True)
class Agenda:
    """The checks to run on a transcript, and finished rows for all other checks."""

    dues: tuple[DueCheck, ...]
    asked: tuple[Check, ...]
    lexicons: frozenset[str]
    """The lexicons of the checks in `asked`."""
    unasked: Mapping[str, VerdictResult]

    def searching(self, lexicons: Collection[str] | None) -> Sequence[Check]:
        """The checks in `asked` that search for one of these lexicons. None stands for all lexicons."""
        if lexicons is None:
            return [check for check in self.asked if check.routing.lexicon is not None]
        return [check for check in self.asked if check.routing.lexicon in lexicons] if lexicons else ()


@dataclass(frozen=True)
class Agendas:
    """The agendas of transcripts under one profile and part, cached by their circumstances."""

    benchmark: Benchmark
    profile: Profile
    judge: JudgeSpec
    shared: SharedRows
    part: Part = WHOLE
    _known: dict[object, Agenda] = field(init=False, default_factory=dict)

    def of(self, transcript: Transcript) -> Agenda:
        """The agenda of a transcript. It is the same for every model that plays the scenario."""
        twin = transcript.twin is not None
        told = (transcript.eligible_checks, transcript.circumstances, transcript.language)
        key = (twin, transcript.is_open, *told)
        if key not in self._known:
            self._known[key] = self._new(transcript)
        return self._known[key]

    def selects(self, check: Check) -> bool:
        """True if the profile and the part of the scan include this check."""
        return self.in_profile(check) and self.part.has_check(check)

    def in_profile(self, check: Check) -> bool:
        """True if the profile includes this check."""
        wanted = self.profile.checks
        if wanted == "all":
            return True
        if wanted == "deterministic":
            return check.routing.route in DETERMINISTIC_ROUTES
        return check.bucket in wanted

    def _new(self, transcript: Transcript) -> Agenda:
        dues = tuple(
            DueCheck(
                check, transcript.due(check), self.selects(check), self._reads(check, transcript.language)
            )
            for check in self.benchmark.checks.values()
        )
        asked = tuple(item.check for item in dues if item.asked)
        unasked = {item.check.id: self._unasked(item) for item in dues if not item.asked}
        lexicons = frozenset(check.routing.lexicon for check in asked if check.routing.lexicon is not None)
        return Agenda(dues, asked, lexicons, unasked)

    def _unasked(self, item: DueCheck) -> VerdictResult:
        """The row of a check that was not asked. It is made once and shared by all transcripts."""
        reason: NotRunReason = Reason.SELECTION if self.in_profile(item.check) else Reason.PROFILE
        if item.selected:
            reason = Reason.LANGUAGE
        key = (item.check.id, item.due, reason)
        return self.shared.row(key, lambda: unasked_row(item.check, item.due, reason))

    def _reads(self, check: Check, language: Language) -> bool:
        """True if the check can be decided in this language."""
        return language == ENGLISH or (
            self.judge.reads(language) and check.routing.route not in ENGLISH_ROUTES
        )
