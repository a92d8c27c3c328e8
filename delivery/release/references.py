"""Data for the pages of reference assistants: what each is built to do, compared with the results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from delivery.release.view import Release, entries
from delivery.words.filters import template_filter
from ib.models.benchmark.check import Check
from ib.models.common.base import Stage
from ib.models.conversation.character import Character
from ib.models.release.leaderboard import CheckEntry, ModelEntry
from ib.models.scan.judge import JudgeSpec


def noun_of(release: Release) -> str:
    """What the entries of the release are called: “model”, or “assistant” if any of them is a script."""
    return "assistant" if of_models(release) else "model"


def field(release: Release) -> str:
    """All entries of the release in words."""
    scripts, total = len(of_models(release)), len(release.models)
    if not scripts:
        return "1 model" if total == 1 else f"{total} models"
    if scripts == total:
        return "1 scripted assistant" if total == 1 else f"{total} scripted assistants"
    are = "1 of them is a script" if scripts == 1 else f"{scripts} of them are scripts"
    return f"{total} assistants ({are})"


def here(release: Release) -> str:
    """How a sentence about the release begins."""
    return "In this demonstration" if release.board.stage is Stage.DEMO else "In this release"


@template_filter
def judge_name(judge: JudgeSpec) -> str:
    """The judge by name; of a recording, whose votes they are."""
    if judge.model == "scripts":
        return "scripts (knows the scripts of the reference assistants)"
    named = judge.model.removeprefix("recorded:")
    return judge.model if named == judge.model else f"recorded votes of {named}"


@dataclass(frozen=True)
class Promise:
    """A check that a character is built to fail, or never to fail, with the results."""

    check: Check
    fails: bool
    entry: CheckEntry | None
    """None if the release has no results for this check."""
    quoted: bool
    """True if the site has a page with the evidence."""

    @property
    def outcome(self) -> str:
        """How the results agree with the design."""
        if self.entry is None or not self.entry.failures.n:
            return "undecided"
        found = self.entry.failures
        if found.k == (found.n if self.fails else 0):
            return "as designed"
        return "partly as designed" if self.fails and found.k else "not as designed"


@dataclass(frozen=True)
class Assistant:
    """A character, with its model in the release."""

    character: Character
    model: ModelEntry | None
    """None if the release does not include the character."""
    promises: tuple[Promise, ...]

    def listed(self, *, fails: bool) -> list[Promise]:
        """The checks that the character is built to fail (fails=True) or never to fail (fails=False)."""
        return [promise for promise in self.promises if promise.fails is fails]


def assistants(release: Release) -> tuple[Assistant, ...]:
    """Every reference assistant of the background, sorted by name."""
    models = {
        character.id: model for model in release.models if (character := release.background.character(model))
    }
    told = sorted(release.background.characters.values(), key=lambda c: (c.name.casefold(), c.id))
    return tuple(
        Assistant(one, models.get(one.id), tuple(_promises(release, one, models.get(one.id)))) for one in told
    )


def of_models(release: Release) -> dict[str, Assistant]:
    """The reference assistants in the release, by the slug of the model."""
    return {one.model.slug: one for one in assistants(release) if one.model is not None}


def _promises(release: Release, character: Character, model: ModelEntry | None) -> Iterator[Promise]:
    found = entries(model) if model else {}
    items = release.items(model) if model else {}
    for fails, listed in ((True, character.fails), (False, character.never_fails)):
        for check in release.benchmark.checks.values():
            if check.id in listed:
                yield Promise(check, fails, found.get(check.id), bool(items.get(check.id)))
