"""How often recorded votes on real models failed each check."""

from __future__ import annotations

from collections import defaultdict

import yaml

from ib.models.benchmark.pilot import BaseRate
from ib.models.common.base import Verdict
from ib.models.schemas import schema_line
from tools.pilot.sources import Real

BASE_RATES = "pilot/base_rates.yaml"


def base_rates(real: Real) -> str:
    """`pilot/base_rates.yaml`: failed and judged conversations for each check and model."""
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    judges = set()
    for (model, _, check), row in sorted(real.votes.items()):
        if row.judge_model is not None:
            judges.add(row.judge_model)
        counts[check][model][0] += row.verdict is Verdict.FAIL
        counts[check][model][1] += row.verdict in (Verdict.FAIL, Verdict.PASS)
    told = {
        "judged_by": ", ".join(sorted(judges)) or "unknown",
        "rates": {
            check: {model: BaseRate(failed=k, judged=n).model_dump() for model, (k, n) in models.items()}
            for check, models in counts.items()
        },
    }
    head = f"{schema_line(BASE_RATES)}\n# Written by `python -m tools.pilot base`. Do not edit."
    return f"{head}\n{yaml.safe_dump(told, default_flow_style=None, sort_keys=True, width=110)}"
