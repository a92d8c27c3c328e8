"""What older scenarios say in another structure: each function upgrades one mapping in place.

They run after the keys of a mapping have their names of today and before its values are read. What a
function cannot read it leaves for the model to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

from ib.errors import Path
from ib.models.conversation.elapsed import Elapsed, elapsed_minutes
from ib.models.conversation.scenario import CueSeverity, ProbeKind, ScoringDimension
from ib.scenario import moves_turns
from ib.scenario.aliases import VALUES
from ib.scenario.nodes import (
    Node,
    Reading,
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
    "Turn": (moves_turns.turn, moves_turns.facts),
    "Rubric": (moves_turns.rubric,),
    "ScenarioAnchor": (moves_turns.window, moves_turns.cue),
    "Persona": (moves_turns.persona,),
}
"""The functions that upgrade each record, in the order in which they run."""
