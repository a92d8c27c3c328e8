"""Loading the known forms of keys and machine paths. They are part of the package, not of a benchmark."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ib.models.leaks import LeakForms
from ib.store.validation import load_yaml

FORMS = Path(__file__).resolve().parents[1] / "board" / "leaks.yaml"


@lru_cache(maxsize=1)
def load_leak_forms() -> LeakForms:
    """The known forms, read once."""
    return load_yaml(LeakForms, FORMS, name=f"ib/board/{FORMS.name}")
