"""The benchmark as data: checks, lexicons, scoring contract, rules, prompt frame, corpus."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ib.models.benchmark.check import Check, CheckId, Recovery
from ib.models.benchmark.figures import Precision, Recall
from ib.models.benchmark.lexicon import Lexicon
from ib.models.benchmark.pilot import PilotSummary
from ib.models.benchmark.scoring import Scoring
from ib.models.benchmark.version import VersionId
from ib.models.common.base import Country, Record, Slug, Text, Unit
from ib.models.common.canonical import digest
from ib.models.common.phrase import Groups, Regex
from ib.models.common.templates import complete, placeholders

Https = Annotated[str, StringConstraints(pattern=r"^https://\S+$")]
Place = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$")]
"""A country or one of its regions (ISO 3166-2), such as `US` or `US-CA`; `EU` for the European Union."""


class AskPattern(Record):
    id: Slug
    """A name, unique in the rule set."""
    regex: Regex
    certain: bool
    """True if the user certainly asks whether this is a human; false if perhaps."""
    why: Text | None = None


class NamedRegex(Record):
    id: Slug
    """A name."""
    regex: Regex
    why: Text | None = None


class Disclosure(Record):
    ask_patterns: tuple[AskPattern, ...]
    disclosure_patterns: tuple[NamedRegex, ...]
    denial_patterns: tuple[NamedRegex, ...]
    mention_patterns: tuple[NamedRegex, ...] = ()
    """Words that may disclose an AI. If a reply has only such words, the rule says UNCLEAR."""
    echo_patterns: tuple[NamedRegex, ...] = ()
    """Words that mark a sentence as a repetition of the question. Such a sentence discloses nothing."""


class Reference(Record):
    """A work that a fact was taken from, and the day on which it was read."""

    citation: Text
    url: Https | None = None
    checked: date | None = None


class Cadence(Record):
    minutes: Annotated[int, Field(ge=1)]
    assistant_turns: Annotated[int, Field(ge=1)]
    source: Reference


class CrisisAction(Record):
    id: Slug
    """A name."""
    text: Text
    """What the reply does."""


class CrisisResource(Record):
    name: Text
    """The name of the service."""
    contact: Text
    """The number or address, as a person would use it."""
    purpose: Literal[
        "suicide",
        "emergency",
        "domestic_abuse",
        "elder_abuse",
        "child",
        "poison",
        "carer_support",
        "substance_use",
    ] = Field(alias="for")
    """What the service is for."""
    hours: Text | None = None
    """When it answers; null if not stated."""
    source: Text
    """Where the entry comes from."""
    url: Https | None = None
    checked: date | None = None


class Law(Record):
    """A law of a jurisdiction, and what it asks of an assistant. Unknown values are written as null and not
    left out, so that an unknown date differs from a forgotten one."""

    id: Slug
    """A name, unique in the rule set."""
    title: Text
    """The name of the law."""
    asks: Text
    """What the law asks, in the words of this project."""
    applies_to: tuple[CheckId, ...] = Field(min_length=1)
    """The checks that look at what the law asks."""
    citation: Text
    url: Https
    in_force: date | None
    """The day on which it took effect; null if unknown."""
    checked: date | None
    """The day on which somebody read a stored copy of the page for this project; null if nobody has."""


class Rules(Record):
    """What a jurisdiction asks of an assistant, and which crisis resources are right in it."""

    id: Slug
    title: Text
    canary: Text | None = None
    extends: Slug | None = None
    country: Country | None = None
    """The country of the people that the rules protect; null if the rules are for no country."""
    laws: tuple[Law, ...] = ()
    """The laws of this rule set first, then those of the sets that it extends."""
    disclosure_on_asking: Disclosure
    disclosure_cadence: Cadence
    crisis_actions: tuple[CrisisAction, ...]
    crisis_resources: dict[Place, tuple[CrisisResource, ...]]
    """Resources by country. The rule set of a region also lists its region, whose lines come first."""


class DisclosurePart(Record):
    """What a rule set changes about disclosure on asking."""

    ask_patterns: tuple[AskPattern, ...] | None = None
    """Ways to ask whether a human is speaking."""
    disclosure_patterns: tuple[NamedRegex, ...] | None = None
    """Ways to say that an AI is speaking."""
    denial_patterns: tuple[NamedRegex, ...] | None = None
    """Ways to deny being an AI."""
    mention_patterns: tuple[NamedRegex, ...] | None = None
    """Mentions of an AI that may or may not be a disclosure."""
    echo_patterns: tuple[NamedRegex, ...] | None = None
    """Sentences that repeat the question; they disclose nothing."""


class CadencePart(Record):
    """What a rule set changes about the cadence."""

    minutes: Annotated[int, Field(ge=1)] | None = None
    """At most so many minutes between two disclosures."""
    assistant_turns: Annotated[int, Field(ge=1)] | None = None
    """At most so many replies between two disclosures."""
    source: Reference | None = None
    """Where the figures come from."""


class RuleSet(Record):
    """The file of a rule set: its name, and its differences from the set that it extends.

    `ib.models.benchmark.jurisdiction` merges both; only the result, `Rules`, must be complete.
    """

    id: Slug
    """The name of the file without `.yaml`."""
    title: Text
    """The name of the jurisdiction, for people."""
    canary: Text | None = None
    extends: Slug | None = None
    """The rule set that this one is laid over."""
    country: Country | None = None
    """Where its people live; null for rules of no country."""
    laws: tuple[Law, ...] | None = None
    """The laws of this jurisdiction; those of the extended set are added."""
    disclosure_on_asking: DisclosurePart | None = None
    """How the rule engine hears a question about being human, and its answer."""
    disclosure_cadence: CadencePart | None = None
    """How often a long conversation must say that an AI is speaking."""
    crisis_actions: tuple[CrisisAction, ...] | None = None
    """What a reply to a crisis is expected to do."""
    crisis_resources: dict[Place, tuple[CrisisResource, ...]] | None = None
    """Crisis resources by country (`US`) or region (`US-CA`)."""

    @model_validator(mode="after")
    def _laws_once(self) -> RuleSet:
        ids = [law.id for law in self.laws or ()]
        twice = sorted({i for i in ids if ids.count(i) > 1})
        if twice:
            raise ValueError(f"law ids must be unique in a rule set; twice: {', '.join(twice)}")
        return self


CHECK_PLACEHOLDERS = tuple(
    ["name", "question", "cues", "fail", "passes", "unclear", "not_applicable", "not_judged"]
)
"""Template of the description of a check for the judge."""


class ReplyFields(Record):
    """The fields of the judge's reply, each as a line of the form that the judge fills in."""

    nearest: Text
    """What the assistant did that comes nearest to what was needed."""
    occurrences: Text
    """Every place where the failure occurred."""
    cues: Text
    """For an episode: whether each cue was met."""
    reason: Text
    """The reason, in one sentence."""
    code: Text
    """The rationale code."""
    verdict: Text
    """The verdict."""


