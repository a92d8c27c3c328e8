"""The page of changes: what each version of the benchmark changed, from the hashes of its items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ib.models.benchmark.version import IN_KEY, SHARED, Difference, Item, Kind, kind_of
from ib.store.benchmark.versions import closed_versions, load_items, load_notes

NAMES: Mapping[Kind, tuple[str, str]] = {
    Kind.CHECK: ("check", "checks"),
    Kind.LEXICON: ("lexicon", "lexicons"),
    Kind.WORDS: ("the words that lexicons share", ""),
    Kind.RULE_SET: ("rule set", "rule sets"),
    Kind.SCENARIO: ("scenario", "scenarios"),
    Kind.LISTENING: ("listening", "listenings"),
    Kind.TWIN: ("safe twin", "safe twins"),
    Kind.FRAME: ("the frame of prompts", ""),
    Kind.SCORING: ("the scoring contract", ""),
    Kind.CLAIMS: ("the reference statements", ""),
    Kind.SUPPLEMENTARY: ("the supplementary measures", ""),
    Kind.OVER_ALARM: ("the question about over-alarm", ""),
    Kind.SYSTEM_PROMPT: ("the system prompt of runs", ""),
    Kind.LEXICAL: ("rules of the lexical judge", "rules of the lexical judge"),
    Kind.REFERENCE: ("reference assistant", "reference assistants"),
    Kind.SCREENING: ("the screening questions", ""),
    Kind.COUNTRIES: ("the countries of rule sets", ""),
}
"""Each kind in words: one and several. Kinds with a single item have one name."""
INTRODUCTION = """# Changes of the benchmark

What each version changed, and whether results from before still compare. Items are compared by the hashes of
their content. Comments and layout do not count, drafts are left out, and changes of the code are in
`CHANGELOG.md`. `docs/formats/version.md` explains versions.

Rows of two scans share a table only if their comparability keys are equal. If the keys differ, the verdicts
on a single check still compare if neither the check nor anything that they depend on has changed.
"""


def changes(root: Path, version: str | None) -> str:
    """The page: one section for each version, the newest first. `version` is that of the file VERSION."""
    closed, notes = closed_versions(root), load_notes(root).notes
    held = {name: one.items for name, one in closed.items()}
    if version is not None and version not in held:
        held[version] = load_items(root)
    sections, before = [], None
    for after, items in held.items():
        told = [f"## {after} ({'closed' if after in closed else 'open'})\n"]
        if after in notes:
            told.append(f"{notes[after]}\n")
        if before is None:
            told.append(f"The first version, with {counted(items)}.\n")
        else:
            told += section(before, after, Difference(held[before], items))
        sections.append("\n".join(told))
        before = after
    return "\n".join([INTRODUCTION, *reversed(sections)])


def section(before: str, after: str, difference: Difference) -> Iterator[str]:
    """What changed from one version to the next."""
    if not difference.differing:
        yield f"No item differs from version {before}. All results compare.\n"
        return
    yield f"{tables(before, after, difference)}\n"
    yield from still(difference, Kind.CHECK, "Verdicts on")
    yield from still(difference, Kind.SCENARIO, "Replies to")
    yield from still(difference, Kind.TWIN, "Over-alarm on")
    yield ""
    for word, names in (("Added", difference.added), ("Removed", difference.removed)):
        for kind, several in _by_kind(_own(names)):
            yield f"{word}: {words(kind, several)}: {_ids(several)}.\n"
    changed = difference.changed
    if listed := _own(changed):
        yield "| changed item | keys |\n| --- | --- |"
        yield from (f"| `{name}` | {', '.join(f'`{key}`' for key in changed[name])} |" for name in listed)
        yield ""


def tables(before: str, after: str, difference: Difference) -> str:
    """Whether results of two versions share a table, and why not."""
    reasons = [name for name in difference.differing if kind_of(name) in IN_KEY]
    if not difference.breaks_tables:
        return f"Results of {before} and {after} may share a table: nothing in the comparability key differs."
    return (
        f"Results of {before} and {after} never share a table. These parts of the comparability key differ: "
        f"{counted(reasons)}."
    )


def still(difference: Difference, kind: Kind, what: str) -> Iterator[str]:
    """How many items of a kind have results that still compare, and why the others have not."""
    both = sorted(n for n in difference.before.keys() & difference.after.keys() if kind_of(n) is kind)
    if not both:
        return
    lost = difference.lost(kind)
    yield f"- {what} {len(both) - len(lost)} of {words(kind, both)} still compare."
    by_reason: dict[str, list[str]] = {}
    for name, reasons in lost.items():
        for reason in reasons:
            by_reason.setdefault("their own change" if reason == name else _named(reason), []).append(name)
    for reason, names in sorted(by_reason.items()):
        yield f"  - Because of {reason}: {_most(names, both)}."


def _named(item: str) -> str:
    """An item in words."""
    kind, _, name = item.partition("/")
    return f"{NAMES[Kind(kind)][0]} `{name}`" if name else NAMES[Kind(kind)][0]


def _most(names: Collection[str], every: Collection[str]) -> str:
    """Items by name; "all" or "all but" if that is shorter."""
    others = [name for name in every if name not in names]
    if not others:
        return f"all {len(every)}"
    return f"all but {_ids(others)}" if len(others) < len(names) else _ids(names)


def counted(names: Mapping[str, Item] | Collection[str]) -> str:
    """How many items of each kind, in words."""
    return ", ".join(words(kind, several) for kind, several in _by_kind(_own(names)))


def words(kind: Kind, names: Collection[str]) -> str:
    """A number of items of one kind, in words."""
    one, several = NAMES[kind]
    if not several:
        return one
    return f"{len(names)} {one if len(names) == 1 else several}"


def _own(names: Collection[str]) -> list[str]:
    """Names without those of kinds that only repeat parts of other items."""
    return sorted(name for name in names if kind_of(name) not in SHARED)


def _by_kind(names: Collection[str]) -> Iterator[tuple[Kind, list[str]]]:
    for kind in Kind:
        if several := sorted(name for name in names if kind_of(name) is kind):
            yield kind, several


def _ids(names: Collection[str]) -> str:
    return ", ".join(f"`{name.partition('/')[2] or name}`" for name in names)
