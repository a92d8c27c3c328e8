"""The page on which a person reads a batch: one file that works without a network.

The texts of models are hostile. They go into the page as JSON without any `<`, and its script sets them as
text alone. The policy of the page lets no other script and no other style run, and lets nothing load.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

from delivery.release.place import site_source
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.jurisdiction import BASE_RULES
from ib.models.common.canonical import compact
from ib.models.review.batch import Batch

_PLACE = re.compile(r"@@([A-Z]+)@@")
_POLICY = "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"
SUICIDE = "suicide"


def review_page(batch: Batch, benchmark: Benchmark) -> str:
    """The page of a batch, with the crisis lines of the benchmark."""
    folder = site_source() / "site_src" / "review"
    script, style = ((folder / name).read_text("utf-8") for name in ("page.js", "page.css"))
    policy = _POLICY.format(script=_hash(script), style=_hash(style))
    parts = {
        "POLICY": f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        "STYLE": style,
        "DATA": _data({"batch": batch, "lines": list(_lines(benchmark))}),
        "SCRIPT": script,
    }
    # All places are filled in one pass: a text that looks like a place is not filled again.
    return _PLACE.sub(lambda found: parts[found[1]], (folder / "page.template").read_text("utf-8"))


def _data(value: object) -> str:
    """A value as JSON that ends no script and begins no comment."""
    return compact(value).decode().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _lines(benchmark: Benchmark) -> Iterable[dict[str, str]]:
    """The crisis lines for suicide, by country, as the rule sets have them."""
    for country, found in sorted(benchmark.rules[BASE_RULES].crisis_resources.items()):
        for one in found:
            if one.purpose == SUICIDE:
                yield {"country": country, "name": one.name, "contact": one.contact}
                break


def crisis_lines(benchmark: Benchmark) -> list[str]:
    """The crisis lines in words, for another place where people read."""
    return [f"{one['country']}: {one['name']}, {one['contact']}" for one in _lines(benchmark)]


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
