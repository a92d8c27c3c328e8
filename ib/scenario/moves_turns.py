"""What older turns, rubrics, anchors and personas say in another structure.

Each function upgrades one mapping in place, as in `ib.scenario.moves`.
"""

from __future__ import annotations

from ib.models.conversation.scenario import Persona, RubricKind
from ib.scenario.nodes import Node, Reading, as_text, check_ids, join, nodes, short, slug, whole

ENDS = ("from_turn", "to_turn")


def turn(reading: Reading, turn: Node) -> None:
    """Criteria and autofail rubrics are rubrics; criteria say what is expected where nothing else does."""
    if turn.get("role") not in (None, "user"):
        hint = "a turn is what the person says; replies are not part of a scenario"
        reading.error(turn.at("role"), f"role {short(turn['role'])}", hint)
    criteria = [*nodes(turn, "criteria"), *nodes(turn, "rubric_criteria")]
    described = [
        text for item in criteria if isinstance(text := item.get("description"), str) and text.strip()
    ]
    if described and not turn.get("expected_behaviors"):
        turn["expected_behaviors"] = described
    if nodes(turn, "criteria") != turn.get("criteria", []):
        reading.error(turn.at("criteria"), short(turn["criteria"]), "a list of mappings")
    for criterion in nodes(turn, "criteria"):
        check_ids(reading, criterion)
    for key, kind in (("rubric_criteria", RubricKind.ORDINAL), ("autofail_rubric", RubricKind.AUTOFAIL)):
        for item in nodes(turn, key):
            item.put("kind", kind.value, (*item.place, "kind"))
        join(turn, "rubric", turn, key)


def rubric(reading: Reading, rubric: Node) -> None:
    """The kind follows from the levels; older keys must agree with the rest."""
    levels, points = rubric.get("levels"), whole(rubric.get("max_points"))
    rubric.setdefault("kind", RubricKind.BINARY.value if levels is None else RubricKind.ORDINAL.value)
    if points is not None and isinstance(levels, Node) and points != len(levels) - 1:
        found = f"max_points {short(points)}, but the highest level is {len(levels) - 1}"
        reading.error(rubric.at("max_points"), found, "the same value in both")
    hard = rubric.get("triggers_hard_fail")
    if rubric["kind"] == RubricKind.AUTOFAIL and hard not in (None, True):
        reading.error(rubric.at("triggers_hard_fail"), short(hard), "true, or a question under `rubric`")


def facts(reading: Reading, turn: Node) -> None:
    """Facts may be lists of `name=what`; updates replace facts of the same name."""
    if isinstance(turn.get("facts"), list) or "updates" in turn:
        made = _told(reading, turn, "facts")
        updates = _told(reading, turn, "updates")
        for name, text in updates.items():
            made.put(name, text, updates.at(name))
        place = turn.at("facts" if "facts" in turn else "updates")
        turn.put("facts", made, place)
        if not made:
            del turn["facts"]


def _told(reading: Reading, turn: Node, key: str) -> Node:
    """Facts as a mapping."""
    given, made = turn.get(key, []), Node({}, turn.at(key))
    if isinstance(given, Node):
        return given
    if not isinstance(given, list):
        reading.error(made.place, short(given), "a list of `name=what`")
    for at, item in enumerate(given if isinstance(given, list) else ()):
        name, found, text = str(item).partition("=")
        name, text = (slug(name) or f"fact_{at + 1}", text) if found else (f"fact_{at + 1}", str(item))
        reading.give(made, name, text, (*made.place, at))
    return made


def window(reading: Reading, anchor: Node) -> None:
    """A window of its own, a mapping or a pair, gives `from_turn` and `to_turn`."""
    window, ends = anchor.get("response_window"), Node({}, anchor.at("response_window"))
    if isinstance(window, list) and len(window) == 2:
        for at, end in enumerate(ENDS):
            ends.put(end, window[at], (*ends.place, at))
    elif isinstance(window, Node):
        ends = window
        reading.rename(ends, "Window")
    elif window is not None:
        reading.error(ends.place, f"a window of {short(window)}", "`from_turn` and `to_turn`")
    for end in ENDS:
        if end in ends:
            reading.give(anchor, end, ends[end], ends.at(end))
    for end, otherwise in zip(ENDS, ("cue_turn", "from_turn"), strict=True):
        if otherwise in anchor:
            anchor.setdefault(end, anchor[otherwise])


def cue(reading: Reading, anchor: Node) -> None:
    """The words of the cue as they are in the message, or the whole message.

    Older tools wrote the label of a cue, or its first 60 letters, where they found no words.
    """
    cue, number = anchor.get("cue"), whole(anchor.get("cue_turn"))
    message = reading.messages.get(number) if isinstance(number, int) else None
    if message is None or not isinstance(cue, str | None) or (cue is not None and cue in message):
        return
    own = _in_other_letters(cue, message) if cue else ""
    if own:
        anchor.put("cue", own, anchor.at("cue"))
    elif cue is None or _is_label(anchor, cue):
        if cue is not None:
            reading.notice(anchor.at("cue"), "a name for the cue, not words of the message")
        anchor.put("cue", message, (*anchor.place, "cue"))


def _in_other_letters(cue: str, message: str) -> str:
    """The words of a message that are the cue in upper or lower case; empty if there are none."""
    at = message.casefold().find(cue.casefold())
    own = message[at : at + len(cue)] if at >= 0 else ""
    return own if own.casefold() == cue.casefold() else ""  # folding may change lengths


def _is_label(anchor: Node, cue: str) -> bool:
    label = anchor.get("cue_label")
    is_start = isinstance(label, str) and bool(cue.strip()) and label.startswith(cue)
    return is_start or anchor.get("source") == "risk_triggers"


def persona(reading: Reading, persona: Node) -> None:
    """Unknown keys of a persona are context, and every value is a text."""
    context = persona.setdefault("context", Node({}, persona.at("context")))
    if isinstance(context, Node):
        for key in [key for key in persona if key not in Persona.model_fields]:
            reading.give(context, key, persona.pop(key), persona.at(key))
    for key in ("name", "role", "care_recipient", "care_duration"):
        if key in persona:
            persona[key] = as_text(persona[key])
