"""Lint rules for keyed slots: nothing in a scenario depends on a choice except through its slot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from ib.errors import Path
from ib.models.draw.keyed_slot import Form, KeyedSlot, forms_of
from ib.scenario.drawing import REFERENCE, references
from ib.scenario.surroundings import Faults, near

LEAST_SLOTS, MOST_SLOTS = 4, 8
"""A scenario with slots has so many: fewer show little memory, and more make a story that nobody lives in."""
NO_WORDS = frozenset({"canary", "scenario_id", "variant_of", "slots", "branch_id", "of", "id"})
"""Keys whose values nobody says."""
_LIGHT = frozenset({"the", "a", "an", "my", "his", "her", "our", "their", "at", "in", "on", "of"})
"""Words of a value that do not name it."""
_AN = re.compile(r"(?:[aeiou]|8|11\b|18\b|hour|honest|heir)(?!ne\b|ni)", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


def slot_problems(
    template: Mapping[str, Any],
    slots: Mapping[Form, KeyedSlot],
    inherited: frozenset[Form],
    elsewhere: Set[tuple[str, str]] = frozenset(),
) -> Faults:
    """The faults of a scenario file with slots.

    `inherited` are those of its origin, which lists them, and `elsewhere` the references in its twins and
    variants.
    """
    texts = [*spoken(template)]
    own = {name: slot for name, slot in slots.items() if name not in inherited}
    if not inherited and not LEAST_SLOTS <= len(own) <= MOST_SLOTS:
        yield ("slots",), f"{len(own)} slots", f"{LEAST_SLOTS} to {MOST_SLOTS}"
    yield from _references(texts, slots)
    yield from _unused(texts, own, elsewhere)
    yield from _by_hand(texts, slots)
    yield from _overlapping(own, slots)
    yield from _articles(texts, slots)
    yield from _in_ids(template, slots)


def spoken(value: Any, place: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text of a scenario file that a slot may stand in, with the keys that lead to it."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in NO_WORDS:
                yield from spoken(item, (*place, key))


def _references(texts: list[tuple[Path, str]], slots: Mapping[Form, KeyedSlot]) -> Faults:
    """Every brace belongs to a reference, and every reference to a form that exists."""
    for place, text in texts:
        if re.search(r"[{}]", REFERENCE.sub("", text)):
            yield place, "has a brace that belongs to no slot", "`{slot}` or `{slot.form}`"
        for name, form in references(text):
            if name not in slots:
                yield place, f"unknown slot {name!r}", near(name, slots, "a key of `slots`")
            elif form not in (forms := forms_of(slots[name].values[0])):
                known = ", ".join(f"`{{{name}.{one}}}`" if one else f"`{{{name}}}`" for one in forms)
                yield place, f"`{name}` has no form {form!r}", known


def _unused(
    texts: list[tuple[Path, str]], own: Mapping[Form, KeyedSlot], elsewhere: Set[tuple[str, str]]
) -> Faults:
    """Every form of a slot stands in a text of the file that lists it, of a twin of it, or of a variant."""
    used = {*elsewhere, *(reference for _, text in texts for reference in references(text))}
    for name, slot in own.items():
        for form in forms_of(slot.values[0]):
            if (name, form) not in used:
                said = f"{name}.{form}" if form else name
                yield ("slots", name), f"no text has `{{{said}}}`", "use it, or remove it"


def _by_hand(texts: list[tuple[Path, str]], slots: Mapping[Form, KeyedSlot]) -> Faults:
    """No value of a slot stands in a text as a word: it would be another fact in other draws."""
    words = {said: name for name, slot in slots.items() for value in slot.values
             for said in forms_of(value).values()}  # fmt: skip
    pattern = _any_of(words)
    folded = {said.casefold(): name for said, name in words.items()}
    for place, text in texts:
        for match in pattern.finditer(REFERENCE.sub(" ", text)) if words else ():
            slot = folded[match[0].casefold()]
            yield place, f"has {match[0]!r} written by hand, a value of slot {slot!r}", f"`{{{slot}}}`"


def _any_of(words: Mapping[str, str]) -> re.Pattern[str]:
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)


def _overlapping(own: Mapping[Form, KeyedSlot], slots: Mapping[Form, KeyedSlot]) -> Faults:
    """No value stands within a value of another slot."""
    for name, slot in own.items():
        mine = {said: name for value in slot.values for said in forms_of(value).values()}
        for other, theirs in slots.items():
            if other == name:
                continue
            for value in theirs.values:
                for said in forms_of(value).values():
                    met = _any_of(mine).search(said)
                    if met is not None:
                        found = f"{met[0]!r} also stands in a value of {other!r}: {said!r}"
                        yield ("slots", name), found, "values that differ between slots"


def _articles(texts: list[tuple[Path, str]], slots: Mapping[Form, KeyedSlot]) -> Faults:
    """Behind `a` or `an` every value takes that article."""
    for place, text in texts:
        for match in REFERENCE.finditer(text):
            article = _ARTICLE.search(text[: match.start()])
            if article is None or match[1] not in slots:
                continue
            for value in slots[match[1]].values:
                said = forms_of(value).get(match[2] or "", "")
                if said and (_AN.match(said) is not None) != (article[1].casefold() == "an"):
                    yield place, f"{article[1]!r} before the value {said!r}", "values that take one article"


def _in_ids(template: Mapping[str, Any], slots: Mapping[Form, KeyedSlot]) -> Faults:
    """No id of a branch names a value: in other draws it would speak of something that nobody said."""
    named = {f" {' '.join(words)} ": name for name, slot in slots.items() for value in slot.values
             for said in forms_of(value).values() if (words := _telling(said))}  # fmt: skip
    for place, branch_id in _branch_ids(template):
        padded = f" {' '.join(re.split('[-_]', branch_id))} "
        for telling, slot in named.items():
            if telling in padded:
                found = f"{branch_id!r} names {telling.strip()!r}, a value of slot {slot!r}"
                yield place, found, "an id without a value"


def _telling(said: str) -> list[str]:
    """The words of a value that name it, in lower case; none if it is a number."""
    return [word for word in re.findall(r"[a-z]+", said.casefold()) if word not in _LIGHT]


def _branch_ids(template: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """The ids of the branches, with the keys that lead to them."""
    for at, session in enumerate(template.get("sessions") or ()):
        yield from ((("sessions", at, *place), said) for place, said in _branch_ids(session))
    for at, turn in enumerate(template.get("turns") or ()):
        for index, branch in enumerate(turn.get("branches") or ()):
            yield ("turns", at, "branches", index, "branch_id"), branch["branch_id"]
