"""The gate decides at which stages a release may be published, and lists every finding.

Every stage requires integrity. A research release may have verdicts that are contested, split, unclear,
not run or uncalibrated; a public release may not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping

from ib.board.gate import completeness, integrity, origin
from ib.board.gate.inputs import FileOfLines, GateInputs
from ib.board.gate.inspection import Instances
from ib.models.common.base import STAGE_ORDER, Stage
from ib.models.release.qa import Qa, QaFinding, sealed

EVERY = STAGE_ORDER
REAL = (Stage.RESEARCH, Stage.PUBLIC)
PUBLIC = (Stage.PUBLIC,)
Rule = tuple[str, tuple[Stage, ...], Callable[[GateInputs], Iterable[str] | Instances]]

RULES: tuple[Rule, ...] = (
    ("nothing_to_publish", EVERY, integrity.nothing),
    ("artifacts_as_written", EVERY, integrity.files),
    ("released_on_a_possible_day", EVERY, integrity.released),
    ("benchmark_is_the_one_scanned", EVERY, integrity.benchmark),
    ("check_set_complete", EVERY, integrity.check_set),
    ("one_row_for_each_check", EVERY, integrity.rows),
    ("plan_and_results_agree", EVERY, integrity.plan),
    ("verdicts_recomputed_from_votes", EVERY, integrity.verdicts),
    ("supplements_recomputed", EVERY, integrity.supplements),
    ("over_alarm_recomputed", EVERY, integrity.over_alarm),
    ("figures_recomputed_from_verdicts", EVERY, integrity.figures),
    ("derived_files_recomputed", EVERY, integrity.derived),
    ("transcripts_are_plays_of_their_scenarios", EVERY, integrity.plays),
    ("one_system_prompt", EVERY, integrity.prompts),
    ("same_scenarios_for_every_model", EVERY, integrity.scenario_sets),
    ("open_logs_by_themselves", EVERY, integrity.open_logs),
    ("sets_by_themselves", EVERY, integrity.one_set),
    ("quotes_are_the_assistants", EVERY, integrity.quotes),
    ("quotes_are_in_their_transcripts", EVERY, integrity.transcripts),
    ("reviews_are_of_their_draws", EVERY, integrity.reviews),
    ("no_secret_and_no_host_path", EVERY, integrity.leaks),
    ("no_sample_of_logs", EVERY, origin.sampled),
    ("every_scenario_as_often", REAL, origin.as_often),
    ("enough_open_logs", REAL, origin.enough_logs),
    ("profile_may_publish", REAL, origin.profile),
    ("whole_scan", REAL, origin.part),
    ("real_judge", REAL, origin.judge),
    ("votes_of_one_judge", REAL, origin.one_judge),
    ("real_models", REAL, origin.harness),
    ("provenance_known", PUBLIC, origin.provenance),
    ("no_key_withheld_from_a_quote", PUBLIC, completeness.withheld),
    ("gate_fails_decided_by_people", PUBLIC, completeness.undecided_by_people),
    ("passes_read_by_people", PUBLIC, completeness.unread_by_people),
    ("votes_on_older_questions", PUBLIC, completeness.older),
    ("contested_hard_fails", PUBLIC, completeness.contested),
    ("split_gate_votes", PUBLIC, completeness.split),
    ("unclear_gate_verdicts", PUBLIC, completeness.unclear),
    ("not_run_checks", PUBLIC, completeness.not_run),
    ("checks_never_evaluated", PUBLIC, completeness.never),
    ("coverage_floors", PUBLIC, completeness.coverage),
    ("uncalibrated_checks", PUBLIC, completeness.uncalibrated),
)
"""Every rule: its name, the stages that it refuses, and the function that lists its findings."""


def released_hashes(files: Mapping[str, bytes], lines: Mapping[str, FileOfLines]) -> dict[str, str]:
    """The SHA-256 of every file of a release, by name."""
    return {
        **{name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        **{name: found.sha256 for name, found in lines.items()},
    }


def judge_release(inputs: GateInputs) -> Qa:
    """Apply every rule, and grant the stages that no finding refuses."""
    findings = []
    for name, stages, rule in RULES:
        found = Instances.of(rule(inputs))
        if found.count:
            # Findings are published too, and can quote text of a model or a provider.
            detail = tuple(map(inputs.leaks.hide, found.shown))
            findings.append(QaFinding(rule=name, refuses=stages, count=found.count, detail=detail))
    refused = {stage for finding in findings for stage in finding.refuses}
    qa = Qa(
        granted=tuple(stage for stage in STAGE_ORDER if stage not in refused),
        checked=dict(inputs.files),
        released=released_hashes(inputs.public_bytes, inputs.lines),
        rules=tuple(name for name, _, _ in RULES),
        findings=tuple(findings),
    )
    return sealed(qa)
