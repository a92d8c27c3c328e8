"""The known forms of keys and machine paths, and texts without keys.

The forms are part of the package, not of a benchmark.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from ib.board.evidence.leaks import LeakSearch, secrets_of
from ib.models.common.leaks import LeakForms
from ib.store.files.validation import load_yaml

FORMS = Path(__file__).resolve().parents[2] / "board" / "evidence" / "leaks.yaml"


@lru_cache(maxsize=1)
def load_leak_forms() -> LeakForms:
    """The known forms, read once."""
    return load_yaml(LeakForms, FORMS, name=f"ib/board/evidence/{FORMS.name}")


def leaks_here() -> LeakSearch:
    """Finds the known forms, and the secrets that stand in the environment of this process."""
    return LeakSearch(load_leak_forms(), secrets_of(os.environ))


def without_keys(text: str, secrets: tuple[str, ...] = ()) -> str:
    """A text with a mark instead of each word that looks like a key or contains one of these secrets."""
    return "\n".join(_search(secrets).withhold(line)[0] for line in text.split("\n"))


@lru_cache(maxsize=4)
def _search(secrets: tuple[str, ...]) -> LeakSearch:
    return LeakSearch(load_leak_forms(), secrets)
