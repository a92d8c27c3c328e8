"""Merge rule sets, and look up the rules, the country and the crisis resources of a jurisdiction.

This is a module of `ib.models` because the store merges rule sets and may not import the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from pydantic import ValidationError

from ib.errors import Finding
from ib.models.benchmark.benchmark import (
    CadencePart,
    CorpusEntry,
    CrisisResource,
    DisclosurePart,
    Law,
    Reference,
    Rules,
    RuleSet,
)
from ib.models.common.base import Record

EU = "EU"
EU_COUNTRIES = frozenset(
    (
        *("AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE"),
        *("IT", "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE"),
    )
)
"""The 27 member states of the European Union, in which its numbers work."""

_NAMES = ("id", "title", "canary", "extends")
"""The keys that a set does not pass on to the sets that extend it."""


class NotMergedError(Exception):
    """A rule set cannot be merged. The `file` of each finding is the id of a rule set."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(f"{flaw.file}: {flaw.found}" for flaw in findings))


def merged(sets: Mapping[str, RuleSet], rule_set: str) -> Rules:
    """Merge a rule set with the set that it extends, and so on: mappings key by key, lists as a whole.

    There are two exceptions. Laws are added, because a country's law also applies in its states; a law
    replaces the law with the same id. A source is replaced as a whole, so that the title of one work
    never has the address of another.

    Raises NotMergedError if a set extends itself, directly or through others, if it extends an unknown
    set, or if the result is incomplete.
    """
    values: dict[str, Any] = {}
    for part in reversed(_lineage(sets, rule_set)):
        given = _given(part)
        laws = _laws(given.pop("laws", ()), values.get("laws", ()))
        values = {**_over(values, given), "laws": laws}
    own = sets[rule_set]
    try:
        return Rules.model_validate({**values, **{name: getattr(own, name) for name in _NAMES}})
    except ValidationError as error:
        lacks = (
            Finding.at(
                rule_set,
                None,
                tuple(item["loc"]),
                "is missing",
                "a value here or in a set that this one extends",
            )
            for item in error.errors(include_url=False, include_context=False)
        )
        raise NotMergedError(tuple(lacks)) from None


def merge_all(sets: Mapping[str, RuleSet]) -> tuple[dict[str, Rules], tuple[Finding, ...]]:
    """All rule sets that can be merged, and the findings; each is reported once, at the set that causes
    it."""
    rules: dict[str, Rules] = {}
    flaws: dict[Finding, None] = {}
    for name in sets:
        try:
            rules[name] = merged(sets, name)
        except NotMergedError as error:
            # If a set lacks a value, so do all sets that extend it; other findings already name their set.
            below = [flaw for flaw in _flaws(sets, sets[name].extends) if flaw.file != name]
            told = {(flaw.key, flaw.found) for flaw in below}
            own = (f for f in error.findings if f.file != name or (f.key, f.found) not in told)
            flaws.update(dict.fromkeys(own))
    return rules, tuple(flaws)


def _flaws(sets: Mapping[str, RuleSet], rule_set: str | None) -> tuple[Finding, ...]:
    if rule_set is None or rule_set not in sets:
        return ()
    try:
        merged(sets, rule_set)
    except NotMergedError as error:
        return error.findings
    return ()


def _lineage(sets: Mapping[str, RuleSet], rule_set: str) -> list[RuleSet]:
    """The set, the set it extends, and so on up to a set that extends none."""
    names: list[str] = []
    name: str | None = rule_set
    while name is not None:
        if name in names:
            # Always starts at the same set of the cycle, so that a cycle is one finding.
            ring = names[names.index(name) :]
            first = ring.index(min(ring))
            path = [*ring[first:], *ring[:first], ring[first]]
            found = f"extends itself: {' -> '.join(path)}"
            raise NotMergedError(
                (Finding.at(path[0], None, ("extends",), found, "a set that does not extend this one"),)
            )
        if name not in sets:
            at = names[-1] if names else name
            found, known = f"unknown rule set {name!r}", ", ".join(sorted(sets))
            raise NotMergedError((Finding.at(at, None, ("extends",), found, f"one of {known}"),))
        names.append(name)
        name = sets[name].extends
    return [sets[name] for name in names]


def _given(part: Record) -> dict[str, Any]:
    """The values that a set, or a part of a set, gives; null values are left out."""
    values = {name: getattr(part, name) for name in part.model_fields_set if name not in _NAMES}
    return {
        name: _given(value) if isinstance(value, DisclosurePart | CadencePart) else value
        for name, value in values.items()
        if value is not None
    }


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        result[key] = _over(result.get(key, {}), value) if isinstance(value, Mapping) else value
    return result


def _laws(own: tuple[Law, ...], below: tuple[Law, ...]) -> tuple[Law, ...]:
    replaced = {law.id for law in own}
    return (*own, *(law for law in below if law.id not in replaced))


