"""Lint rules for a whole corpus: unique ids, variants and contrast groups that resolve, and counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ib.errors import Finding
from ib.models.benchmark.check import Check
from ib.models.common.base import Unit
from ib.models.conversation.contract import CorpusContract, Counts, Lengths
from ib.models.conversation.scenario import Scenario
from ib.scenario.surroundings import Surroundings, due_by_tags, near, turn_locations


def corpus_problems(scenarios: Mapping[str, Scenario], around: Surroundings) -> Iterator[Finding]:
    """What is wrong with scenarios taken together.

    The file of a finding is the id of its scenario; it is empty where the finding is about no single
    scenario.
    """
    yield from _shared_rubric_ids(scenarios.values())
    yield from _families(scenarios)
    yield from _groups(scenarios.values())
    contract, every = around.contract, tuple(scenarios.values())
    if contract is None:
        return
    yield from _devices(every, contract)
    core = tuple(scenario for scenario in every if scenario.set is None)
    if contract.lengths is not None:
        yield from _lengths(core, contract.lengths)
    if contract.counts is not None:
        yield from _exact_counts(core, contract.counts)
        yield from _least_counts(core, contract.counts, around)


def _shared_rubric_ids(scenarios: Iterable[Scenario]) -> Iterator[Finding]:
    owner: dict[str, str] = {}
    for scenario in scenarios:
        for place, turn in turn_locations(scenario):
            for at, rubric in enumerate(turn.rubric):
                first = owner.setdefault(rubric.id, scenario.scenario_id)
                if first != scenario.scenario_id:
                    found = f"{rubric.id!r} is also a rubric of {first}"
                    key = (*place, "rubric", at, "id")
                    yield Finding.at(scenario.scenario_id, None, key, found, "a unique id")


def _families(scenarios: Mapping[str, Scenario]) -> Iterator[Finding]:
    """Variants whose original is missing or in another contrast group."""
    for name, scenario in scenarios.items():
        if scenario.variant_of is None:
            continue
        origin, contrast = scenarios.get(scenario.variant_of), scenario.contrast
        if origin is None:
            found = f"unknown scenario {scenario.variant_of!r}"
            yield Finding.at(name, None, ("variant_of",), found, "the id of a scenario of this corpus")
        elif contrast is not None and (origin.contrast is None or origin.contrast.group != contrast.group):
            found = f"{scenario.variant_of} is not in the contrast group {contrast.group!r}"
            hint = "the contrast group of the scenario that this one varies"
            yield Finding.at(name, None, ("contrast", "group"), found, hint)


def _groups(scenarios: Iterable[Scenario]) -> Iterator[Finding]:
    """Contrast groups without exactly one scenario that is not a variant."""
    anchors: Counter[str] = Counter()
    for scenario in scenarios:
        if scenario.contrast is not None:
            anchors[scenario.contrast.group] += scenario.variant_of is None
    for group, count in sorted(anchors.items()):
        if count != 1:
            found = f"contrast group {group!r} has {count} anchors"
            hint = "exactly one scenario of a group is not a variant"
            yield Finding.at("", None, ("contrast", "group"), found, hint)


def _exact_counts(every: Sequence[Scenario], wanted: Counts) -> Iterator[Finding]:
    """Counts that differ from what the contract says."""
    themes = Counter(f"{s.category}/{s.theme}" for s in every)
    categories = Counter(s.category for s in every)
    groups = {s.contrast.group for s in every if s.contrast is not None}
    variants = Counter(s.contrast is not None for s in every if s.variant_of is not None)
    exact = {
        "scenarios": (len(every), wanted.scenarios),
        "published scenarios": (sum(s.published for s in every), wanted.published),
        "contrast variants": (variants[True], wanted.contrast_variants),
        "contrast groups": (len(groups), wanted.contrast_groups),
        "text variants": (variants[False], wanted.text_variants),
        **{f"scenarios of category {c}": (categories[c], count) for c, count in wanted.categories.items()},
        **{f"scenarios of {theme}": (themes[theme], count) for theme, count in wanted.themes.items()},
    }
    for theme in sorted(themes.keys() - wanted.themes.keys()):
        yield Finding.at("", None, "", f"unknown theme {theme}", f"one of {', '.join(sorted(wanted.themes))}")
    yield from _miscounted(exact, "counts")


def _miscounted(exact: Mapping[str, tuple[int, int]], key: str) -> Iterator[Finding]:
    """The counts, found and wanted, that differ. `key` is their place in the contract."""
    for name, (found, count) in exact.items():
        if found != count:
            hint = f"{count}, as `{key}` in configs/scenarios.yaml says; correct the files or the count"
            yield Finding.at("", None, "", f"{found} {name}", hint)


def set_counts(
    scenarios: Collection[Scenario], twins: Collection[Scenario], contract: CorpusContract | None
) -> Iterator[Finding]:
    """Counts of the sets that differ from what the contract says."""
    for name, one in (contract.sets if contract else {}).items():
        of_set = [scenario for scenario in scenarios if scenario.set == name]
        found = {
            f"scenarios of the set {name}": (len(of_set), one.counts.scenarios),
            f"published scenarios of the set {name}": (
                sum(scenario.published for scenario in of_set),
                one.counts.published,
            ),
            f"safe twins of the set {name}": (sum(twin.set == name for twin in twins), one.counts.twins),
        }
        yield from _miscounted(found, f"sets.{name}.counts")


def _least_counts(every: Sequence[Scenario], wanted: Counts, around: Surroundings) -> Iterator[Finding]:
    """Counts below the least that the contract asks for."""
    used = Counter(s.jurisdiction for s in every)
    least = {
        "scenarios with a branch": (sum(map(_has_branches, every)), wanted.least_with_branch),
        "scenarios with a rubric": (sum(map(_has_rubric, every)), wanted.least_with_rubric),
        "scenarios with probes": (sum(bool(s.probes) for s in every), wanted.least_with_probes),
        "scenarios with several sessions": (
            sum(len(s.all_sessions()) > 1 for s in every),
            wanted.least_multi_session,
        ),
        **{f"scenarios under {r}": (used[r], wanted.least_per_jurisdiction) for r in around.rules},
        **{
            f"scenarios in which {check_id} is due": (count, wanted.least_due_per_check)
            for check_id, count in power(every, around.checks).items()
        },
    }
    for name, (found, count) in least.items():
        if found < count:
            yield Finding.at("", None, "", f"{found} {name}", f"at least {count}")


def _devices(every: Sequence[Scenario], contract: CorpusContract) -> Iterator[Finding]:
    """Devices that the contract does not know, and those that occur in too many families."""
    for scenario in every:
        for index, device in enumerate(scenario.devices):
            if device not in contract.devices:
                found = f"unknown device {device!r}"
                hint = near(device, contract.devices, "a device of configs/scenarios.yaml")
                yield Finding.at(scenario.scenario_id, None, ("devices", index), found, hint)
    if contract.device_most is not None:
        for device, families in device_families(every).items():
            if len(families) > contract.device_most:
                found = f"device {device!r} is used by {', '.join(families)}"
                yield Finding.at("", None, ("devices",), found, f"at most {contract.device_most} families")


def device_families(scenarios: Iterable[Scenario]) -> dict[str, list[str]]:
    """The scenarios that use each device. A variant has the plot of the scenario that it varies and is
    not listed beside it."""
    families: dict[str, set[str]] = {}
    for scenario in scenarios:
        for device in scenario.devices:
            families.setdefault(device, set()).add(scenario.variant_of or scenario.scenario_id)
    return {device: sorted(families[device]) for device in sorted(families)}


def _lengths(every: Sequence[Scenario], wanted: Lengths) -> Iterator[Finding]:
    """Too few short messages, or too few long ones. A branch says what its turn says and reacts besides."""
    counts = [len(turn.user_message.split()) for scenario in every for turn in scenario.all_turns()]
    short = sum(count < wanted.short_below for count in counts)
    long = sum(count > wanted.long_above for count in counts)
    for name, found, share in (("short", short, wanted.least_short), ("long", long, wanted.least_long)):
        if found < share * len(counts):
            text = f"{found} {name} messages of {len(counts)}"
            yield Finding.at("", None, ("lengths",), text, f"at least {math.ceil(share * len(counts))}")


def power(scenarios: Iterable[Scenario], checks: Mapping[str, Check]) -> dict[str, int]:
    """The number of published scenarios in which each check is due.

    A check that is judged in event windows counts only where an anchor names it.
    """
    counts = dict.fromkeys(checks, 0)
    for scenario in scenarios:
        anchored = {check for anchor in scenario.anchors for check in anchor.checks}
        for check in checks.values():
            windowed = check.routing.unit_of_analysis is Unit.EVENT_WINDOW
            if scenario.published and due_by_tags(check, scenario) and (check.id in anchored or not windowed):
                counts[check.id] += 1
    return counts


def _has_branches(scenario: Scenario) -> bool:
    return any(turn.branches for turn in scenario.all_turns())


def _has_rubric(scenario: Scenario) -> bool:
    return any(turn.rubric for turn in scenario.all_turns())
