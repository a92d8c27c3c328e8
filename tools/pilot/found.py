"""What pilots of prompts have found: the items that two readers answered, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.pilot import OVER_ALARM, BaseRates, Changes, NoFailures, PilotItem, ScreenedItem
from ib.stats.agreement import Agreement, agreement
from ib.store.benchmark.supplementary import load_over_alarm
from ib.store.files.validation import load_yaml
from tools.pilot.alarms import AlarmAsking
from tools.pilot.asking import Asking
from tools.pilot.files import FOLDER, is_screening, load_rows


@dataclass(frozen=True)
class Pilots:
    """Everything that pilots of a benchmark have found."""

    items: tuple[PilotItem, ...]
    screened: tuple[ScreenedItem, ...]
    templates: Mapping[str, str]
    """The hash of the present wording of each check and other question."""
    screens: Mapping[str, Collection[str]]
    """The checks that each screening question lists."""
    rates: BaseRates
    no_failures: NoFailures
    changes: Changes

    @classmethod
    def load(cls, benchmark: Benchmark, root: Path) -> Pilots:
        """The files of a benchmark's folder `pilot`."""
        asking, folder = Asking(benchmark), root / FOLDER
        items, screened = load_rows(root)
        templates = {check.id: asking.template(check.id) for check in asking.checks()}
        return cls(
            items,
            screened,
            templates
            | {one.id: asking.screening_template(one.id) for one in asking.screenings()}
            | {OVER_ALARM: AlarmAsking(asking.benchmark, load_over_alarm(root)).template()},
            {one.id: [check.id for check in one.checks] for one in asking.screenings()},
            load_yaml(BaseRates, folder / "base_rates.yaml"),
            load_yaml(NoFailures, folder / "no_failures.yaml"),
            load_yaml(Changes, folder / "changes.yaml"),
        )

    def of(self, check_id: str) -> list[tuple[PilotItem, ...]]:
        """The batches of a check that both readers have read, in order."""
        mine = [item for item in self.items if item.check == check_id and item.one and item.two]
        numbers = sorted({item.batch for item in mine})
        return [tuple(item for item in mine if item.batch == number) for number in numbers]

    def present(self, check_id: str) -> list[PilotItem]:
        """The last batch of a check, if its wording is the present one; else nothing."""
        batches = self.of(check_id)
        template = self.templates.get(check_id)
        return [item for item in (batches[-1] if batches else ()) if item.template == template]

    @property
    def readers(self) -> tuple[str, ...]:
        """The language models that read."""
        rows: tuple[PilotItem | ScreenedItem, ...] = (*self.items, *self.screened)
        return tuple(sorted({one.by for row in rows for one in (row.one, row.two) if one is not None}))

    @property
    def checks(self) -> list[str]:
        """The checks and other questions that are piloted, in the order of the benchmark."""
        extra = sorted({item.check for item in self.items} - self.templates.keys())
        asked = [name for name in self.templates if not is_screening(name)]
        return [*asked, *extra]


def compared(items: Iterable[PilotItem]) -> Agreement:
    """How far the readers agree on the items that both answered."""
    return agreement(Counter(item.pair for item in items if item.pair is not None))
