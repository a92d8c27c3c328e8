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
    """The checks in `fails` and `never_fails` must exist, and none may be in both."""
    for key, listed in (("fails", character.fails), ("never_fails", character.never_fails)):
        for index, check_id in enumerate(listed):
            if check_id not in checks:
                yield (key, index), f"unknown check {check_id!r}", "the id of a check"
    for check_id in sorted(set(character.fails) & set(character.never_fails)):
        yield ("never_fails",), f"{check_id} is also in `fails`", "list it in one of the two"


def _declared(character: Character, checks: Mapping[str, Check]) -> Iterator[Problem]:
    """What it declares about its lines is about words of its lines, and agrees with its promises."""
    lines = [words for slot in character.slots for rule in slot.rules for words in rule.say]
    lines += [words for slot in character.slots for words in slot.otherwise]
    lines.append(character.silence)
    for key, declared in (("fails_by", character.fails_by), ("misses", character.misses)):
        for check_id, phrases in declared.items():
            if check_id not in checks:
                yield (key, check_id), f"unknown check {check_id!r}", "the id of a check"
            if check_id in character.never_fails:
                yield (key, check_id), f"{check_id} is also in `never_fails`", "list it in one of the two"
            for index, phrase in enumerate(phrases):
                if not any(phrase in line for line in lines):
                    found = f"{phrase!r} is in none of its lines"
                    yield (key, check_id, index), found, "words of a line, as written"


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
