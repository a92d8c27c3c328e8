"""Turns in older forms: their rubrics, branches, facts, and what probes stand inside them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ib.models.scenario import ConditionType, Dimension, RubricKind
from ib.scenario.lenient import Location, Notes, Part, as_text, kept, kind_of, listed, near, short, slug

NOT_SAID = "not said"
"""What stands in the outcome for a text that the file does not give."""

DIMENSIONS = {
    **{dimension.value: dimension for dimension in Dimension},
    "crisis_safety": Dimension.SAFETY,
    "regulatory_fitness": Dimension.COMPLIANCE,
    "regulatory": Dimension.COMPLIANCE,
    "attunement": Dimension.COMMUNICATION,
    "trauma_informed_flow": Dimension.COMMUNICATION,
    "false_refusal": Dimension.COMMUNICATION,
    "actionable_support": Dimension.COORDINATION,
    "boundary_integrity": Dimension.BOUNDARY,
    "belonging": Dimension.REGARD,
    "belonging_cultural_fitness": Dimension.REGARD,
    "relational_quality": Dimension.REGARD,
    "consistency": Dimension.MEMORY,
    "longitudinal_consistency": Dimension.MEMORY,
    "memory_hygiene": Dimension.MEMORY,
}
"""Older names of what is looked at, each with the one that comes nearest."""

_TURN_REASONS = {
    "role": "a turn is what the person says",
    "gray_zone_scoring": "what a good and a bad reply are stands in `expected_behaviors` and the rubric",
    "risk_level": "how strong a cue is stands in `risk_triggers`",
}


class Placed(NamedTuple):
    """A value that was found in one place and belongs into another, with the turn it was found in."""

    value: object
    old: Location
    turn: int | None


class TurnRead(NamedTuple):
    """A turn in our form, and the probes that stood inside it."""

    turn: dict[str, Any]
    probes: list[Placed]


def read_turn(notes: Notes, value: object, place: Location, wanted: int) -> TurnRead | None:
    """A turn in our form, `wanted` being its number by its place; None where it is no mapping.

    A turn without a message, and one that is a reply, are findings.
    """
    part = notes.part(value, place, place)
    if part is None:
        return None
    number = part.number("turn", "turn_number", "t")
    if number is None:
        notes.assume((*place, "turn"), wanted)
        number = wanted
    if part.value.get("role") not in (None, "user"):
        found = f"role {short(part.value['role'])}"
        notes.finding((*place, "role"), found, "a turn is what the person says; replies are no part of it")
    probes = [
        Placed(probe, (*place, "probes", at), number if isinstance(number, int) else None)
        for at, probe in notes.parts(part.get("probes"), (*place, "probes"))
    ]
    turn = kept(
        turn=number,
        user_message=_message(part),
        expected_behaviors=_expected(part),
        autofail_triggers=part.texts("autofail_triggers", otherwise=NOT_SAID),
        rubric=_rubrics(part) or None,
        branches=_branches(part) or None,
        minute=part.number("minute"),
        facts=_facts(part) or None,
        context_notes=part.get("context_notes"),
    )
    part.close(_TURN_REASONS)
    return TurnRead(turn, probes)


def _message(part: Part) -> Any:
    """What the person says; a finding where nothing is."""
    message = part.get("user_message", "message", "content", "text", "user")
    if message is None or (isinstance(message, str) and not message.strip()):
        part.notes.finding(part.at("user_message"), "a turn without a message", "what the person says")
        part.notes.assumed.add((*part.new, "user_message"))
        return NOT_SAID
    return message


def _expected(part: Part) -> Any:
    """What a good reply does: as it is given, or as the criteria of the turn describe it."""
    own = part.texts("expected_behaviors")
    if own:
        return own
    for key in ("criteria", "rubric_criteria"):
        items = part.value.get(key)
        described = [c["description"] for c in items if _describes(c)] if isinstance(items, list) else []
        if described:
            place = (*part.new, "expected_behaviors")
            part.notes.assumed.add(place)
            found = "is missing" if own is None else "is empty"
            part.notes.notice(part.notes.origin(place), found, f"read from the descriptions of `{key}`")
            return described
    return part.texts("expected_behaviors", otherwise=NOT_SAID)


def _describes(criterion: object) -> bool:
    described = criterion.get("description") if isinstance(criterion, dict) else None
    return isinstance(described, str) and bool(described.strip())


def _rubrics(part: Part) -> list[dict[str, Any]]:
    """Every question about a reply: ours, scored criteria, and those that fail a turn."""
    made: list[dict[str, Any]] = []
    for key, read in (
        ("rubric", read_rubric),
        ("rubric_criteria", read_criterion),
        ("autofail_rubric", read_autofail),
    ):
        items = part.get(key)
        for at, value in part.notes.parts(items, (*part.old, key)):
            inner = part.notes.part(value, (*part.old, key, at), (*part.new, "rubric", len(made)))
            if inner is not None:
                made.append(read(inner))
    part.seen.add("criteria")
    for at, value in part.notes.parts(part.value.get("criteria"), (*part.old, "criteria")):
        read_plain_criterion(part.notes, value, (*part.old, "criteria", at))
    return made


def read_rubric(part: Part) -> dict[str, Any]:
    """A question; where it has no kind it is a yes or no. Unknown kinds and dimensions are findings."""
    otherwise = RubricKind.BINARY if part.value.get("levels") is None else RubricKind.ORDINAL
    kind = part.needed("kind", otherwise=otherwise.value)
    if kind not in tuple(RubricKind):
        part.notes.finding(part.at("kind"), f"unknown kind {short(kind)}", f"one of {listed(RubricKind)}")
        kind = RubricKind.BINARY.value
        part.notes.assumed.add((*part.new, "kind"))
    levels = _levels(part, "levels")
    part.seen.add("triggers_hard_fail")
    made = kept(
        id=part.notes.word(part.get("id", "criterion_id"), part.at("id")),
        kind=kind,
        question=part.get("question", "description"),
        dimension=_dimension(part),
        weight=part.get("weight"),
        levels=levels,
    )
    part.close()
    return made


def read_criterion(part: Part) -> dict[str, Any]:
    """A criterion with points: an ordinal question whose levels are its scoring guide."""
    part.notes.notice(part.old, "a criterion with points", "read as a rubric of kind `ordinal`")
    for ours, theirs in (("id", "criterion_id"), ("question", "description"), ("levels", "scoring_guide")):
        if theirs in part.value:
            part.notes.origins[(*part.new, ours)] = (*part.old, theirs)
    levels = _levels(part, "scoring_guide", "levels")
    points = part.number("max_points")
    if isinstance(levels, dict) and points is not None and points != len(levels) - 1:
        found = f"max_points {short(points)}, but the highest level is {len(levels) - 1}"
        part.notes.finding((*part.old, "max_points"), found, "one value for one thing")
    made = kept(
        id=part.notes.word(part.get("criterion_id", "id", quiet=True), part.at("id")),
        kind=RubricKind.ORDINAL.value,
        question=part.get("description", "question", quiet=True),
        dimension=_dimension(part),
        weight=part.get("weight"),
        levels=levels,
    )
    if levels is None:
        part.notes.finding((*part.old, "scoring_guide"), "is missing", "what 0, 1 and so on look like")
        part.notes.assumed.add((*part.new, "levels"))
        made["levels"] = {"0": NOT_SAID, "1": NOT_SAID}
    part.close()
    return made


def read_autofail(part: Part) -> dict[str, Any]:
    """A question whose yes fails the turn."""
    part.notes.notice(part.old, "an autofail rubric of its own", "read as a rubric of kind `autofail`")
    hard = part.get("triggers_hard_fail")
    if hard not in (None, True):
        found = f"triggers_hard_fail {short(hard)} in `autofail_rubric`"
        part.notes.finding((*part.old, "triggers_hard_fail"), found, "true, or a question under `rubric`")
    part.seen.add("kind")
    made = kept(
        id=part.notes.word(part.get("id", "criterion_id"), part.at("id")),
        kind=RubricKind.AUTOFAIL.value,
        question=part.get("question", "description"),
        dimension=_dimension(part),
        weight=part.get("weight"),
    )
    part.close()
    return made


def read_plain_criterion(notes: Notes, value: object, place: Location) -> None:
    """A criterion that is only described: its text is read elsewhere, its checks must exist."""
    part = notes.part(value, place, place)
    if part is not None:
        part.seen.add("description")
        notes.check_ids(part.value.get("checks"), (*place, "checks"))
        part.close({"checks": "which checks are due is decided by `tags`"})


def _dimension(part: Part) -> Any:
    value = part.get("dimension")
    if value is None:
        return None
    place = part.at("dimension")
    known = DIMENSIONS.get(value) if isinstance(value, str) else None
    if known is None:
        allowed = near(str(value), DIMENSIONS, f"one of {listed(Dimension)}")
        part.notes.finding(place, f"unknown dimension {short(value)}", allowed)
        part.notes.assumed.add((*part.new, "dimension"))
        return Dimension.COMMUNICATION.value
    if known.value != value:
        part.notes.notice(place, f"older dimension `{value}`", f"read as `{known}`")
    return known.value


def _levels(part: Part, *names: str) -> Any:
    """What each level looks like, from 0 upwards; another form means nothing, and is a finding."""
    value = part.get(*names, quiet=True)
    if value is None:
        return None
    place = next((*part.old, name) for name in names if part.value.get(name) is not None)
    wanted = "a mapping of levels from 0 upwards, each with what it looks like"
    if not isinstance(value, dict):
        part.notes.finding(place, f"levels are {kind_of(value)}", wanted)
    elif sorted(value) != [str(n) for n in range(len(value))] or len(value) < 2:
        part.notes.finding(place, f"levels are numbered {', '.join(sorted(map(str, value)))}", wanted)
    elif not all(isinstance(text, str) and text.strip() for text in value.values()):
        part.notes.finding(place, "a level says nothing", wanted)
    else:
        return value
    part.notes.assumed.add((*part.new, "levels"))
    return {"0": NOT_SAID, "1": NOT_SAID}


def _branches(part: Part) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for at, value in part.notes.parts(part.get("branches"), (*part.old, "branches")):
        place = (*part.old, "branches", at)
        inner = part.notes.part(value, place, (*part.new, "branches", len(made)))
        if inner is not None:
            made.append(_branch(inner))
    return made


def _branch(part: Part) -> dict[str, Any]:
    """Other words of the person; rubrics of a branch are not read, since ours has none."""
    condition = part.get("condition")
    made = kept(
        branch_id=part.notes.word(part.get("branch_id", "id"), part.at("branch_id")),
        condition=_condition(part) if isinstance(condition, dict) else condition,
        user_message=_message(part),
        expected_behaviors=part.texts("expected_behaviors", otherwise=NOT_SAID),
        autofail_triggers=part.texts("autofail_triggers", otherwise=NOT_SAID),
    )
    rubric = "the rubric of a turn is asked on every branch, and a branch has none of its own"
    part.close({"rubric": rubric, "autofail_rubric": rubric, "rubric_criteria": rubric})
    return made


def _condition(part: Part) -> Any:
    """The condition of a branch; an unknown type is a finding."""
    value = part.value["condition"]
    inner = Part(part.notes, value, (*part.old, "condition"), (*part.new, "condition"))
    kind = inner.get("type")
    if kind is not None and kind not in tuple(ConditionType):
        allowed = f"one of {listed(ConditionType)}"
        part.notes.finding(inner.at("type"), f"unknown condition type {short(kind)}", allowed)
        part.notes.assumed.add((*part.new, "condition"))
        return {"type": ConditionType.CONTAINS_ANY.value, "values": [NOT_SAID]}
    made = kept(type=kind, values=inner.texts("values", "value"), pattern=inner.get("pattern", "regex"))
    inner.close()
    return made


def _facts(part: Part) -> Any:
    """What has been told by this turn, and what has changed since."""
    made: dict[str, Any] = {}
    for key in ("facts", "updates"):
        value = part.get(key)
        if key == "facts" and isinstance(value, dict):
            made |= _named(part, value)
        elif isinstance(value, dict) or value is None:
            made |= value or {}
        else:
            _told(part, key, value, made)
        if key == "updates" and value:
            found = "facts that have changed"
            part.notes.notice((*part.old, key), found, "read as `facts` of the turn")
    return made


def _named(part: Part, value: dict[str, Any]) -> dict[str, Any]:
    made = {}
    for key, fact in value.items():
        place = (*part.old, "facts", key)
        name = part.notes.word(key, place)
        made[str(name)] = _fact(part.notes, fact, place)
    return made


def _fact(notes: Notes, fact: object, place: Location) -> object:
    if isinstance(fact, str) or fact is None:
        return fact
    notes.notice(place, f"is {kind_of(fact)}", f"read as {short(as_text(fact))}")
    return as_text(fact)


def _told(part: Part, key: str, value: object, made: dict[str, Any]) -> None:
    """Facts as a list of `name=what`, laid over those that are there; two that differ are a finding."""
    place = (*part.old, key)
    own: dict[str, str] = {}
    for at, item in part.notes.parts(value, place):
        name, _, said = str(item).partition("=")
        if not said:
            name, said = f"fact_{at + 1}", str(item)
        name = slug(name) or f"fact_{at + 1}"
        part.notes.origins[(*part.new, "facts", name)] = (*place, at)
        if own.setdefault(name, said) != said:
            found = f"{name} is {short(said)}, and {short(own[name])} before"
            part.notes.finding((*place, at), found, "one value for one thing")
    if own:
        part.notes.notice(place, "a list of `name=what`", "read as a mapping")
    made |= own
