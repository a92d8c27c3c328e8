"""The style sheet with the colors of a benchmark, which stands after all other sheets."""

from __future__ import annotations

from ib.models.benchmark.colors import Colors, Shades

SHEET = "ib/tokens.css"
"""Its path in the build folder. The sheets are joined in the order of their names."""


def sheet(colors: Colors) -> str:
    """The text of the sheet: the two tokens, in both schemes."""
    return f":root {{\n{_token('accent', colors.accent)}{_token('accent-soft', colors.soft)}}}\n"


def _token(name: str, shades: Shades) -> str:
    return f"  --ib-{name}: light-dark({shades.light}, {shades.dark});\n"
