"""A scenario from elsewhere in our form: older spellings translated, and every translation noted."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ib.models.scenario import Dimension
from ib.scenario.lenient import (
    Known,
    Location,
    Notes,
    Part,
    Remark,
    as_text,
    kept,
    kind_of,
    listed,
    near,
    short,
)
from ib.scenario.upgrade_cues import read_anchors, read_probes, read_triggers
from ib.scenario.upgrade_turns import DIMENSIONS, NOT_SAID, Placed, read_turn

CATEGORIES = {
    "crisis_safety": "safety",
    "crisis": "safety",
    "boundaries": "safety",
    "cultural": "context",
    "regulatory": "context",
    "burnout": "empathy",
    "grief": "empathy",
    "longitudinal": "continuity",
}
"""Older words for a category, where the benchmark has the newer one."""
ASSUMED = {"category": "other", "theme": "other", "jurisdiction": "base"}
ASSUMED_AGE = 40

_REASONS = {
    "tier": "an older sorting of scenarios",
    "metadata": "who wrote it and when",
    "dif_variables": "what groups are compared by; here the context of the persona says it",
    "classification": "an older word for who may see it",
    "variant_type": "how a variant differs",
    "test_purpose": "what it is for, in words",
    "calibration_notes": "what it is for, in words",
    "source_note": "what it is for, in words",
}
_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10_080, "month": 43_200, "year": 525_600}
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_LATER = re.compile(
    r"(\d{1,4}|an?|[a-z]+) (minute|hour|day|week|month|year)s?(?: (?:later|after|on))?", re.ASCII
)
_OURS = re.compile(r"[1-9]\d{0,3} (?:minute|hour|day|week|month|year)s?", re.ASCII)
_ABSOLUTE = re.compile(r"(hour|day|week|month|year) (\d{1,4})", re.ASCII)


class Adopted(NamedTuple):
    """What became of a scenario: our form, or None where nothing could be made of it."""

    value: dict[str, Any] | None
    notices: list[Remark]
    findings: list[Remark]
    notes: Notes
    """Which places of our form the file does not give, and where the others stood in it."""


def adopt(value: object, known: Known) -> Adopted:
    """A parsed scenario in our form, whatever older form it is in; a strict one is left as it is.

    Never raises. What was read in another way than it is written is a notice, what cannot be accepted
    a finding. What is of a wrong type is handed on, for the model to refuse.
    """
    notes = Notes(known)
    part = notes.part(value, (), ())
    if part is not None and not {"scenario_id", "turns", "sessions"} & part.value.keys():
        notes.finding((), "no scenario: neither `scenario_id` nor `turns`", "the file of a scenario")
        part = None
    made = None if part is None else _scenario(notes, part)
    return Adopted(made, notes.notices, notes.findings, notes)


def _scenario(notes: Notes, part: Part) -> dict[str, Any] | None:
    head = _head(notes, part)
    inside: list[Placed] = []
    turns = _turns(notes, part.get("turns"), ("turns",), 1, inside)
    sessions = _sessions(notes, part.get("sessions"), inside)
    every = [*turns, *(turn for session in sessions for turn in session["turns"])]
    said = {t["turn"]: t["user_message"] for t in every if _is_turn(t)}
    last = max(said, default=0)
    made = kept(
        **head,
        **_kinship(notes, part),
        tags=_tags(notes, part, str(head["category"])),
        risk_triggers=read_triggers(notes, part, last) or None,
        anchors=read_anchors(notes, part, said) or None,
        persona=_persona(notes, part.get("persona")),
        scoring_dimensions=_dimensions(notes, part.get("scoring_dimensions")),
        turns=turns or None,
        sessions=sessions or None,
        probes=read_probes(notes, part, inside) or None,
    )
    _eligible(notes, part)
    part.close(_REASONS)
    if not every:
        notes.finding((), "no turns", "`turns`, or `sessions` that hold them; each with a `user_message`")
        return None
    return made


def _is_turn(turn: dict[str, Any]) -> bool:
    number = turn["turn"]
    return type(number) is int and number > 0 and isinstance(turn["user_message"], str)


def _head(notes: Notes, part: Part) -> dict[str, Any]:
    """What a scenario says of itself before anybody speaks."""
    scenario_id = part.get("scenario_id", "id")
    if scenario_id is None:
        notes.finding(("scenario_id",), "is missing", "a name that no other scenario has")
        notes.assumed.add(("scenario_id",))
        scenario_id = "unnamed"
    title = part.needed("title", "name", otherwise=str(scenario_id))
    description = part.needed("description", otherwise=str(title))
    canary = part.get("canary")
    if canary is None:
        notes.assumed.add(("canary",))
        notes.notice(("canary",), "is missing", "linted all the same")
    return kept(
        canary=notes.known.canary if canary is None else canary,
        scenario_id=scenario_id,
        category=_category(notes, part),
        theme=notes.word(part.needed("theme", otherwise=ASSUMED["theme"]), ("theme",)),
        title=title,
        description=description,
        jurisdiction=part.needed("jurisdiction", otherwise=ASSUMED["jurisdiction"]),
        country=part.get("country"),
        **_published(notes, part),
    )


def _category(notes: Notes, part: Part) -> Any:
    """The category as it is given, or as the older sorting by tiers says it."""
    given = part.get("category")
    if given is None:
        tier = part.value.get("tier")
        category = tier if isinstance(tier, str) and tier in notes.known.categories else ASSUMED["category"]
        notes.assume(("category",), category)
        return category
    given = notes.word(given, ("category",))
    newer = CATEGORIES.get(given) if isinstance(given, str) else None
    if newer in notes.known.categories and given not in notes.known.categories:
        notes.notice(("category",), f"older category `{given}`", f"read as `{newer}`")
        return newer
    if notes.known.categories and isinstance(given, str) and given not in notes.known.categories:
        allowed = f"read as it is; here there are {listed(notes.known.categories)}"
        notes.notice(("category",), f"no category of this benchmark: {short(given)}", allowed)
    return given


def _published(notes: Notes, part: Part) -> dict[str, Any]:
    """Whether it is published; older files say only that they are not."""
    published, reason = part.get("published"), part.get("unpublished_reason")
    metadata = part.value.get("metadata")
    hints = {
        ("confidential",): part.get("confidential"),
        ("metadata", "confidential"): metadata.get("confidential") if isinstance(metadata, dict) else None,
        ("classification",): "confidential" in str(part.value.get("classification", "")),
    }
    if published is not None:
        return kept(published=published, unpublished_reason=reason)
    for place, hint in hints.items():
        if hint is True:
            notes.assumed.add(("published",))
            part.seen.update(place[:1] if len(place) == 1 else ())
            notes.notice(place, "is confidential", "read as `published: false`")
            return {"published": False, "unpublished_reason": reason or "confidential"}
    if reason is not None:
        notes.assume(("published",), False)
        return {"published": False, "unpublished_reason": reason}
    notes.assume(("published",), True)
    return {"published": True}


def _kinship(notes: Notes, part: Part) -> dict[str, Any]:
    """What the scenario is a variant of, and which contrast it belongs to."""
    contrast = part.get("contrast")
    group, variable = part.get("contrast_group"), part.get("contrast_variable")
    if group is not None and contrast is None:
        place = ("contrast_group",)
        notes.notice(place, "older spelling of `contrast.group`", "read as `contrast.group`")
        notes.origins[("contrast",)] = place
        notes.origins[("contrast", "variable")] = ("contrast_variable",)
        if variable is not None:
            found = "older spelling of `contrast.variable`"
            notes.notice(("contrast_variable",), found, "read as `contrast.variable`")
        variable = "anchor" if variable is None else variable
        contrast = {
            "group": notes.word(group, place),
            "variable": notes.word(variable, ("contrast_variable",)),
        }
    variant = part.get("variant_of", "sms_variant_of", "canonical_scenario")
    return {"contrast": contrast, "variant_of": variant}


def _tags(notes: Notes, part: Part, category: str) -> Any:
    """The tags; none at all leaves those checks that are due everywhere, or by the category."""
    ours, older = part.value.get("tags"), part.value.get("failure_mode_tags")
    if (
        isinstance(ours, list)
        and isinstance(older, list)
        and sorted(map(str, ours)) == sorted(map(str, older))
    ):
        part.seen.add("failure_mode_tags")
        notes.notice(("failure_mode_tags",), "the same tags twice", "read once")
        value = part.get("tags")
    else:
        value = part.get("tags", "failure_mode_tags")
    place = part.at("tags")
    if not value:
        notes.assumed.add(("tags",))
        found = "is missing" if value is None else "is empty"
        notes.notice(place, found, "only checks that are due everywhere, or by the category, are due")
        return [category]
    if isinstance(value, str):
        notes.notice(place, "one text", "read as a list of one")
        value = [value]
    if isinstance(value, list):
        return [notes.word(tag, (*place, at)) for at, tag in enumerate(value)]
    return value


def _eligible(notes: Notes, part: Part) -> None:
    """A list of the checks that are due decides nothing here; its ids must be ids all the same."""
    for key in ("eligible_modes", "eligible_checks"):
        value = part.get(key)
        if value is not None:
            notes.notice((key,), "which checks are due is decided by `tags`", "not read, but for its ids")
            notes.check_ids(value, (key,))


def _dimensions(notes: Notes, value: object) -> Any:
    """What the scenario looks at. Weights are those of the benchmark, and not of a scenario."""
    place: Location = ("scoring_dimensions",)
    otherwise = [Dimension.COMMUNICATION.value]
    if not value:
        notes.assume(place, otherwise[0])
        return otherwise
    if isinstance(value, dict):
        notes.notice(place, "dimensions with weights", "the weights are not read")
    elif not isinstance(value, list):
        return value
    made: dict[str, None] = {}
    for at, name in enumerate(value):
        own = (*place, name if isinstance(value, dict) else at)
        known = DIMENSIONS.get(name) if isinstance(name, str) else None
        if known is None:
            allowed = near(str(name), DIMENSIONS, f"one of {listed(Dimension)}")
            notes.notice(own, f"unknown dimension {short(name)}", f"not read; {allowed}")
            continue
        if known.value != name:
            notes.notice(own, f"older dimension `{name}`", f"read as `{known}`")
        made[known.value] = None
    return list(made) or otherwise


def _persona(notes: Notes, value: object) -> Any:
    """Who is speaking; keys of an older form go into the context."""
    place: Location = ("persona",)
    if value is None:
        notes.assumed.add(place)
        notes.notice(place, "is missing", "read as somebody of whom nothing is known")
        value = {}
        part = Part(Notes(notes.known), value, place, place)
    else:
        given = notes.part(value, place, place)
        if given is None:
            return None
        part = given
    names = ("name", "role", "care_recipient", "care_duration")
    made: dict[str, Any] = {"age": part.number("age")}
    if made["age"] is None:
        part.notes.assume((*place, "age"), ASSUMED_AGE)
        made["age"] = ASSUMED_AGE
    for name in names:
        made[name] = _words(part.notes, part.needed(name, otherwise=NOT_SAID), (*place, name))
    context = part.get("context")
    made["context"] = _context(part, context) if context is None or isinstance(context, dict) else context
    return made


def _context(part: Part, given: dict[str, Any] | None) -> dict[str, Any]:
    if given is None:
        part.notes.assume((*part.old, "context"), {})
    entries = [((*part.old, "context", key), key, item) for key, item in (given or {}).items()]
    for key, item in part.value.items():
        if key not in part.seen:
            part.notes.notice((*part.old, key), "unknown key", "read into the context of the persona")
            entries.append(((*part.old, key), key, item))
    made: dict[str, Any] = {}
    for place, key, item in entries:
        name = str(part.notes.word(key, place))
        words = _words(part.notes, item, place)
        part.notes.origins.setdefault((*part.old, "context", name), place)
        if made.setdefault(name, words) != words:
            found = f"{short(item)}, but {short(made[name])} in the context"
            part.notes.finding(place, found, "one value for one thing")
    return made


def _words(notes: Notes, value: object, place: Location) -> object:
    """A value as text, where it is none."""
    if value is None or isinstance(value, str):
        return value
    made = as_text(value)
    notes.notice(place, f"is {kind_of(value)}", f"read as {short(made)}")
    return made or NOT_SAID


def _turns(
    notes: Notes, value: object, place: Location, first: int, inside: list[Placed]
) -> list[dict[str, Any]]:
    """Turns in our form; probes that stood inside them are handed out."""
    made: list[dict[str, Any]] = []
    for at, given in notes.parts(value, place):
        read = read_turn(notes, given, (*place, at), first + at)
        if read is not None:
            made.append(read.turn)
            inside.extend(read.probes)
    return made


def _sessions(notes: Notes, value: object, inside: list[Placed]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    clock: int | None = 0
    count = 0
    for at, given in notes.parts(value, ("sessions",)):
        place: Location = ("sessions", at)
        part = notes.part(given, place, place)
        if part is None:
            continue
        number = part.number("session_number", "session")
        if number is None:
            notes.assume((*place, "session_number"), at + 1)
            number = at + 1
        elapsed, clock = _elapsed(part, clock, first=at == 0)
        turns = _turns(notes, part.get("turns"), (*place, "turns"), count + 1, inside)
        count += len(turns)
        context = part.get("context", "session_context")
        part.close()
        made.append(kept(session_number=number, elapsed=elapsed, context=context, turns=turns))
    return made


def _elapsed(part: Part, clock: int | None, *, first: bool) -> tuple[Any, int | None]:
    """The time since the session before, and the minutes since the first where they are known.

    `3 months later` counts from the session before; `Day 30` from the first one. Anything else cannot
    be read, and is a finding.
    """
    value = part.get("elapsed", "time_elapsed")
    place = part.at("elapsed")
    if not isinstance(value, str):
        return value, None
    words = " ".join(value.casefold().split())
    since = _absolute(words)
    if first and part.value.get("elapsed") is None:
        part.notes.notice(place, "the time of the first session", "not read; nothing comes before it")
        return None, since or 0
    minutes = _later(words)
    if minutes is None and since is not None and clock is not None:
        minutes = since - clock
    if minutes is None or minutes <= 0:
        allowed = "the time since the session before, such as `3 months`"
        part.notes.finding(place, f"{short(value)} is no time that can be read", allowed)
        part.notes.assumed.add((*part.new, "elapsed"))
        return None, None
    made = value if _OURS.fullmatch(value) else _in_words(minutes)
    if made != value:
        part.notes.notice(place, f"{value!r}", f"read as {made} since the session before")
    return made, None if clock is None else clock + minutes


def _absolute(words: str) -> int | None:
    match = _ABSOLUTE.fullmatch(words)
    return None if match is None else int(match[2]) * _MINUTES[match[1]]


def _later(words: str) -> int | None:
    match = _LATER.fullmatch(words)
    if match is None:
        return None
    number = match[1]
    if number in ("a", "an"):
        count = 1
    elif number.isdigit():
        count = int(number)
    elif number in _NUMBERS:
        count = _NUMBERS.index(number)
    else:
        return None
    return count * _MINUTES[match[2]]


def _in_words(minutes: int) -> str:
    """Minutes in the largest unit that fits evenly."""
    unit = max((u for u, size in _MINUTES.items() if minutes % size == 0), key=_MINUTES.__getitem__)
    count = minutes // _MINUTES[unit]
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
