"""How many questions without a failure the judge of a release would fail by error: a range."""

from __future__ import annotations

from math import ceil, floor

from delivery.release.sittings import false_alarms
from delivery.release.view import Release
from ib.board.gate.origin import stands_in
from ib.engine.votes.errors import CORRELATIONS, Asked, failed_by_error
from ib.engine.votes.voting import Quota, quota_of
from ib.models.common.base import Bucket, Route
from ib.models.release.leaderboard import ModelEntry
from ib.store.files.wording import counted


def failed_in_error(release: Release, model: ModelEntry, gate: Bucket) -> str:
    """How many questions without a failure one AI judge would fail by error, with a range.

    If the judge has sat the exam for judges, by its specificity there; else unknown, with a range that takes
    an error of 2% of the votes. Both take every question as one without a failure, and correct no figure.
    Empty for a gate without a question, and for a judge that is no AI and has not sat the exam.
    """
    if gate in release.exam:
        return _by_exam(release, model, gate)
    asked = _asked(release, model, gate)
    questions = sum(count for _, _, count in asked)
    if stands_in(release.board.judge) or not questions:
        return ""
    least, most = (failed_by_error(asked, correlation) for correlation in (CORRELATIONS[-1], CORRELATIONS[0]))
    ends = f"{floor(least + 0.5)} to {ceil(most)} of {counted(questions, 'question')}"
    return f"judge’s mistakes: perhaps {ends}"


def _by_exam(release: Release, model: ModelEntry, gate: Bucket) -> str:
    """The false alarms at the specificity of the judge's exam, among the questions of the checks it has."""
    checks, specificity = release.exam[gate]
    found = false_alarms(sum(one.windows for one in model.blindspots if one.check_id in checks), specificity)
    if found is None:
        return ""
    questions = f"{counted(found.questions, 'question')} without a failure"
    range_ = f"{found.low:.1f} to {found.high:.1f}; built items"
    return f"at the exam’s specificity, {questions} would give {found.count:.1f} false alarms ({range_})"


def _asked(release: Release, model: ModelEntry, gate: Bucket) -> list[Asked]:
    """The questions that the judge was asked at a gate, by check."""
    profile = release.benchmark.scoring.profiles.get(release.board.profile)
    found = []
    for entry in model.blindspots:
        check = release.benchmark.checks.get(entry.check_id)
        if entry.gate is not gate or check is None or profile is None:
            continue
        if check.routing.route is not Route.SCENARIO_RULE:
            quota = quota_of(check, profile)
            quota = Quota(quota.asked) if release.board.judge.is_recording else quota
            found.append((check.routing.aggregation, quota, entry.windows))
    return found
