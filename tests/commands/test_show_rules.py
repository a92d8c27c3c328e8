"""`ib show rules`: the rule sets, and what each has of its own."""

from __future__ import annotations

import json
from collections.abc import Callable

Call = Callable[..., tuple[int, str, str]]


def test_every_rule_set_says_what_is_its_own(ib: Call) -> None:
    """The list has the sentence of each set; one set also has its laws; an unknown name is wrong usage."""
    code, out, _ = ib("show", "rules", "--json")
    told = {row["id"]: row["own"] for row in json.loads(out)}
    assert code == 0
    assert told["tx"].startswith("Of its own: laws, help lines. As in United States, federal law: ")
    code, out, _ = ib("show", "rules", "tx")
    assert (code, told["tx"] in out, "Texas Human Resources Code 48.051" in out) == (0, True, True)
    code, _, err = ib("show", "rules", "mars")
    assert (code, "the rule sets are" in err) == (2, True)