class Frame(Record):
    """The prompt around every check's own text; `$name` is filled in.

    A question is made of these parts in the order of the fields: first what all questions about a
    conversation have in common, so that a provider's prompt cache can serve it.
    """

    canary: Text
    version: Text
    system: Text
    """The system message: what the judge is."""
    place: Annotated[Text, placeholders("country", needed="country")]
    """Where the person is; holds `$country`."""
    transcript: Annotated[Text, placeholders("nonce", "messages", needed="messages", quoted="messages")]
    """How the conversation is shown; holds `$messages` between `$nonce` markers."""
    judged: Annotated[Text, placeholders("turns", needed="turns")]
    """Which replies are judged."""
    judged_alone: Annotated[Text, placeholders("turns", needed="turns")]
    """The same if nothing but these turns is shown."""
    unit: Annotated[dict[Unit, Text], complete(Unit)]
    """How the judged turns are read, for each unit of analysis, if no cue is marked."""
    cue: Annotated[Text, placeholders("cue", needed="cue")]
    """Where the cue is, if there is one."""
    episode: Annotated[Text, placeholders("cues", "raising", needed="cues")]
    """Where the cues are, if there are several, and which of them decide."""
    check: Annotated[Text, placeholders(*CHECK_PLACEHOLDERS)]
    """How the definition of the check is shown."""
    laws: Annotated[Text, placeholders("laws", needed="laws")]
    """What the laws of the place ask of an assistant, where one bears on the check."""
    recovery: Annotated[dict[Recovery, Text], complete(Recovery)]
    """Whether a later reply makes good an earlier one."""
    heard: Annotated[Text, placeholders("turns", needed="turns")]
    """In which turns of the person a search for phrases found possible cues."""
    hints: Annotated[Text, placeholders("nonce", "hints", needed="hints", quoted="hints")]
    """Which words of the assistant a search for phrases found."""
    verify: Annotated[
        Text, placeholders("turn", "nonce", "claim", "reference", needed="claim", quoted="claim")
    ]
    """The question whether a claim agrees with the reference statements."""
    nearest: Text
    """What to quote before the verdict on something left out."""
    reply: Annotated[Text, placeholders("fields", "codes", needed="fields")]
    """The form of the answer: its fields, and the rationale codes with their meanings."""
    fields: ReplyFields
    """The fields of the answer."""
    extract: Annotated[Text, placeholders()]
    """The question for the assistant's statements of fact, in place of a verdict."""
    screen: Annotated[Text, placeholders("failures", needed="failures")]
    """The question for the failures of several checks at once."""
    reask: Annotated[Text, placeholders("problem", "nonce", "reply", needed="problem", quoted="reply")]


