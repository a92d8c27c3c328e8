"""The scenarios and twins of the benchmark in many draws: does the lint find an error in any of them?

Prints how many draws were linted, how many slots showed each of their values, and the time. Only the rules
for scenarios, families and twins read drawn words; the rules for slots read the files as written, once.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict

from ib.models.common.canonical import compact
from ib.pipeline.lint.benchmark import scenario_findings, slot_findings
from ib.scenario.drawing import seeded
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_scenarios, load_twins


def main(times: int) -> int:
    """Lint so many draws. Returns 1 if an error was found."""
    root, benchmark = benchmark_folder(), load_benchmark()
    begin, errors = time.process_time(), 0
    seen: defaultdict[tuple[str, str], set[bytes]] = defaultdict(set)
    most: dict[tuple[str, str], int] = {}
    for number in range(times):
        key = seeded(f"study {number}")
        scenarios, twins = load_scenarios(root, key), load_twins(root, key)
        for finding in scenario_findings(benchmark, root, scenarios, twins):
            if finding.level == "error":
                errors += 1
                print(f"draw {number}: {finding}", flush=True)
        for name, scenario in scenarios.items():
            most |= {(name, slot): len(each.values) for slot, each in scenario.slots.items()}
            chosen = {} if scenario.drawn is None else scenario.drawn.chosen
            for slot in scenario.slots:
                seen[name, slot].add(compact({"value": chosen[slot]}))
        if (number + 1) % 100 == 0:
            print(f"{number + 1:,} draws, {errors} errors", flush=True)
    errors += sum(finding.level == "error" for finding in slot_findings(root))
    whole = sum(len(seen[place]) == count for place, count in most.items())
    print(
        f"{times:,} draws, {errors} errors; {whole} of {len(most)} slots showed every value; "
        f"{time.process_time() - begin:.0f} s of CPU"
    )
    return int(errors > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
