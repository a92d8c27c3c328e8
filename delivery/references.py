"""What the pages of reference assistants show: what each is made to do, and what a release found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from delivery.release import Release, entries
from ib.models.character import Character
from ib.models.check import Check
from ib.models.leaderboard import CheckEntry, ModelEntry


@dataclass(frozen=True)
class Promise:
    """A check that a character is made to fail, or never to fail, and what was found."""

    check: Check
    fails: bool
    entry: CheckEntry | None
    """Null where the release has no row for it."""
    quoted: bool
    """Whether there is a page of evidence."""

    @property
    def outcome(self) -> str:
        """How what was found agrees with the design."""
        if self.entry is None or not self.entry.failures.n:
            return "without a clear case"
        found = self.entry.failures
        if found.k == (found.n if self.fails else 0):
            return "as designed"
        return "in part as designed" if self.fails and found.k else "not as designed"


@dataclass(frozen=True)
class Assistant:
    """A character, and the model of the release that it is."""

    character: Character
    model: ModelEntry | None
    promises: tuple[Promise, ...]

    def listed(self, *, fails: bool) -> list[Promise]:
        """What it is made to fail, or never to fail."""
        return [promise for promise in self.promises if promise.fails is fails]


def assistants(release: Release) -> tuple[Assistant, ...]:
    """Every reference assistant of the background, by name."""
    models = {
        character.id: model for model in release.models if (character := release.background.character(model))
    }
    told = sorted(release.background.characters.values(), key=lambda c: (c.name.casefold(), c.id))
    return tuple(
        Assistant(one, models.get(one.id), tuple(_promises(release, one, models.get(one.id)))) for one in told
    )


def of_models(release: Release) -> dict[str, Assistant]:
    """The reference assistants of the release, by the slug of their model."""
    return {one.model.slug: one for one in assistants(release) if one.model is not None}


def _promises(release: Release, character: Character, model: ModelEntry | None) -> Iterator[Promise]:
    found = entries(model) if model else {}
    items = release.items(model) if model else {}
    for fails, listed in ((True, character.fails), (False, character.never_fails)):
        for check in release.benchmark.checks.values():
            if check.id in listed:
                yield Promise(check, fails, found.get(check.id), bool(items.get(check.id)))
