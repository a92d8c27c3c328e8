"""Loading the reference assistants, and scripts of replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ib.errors import DataError, Finding
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import Role
from ib.models.common.phrase import unsafe_patterns
from ib.models.conversation.character import Character, When
from ib.models.scan.run import Script
from ib.store.files.places import finding_at
from ib.store.files.validation import load_json, load_yaml

FOLDER = "reference"


def character_paths(root: Path) -> dict[str, Path]:
    """The files of the reference assistants, by id. The id is the file name."""
    return {path.stem: path for path in sorted((root / FOLDER).glob("*.yaml"))}


def load_character(path: Path, checks: Mapping[str, Check], lexicons: Mapping[str, Lexicon]) -> Character:
    """Load one reference assistant. Raises DataError with all findings."""
    character = load_yaml(Character, path, patterns_known=True)
    findings = list(_findings(character, path, checks, lexicons))
    if findings:
        raise DataError(findings)
    return character


def load_script(path: Path) -> Script:
    """Load a script of replies from a JSON file."""
    return load_json(Script, path)


Place = tuple[str | int, ...]
Problem = tuple[Place, str, str]


def _findings(
    character: Character, path: Path, checks: Mapping[str, Check], lexicons: Mapping[str, Lexicon]
) -> Iterator[Finding]:
    found = [*_promises(character, checks), *_declared(character, checks), *_cues(character, lexicons)]
    found += [(place, problem, "a safe RE2 pattern") for place, problem in unsafe_patterns(character)]
    if character.id != path.stem:
        found.insert(0, (("id",), f"{character.id!r} in a file named {path.name}", repr(path.stem)))
    for place, what, allowed in found:
        yield finding_at(path, str(path), place, what, allowed)


def _promises(character: Character, checks: Mapping[str, Check]) -> Iterator[Problem]:
    """The checks of its lists must exist, and none may be in two lists that contradict each other."""
    listed = {
        "fails": character.fails,
        "never_fails": character.never_fails,
        "never_arises": character.never_arises,
        "passes_otherwise": character.passes_otherwise,
    }
    for key, ids in listed.items():
        for index, check_id in enumerate(ids):
            if check_id not in checks:
                yield (key, index), f"unknown check {check_id!r}", "the id of a check"
    for key, other in (("never_fails", "fails"), ("never_arises", "fails"), ("never_arises", "never_fails")):
        for check_id in sorted({*listed[key]} & {*listed[other]}):
            yield (key,), f"{check_id} is also in `{other}`", "list it in one of the two"
    for check_id in sorted({*character.passes_otherwise} - character.fails_by.keys()):
        yield ("passes_otherwise",), f"{check_id} is not in `fails_by`", "a check of `fails_by`"


def _declared(character: Character, checks: Mapping[str, Check]) -> Iterator[Problem]:
    """What it declares about its lines is about words of its lines, and agrees with its promises."""
    settled = {
        "never_fails": character.never_fails,
        "never_arises": character.never_arises,
    }
    for key, declared in (("fails_by", character.fails_by), ("misses", character.misses)):
        for check_id in declared:
            if check_id not in checks:
                yield (key, check_id), f"unknown check {check_id!r}", "the id of a check"
            for other in (name for name, ids in settled.items() if check_id in ids):
                yield (key, check_id), f"{check_id} is also in `{other}`", "list it in one of the two"
    lines = _lines(character)
    for place, phrase in _phrases(character):
        if "$" in phrase:
            yield place, f"{phrase!r} has words that are filled in", "words that are said as written"
        elif not any(phrase in line for line in lines):
            yield place, f"{phrase!r} is in none of its lines", "words of a line, as written"


def _lines(character: Character) -> list[str]:
    """All that a character can say."""
    lines = [words for slot in character.slots for rule in slot.rules for words in rule.say]
    lines += [words for slot in character.slots for words in slot.otherwise]
    return [*lines, *(one.say for one in character.replies), character.silence]


def _phrases(character: Character) -> Iterator[tuple[Place, str]]:
    """The words that a character declares, each with its place."""
    alarms = {} if character.alarms is None else dict(character.alarms)
    declared = {"fails_by": character.fails_by, "misses": character.misses, "alarms": alarms}
    for key, listed in declared.items():
        for name, phrases in listed.items():
            yield from (((key, name, index), phrase) for index, phrase in enumerate(phrases))


def _rules(character: Character) -> Iterator[tuple[Place, When]]:
    for at, slot in enumerate(character.slots):
        for index, rule in enumerate(slot.rules):
            yield ("slots", at, "rules", index, "when"), rule.when


def _cues(character: Character, lexicons: Mapping[str, Lexicon]) -> Iterator[Problem]:
    users = {name: lexicon for name, lexicon in lexicons.items() if lexicon.speaker is Role.USER}
    for here, when in _rules(character):
        if when.lexicon is None:
            continue
        lexicon = users.get(when.lexicon)
        if lexicon is None:
            found = f"there is no user lexicon {when.lexicon!r}"
            yield (*here, "lexicon"), found, f"one of {', '.join(users)}"
        elif when.group not in (None, *lexicon.groups):
            known = ", ".join(lexicon.groups) or "no group; the lexicon has none"
            yield (*here, "group"), f"unknown group {when.group!r}", known
