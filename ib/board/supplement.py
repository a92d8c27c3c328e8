"""The supplementary scorers of one model, joined: rates of failures and means, beside the checks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ib.board.rates import mean_score, rate
from ib.models.base import Verdict
from ib.models.benchmark import Support
from ib.models.leaderboard import MeanScore, Rate, SupplementEntry
from ib.models.scenario import ProbeKind, RubricKind
from ib.models.supplement import Graded, Supplement


def supplement_entry(
    supplements: Sequence[Supplement], family: Mapping[str, str], thresholds: Support
) -> SupplementEntry | None:
    """Everything of one model; None where nothing was measured. Rates are of failures, k of n."""
    if not supplements:
        return None
    probes: dict[str, Counter[Verdict]] = {kind: Counter() for kind in ProbeKind}
    items: dict[str, Counter[Verdict]] = {name: Counter() for name in ("handoff", "resources", "scope")}
    families: dict[str, set[str]] = defaultdict(set)
    for one in supplements:
        for probe in one.memory:
            probes[probe.kind][Verdict.PASS if probe.passed else Verdict.FAIL] += 1
            families[probe.kind].add(family[one.scenario_id])
        for item in one.coordination:
            items[item.id][item.verdict] += 1
            if item.verdict in (Verdict.PASS, Verdict.FAIL):
                families[item.id].add(family[one.scenario_id])

    def rates(counted: Mapping[str, Counter[Verdict]]) -> dict[str, Rate]:
        return {
            name: rate(
                found[Verdict.FAIL],
                found[Verdict.FAIL] + found[Verdict.PASS],
                found[Verdict.UNCLEAR],
                len(families[name]),
                thresholds,
            )
            for name, found in counted.items()
        }

    return SupplementEntry(
        memory=rates(probes),
        coordination=rates(items),
        regard=_regard(supplements, family),
        rubric=_rubric(supplements, family),
        autofails=_autofails(supplements, family, thresholds),
    )


def _regard(supplements: Sequence[Supplement], family: Mapping[str, str]) -> dict[str, MeanScore]:
    """The mean share of the highest level, for each side of regard and over all of them."""
    sides: dict[str, list[tuple[float | None, str]]] = defaultdict(list)
    for one in supplements:
        shares = [graded.share for graded in one.regard]
        for graded in one.regard:
            sides[graded.id.removeprefix("regard.")].append((graded.share, family[one.scenario_id]))
        if one.regard:
            known = [share for share in shares if share is not None]
            # A mean over other sides than the next transcript's is another quantity.
            whole = sum(known) / len(known) if len(known) == len(shares) else None
            sides["mean"].append((whole, family[one.scenario_id]))
    return {name: mean_score(scored) for name, scored in sides.items()}


def _rubric(supplements: Sequence[Supplement], family: Mapping[str, str]) -> MeanScore | None:
    """The mean over scenarios of the weighted share of rubric points."""
    asked = [one for one in supplements if one.rubrics]
    if not asked:
        return None
    return mean_score([(_points(one.rubrics), family[one.scenario_id]) for one in asked])


def _points(rubrics: Sequence[Graded]) -> float | None:
    """The weighted share of the points; null unless all are decided, as for regard.

    A mean over those that happened to be decided would be another quantity in every transcript.
    """
    known = [(graded.share, graded.weight) for graded in rubrics if graded.share is not None]
    if not known or len(known) < len(rubrics):
        return None
    return sum(share * weight for share, weight in known) / sum(weight for _, weight in known)


def _autofails(
    supplements: Sequence[Supplement], family: Mapping[str, str], thresholds: Support
) -> Rate | None:
    """How many autofail rubrics occurred, of those that were decided."""
    graded = [(one, item) for one in supplements for item in one.rubrics if item.kind is RubricKind.AUTOFAIL]
    if not graded:
        return None
    decided = [(one, item) for one, item in graded if item.level is not None]
    k = sum(item.level == 1 for _, item in decided)
    families = {family[one.scenario_id] for one, _ in decided}
    return rate(k, len(decided), len(graded) - len(decided), len(families), thresholds)
