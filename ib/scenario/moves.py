"""What older scenarios say in another structure: each function upgrades one mapping in place.

They run after the keys of a mapping have their names of today and before its values are read. What a
function cannot read it leaves for the model to refuse.

Each function upgrades one mapping in place, as in `ib.scenario.moves`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

from ib.errors import Path
from ib.models.conversation.scenario import (
    CueSeverity,
    Elapsed,
    Persona,
    ProbeKind,
    RubricKind,
    ScoringDimension,
    elapsed_minutes,
)
from ib.scenario.aliases import VALUES
from ib.scenario.nodes import (
    Node,
    Reading,
    as_text,
    check_ids,
    join,
    leave_out,
    member,
    nodes,
    same,
    short,
    slug,
    whole,
)

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


Move = Callable[[Reading, Node], None]


def _turns(node: Node) -> Iterator[Node]:
    yield from nodes(node, "turns")
    for session in nodes(node, "sessions"):
        yield from nodes(session, "turns")


def _head(reading: Reading, node: Node) -> None:
    """Assume the title from the id, the description from the title, and the category from the tier."""
    for key, otherwise in (("title", "scenario_id"), ("description", "title"), ("category", "tier")):
        if key not in node and (key != "category" or node.get("tier") in [*reading.known.categories]):
            node[key] = str(node.get(otherwise, "unnamed"))
    node.setdefault("canary", reading.known.canary)


def _category(reading: Reading, node: Node) -> None:
    """Translate a category that the benchmark does not have."""
    known, given = reading.known.categories, slug(node.setdefault("category", "other"))
    if not isinstance(given, str):
        return
    if given in VALUES["Category"] and given not in known:
        given = member("Category", known, given)
    if known and given not in known and given != "other":
        found = f"not a category of this benchmark: {short(given)}"
        reading.notice(("category",), found, f"read as it is; the benchmark has {', '.join(sorted(known))}")
    node["category"] = given
    if not node.get("tags"):
        node["tags"] = [given]


def _published(_reading: Reading, node: Node) -> None:
    """Older files only say that they are confidential."""
    metadata = node.get("metadata")
    hints: dict[Path, object] = {
        ("confidential",): node.get("confidential"),
        ("metadata", "confidential"): metadata.get("confidential") if isinstance(metadata, Node) else None,
        ("classification",): "confidential" in str(node.get("classification")),
        ("unpublished_reason",): "unpublished_reason" in node,
    }
    place = next((place for place, hint in hints.items() if hint is True), None)
    if place is not None and "published" not in node:
        node.put("published", False, place if place[-1] != "unpublished_reason" else ("published",))
        node.setdefault("unpublished_reason", "confidential")


def _contrast(_reading: Reading, node: Node) -> None:
    """`contrast_group` and `contrast_variable` are keys of `contrast`."""
    if "contrast_group" in node and "contrast" not in node:
        contrast = Node({"variable": "anchor"}, ())
        for key in ("group", "variable"):
            if f"contrast_{key}" in node:
                contrast.put(key, node[f"contrast_{key}"], node.at(f"contrast_{key}"))
        node.put("contrast", contrast, node.at("contrast_group"))


def _dimensions(reading: Reading, node: Node) -> None:
    """Translate the dimensions; weights and unknown dimensions are not read."""
    given = node.get("scoring_dimensions")
    if not isinstance(given, dict | list):
        return
    read = [(name, member("ScoringDimension", tuple(ScoringDimension), name)) for name in given]
    for at, (name, dimension) in enumerate(read):
        if dimension not in tuple(ScoringDimension):
            own = name if isinstance(given, dict) else at
            reading.notice(("scoring_dimensions", own), f"unknown dimension {short(name)}")
    made = tuple(dict.fromkeys(dimension for _, dimension in read if dimension in tuple(ScoringDimension)))
    if made != tuple(given):
        node["scoring_dimensions"] = made  # no list, so that it is compared with the file as a whole


def _number_turns(reading: Reading, node: Node) -> None:
    """Number the turns that have no number, and remember what is said in each."""
    for count, turn in enumerate(_turns(node), start=1):
        reading.rename(turn, "Turn")
        number = whole(turn.setdefault("turn", count))
        if isinstance(number, int):
            reading.messages[number] = str(turn.get("user_message", ""))


def _risks(reading: Reading, node: Node) -> None:
    """Cues in prose are not read, since no check is due by them."""
    for risk in nodes(node, "risk_triggers"):
        reading.rename(risk, "CueTag")
        if slug(risk.get("cue", "")) not in (risk.get("cue", ""), *reading.known.tags):
            reading.notice(risk.place, "a cue in prose")
            _refuse_risk(reading, risk)
            leave_out(node, "risk_triggers", risk)


def _refuse_risk(reading: Reading, risk: Node) -> None:
    """Errors for a turn and a severity that do not exist, in a risk trigger that is not read."""
    turn, severity = whole(risk.get("turn")), risk.get("severity", CueSeverity.LOW)
    if not isinstance(turn, int) or turn not in reading.messages:
        reading.error(risk.at("turn"), f"turn {short(turn)}", f"1 to {max(reading.messages, default=0)}")
    if member("CueSeverity", tuple(CueSeverity), severity) not in tuple(CueSeverity):
        hint = f"one of {', '.join(CueSeverity)}"
        reading.error(risk.at("severity"), f"unknown severity {short(severity)}", hint)


def _probes(reading: Reading, node: Node) -> None:
    """Probes inside turns are probes of the scenario; older abstention probes are not read.

    Those expect what must not be made up. Probes of today expect how a reply admits it.
    """
    inside = [(probe, turn) for turn in _turns(node) for probe in nodes(turn, "probes")]
    older = [probe for probe in (*nodes(node, "probes"), *(p for p, _ in inside)) if "turn" not in probe]
    for turn in _turns(node):
        join(node, "probes", turn, "probes")
    for probe, turn in inside:
        reading.rename(probe, "Probe")
        number = turn["turn"]
        if not same(probe.setdefault("turn", number), number):
            found = f"turn {short(probe['turn'])}, but it is in turn {number}"
            reading.error(probe.at("turn"), found, "the same value in both")
    for probe in older:
        reading.rename(probe, "Probe")
        if probe.get("kind") == ProbeKind.ABSTENTION:
            reading.notice(probe.place, "a list of what was never told")
            leave_out(node, "probes", probe)


_UNIT = r"(minute|hour|day|week|month|year)"
_LATER = re.compile(rf"(\d{{1,4}}|[a-z]+) {_UNIT}s?(?: (?:later|after|on))?", re.ASCII)
_OURS = re.compile(get_args(Elapsed)[1].pattern)
_SINCE_START = re.compile(rf"{_UNIT} (\d{{1,4}})", re.ASCII)
_COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]


def _sessions(reading: Reading, node: Node) -> None:
    """Number the sessions, and read `3 months later` and `Day 30` as the time since the session before."""
    clock: int | None = None
    for count, session in enumerate(nodes(node, "sessions"), start=1):
        reading.rename(session, "Session")
        session.setdefault("session_number", count)
        elapsed = session.get("elapsed")
        words = " ".join(elapsed.casefold().split()) if isinstance(elapsed, str) else ""
        day, later = _SINCE_START.fullmatch(words), _later(words)
        now = None if day is None else int(day[2]) * elapsed_minutes(f"1 {day[1]}")
        if count == 1:
            clock = 0 if words and now is None else now
            if words and session.at("elapsed")[-1] != "elapsed":
                del session["elapsed"]
            continue
        if now is None and later:
            now = None if clock is None else clock + elapsed_minutes(later)
        elif now is not None and clock is not None:
            later = _days(now - clock)
        if later and not _OURS.fullmatch(str(elapsed)):
            session["elapsed"] = later
        clock = now


def _later(words: str) -> str:
    """`three months later` as `3 months`; empty for other words."""
    match = _LATER.fullmatch(words)
    if match is None:
        return ""
    number = {"a": "1", "an": "1"}.get(match[1], match[1])
    count = _COUNTS.index(number) if number in _COUNTS else int(number) if number.isdigit() else 0
    return f"{count} {match[2]}{'' if count == 1 else 's'}" if count else ""


def _days(minutes: int) -> str:
    """Minutes in days, or as they are; empty if time does not go forward."""
    if minutes <= 0:
        return ""
    count, unit = (minutes, "minute") if minutes % 1440 else (minutes // 1440, "day")
    return f"{count} {unit}{'' if count == 1 else 's'}"


MOVES: Mapping[str, Sequence[Move]] = {
    "Scenario": (
        *(_head, _category, _published, _contrast, check_ids, _dimensions),
        *(_number_turns, _sessions, _risks, _probes),
    ),
    "Turn": (turn, facts),
    "Rubric": (rubric,),
    "ScenarioAnchor": (window, cue),
    "Persona": (persona,),
}
"""The functions that upgrade each record, in the order in which they run."""
