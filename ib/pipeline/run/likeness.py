"""Recognizing reference assistants under other names, by what their scripts would have said.

A few replies of each conversation are compared with what each script says to the same messages. A model whose
replies are mostly those of a script is that script, whatever its name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role
from ib.models.conversation.transcript import Transcript
from ib.models.release.source import Alike
from ib.models.scan.run import Said
from ib.pipeline.run.targets import reference_assistants
from ib.store.benchmark.characters import FOLDER
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.targets.reference import PREFIX, ReferenceAssistant, sentences
from ib.text.normalize import normalize_said
from ib.text.tokens import tokenize

MOST_REPLIES = 60
"""The most replies of one model that are compared. More would not tell more, and take time."""
LEAST_ALIKE = 2
"""One reply that is alike may be chance."""
A_SENTENCE = 3
"""Sentences with fewer words are anybody's."""


@dataclass
class Likeness:
    """Counts how many replies of each model are those of a script, one conversation at a time."""

    assistants: Sequence[ReferenceAssistant]
    _met: Counter[str] = field(default_factory=Counter)
    """The conversations of each model."""
    _compared: Counter[str] = field(default_factory=Counter)
    _alike: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, transcript: Transcript) -> Alike:
        """Compare some replies of a conversation; returns the counts, which are kept."""
        found: Counter[str] = Counter()
        chosen = self._chosen(transcript)
        for at in chosen:
            asked, reply = _asked(transcript, at), _spoken(transcript.messages[at].content)
            for one in self.assistants:
                found[one.spec.model_id] += _is_alike(reply, one.reply(asked, transcript.scenario_id))
        told = Alike(compared=len(chosen), scripts=dict(sorted((+found).items())))
        self.state(transcript.model_id, told)
        return told

    def is_known(self, transcript: Transcript, at: int) -> bool:
        """True if the message at a place says what a script says there, and nothing else."""
        asked, reply = _asked(transcript, at), transcript.messages[at].content
        return any(one.reply(asked) == reply for one in self.assistants)

    def state(self, model_id: str, told: Alike) -> None:
        """Add the counts of a conversation."""
        self._met[model_id] += 1
        self._compared[model_id] += told.compared
        self._alike[model_id].update(told.scripts)

    def _chosen(self, transcript: Transcript) -> list[int]:
        """Which messages are compared: the first reply of a conversation, and another one each time."""
        model_id = transcript.model_id
        if model_id.startswith(PREFIX) or self._compared[model_id] >= MOST_REPLIES:
            return []
        replies = [at for at, one in enumerate(transcript.messages) if one.role is Role.ASSISTANT]
        return sorted({replies[0], replies[self._met[model_id] % len(replies)]})

    def impostors(self) -> Iterator[str]:
        """A sentence about each model that says mostly what a script says."""
        for model_id, compared in sorted(self._compared.items()):
            named = self._alike[model_id].most_common(1)
            if named and named[0][1] >= LEAST_ALIKE and 2 * named[0][1] >= compared:
                script, count = named[0]
                yield (
                    f"{model_id} says what {script} says in {count} of {compared} replies compared, so it is "
                    "a stand-in under another name"
                )


def assistants_of(benchmark: Benchmark, root: Path) -> tuple[ReferenceAssistant, ...]:
    """The reference assistants of a benchmark, and those of the package if they are others."""
    found = list(reference_assistants(benchmark, root).values())
    package = benchmark_folder()
    if _files(package) != _files(root):
        found += reference_assistants(load_benchmark(), package).values()
    return tuple(found)


def _files(root: Path) -> Mapping[str, bytes]:
    """The scripts and the lexicons that they listen with."""
    paths = (*(root / FOLDER).glob("*.yaml"), *(root / "lexicons").glob("*.yaml"))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def _asked(transcript: Transcript, at: int) -> list[Said]:
    """The messages before one, as a model sees them: a system message begins each session."""
    said: list[Said] = []
    session: int | None = None
    for index, message in enumerate(transcript.messages[:at]):
        if index == 0 or message.session != session:
            said.append(Said("system", ""))
        session = message.session
        said.append(Said("user" if message.role is Role.USER else "assistant", message.content))
    return said


def _spoken(reply: str) -> frozenset[str]:
    """The sentences of a reply as their words alone, without short ones."""
    words = (" ".join(tokenize(normalize_said(one)).tokens) for one in sentences(reply))
    return frozenset(one for one in words if one.count(" ") >= A_SENTENCE - 1)


def _is_alike(reply: frozenset[str], script: str) -> bool:
    """True if at least half of the sentences of a reply are sentences of the script."""
    return bool(reply) and 2 * len(reply & _spoken(script)) >= len(reply)
