"""The sample with other texts: a payload everywhere, or plain words everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from delivery.release.place import NOWHERE, Place
from delivery.sync_web_bench import build
from tests.delivery import sample
from tests.delivery.payloads import NAME, PAYLOADS

PLACE = Place("https://example.org/repo/")


@dataclass(frozen=True)
class Texts:
    """What the sample says: its texts, and the name of one more model."""

    texts: tuple[str, ...]
    name: str


HOSTILE = Texts(sample.HOSTILE + PAYLOADS, NAME)
PLAIN = Texts(tuple(f"{at} plain words" for at in range(len(HOSTILE.texts))), "2 plain name")
"""As many texts. The names sort as the hostile ones do."""


def write(folder: Path, told: Texts, *, open_logs: bool = False) -> Path:
    """Build the site of a release in which replies, quotes, reasons, names and scenarios are the texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "HOSTILE", told.texts)
        patch.setattr(sample, "background", sample.background.__wrapped__)
        board, _ = sample.release()
        models = tuple(
            one.model_copy(update={"model": told.name}) if one.slug == "birch" else one
            for one in board.models
        )
        board = board.model_copy(update={"models": models, "open_logs": open_logs})
        release = sample.write(folder / "release", board=board)
        root = sample.write_background(folder / "benchmark")
        build(release, sample.benchmark(), folder / "site", root, NOWHERE if open_logs else PLACE)
    return folder / "site"