BASE_RULES = "base"
"""The rule set of transcripts that name none."""


def rule_set_of(rules: Mapping[str, Rules], jurisdiction: str | None) -> Rules:
    """The rule set of a jurisdiction, or `base` if it is None or unknown.

    New transcripts with an unknown jurisdiction are refused when they are loaded. Transcripts of an old
    scan are accepted, so that the gate can report that the benchmark has changed since.
    """
    own = None if jurisdiction is None else rules.get(jurisdiction)
    return rules[BASE_RULES] if own is None else own


def country_of(own: str | None, rules: Rules | None) -> str | None:
    """The person's country: the one given in the scenario or transcript, else that of the rule set.

    None if neither gives one, which is only possible with a rule set for no country.
    """
    return own or (None if rules is None else rules.country)


def resources_for(rules: Rules, country: str | None = None) -> tuple[CrisisResource, ...]:
    """The crisis resources for a country, by default the country of the rule set.

    A member state of the European Union without its own list gets the list of the Union. In the rule
    set of a region, the lines of the region come first. Empty if no resources are known.
    """
    place = country_of(country, rules)
    if place is None:
        return ()
    lists = rules.crisis_resources
    own = lists.get(place)
    if own is None:
        own = lists.get(EU, ()) if place in EU_COUNTRIES else ()
    regional = chain.from_iterable(lists[key] for key in lists if key.startswith(f"{place}-"))
    return (*regional, *own)


def references_for(
    entries: Sequence[CorpusEntry], rules: Mapping[str, Rules], jurisdiction: str | None, country: str | None
) -> tuple[CorpusEntry, ...]:
    """The corpus entries that hold where the person is: those of the place and of no place.

    If nothing says where the person is, only those of a rule set for no country hold: a law of one country
    tells nothing about another. Empty if no entry holds.
    """
    own = rule_set_of(rules, jurisdiction)
    place = country_of(country, own)
    holding = {name for name, other in rules.items() if other.country is None}
    within = set() if place is None else {place, EU} if place in EU_COUNTRIES else {place}
    holding |= {own.id} if own.country in within else set()
    for name, other in rules.items():
        parent = None if other.extends is None else rules.get(other.extends)
        if other.country in within and (parent is None or parent.country != other.country):
            holding.add(name)
    return tuple(entry for entry in entries if entry.jurisdiction in holding)


NO_RULE = "No rule of its own"
"""How the sentence of a rule set begins that differs in nothing from the set that it extends."""


def own_rules(rules: Mapping[str, Rules], name: str) -> str:
    """What a rule set adds to the set that it extends, in a sentence; if nothing, it says so."""
    own = rules[name]
    below = rules.get(own.extends or "")
    if below is None:
        return "The rules that hold everywhere."
    told = [law for law in own.laws if law not in below.laws]
    laws = ("a law" if len(told) == 1 else "laws") if told else ""
    parts = (
        (laws, not told),
        (
            "the questions and answers about being an AI",
            own.disclosure_on_asking == below.disclosure_on_asking,
        ),
        ("the interval of the notice", own.disclosure_cadence == below.disclosure_cadence),
        ("the actions in a crisis", own.crisis_actions == below.crisis_actions),
        ("help lines", own.crisis_resources == below.crisis_resources),
    )
    changed = [part for part, same in parts if not same]
    if not changed:
        return f"{NO_RULE}: the rules of {below.title} hold."
    rest = [part for part, same in parts if same and part]
    taken = f" As in {below.title}: {', '.join(rest)}." if rest else ""
    return f"Of its own: {', '.join(changed)}.{taken}"


class Unchecked(NamedTuple):
    """A part of a rule set whose source has not been read for this project."""

    rule_set: str
    key: str
    name: str


def unchecked(rules: Mapping[str, Rules]) -> Iterator[Unchecked]:
    """Everything with `checked: null`, reported once, in the set that defines it."""
    for name, own in rules.items():
        inherited = () if own.extends is None else tuple(_sourced(rules[own.extends]))
        known = [(title, item) for _, title, item in inherited]
        for key, title, item in _sourced(own):
            if item.checked is None and (title, item) not in known:
                yield Unchecked(name, key, title)


def _sourced(rules: Rules) -> Iterator[tuple[str, str, Reference | Law | CrisisResource]]:
    """Everything that has a source, as (key path in its file, name, value)."""
    source = rules.disclosure_cadence.source
    yield "disclosure_cadence.source", source.citation, source
    for index, law in enumerate(rules.laws):
        yield f"laws.{index}", law.title, law
    for place, resources in rules.crisis_resources.items():
        for index, resource in enumerate(resources):
            yield f"crisis_resources.{place}.{index}", resource.name, resource
