"""What stands against one conversation of a submission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ib.board.evidence.leaks import LeakSearch
from ib.models.common.base import Role
from ib.models.conversation.contract import CORE
from ib.models.conversation.transcript import Provenance, Transcript, transcript_line
from ib.models.report.submission import BENCHMARK, HowPlayed, ReasonKind, Submission, SubmissionReason
from ib.models.scan.run import RAW, REFERENCE, SCRIPTED
from ib.pipeline.submit.reading import Placed
from ib.scenario.playing import conflicts
from ib.store.files.leaks import leaks_here

if TYPE_CHECKING:
    from ib.models.conversation.scenario import Scenario

OF_IB = (RAW, REFERENCE, SCRIPTED)
"""The harnesses that `ib run` and the plugin for Inspect name."""
_OF_VERSION = ("provenance.scenario_hash", "provenance.draw")
"""Keys that differ if another version or draw was played."""


@dataclass
class PlayCheck:
    """Checks the conversations of one submission, one after the other."""

    manifest: Submission
    scenarios: Mapping[str, Scenario]
    canary: str
    own_prompt: str | None
    """The hash of the system prompt of the benchmark."""
    leaks: LeakSearch = field(default_factory=leaks_here)
    addressed: int = 0
    """The conversations so far that name a private address of the model."""
    uncompared: Counter[str] = field(default_factory=Counter)
    """For each key that a conversation does not state: the conversations so far."""
    _seen: dict[tuple[str, str, int], Placed] = field(default_factory=dict)
    _words: dict[tuple[str, ...], Placed] = field(default_factory=dict)

    def reasons(self, one: Placed) -> Iterator[SubmissionReason]:
        """Every reason against a conversation."""
        made = (self._scenario(one.transcript), self._manifest(one.transcript))
        for kind, key, found, allowed in (
            *made[0],
            *made[1],
            *self._doubled(one),
            *self._leaks(one.transcript),
        ):
            yield SubmissionReason(
                kind=kind, file=one.file, line=one.line, key=key, found=found, allowed=allowed
            )

    def _scenario(self, said: Transcript) -> Iterator[_Told]:
        """Whether it is a play of a published scenario of the sets, branch by branch."""
        name = said.scenario_id
        scenario = self.scenarios.get(name)
        if scenario is None:
            yield _other("scenario_id", f"this benchmark has no scenario {name}", "a scenario of it")
            return
        if not scenario.published:
            yield _other("scenario_id", f"{name} is not published", "only published scenarios")
        if (scenario.set or CORE) not in self.manifest.sets:
            allowed = f"sets of the manifest: {', '.join(self.manifest.sets)}"
            yield _other("scenario_id", f"{name} is of {scenario.set or CORE}", allowed)
        for key, value in conflicts(said, scenario):
            kind = ReasonKind.OTHER_BENCHMARK if key in _OF_VERSION else ReasonKind.NOT_A_PLAY
            found = f"differs from scenario {name} of this benchmark"
            yield kind, key, found, f"the scenario has {value}"[:300]

    def _manifest(self, said: Transcript) -> Iterator[_Told]:
        """Where it contradicts the manifest."""
        known, manifest = said.provenance or Provenance(), self.manifest
        settings = manifest.settings
        if said.model_id != manifest.named:
            yield _contradicts("model_id", said.model_id, manifest.named)
        if manifest.how_played is not HowPlayed.OWN_HARNESS and known.harness not in OF_IB:
            yield _contradicts(
                "provenance.harness", known.harness, f"{manifest.how_played}, which writes {RAW}"
            )
        prompt = self.own_prompt if settings.system_prompt == BENCHMARK else settings.system_prompt
        if known.system_prompt_hash not in (None, prompt):
            yield _contradicts(
                "provenance.system_prompt_hash", known.system_prompt_hash, settings.system_prompt
            )
        if known.day is not None and not manifest.played_from <= known.day <= manifest.played_to:
            days = f"{manifest.played_from} to {manifest.played_to}"
            yield _contradicts("provenance.date", known.day, days)
        self.uncompared["provenance.date"] += known.day is None
        # What `ib` plays records every parameter of a model, so that one that is left out was the provider's.
        whole = known.harness == RAW and manifest.how_played is not HowPlayed.OWN_HARNESS
        for name in ("temperature", "max_tokens"):
            mine, theirs = (known.sampling or {}).get(name), getattr(settings, name)
            self.uncompared[f"provenance.sampling.{name}"] += not whole and mine is None
            if mine != theirs and (whole or mine is not None):
                yield _contradicts(f"provenance.sampling.{name}", mine, theirs)

    def _doubled(self, one: Placed) -> Iterator[_Told]:
        """Whether it stands there twice: the same play, or the same replies at a temperature above 0."""
        said = one.transcript
        first = self._seen.setdefault(said.key, one)
        if first is not one:
            found = f"this play of {said.scenario_id} is also in {first.file}:{first.line}"
            yield ReasonKind.DOUBLED, "scenario_id", found, "one conversation for each repetition"
            return
        words = (said.scenario_id, *(each.content for each in said.messages if each.role is Role.ASSISTANT))
        first = self._words.setdefault(words, one)
        if first is not one and self.manifest.settings.temperature != 0:
            found = f"has word for word the replies of {first.file}:{first.line}"
            yield ReasonKind.DOUBLED, "messages", found, "repetitions that were played, or temperature 0"

    def _leaks(self, said: Transcript) -> Iterator[_Told]:
        """Keys and paths of machines anywhere in its line, and the canary in a reply."""
        public = self._without_address(said)
        self.addressed += public is not said
        for found in self.leaks.in_file(transcript_line(public)):
            allowed = "revoke the key if it is one, and remove it or play again"
            yield ReasonKind.LEAK, "", self.leaks.hide(found), allowed
        for index, message in enumerate(said.messages):
            if message.role is Role.ASSISTANT and self.canary in message.content:
                found = "the reply has the canary of the benchmark's data files"
                yield ReasonKind.LEAK, f"messages.{index}.content", found, "the words of a model"

    def _without_address(self, said: Transcript) -> Transcript:
        """The transcript without a private address of its model, which a release withholds."""
        known = said.provenance
        sampling = dict((known and known.sampling) or {})
        address = sampling.pop("base_url", None)
        if known is None or not isinstance(address, str):
            return said
        if self.leaks.machine(address) is None or self.leaks.key(address) is not None:
            return said
        return said.model_copy(update={"provenance": known.model_copy(update={"sampling": sampling})})


_Told = tuple[ReasonKind, str, str, str]
"""The kind of a reason, the key, what was found and what is allowed."""


def _other(key: str, found: str, allowed: str) -> _Told:
    return ReasonKind.OTHER_BENCHMARK, key, found, allowed


def _contradicts(key: str, mine: object, theirs: object) -> _Told:
    found = f"is {'not stated' if mine is None else mine}"
    return ReasonKind.MANIFEST, key, found, f"the manifest says {'null' if theirs is None else theirs}"


def of_manifest(name: str, leaks: LeakSearch, data: bytes) -> Iterable[SubmissionReason]:
    """Keys and paths of machines in a manifest."""
    for found in leaks.in_file(data):
        yield SubmissionReason(
            kind=ReasonKind.LEAK, file=name, line=None, key="", found=leaks.hide(found), allowed="remove it"
        )
