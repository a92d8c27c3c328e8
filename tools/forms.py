"""The table of the forms of logs in docs/import.md, from the registry."""

from __future__ import annotations

import re
from pathlib import Path

from ib.logs.registry import FORMS
from ib.store.files.writing import replace

PAGE = Path(__file__).resolve().parents[1] / "docs" / "import.md"
_TABLE = re.compile(
    r"(<!-- forms: `make generate` writes this table -->\n).*?(<!-- end of forms -->)", re.DOTALL
)


def with_table(page: str) -> str:
    """The page with the table of the forms as the registry has them."""
    rows = ["| `--form` | what it is | a record | keys that are read |", "| --- | --- | --- | --- |"]
    for form in FORMS.values():
        shape = form.shape.replace("|", "\\|")
        shown = f"`{shape}`" if shape.startswith("{") else shape
        keys = ", ".join(f"`{key}`" if " " not in key else key for key in form.keys)
        rows.append(f"| `{form.name}` | {form.title} | {shown} | {keys} |")
    return _TABLE.sub(lambda found: f"{found[1]}\n" + "\n".join(rows) + f"\n\n{found[2]}", page)


def write_forms() -> None:
    """Write the table into the page."""
    replace(PAGE, with_table(PAGE.read_text(encoding="utf-8")).encode())