class CorpusEntry(Record):
    id: Slug
    """A name, unique in the file."""
    topic: Slug
    """The subject of the statement."""
    jurisdiction: Slug
    """The rule set of the place whose law the statement tells; a claim from elsewhere is not held to it."""
    statement: Text
    """What is true, in one sentence."""
    common_errors: tuple[Text, ...] = ()
    """False claims that are often made instead."""
    source: Reference
    """Where the statement comes from."""


class Corpus(Record):
    title: Text
    """What the statements are about."""
    canary: Text | None = None
    entries: tuple[CorpusEntry, ...] = Field(min_length=1)
    """The reference statements."""


class Benchmark(Record):
    """Everything that a scan needs to know, loaded and cross-checked."""

    checks: dict[str, Check]
    lexicons: dict[str, Lexicon]
    scoring: Scoring
    rules: dict[str, Rules]
    frame: Frame
    corpus: Corpus
    words: Groups = Field(default_factory=dict)
    """The named groups of words that phrases share."""
    precision: Precision | None = None
    recall: Recall | None = None
    """Measured precision and recall. Both are shown beside a check; neither is used in a scan."""
    pilot: PilotSummary | None = None
    """What independent readers of the prompts said. It is shown beside a check and not used in a scan."""
    version: VersionId | None = None
    """The content of the file VERSION; null if there is none."""

    @property
    def canary(self) -> str:
        return self.scoring.canary

    def active(self) -> Benchmark:
        """The benchmark without its drafts, as used for every release."""
        return self.with_drafts(())

    def with_drafts(self, names: Collection[str] | None) -> Benchmark:
        """The benchmark with the drafts of these names and the lexicons they need; with all drafts if
        None."""
        if names is None:
            return self
        checks = {n: check for n, check in self.checks.items() if n in names or not check.is_draft}
        needed = {*names, *(check.routing.lexicon for check in checks.values() if check.is_draft)}
        lexicons = {n: lexicon for n, lexicon in self.lexicons.items() if n in needed or not lexicon.is_draft}
        return self.model_copy(update={"checks": checks, "lexicons": lexicons})


UNHASHED = ("precision", "recall", "pilot", "version")
"""The fields of a benchmark that are not part of its hash. All other fields are."""


def benchmark_hash(benchmark: Benchmark) -> str:
    """The hash of everything that verdicts depend on: checks, lexicons, scoring, rules, frame, corpus.

    Scenarios, supplementary rules and the system prompt have their own hashes in the plans. Precision,
    recall, pilots and the name of the version change no verdict. Drafts are left out, so that adding one does
    not change the hash.
    """
    released = benchmark.active()
    names = set(type(benchmark).model_fields) - set(UNHASHED)
    parts = {name: getattr(released, name) for name in names}
    mappings = {name: part for name, part in parts.items() if isinstance(part, dict)}
    hashes = {name: {n: digest(one) for n, one in part.items()} for name, part in mappings.items()}
    return digest({name: hashes[name] if name in hashes else digest(part) for name, part in parts.items()})
