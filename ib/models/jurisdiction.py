"""Rule sets laid over one another: the rules of a jurisdiction, its crisis lines, its open sources.

It stands with the models, since the store merges what it loads and may not know the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from pydantic import ValidationError

from ib.errors import Finding
from ib.models.base import Record
from ib.models.benchmark import (
    CadencePart,
    CrisisResource,
    DisclosurePart,
    Law,
    Reference,
    Rules,
    RuleSet,
)

EU = "EU"
EU_COUNTRIES = frozenset(
    (
        *("AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE"),
        *("IT", "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE"),
    )
)
"""The 27 member states, where the numbers of the Union hold."""

_NAMES = ("id", "title", "canary", "extends")
"""What a set says of itself alone, and hands to no other."""


class NotMergedError(Exception):
    """A rule set has no merged form. The `file` of each finding is the id of a rule set."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(f"{flaw.file}: {flaw.found}" for flaw in findings))


def merged(sets: Mapping[str, RuleSet], rule_set: str) -> Rules:
    """A rule set over the one it extends, and so on down: mappings deep, lists replaced.

    Two things are not so. Laws add up, since a law of a country holds in its states as well; a law
    replaces one of its own id. A source is one fact, and is replaced whole: the title of one work
    with the address of another would be nobody's.

    Raises NotMergedError where a set extends itself, by whatever way, or one that does not exist,
    and where the outcome lacks something.
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
                "required here, or in a set that this one extends",
            )
            for item in error.errors(include_url=False, include_context=False)
        )
        raise NotMergedError(tuple(lacks)) from None


def merge_all(sets: Mapping[str, RuleSet]) -> tuple[dict[str, Rules], tuple[Finding, ...]]:
    """Every set that can be merged, and each flaw once, at the set that brings it in."""
    rules: dict[str, Rules] = {}
    flaws: dict[Finding, None] = {}
    for name in sets:
        try:
            rules[name] = merged(sets, name)
        except NotMergedError as error:
            # What a set lacks, all that extend it lack as well; other flaws name their set already.
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
    """The set, the set it extends, and so on to one that extends none."""
    names: list[str] = []
    name: str | None = rule_set
    while name is not None:
        if name in names:
            # Told from one and the same set, wherever the walk began, so that it is one flaw.
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
    """What a set, or a part of one, really says; null says nothing."""
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
"""The rule set of whatever names none."""


def rule_set_of(rules: Mapping[str, Rules], jurisdiction: str | None) -> Rules:
    """The rule set that applies under a jurisdiction, or `base` if none of that name is known.

    New transcripts of an unknown jurisdiction are refused when they are loaded. Those of an old scan
    are read on, so that the gate can say that the benchmark changed since.
    """
    own = None if jurisdiction is None else rules.get(jurisdiction)
    return rules[BASE_RULES] if own is None else own


def country_of(own: str | None, rules: Rules | None) -> str | None:
    """Where the person of a scenario or a transcript is: what it says itself, else its rule set.

    None where neither says it, which is so under rules of no country alone.
    """
    return own or (None if rules is None else rules.country)


def resources_for(rules: Rules, country: str | None = None) -> tuple[CrisisResource, ...]:
    """The crisis resources that are right in a country, by default in the rule set's own.

    A member state of the Union without a list has the Union's. The lines of a region stand before
    those of its country: only the rule set of a region holds any. Empty where none are known.
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


class Unchecked(NamedTuple):
    """Something in a rule set whose source nobody read for this project."""

    rule_set: str
    key: str
    name: str


def unchecked(rules: Mapping[str, Rules]) -> Iterator[Unchecked]:
    """Everything with `checked: null`, once, in the set that brings it in."""
    for name, own in rules.items():
        inherited = () if own.extends is None else tuple(_sourced(rules[own.extends]))
        known = [(title, item) for _, title, item in inherited]
        for key, title, item in _sourced(own):
            if item.checked is None and (title, item) not in known:
                yield Unchecked(name, key, title)


def _sourced(rules: Rules) -> Iterator[tuple[str, str, Reference | Law | CrisisResource]]:
    """What has a source: its place in the file that brings it in, its name, and itself."""
    source = rules.disclosure_cadence.source
    yield "disclosure_cadence.source", source.citation, source
    for index, law in enumerate(rules.laws):
        yield f"laws.{index}", law.title, law
    for place, resources in rules.crisis_resources.items():
        for index, resource in enumerate(resources):
            yield f"crisis_resources.{place}.{index}", resource.name, resource
