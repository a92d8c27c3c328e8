"""Drawing the scenarios of a benchmark: its public key, the file of a private key, and the text of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ib.errors import DataError, Finding, UsageError
from ib.models.common.canonical import digest
from ib.models.draw.keyed_slot import (
    DrawKind,
    Drawn,
    DrawNamed,
    Form,
    KeyedSlot,
    PublicDraw,
)
from ib.scenario.drawing import KEY_BYTES, DrawKey, chosen, filled
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import load_yaml, model_of_json
from ib.store.files.yaml_json import parse_shallow_json

if TYPE_CHECKING:
    from ib.models.conversation.scenario import Scenario

PUBLIC = "configs/draw.yaml"
Played = TypeVar("Played", bound="Scenario")
Slots: TypeAlias = dict[Form, KeyedSlot]
_KEY = re.compile(r"[0-9a-f]{64}")


def public_key(root: Path) -> DrawKey | None:
    """The key of the public draw of a benchmark; None if the benchmark has none."""
    return next(iter(known_keys(root)), None)


def known_keys(root: Path) -> tuple[DrawKey, ...]:
    """The keys that a benchmark itself has: that of its public draw first, then those of retired draws."""
    path = root / PUBLIC
    if not path.is_file():
        return ()
    told = load_yaml(PublicDraw, path)
    return tuple(DrawKey(bytes.fromhex(key)) for key in (told.public, *told.opened))


def named_draw(root: Path, draw: str | None) -> DrawNamed | None:
    """The draw of a plan, with its kind; None for a plan without slots."""
    if draw is None:
        return None
    known = [key.hash for key in known_keys(root)]
    kind = DrawKind.PRIVATE
    if draw in known:
        kind = DrawKind.PUBLIC if draw == known[0] else DrawKind.OPENED
    return DrawNamed(key_hash=draw, kind=kind)


def key_of(place: str, root: Path, draw: str | None, given: DrawKey | None) -> DrawKey | None:
    """The key of the draw that a plan names; None for a plan without slots.

    `place` is the plan, for messages. Raises DataError if the draw is private, and `given` is not its key.
    """
    known = [*known_keys(root), *(() if given is None else (given,))]
    found = next((key for key in known if key.hash == draw), None)
    if found is None and draw is not None:
        said = "no key was given" if given is None else f"the key that was given is that of {given.hash[:12]}"
        hint = "name the file of its key with --draw"
        raise DataError.one(place, None, "draw", f"is the private draw {draw[:12]}, and {said}", hint)
    return found


def private_key(path: Path) -> DrawKey:
    """The key in a file: 64 lower-case hexadecimal digits and nothing else.

    Raises DataError if the file holds anything else. No message repeats what it holds.
    """
    text = decode(read_bytes(path, str(path)), str(path)).strip()
    if _KEY.fullmatch(text) is None:
        found = f"{len(text)} characters that are not a key"
        cure = f"{KEY_BYTES} random bytes in lower-case hexadecimal, such as `openssl rand -hex 32` prints"
        raise DataError.one(str(path), 1, "", found, cure)
    return DrawKey(bytes.fromhex(text))


@dataclass(frozen=True)
class Template:
    """A scenario file as it is written."""

    text: str
    value: Any
    """Its content, not validated."""
    slots: Slots
    """Its slots, with those of its origin."""
    inherited: frozenset[Form]
    """Those of its origin."""
    family: str
    """The id of the first origin; slots are drawn by family, so that a twin has the words of its parent."""

    @property
    def messages(self) -> dict[int, str]:
        """The message of each turn as the file has it, without those of branches."""
        sessions = self.value.get("sessions") or [{"turns": self.value.get("turns") or []}]
        return {turn["turn"]: turn["user_message"] for session in sessions for turn in session["turns"]}

    @property
    def hash(self) -> str:
        """The hash of what is written and of every choice, the same in every draw."""
        slots = {name: slot.model_dump(mode="json") for name, slot in sorted(self.slots.items())}
        return digest([self.value, slots])


class Drawing:
    """Draws the scenario files of one benchmark with one key."""

    def __init__(self, root: Path, paths: Mapping[str, Path], key: DrawKey | None = None) -> None:
        """`paths` are the files by scenario id; without `key` the draw is the public one."""
        self._root, self._paths, self._given = root, paths, key

    @cached_property
    def key(self) -> DrawKey | None:
        """The key of the draw; None if none is given and the benchmark has no public one."""
        return self._given or self._public

    @cached_property
    def _public(self) -> DrawKey | None:
        return public_key(self._root)

    def load(self, model: type[Played], path: Path) -> Played:
        """A scenario file as its draw. Raises DataError with all findings about the file."""
        template = self.template(model, path)
        name = str(path)
        if not template.slots:
            return model_of_json(model, template.text, name)
        if self.key is None:
            found = f"has slots, and there is no {PUBLIC}"
            raise DataError.one(name, None, "slots", found, "add the key of the public draw")
        values = chosen(template.slots, template.family, self.key)
        scenario = model_of_json(model, filled(template.text, values), name)
        salt = None if self.key == self._public else self.key.salt(template.family)
        drawn = Drawn(draw=self.key.hash, template_hash=template.hash, chosen=values, salt=salt)
        return scenario.as_drawn(drawn)

    def template(self, model: type[Scenario], path: Path) -> Template:
        """A scenario file as it is written, with its slots and those of its origin."""
        name = str(path)
        text = decode(read_bytes(path, name), name)
        value = parse_shallow_json(text, name)
        own, origin = _own(model, value, text, name), _origin(value)
        if origin is None or origin not in self._paths or origin == path.stem:
            return Template(text, value, own, frozenset(), path.stem)
        theirs = self.template(model, self._paths[origin])
        doubled = sorted(own.keys() & theirs.slots.keys())
        if doubled:
            found = f"{doubled[0]!r} is also a slot of {origin}"
            raise DataError.one(name, None, ("slots", doubled[0]), found, "the slots of the origin hold here")
        return Template(text, value, {**theirs.slots, **own}, frozenset(theirs.slots), theirs.family)


def check_drawn(scenarios: Iterable[Scenario], paths: Mapping[str, Path], key: DrawKey | None) -> None:
    """Raises DataError if a scenario has no slots though a key is given: its words are in every draw."""
    if key is None:
        return
    hint = "leave it out, or give it slots"
    found = "has no slots, so that a private draw of it has the words of the public one"
    findings = [
        Finding.at(str(paths[each.scenario_id]), None, "slots", found, hint)
        for each in scenarios
        if each.drawn is None
    ]
    if findings:
        raise DataError(findings)


def draw_of(scenarios: Iterable[Scenario]) -> str | None:
    """The draw of scenarios that were loaded together; None if none of them has slots."""
    return next((each.drawn.draw for each in scenarios if each.drawn is not None), None)


def _own(model: type[Scenario], template: Any, text: str, name: str) -> Slots:
    """The slots that a file itself lists. Raises DataError with the line of each finding."""
    if not isinstance(template, dict) or "slots" not in template:
        return {}
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(Slots).validate_python(template["slots"])
    except ValidationError:
        model_of_json(model, text, name)
        raise


def _origin(template: Any) -> str | None:
    """The id of the scenario that a variant varies, or that a twin is the twin of."""
    if not isinstance(template, dict):
        return None
    twin = template.get("twin")
    named = twin.get("of") if isinstance(twin, dict) else template.get("variant_of")
    return named if isinstance(named, str) else None


def key_named(draw: str | None) -> DrawKey | None:
    """The key of `--draw`: None for `public`, which is the default, else that of the file of this name."""
    if draw in (None, "public"):
        return None
    path = Path(draw)
    if not path.is_file():
        raise UsageError(f"--draw {draw}: no such file; give `public`, or the file of a key")
    return private_key(path)
