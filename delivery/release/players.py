"""Who is in a release, in words: reference assistants are scripts, and are never called models."""

from __future__ import annotations

from delivery.release.references import of_models
from delivery.release.view import Release
from ib.models.common.base import Stage
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


def judge_name(judge: JudgeSpec) -> str:
    """The judge by name; of a recording, whose votes they are."""
    named = judge.model.removeprefix("recorded:")
    return judge.model if named == judge.model else f"recorded votes of {named}"
