"""Cues in older forms: the risks that a person shows, the anchors of windows, and probes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ib.models.scenario import CueSeverity, ProbeKind
from ib.scenario.lenient import Notes, Part, kept, kind_of, listed, short, slug
from ib.scenario.upgrade_turns import Placed

SEVERITIES = {
    **{severity.value: severity for severity in CueSeverity},
    "mild": CueSeverity.LOW,
    "minor": CueSeverity.LOW,
    "medium": CueSeverity.MODERATE,
    "severe": CueSeverity.HIGH,
    "extreme": CueSeverity.CRITICAL,
}


def read_triggers(notes: Notes, part: Part, last: int) -> list[dict[str, Any]]:
    """The risks that a person shows, by tag. A cue in prose names none, and makes no check due."""
    made: list[dict[str, Any]] = []
    for at, value in notes.parts(part.get("risk_triggers"), ("risk_triggers",)):
        inner = notes.part(value, ("risk_triggers", at), ("risk_triggers", len(made)))
        if inner is None:
            continue
        turn = inner.number("turn", "t", "turn_number")
        severity = _severity(inner)
        tag = _tag(inner)
        inner.close()
        if tag is not None:
            made.append(kept(turn=turn, cue=tag, severity=severity))
        elif not isinstance(turn, int) or not 1 <= turn <= last:
            notes.finding(inner.at("turn"), f"turn {short(turn)}", f"turns run 1 to {last}")
    return made


def _severity(part: Part) -> Any:
    value = part.needed("severity", otherwise=CueSeverity.MODERATE.value)
    word = value.casefold() if isinstance(value, str) else ""
    known = SEVERITIES.get(word)
    if known is None:
        allowed = f"one of {listed(CueSeverity)}"
        part.notes.finding(part.at("severity"), f"unknown severity {short(value)}", allowed)
        return CueSeverity.MODERATE.value
    if known.value != value:
        part.notes.notice(part.at("severity"), f"severity `{value}`", f"read as `{known}`")
    return known.value


def _tag(part: Part) -> str | None:
    """The tag of a cue, or None where it is prose."""
    cue = part.get("cue", "trigger")
    if not isinstance(cue, str):
        found = "is missing" if cue is None else f"is {kind_of(cue)}"
        part.notes.finding(part.at("cue"), found, "a tag, or what the person shows in a few words")
        return None
    made = slug(cue)
    if made == cue:
        return cue
    if made in part.notes.known.tags:
        part.notes.notice(part.at("cue"), "a tag in other letters", f"read as `{made}`")
        return made
    part.notes.notice(part.at("cue"), "a cue in prose", "read by people only; no check is due by it")
    return None


def read_anchors(notes: Notes, part: Part, messages: Mapping[int, str]) -> list[dict[str, Any]]:
    """The windows of checks. An anchor that names no known check is left out."""
    values = part.get("anchors", "cue_anchors")
    place = part.at("anchors")
    notes.origins.pop(("anchors",), None)
    made: list[dict[str, Any]] = []
    for at, value in notes.parts(values, place):
        inner = notes.part(value, (*place, at), ("anchors", len(made)))
        anchor = None if inner is None else _anchor(inner, messages)
        if anchor is not None:
            made.append(anchor)
    return made


def _anchor(part: Part, messages: Mapping[int, str]) -> dict[str, Any] | None:
    cue_turn = part.number("cue_turn", "turn", "turn_number", "t")
    start, end = _window(part)
    if start is None:
        part.notes.assume((*part.new, "from_turn"), cue_turn)
        start = cue_turn
    if end is None:
        part.notes.assume((*part.new, "to_turn"), start)
        end = start
    given = part.get("checks", "modes")
    checks = part.notes.check_ids(given, part.at("checks"))
    if not given:
        part.notes.finding(part.at("checks"), "names no check", "the checks whose window this is")
    message = messages.get(cue_turn) if isinstance(cue_turn, int) else None
    if message is None:
        found = f"turn {short(cue_turn)}"
        part.notes.finding(part.at("cue_turn"), found, f"turns run 1 to {max(messages, default=0)}")
    cue = _cue(part, message)
    part.close({"cue_label": "a name for the cue", "source": "where the anchor was taken from"})
    if not checks or message is None:
        return None
    return kept(cue_turn=cue_turn, from_turn=start, to_turn=end, checks=checks, cue=cue)


def _window(part: Part) -> tuple[Any, Any]:
    """The turns in which the reply to a cue stands: as keys of the anchor, as a mapping, or as a pair."""
    notes = part.notes
    window = part.get("response_window", "window", quiet=True)
    ends: dict[str, Any] = {name: part.number(name) for name in ("from_turn", "to_turn")}
    if window is None:
        return ends["from_turn"], ends["to_turn"]
    place = notes.origin((*part.new, "response_window"))
    notes.notice(place, "a window of its own", "read as `from_turn` and `to_turn`")
    if isinstance(window, list) and len(window) == 2:
        window = dict(zip(("from_turn", "to_turn"), window, strict=True))
        inner = Part(notes, window, place, part.new)
        keys: dict[str, str | int] = {"from_turn": 0, "to_turn": 1}
    elif isinstance(window, dict):
        inner = Part(notes, window, place, part.new)
        keys = {"from_turn": "from_turn", "to_turn": "to_turn"}
    else:
        notes.finding(place, f"is {kind_of(window)}", "`from_turn` and `to_turn`")
        return ends["from_turn"], ends["to_turn"]
    for name, older in (("from_turn", ("from", "start")), ("to_turn", ("to", "end"))):
        notes.origins[(*part.new, name)] = (*place, keys[name])
        value = notes.whole(inner.get(name, *older), (*place, keys[name]))
        if value is not None and ends[name] not in (None, value):
            found = f"{name} {short(value)}, but {short(ends[name])} outside the window"
            notes.finding((*place, keys[name]), found, "one value for one thing")
        ends[name] = ends[name] if value is None else value
    inner.close()
    return ends["from_turn"], ends["to_turn"]


def _cue(part: Part, message: str | None) -> Any:
    """The words of the cue as they stand in the message.

    Tools wrote the label of a cue, or its first 60 letters, where they found no words: such an anchor
    is for the whole message. Any other text that does not stand there is left for the contract.
    """
    label, source = part.value.get("cue_label"), part.value.get("source")
    cue = part.get("cue", "cue_text_match", "cue_text")
    if message is None:
        return cue
    if cue is None:
        part.notes.assume((*part.new, "cue"), "the whole message")
        return message
    if not isinstance(cue, str) or cue in message:
        return cue
    at = message.casefold().find(cue.casefold())
    # Folding may change lengths, and then the place would be another.
    if at >= 0 and message[at : at + len(cue)].casefold() == cue.casefold():
        own = message[at : at + len(cue)]
        part.notes.notice(part.at("cue"), "stands there in other letters", f"read as {short(own)}")
        return own
    if source == "risk_triggers" or (isinstance(label, str) and cue.strip() and label.startswith(cue)):
        part.notes.assumed.add((*part.new, "cue"))
        found = "a name for the cue, and no words of the message"
        part.notes.notice(part.at("cue"), found, "read as the whole message")
        return message
    return cue


def read_probes(notes: Notes, part: Part, inside: list[Placed]) -> list[dict[str, Any]]:
    """Probes of the scenario and those that stood inside turns, in this order."""
    given = [Placed(v, ("probes", at), None) for at, v in notes.parts(part.get("probes"), ("probes",))]
    made: list[dict[str, Any]] = []
    for value, old, turn in [*given, *inside]:
        inner = notes.part(value, old, ("probes", len(made)))
        probe = None if inner is None else _probe(inner, turn)
        if probe is not None:
            made.append(probe)
    return made


def _probe(part: Part, inside: int | None) -> dict[str, Any] | None:
    """A probe; unknown kinds are findings, and so is a turn other than the one that it stands in."""
    older = part.value.get("turn") is None
    turn = part.number("turn", "t", "turn_number")
    if inside is not None:
        part.notes.notice(part.old, "a probe inside a turn", "read as a probe of the scenario")
        if turn not in (None, inside):
            found = f"turn {short(turn)}, but it stands in turn {inside}"
            part.notes.finding(part.at("turn"), found, "one value for one thing")
        turn = inside if turn is None else turn
    kind = part.get("kind", "type")
    made = kept(
        turn=turn,
        kind=kind,
        expected=part.texts("expected"),
        forbidden=part.texts("forbidden"),
        comment=part.get("comment", "notes"),
    )
    part.close()
    if kind is not None and kind not in tuple(ProbeKind):
        part.notes.finding(part.at("kind"), f"unknown kind {short(kind)}", f"one of {listed(ProbeKind)}")
        return None
    if older and kind == ProbeKind.ABSTENTION:
        # Older corpora list here what must not be made up; to expect those words would be the reverse.
        found = "a list of what was never told"
        part.notes.notice(part.old, found, "not read; here `expected` is how a reply admits it")
        return None
    return made
