"""What the gate keeps about the results of a scan: counts, keys, and the first instances of each problem.

Results come one at a time, each as stored and as recomputed, so that only their keys stay in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ib.models.common.base import Role, State, Verdict
from ib.models.common.reason import Reason
from ib.models.conversation.transcript import Provenance
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.plan import PlannedTranscript
from ib.models.scan.result import TranscriptResult
from ib.models.scan.supplement import Supplement

SHOWN = 12
"""Maximum number of listed instances per finding. The count always includes all instances."""
Identity = tuple[str, str, int | None, str]
"""The model, scenario and epoch of a result, and the hash of its transcript."""


def identity_of(planned: PlannedTranscript) -> Identity:
    """What a planned transcript and its result have in common."""
    return (planned.model_id, planned.scenario_id, planned.epoch, planned.transcript_hash)


@dataclass
class Instances:
    """The number of instances of a problem, and descriptions of the first few."""

    count: int = 0
    shown: list[str] = field(default_factory=list)

    def add(self, words: str) -> None:
        """Count one instance."""
        self.count += 1
        if len(self.shown) < SHOWN:
            self.shown.append(words)

    @classmethod
    def of(cls, found: Iterable[str] | Instances) -> Instances:
        """Return `found` as Instances, counting its items if it is another iterable."""
        if isinstance(found, Instances):
            return found
        made = cls()
        for words in found:
            made.add(words)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self.shown)


@dataclass
class Inspection:
    """Everything that the rules of the gate need to know about the results of one scan."""

    active: tuple[str, ...]
    """The checks that every result must have one row for, in order."""
    planned: Sequence[PlannedTranscript] = ()
    """The transcripts of the plan. The results of a scan come in their order."""
    logs: bool = False
    """True if all transcripts are open logs. What was played by which model is then not kept, because models
    of open logs are not compared."""
    as_planned: int = 0
    """How many of the first transcripts of the plan were the next result, in order."""
    judged: bool = False
    """True if at least one row has a verdict, or, without a judge, was searched for phrases."""
    identities: list[Identity] = field(default_factory=list)
    """The results that were not the next of the plan."""
    played: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each model played each scenario."""
    scenarios: dict[str, set[tuple[str, int, str]]] = field(default_factory=dict)
    """The scenarios that each model played: id, epoch and content hash."""
    rows_missing: Instances = field(default_factory=Instances)
    rows_differ: Instances = field(default_factory=Instances)
    unquoted: Instances = field(default_factory=Instances)
    not_run: Instances = field(default_factory=Instances)
    contested: Instances = field(default_factory=Instances)
    """Hard fails for which fewer than most of the votes are."""
    split: Instances = field(default_factory=Instances)
    """Other gate verdicts whose votes were split."""
    unclear: Instances = field(default_factory=Instances)
    """Gate verdicts that are UNCLEAR."""
    supplements_differ: Instances = field(default_factory=Instances)
    alarms_differ: Instances = field(default_factory=Instances)
    misplayed: Instances = field(default_factory=Instances)
    """Transcripts that contradict their scenario."""
    prompts: set[str | None] = field(default_factory=set)
    """The hashes of the system prompts that models were given."""
    harnesses: Counter[str | None] = field(default_factory=Counter)
    served: set[str] = field(default_factory=set)
    """The model ids that providers reported."""

    def compare(self, stored: TranscriptResult | None, anew: TranscriptResult | None) -> None:
        """Add one result, as stored and as recomputed. None stands for a missing result."""
        if anew is not None:
            self._open_gates(anew)
        if stored is None:
            assert anew is not None
            self.rows_differ.add(f"{anew.model_id} on {anew.scenario_id} has no stored result")
            return
        self._see(stored)
        if anew is None or anew.key != stored.key:
            self.rows_differ.add(f"{stored.model_id} on {stored.scenario_id} cannot be recomputed")
        elif anew != stored:
            rows = [old.mode_id for old, new in zip(stored.rows, anew.rows, strict=False) if old != new]
            what = ", ".join(rows) if rows else "its score"
            where = f"{stored.model_id} on {stored.scenario_id}"
            self.rows_differ.add(f"{where}: {what} does not match the votes")

    def _see(self, stored: TranscriptResult) -> None:
        where = f"{stored.scenario_id} ({stored.model_id})"
        self._met(stored)
        if tuple(row.mode_id for row in stored.rows) != self.active:
            self.rows_missing.add(
                f"{stored.model_id} on {stored.scenario_id} does not have one row for each check"
            )
        for row in stored.rows:
            searched = row.state is State.FOUND or row.reason is Reason.NO_PHRASE_FOUND
            self.judged = self.judged or row.state is State.JUDGED or searched
            if row.state in (State.NOT_RUN, State.FOUND) and row.reason is not Reason.LANGUAGE:
                self.not_run.add(f"{row.mode_id} on {where}: {row.reason or row.state}")
            if row.verdict is Verdict.FAIL and not any(s.role is Role.ASSISTANT for s in row.evidence):
                self.unquoted.add(f"{row.mode_id} on {stored.scenario_id}: a FAIL without an assistant quote")

    def _open_gates(self, result: TranscriptResult) -> None:
        """Note the gate verdicts of a recomputed result that are not settled."""
        for row in result.rows:
            if not row.unsettled:
                continue
            what = f"{row.mode_id} on {result.scenario_id} ({result.model_id})"
            if row.contested:
                self.contested.add(f"{what}: FAIL without most of the votes")
            elif row.split:
                self.split.add(f"{what}: {row.verdict.value if row.verdict else 'no verdict'}, votes split")
            if row.verdict is Verdict.UNCLEAR:
                self.unclear.add(f"{what}: {row.reason or 'split votes'}")

    def compare_supplement(self, stored: Supplement | None, anew: Supplement | None) -> None:
        """Add the supplementary measures of one transcript, as stored and as recomputed."""
        one = stored or anew
        if one is not None and stored != anew:
            where = f"{one.model_id} on {one.scenario_id}"
            self.supplements_differ.add(f"{where}: supplement.jsonl does not match the replies")

    def compare_alarm(self, stored: OverAlarm | None, anew: OverAlarm | None) -> None:
        """Add the over-alarm of one play of a twin, as stored and as recomputed."""
        if stored is not None:
            self._met(stored)
        one = stored or anew
        if one is not None and stored != anew:
            where = f"{one.model_id} on {one.scenario_id}"
            self.alarms_differ.add(f"{where}: over_alarm.jsonl does not match the replies")

    def _met(self, stored: TranscriptResult | OverAlarm) -> None:
        """Note which model played which scenario or twin."""
        identity = (stored.model_id, stored.scenario_id, stored.epoch, stored.transcript_hash)
        next_ = self.planned[self.as_planned] if self.as_planned < len(self.planned) else None
        if next_ is not None and identity == identity_of(next_):
            self.as_planned += 1
        else:
            self.identities.append(identity)
        if self.logs:
            return
        self.played[stored.model_id, stored.scenario_id] += 1
        played = (stored.scenario_id, stored.key[2], stored.scenario_hash)
        self.scenarios.setdefault(stored.model_id, set()).add(played)

    def origin(self, provenance: Provenance | None) -> None:
        """Add the provenance of one transcript."""
        known = provenance or Provenance()
        self.prompts.add(known.system_prompt_hash)
        self.harnesses[known.harness] += 1
        if known.served_model is not None:
            self.served.add(known.served_model)
