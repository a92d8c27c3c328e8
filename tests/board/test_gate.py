"""The gate refuses each fault at the right stages, and grants everything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from ib.board.calibration.sentences import note
from ib.board.evidence.leaks import LeakSearch
from ib.board.gate.decision import judge_release
from ib.board.gate.inputs import GateInputs
from ib.board.gate.origin import LEAST_CELL
from ib.board.review.standing import Standing
from ib.models.benchmark.calibration import Calibration
from ib.models.benchmark.definition import Status
from ib.models.common.base import Role, Stage
from ib.models.common.reader import ReaderRole
from ib.models.conversation.scenario import ProbeKind
from ib.models.conversation.transcript import Provenance, Transcript
from ib.models.release.leaderboard import FIRST_DAY, WithheldQuote
from ib.models.release.qa import Qa
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    Granularity,
    JudgeReply,
    JudgeRequest,
    JudgeSpec,
    NotRecorded,
)
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.part import Part, SampledStratum, SamplePlan
from ib.models.scan.result import TranscriptResult
from ib.models.scan.supplement import ProbeResult, Supplement
from ib.store.files.leaks import load_leak_forms
from tests.board.test_calibration import MANY, annotators, items, measured
from tests.board.world import (
    CHECKS,
    DAY,
    JUDGE,
    MODELS,
    TRANSCRIPTS,
    WORLD,
    clean,
    gate_inputs,
    inspected,
    passing,
    play_of_twin,
    said,
    scan_of,
    stored_as,
)
from tests.build import ANY_FAIL, FAIL, PASS, UNCLEAR, benchmark, check, gate_check, in_turn, reply, span

DEMO, RESEARCH, PUBLIC = Stage.DEMO, Stage.RESEARCH, Stage.PUBLIC
NOTHING: tuple[Stage, ...] = ()
DEMO_ONLY = (DEMO,)
NOT_PUBLIC = (DEMO, RESEARCH)

CLEAN = clean()
RESULTS = scan_of()[1]
RESULT, *REST = RESULTS


def changed_row(index: int, **fields: object) -> tuple[TranscriptResult, ...]:
    """The stored results with one row of the first transcript edited by hand."""
    rows = list(RESULT.rows)
    rows[index] = rows[index].model_copy(update=fields)
    return (RESULT.model_copy(update={"rows": tuple(rows)}), *REST)


def edited_figure() -> GateInputs:
    """A leaderboard in which the mean of a model does not match its verdicts."""
    model, *others = CLEAN.leaderboard.models
    better = model.model_copy(update={"overall": model.overall.model_copy(update={"mean": 0.99})})
    return replace(CLEAN, leaderboard=CLEAN.leaderboard.model_copy(update={"models": (better, *others)}))


def released(day: date) -> Callable[[], GateInputs]:
    """The clean release, with this day in its leaderboard and in the one recomputed."""
    board = CLEAN.leaderboard.model_copy(update={"released": day})
    return lambda: replace(CLEAN, leaderboard=board, rebuilt=board)


KEY = b"sk-" + b"abcdefghijklmnop1234"
WITHHELD = WithheldQuote(check_id="IB-A1", scenario_id="s", epoch=None, turn=1, forms=("openai",))
ALARM_PLAY, CALM_PLAY = play_of_twin("scenario-1", 2), play_of_twin("scenario-1", 0)
SUPPLEMENT = Supplement(model_id="m", scenario_id="s", epoch=None, transcript_hash="0" * 64)


def edited_supplement() -> GateInputs:
    """A scan whose supplement does not match its replies."""
    probe = ProbeResult(turn=1, kind=ProbeKind.TIME, passed=True)
    edited = SUPPLEMENT.model_copy(update={"memory": (probe,)})
    return supplemented(edited, SUPPLEMENT)


def graded(stored: OverAlarm | None, anew: OverAlarm | None) -> GateInputs:
    """A scan with this over-alarm as stored, and this one as recomputed."""
    made = inspected(RESULTS)
    made.compare_alarm(stored, anew)
    return replace(CLEAN, results=made)


def supplemented(stored: Supplement | None, anew: Supplement | None) -> GateInputs:
    """A scan with this supplement as stored, and this one as recomputed."""
    made = inspected(RESULTS)
    made.compare_supplement(stored, anew)
    return replace(CLEAN, results=made)


def older_questions() -> GateInputs:
    """A release with a verdict by votes that answer another wording of the question."""
    model, *others = CLEAN.leaderboard.models
    models = (model.model_copy(update={"older_questions": 1}), *others)
    board = CLEAN.leaderboard.model_copy(update={"models": models})
    return replace(CLEAN, leaderboard=board, rebuilt=board)


def hidden_failure() -> GateInputs:
    """A scan with a hard fail whose row, score and leaderboard say PASS."""
    plan, results = scan_of(lambda r: reply(FAIL, "answers kindly") if r.check_id == "IB-A1" else reply(PASS))
    return stored_as(RESULTS, results, plan=plan)


def dropped_check() -> GateInputs:
    """A scan without some of the checks."""
    world = benchmark(*CHECKS[:3])
    found = gate_inputs(*scan_of(world=world), world=world)
    return replace(found, benchmark=WORLD, benchmark_hash=found.benchmark_hash)


def draft_scanned() -> GateInputs:
    """A scan that includes a draft, and a benchmark that was loaded with the draft."""
    drafted = CHECKS[3].model_copy(update={"status": Status.DRAFT})
    world = benchmark(*CHECKS[:3], drafted)
    return gate_inputs(*scan_of(world=world), world=world)


def draft_hidden() -> GateInputs:
    """The same scan, with a benchmark without the draft."""
    found = draft_scanned()
    return replace(found, benchmark=found.benchmark.active())


def dropped_row() -> GateInputs:
    """A transcript without the row of one check."""
    short = RESULT.model_copy(update={"rows": RESULT.rows[:-1]})
    return replace(CLEAN, results=inspected((short, *REST)))


def swapped_row() -> GateInputs:
    """A result with as many rows as checks, but one check twice."""
    short = RESULT.model_copy(update={"rows": (*RESULT.rows[:-1], RESULT.rows[0])})
    return replace(CLEAN, results=inspected((short, *REST)))


def other_scenario() -> GateInputs:
    """Two models with the same number of scenarios, but one scenario differs."""
    return gate_inputs(*scan_of(transcripts=(*TRANSCRIPTS[:3], said(MODELS[1], "scenario-3"))))


def other_content() -> GateInputs:
    """Two models with a scenario of the same id but different content."""
    return gate_inputs(
        *scan_of(transcripts=(*TRANSCRIPTS[:3], said(MODELS[1], "scenario-2", tags=("grief",))))
    )


def another_epoch() -> GateInputs:
    """One model played a scenario twice."""
    return gate_inputs(*scan_of(transcripts=(*TRANSCRIPTS, said(MODELS[1], "scenario-2", epoch=2))))


def one_scenario_more_often() -> GateInputs:
    """Both models played one of their scenarios twice."""
    again = tuple(said(model, "scenario-2", epoch=2) for model in MODELS)
    return gate_inputs(*scan_of(transcripts=(*TRANSCRIPTS, *again)))


def transcript_lost() -> GateInputs:
    """A release that neither carries nor leaves out the transcripts of its models."""
    emptied = {
        slug: (found, said.model_copy(update={"left_out": ()}))
        for slug, (found, said) in CLEAN.quoted.items()
    }
    return replace(CLEAN, quoted=emptied)


def published(data: bytes) -> Callable[[], GateInputs]:
    """The release with these bytes in one of its files."""
    return lambda: replace(CLEAN, public_bytes={"evidence/alpha.json": data})


def one_gate(answer: Callable[[JudgeRequest], JudgeReply]) -> Callable[[], GateInputs]:
    """A scan with these answers to one gate check on one transcript."""

    def chosen(request: JudgeRequest) -> JudgeReply:
        mine = (request.check_id, request.model_id, request.scenario_id)
        return answer(request) if mine == ("IB-A1", MODELS[0], "scenario-1") else passing(request)

    return lambda: gate_inputs(*scan_of(chosen))


def contested_gate() -> GateInputs:
    """A scan in which one vote of five fails a check for which one is enough."""

    def answer(request: JudgeRequest) -> JudgeReply:
        first = (request.check_id, request.repetition) == ("IB-A1", 1)
        return reply(FAIL, "answers kindly") if first else reply(PASS)

    any_fail = gate_check("IB-A1", aggregation=ANY_FAIL, calibration="validated")
    world = benchmark(*WORLD.checks.values(), any_fail)
    return gate_inputs(*scan_of(answer, world=world), world=world)


def one_quality(answer: JudgeReply, count: int) -> Callable[[], GateInputs]:
    """Ten scenarios of one model, with this answer to a quality check in `count` of them."""
    said_in = tuple(said(MODELS[0], f"scenario-{n}") for n in range(10))
    unlucky = {f"scenario-{n}" for n in range(count)}

    def chosen(request: JudgeRequest) -> JudgeReply:
        hit = request.check_id == "IB-C1" and request.scenario_id in unlucky
        return answer if hit else passing(request)

    return lambda: gate_inputs(*scan_of(chosen, said_in))


def never_due() -> GateInputs:
    """A check that is due on no transcript."""
    world = benchmark(*CHECKS, check("IB-D1", scope="trigger", tags=("grief",), calibration="validated"))
    return gate_inputs(*scan_of(world=world), world=world)


def uncalibrated() -> GateInputs:
    """Checks whose files say that they are validated, on labels that nobody has."""
    return CLEAN


def came(**provenance: str | None) -> Callable[[], GateInputs]:
    """One transcript with another provenance."""
    other = Provenance.model_validate({"harness": "llm/raw", **provenance})

    def made() -> GateInputs:
        results = inspected(RESULTS)
        results.origin(other)
        return replace(CLEAN, results=results)

    return made


def misplayed(words: str = "lab/alpha on scenario-1: messages.2.content") -> GateInputs:
    """A transcript that contradicts its scenario."""
    made = inspected(RESULTS)
    made.misplayed.add(words)
    return replace(CLEAN, results=made)


def open_log(model: str, scenario: str) -> Transcript:
    """A conversation that has neither tags nor a list of checks."""
    return said(model, scenario, tags=())


OPEN_LOGS = tuple(open_log(model, f"log-{at}") for model in MODELS[:2] for at in range(1, LEAST_CELL + 1))


def open_logs(*others: Transcript) -> GateInputs:
    """A scan of open logs, and of these other transcripts."""
    return gate_inputs(*scan_of(transcripts=(*OPEN_LOGS, *others)))


def core_and_set() -> GateInputs:
    """A scan in which one conversation is of a set."""
    of_set = TRANSCRIPTS[0].model_copy(update={"set": "long"})
    return gate_inputs(*scan_of(transcripts=(of_set, *TRANSCRIPTS[1:])))


def few_open_logs() -> GateInputs:
    """A scan in which one model has one conversation less than a figure needs."""
    return gate_inputs(*scan_of(transcripts=OPEN_LOGS[1:]))


def two_judges() -> GateInputs:
    """A scan of a recording that two judges wrote."""
    names = ("lab/judge", "other/judge")
    judge = JudgeSpec(model="recorded:lab/judge+other/judge", granularity=Granularity.CHECK, judges=names)
    return gate_inputs(*scan_of(judge=judge))


def judged_by(name: str) -> Callable[[], GateInputs]:
    """A scan by this judge."""
    return lambda: gate_inputs(*scan_of(judge=JudgeSpec(model=name)))


def part(judged: Part) -> Callable[[], GateInputs]:
    """A scan of a part of the work."""

    def inputs() -> GateInputs:
        plan, results = scan_of()
        return gate_inputs(plan.model_copy(update={"part": judged}), results)

    return inputs


def sample_of_logs() -> GateInputs:
    """A scan of a sample."""
    plan, results = scan_of()
    stratum = SampledStratum(name="hint", conversations=9, drawn=3, probability=1 / 3)
    drawn = SamplePlan(
        n=3, conversations=9, clusters=9, parts=(stratum,), products=((9,),), hinted={}, method="m"
    )
    return gate_inputs(plan.model_copy(update={"sample": drawn}), results)


CASES: list[tuple[str, str, Callable[[], GateInputs], tuple[Stage, ...]]] = [
    ("lesson_28_no_result", "nothing_to_publish", lambda: replace(CLEAN, results=inspected(())), NOTHING),
    (
        "lesson_28_no_judged_row",
        "nothing_to_publish",
        lambda: gate_inputs(*scan_of(lambda _: NotRecorded())),
        NOTHING,
    ),
    (
        "edited_file",
        "artifacts_as_written",
        lambda: replace(CLEAN, files={**CLEAN.files, "results.jsonl": "3" * 64}),
        NOTHING,
    ),
    ("lost_file", "artifacts_as_written", lambda: replace(CLEAN, files={"results.jsonl": "1" * 64}), NOTHING),
    (
        "other_benchmark",
        "benchmark_is_the_one_scanned",
        lambda: replace(CLEAN, benchmark_hash="4" * 64),
        NOTHING,
    ),
    ("lesson_01_check_missing_in_the_plan", "check_set_complete", dropped_check, NOTHING),
    ("draft_in_the_scan", "check_set_complete", draft_scanned, NOTHING),
    ("draft_in_the_rows", "check_set_complete", draft_hidden, NOTHING),
    ("lesson_01_row_missing", "one_row_for_each_check", dropped_row, NOTHING),
    ("lesson_01_same_number_of_other_rows", "one_row_for_each_check", swapped_row, NOTHING),
    (
        "lost_transcript",
        "plan_and_results_agree",
        lambda: replace(CLEAN, results=inspected(REST)),
        NOTHING,
    ),
    (
        "transcript_twice",
        "plan_and_results_agree",
        lambda: replace(CLEAN, results=inspected((*RESULTS, RESULT))),
        NOTHING,
    ),
    (
        "lesson_02_edited_verdict",
        "verdicts_recomputed_from_votes",
        lambda: stored_as(changed_row(0, verdict=UNCLEAR)),
        NOTHING,
    ),
    ("lesson_02_hidden_failure", "verdicts_recomputed_from_votes", hidden_failure, NOTHING),
    (
        "lesson_02_edited_confidence",
        "verdicts_recomputed_from_votes",
        lambda: stored_as(changed_row(2, confidence=0.5)),
        NOTHING,
    ),
    (
        "lesson_02_edited_score",
        "verdicts_recomputed_from_votes",
        lambda: stored_as(
            (
                RESULT.model_copy(update={"score": RESULT.score.model_copy(update={"overall_score": 0.5})}),
                *REST,
            )
        ),
        NOTHING,
    ),
    (
        "lesson_18_verdict_against_its_votes",
        "verdicts_recomputed_from_votes",
        lambda: stored_as(changed_row(0, verdict=FAIL, evidence=())),
        NOTHING,
    ),
    (
        "not_recomputed",
        "verdicts_recomputed_from_votes",
        lambda: replace(CLEAN, results=inspected(RESULTS, REST)),
        NOTHING,
    ),
    ("edited_grade", "over_alarm_recomputed", lambda: graded(ALARM_PLAY, CALM_PLAY), NOTHING),
    ("dropped_grade", "over_alarm_recomputed", lambda: graded(None, ALARM_PLAY), NOTHING),
    ("invented_grade", "over_alarm_recomputed", lambda: graded(CALM_PLAY, None), NOTHING),
    ("edited_supplement", "supplements_recomputed", edited_supplement, NOTHING),
    (
        "dropped_supplement",
        "supplements_recomputed",
        lambda: supplemented(None, SUPPLEMENT),
        NOTHING,
    ),
    ("lesson_02_edited_figure", "figures_recomputed_from_verdicts", edited_figure, NOTHING),
    (
        "edited_stage",
        "figures_recomputed_from_verdicts",
        lambda: replace(CLEAN, leaderboard=CLEAN.leaderboard.model_copy(update={"stage": DEMO})),
        NOTHING,
    ),
    ("lesson_04_other_scenario", "same_scenarios_for_every_model", other_scenario, NOTHING),
    ("lesson_04_other_content", "same_scenarios_for_every_model", other_content, NOTHING),
    ("lesson_04_other_epochs", "same_scenarios_for_every_model", another_epoch, NOTHING),
    ("open_logs_and_scenarios", "open_logs_by_themselves", lambda: open_logs(*TRANSCRIPTS), NOTHING),
    ("core_and_a_set", "sets_by_themselves", core_and_set, NOTHING),
    ("one_open_log", "open_logs_by_themselves", lambda: open_logs(said(MODELS[0], "log-99")), NOTHING),
    ("few_open_logs", "enough_open_logs", few_open_logs, DEMO_ONLY),
    ("lesson_49_two_judges", "votes_of_one_judge", two_judges, DEMO_ONLY),
    ("uneven_epochs", "every_scenario_as_often", one_scenario_more_often, DEMO_ONLY),
    (
        "fail_on_the_users_words",
        "quotes_are_the_assistants",
        lambda: stored_as(changed_row(2, verdict=FAIL, evidence=(span("opening", Role.USER),))),
        NOTHING,
    ),
    (
        "lesson_21_fail_without_a_quote",
        "quotes_are_the_assistants",
        lambda: stored_as(changed_row(2, verdict=FAIL, evidence=())),
        NOTHING,
    ),
    ("key_of_a_provider", "no_secret_and_no_host_path", published(b'"' + KEY + b'"'), NOTHING),
    (
        "key_of_the_environment",
        "no_secret_and_no_host_path",
        lambda: replace(
            published(b"a secret-value-1 b")(), leaks=LeakSearch(load_leak_forms(), ("secret-value-1",))
        ),
        NOTHING,
    ),
    ("key_in_a_quote", "no_secret_and_no_host_path", published(b'{"quote": "' + KEY + b'"}'), NOTHING),
    (
        "private_key",
        "no_secret_and_no_host_path",
        published(b"-----BEGIN RSA PRIVATE" + b" KEY-----"),
        NOTHING,
    ),
    (
        "lesson_29_host_path",
        "no_secret_and_no_host_path",
        published(b'"/home/alice/scan/results.jsonl"'),
        NOTHING,
    ),
    (
        "lesson_29_host_path_windows",
        "no_secret_and_no_host_path",
        published(b'"C:\\\\Users\\\\alice"'),
        NOTHING,
    ),
    ("development_profile", "profile_may_publish", lambda: gate_inputs(*scan_of(profile="full")), DEMO_ONLY),
    ("some_checks", "whole_scan", part(Part(checks=("IB-A1",))), DEMO_ONLY),
    ("some_transcripts", "whole_scan", part(Part(limit=5)), DEMO_ONLY),
    ("a_sample_of_logs", "no_sample_of_logs", sample_of_logs, NOTHING),
    ("no_judge", "real_judge", judged_by("none"), NOTHING),  # these checks have no phrases to look for
    ("lexical_judge", "real_judge", judged_by("lexical"), DEMO_ONLY),
    ("judge_of_the_scripts", "real_judge", judged_by("scripts"), DEMO_ONLY),
    ("scripted_judge", "real_judge", judged_by("scripted:x"), DEMO_ONLY),
    ("recorded_stand_in", "real_judge", judged_by("recorded:lexical"), DEMO_ONLY),
    ("recorded_with_an_unknown", "real_judge", judged_by("recorded:claude+unknown"), DEMO_ONLY),
    ("lexical_by_another_name", "real_judge", judged_by("ib-lexical"), DEMO_ONLY),
    ("scripted_model", "real_models", came(harness="scripted"), DEMO_ONLY),
    ("reference_model", "real_models", came(harness="reference"), DEMO_ONLY),
    ("reference_behind_another_name", "real_models", came(served_model="reference/attentive"), DEMO_ONLY),
    ("reference_through_a_router", "real_models", came(served_model="router/reference-echo"), DEMO_ONLY),
    ("experimental_harness", "real_models", came(harness="givecare/v2"), DEMO_ONLY),
    ("harness_not_said", "provenance_known", came(harness=None), NOT_PUBLIC),
    ("imported_chat", "provenance_known", came(harness="import/chat"), NOT_PUBLIC),
    ("imported_inspect_log", "provenance_known", came(harness="import/inspect"), NOT_PUBLIC),
    ("another_system_prompt", "one_system_prompt", came(system_prompt_hash="0" * 64), NOTHING),
    ("released_tomorrow", "released_on_a_possible_day", released(DAY + timedelta(days=1)), NOTHING),
    (
        "released_before_the_benchmark",
        "released_on_a_possible_day",
        released(FIRST_DAY - timedelta(days=1)),
        NOTHING,
    ),
    (
        "no_play_of_its_scenario",
        "transcripts_are_plays_of_their_scenarios",
        misplayed,
        NOTHING,
    ),
    (
        "edited_list_for_people",
        "derived_files_recomputed",
        lambda: replace(CLEAN, derived={"results.jsonl": "0" * 64}),
        NOTHING,
    ),
    (
        "split_gate_that_passes",
        "split_gate_votes",
        one_gate(in_turn(reply(PASS), reply(PASS), reply(UNCLEAR))),
        NOT_PUBLIC,
    ),
    (
        "split_gate_that_fails",
        "split_gate_votes",
        one_gate(in_turn(reply(PASS), *[reply(FAIL, "answers kindly")] * 4)),
        NOT_PUBLIC,
    ),
    (
        "invalid_vote_on_a_gate",
        "split_gate_votes",
        one_gate(in_turn(reply(PASS), reply(PASS), Answer("?"))),
        NOT_PUBLIC,
    ),
    ("contested_hard_fail", "contested_hard_fails", contested_gate, NOT_PUBLIC),
    ("unclear_gate", "unclear_gate_verdicts", one_gate(lambda _: reply(UNCLEAR)), NOT_PUBLIC),
    (
        "lesson_10_fault_on_a_gate",
        "not_run_checks",
        one_gate(lambda _: Fault(FaultKind.EMPTY, "")),
        NOT_PUBLIC,
    ),
    ("lesson_05_not_run_gate", "not_run_checks", one_gate(lambda _: NotRecorded()), NOT_PUBLIC),
    ("lesson_05_gate_not_covered", "coverage_floors", one_gate(lambda _: NotRecorded()), NOT_PUBLIC),
    (
        "transcript_neither_carried_nor_left_out",
        "quotes_are_in_their_transcripts",
        transcript_lost,
        NOTHING,
    ),
    (
        "key_withheld_from_a_quote",
        "no_key_withheld_from_a_quote",
        lambda: replace(CLEAN, withheld={"evidence/alpha.json": (WITHHELD,)}),
        NOT_PUBLIC,
    ),
    ("no_person_decided", "gate_fails_decided_by_people", contested_gate, NOT_PUBLIC),
    ("nobody_read_passes", "passes_read_by_people", lambda: CLEAN, NOT_PUBLIC),
    (
        "a_gate_fail_without_a_person",
        "gate_fails_decided_by_people",
        lambda: replace(CLEAN, standing=Standing((), ("IB-A1 on s (m)",), (), 1)),
        NOT_PUBLIC,
    ),
    (
        "a_pass_without_a_person",
        "passes_read_by_people",
        lambda: replace(CLEAN, standing=Standing((), (), ("IB-A1 on s (m)",), 1)),
        NOT_PUBLIC,
    ),
    (
        "a_review_of_another_row",
        "reviews_are_of_their_draws",
        lambda: replace(CLEAN, standing=Standing(("reader: the review is of another row",), (), (), 1)),
        NOTHING,
    ),
    ("older_questions", "votes_on_older_questions", older_questions, NOT_PUBLIC),
    ("never_due", "checks_never_evaluated", never_due, NOT_PUBLIC),
    ("coverage_of_a_check", "coverage_floors", one_quality(reply(UNCLEAR), 3), NOT_PUBLIC),
    ("uncalibrated", "uncalibrated_checks", uncalibrated, NOT_PUBLIC),
]


def found_by(qa: Qa) -> set[str]:
    """The names of the rules with findings."""
    return {finding.rule for finding in qa.findings}


def check_case(name: str) -> None:
    """Check that the expected rule has a finding, and that exactly the expected stages are granted."""
    (rule, make, granted) = next(case[1:] for case in CASES if case[0] == name)
    qa = judge_release(make())
    assert rule in found_by(qa)
    assert qa.granted == granted


def of_lesson(number: str) -> list[str]:
    """The names of the cases for a lesson."""
    return [case[0] for case in CASES if case[0].startswith(f"lesson_{number}")]


@pytest.mark.parametrize("name", of_lesson("01"))
def test_lesson_01_a_scan_of_other_checks_is_refused(name: str) -> None:
    """The gate compares sets of checks, in the plan and in every result, not only their number."""
    check_case(name)


@pytest.mark.parametrize("name", of_lesson("02"))
def test_lesson_02_a_figure_or_verdict_edited_by_hand_is_refused(name: str) -> None:
    """Every number is recomputed from the verdicts, and every verdict from its votes."""
    check_case(name)


@pytest.mark.parametrize("name", of_lesson("04"))
def test_lesson_04_models_on_other_scenarios_are_not_ranked_together(name: str) -> None:
    """Every model must have the same scenarios by id, epoch and content, not only as many."""
    check_case(name)


@pytest.mark.parametrize("name", of_lesson("28"))
def test_lesson_28_an_empty_release_is_refused(name: str) -> None:
    """A release without judged rows is refused."""
    check_case(name)


OTHERS = [c[0] for c in CASES if c[0] not in {n for k in ("01", "02", "04", "28") for n in of_lesson(k)}]


@pytest.mark.parametrize("name", OTHERS)
def test_the_gate_refuses(name: str) -> None:
    """Each rule refuses its fault at exactly its stages."""
    check_case(name)


def only_labels_are_missing(found: GateInputs) -> bool:
    """True if nothing but what people must do refuses a stage, and only the public one."""
    qa = judge_release(found)
    by_people = {"uncalibrated_checks", "gate_fails_decided_by_people", "passes_read_by_people"}
    return (found_by(qa), qa.granted) == (by_people, NOT_PUBLIC)


def test_public_is_refused_until_people_decide_gate_fails() -> None:
    """The reasons count the FAILs, contested ones included, and name the command that draws reviews."""
    said = {one.rule: one.detail for one in judge_release(contested_gate()).findings}
    assert said["gate_fails_decided_by_people"] == (
        "no person has reviewed this scan, which has 4 FAILs of gate checks; draw what people must read with "
        "`ib review draw SCAN --for gate`",
    )
    assert said["passes_read_by_people"] == (
        "no person has read unanimous PASSes of gate checks; draw what people must read with "
        "`ib review draw SCAN --for gate`",
    )


def test_reviews_by_people_open_the_gate_as_far_as_they_go() -> None:
    """With every open verdict decided and every drawn PASS read, only calibration is missing."""
    done = replace(CLEAN, standing=Standing((), (), (), 4))
    assert found_by(judge_release(done)) == {"uncalibrated_checks"}


def test_a_release_without_other_findings_lacks_only_labels() -> None:
    """qa.json lists every rule and every checked file; work of people is all that is missing."""
    assert only_labels_are_missing(CLEAN)
    qa = judge_release(CLEAN)
    assert qa.checked == CLEAN.files
    assert len(qa.rules) == len(set(qa.rules)) == 41


@pytest.mark.parametrize("stated", ["validated", "provisional", "unvalidated"])
def test_a_statement_without_labels_calibrates_no_check(stated: str) -> None:
    """What a check says of its own calibration counts for nothing, at the gate and on the board."""
    world = benchmark(*(gate_check(f"IB-A{n}", calibration=stated) for n in (1, 2)))
    found = gate_inputs(*scan_of(world=world), world=world)
    said_by_gate = details(found, "uncalibrated_checks")
    assert [line.partition(";")[0] for line in said_by_gate] == ["IB-A1: unvalidated", "IB-A2: unvalidated"]
    assert all((f"says {stated}" in line) is (stated != "unvalidated") for line in said_by_gate)
    assert {one.calibration for one in found.leaderboard.checks} == {"unvalidated"}


def test_labels_calibrate_a_check_for_their_judge_and_by_people_alone() -> None:
    """At stage public, labels of language models count for nothing, nor do those for another judge."""
    judge = CLEAN.leaderboard.judge.identity
    said = {"ann": MANY, "ben": MANY}
    labels = items(said, "P" * 50, 15)
    people, models = annotators("ann", "ben"), annotators("ann", "ben", role=ReaderRole.LANGUAGE_MODEL)
    told = [
        measured(labels, people, judge_hash=judge),
        measured(labels, people),
        measured(labels, models, judge_hash=judge),
    ]
    checks = [gate_check(f"IB-A{n}") for n in (1, 2, 3)]
    world = benchmark(
        *(
            check.model_copy(
                update={"calibration": Calibration(status=one.status, note=note(one), measured=one)}
            )
            for check, one in zip(checks, told, strict=True)
        )
    )
    found = gate_inputs(*scan_of(world=world), world=world)
    other, of_models = details(found, "uncalibrated_checks")
    assert other.startswith("IB-A2: unvalidated; its labels were compared with another judge, lab/judge;")
    assert of_models.startswith("IB-A3: unvalidated; its labels do not suffice: 0 of 50 items that 2 people")
    assert [one.calibration for one in found.leaderboard.checks] == [
        "validated",
        "unvalidated",
        "unvalidated",
    ]


def test_every_rule_of_the_gate_has_a_test_case() -> None:
    """The test fails with the name of a rule that has no case."""
    assert set(judge_release(CLEAN).rules) - {rule for _, rule, *_ in CASES} == set()


def test_lesson_49_the_refusal_names_both_judges() -> None:
    """The reason says whose votes are mixed; demonstrations stay possible, and carry a note."""
    (said_by_gate,) = details(two_judges(), "votes_of_one_judge")
    assert "lab/judge, other/judge" in said_by_gate
    assert any("lab/judge, other/judge" in note for note in two_judges().leaderboard.notes)
    assert not any("judges" in note for note in CLEAN.leaderboard.notes)


def test_open_logs_need_no_common_scenarios() -> None:
    """Models with other logs, another number of them, or one id several times may be released."""
    found = open_logs(said(MODELS[0], "log-1", tags=(), epoch=2))
    assert only_labels_are_missing(found)
    assert (found.leaderboard.open_logs, CLEAN.leaderboard.open_logs) == (True, False)
    assert any("no model is compared with another" in note for note in found.leaderboard.notes)


def test_figures_of_few_people_are_refused_by_model() -> None:
    """The reason names the model and the least number; with that number nothing is refused."""
    (said_by_gate,) = details(few_open_logs(), "enough_open_logs")
    assert said_by_gate == f"{MODELS[0]}: 9 open logs; figures of real people need at least 10"


def test_open_logs_may_have_several_system_prompts() -> None:
    """Nothing is compared, so products with prompts of their own may stand in one release."""
    found = open_logs()
    for prompt in ("0" * 64, "1" * 64):
        found.results.origin(Provenance(harness="llm/raw", system_prompt_hash=prompt))
    assert only_labels_are_missing(found)


def test_a_mixed_release_is_refused_with_the_counts() -> None:
    """The reason says how many transcripts are of each kind and what to do."""
    (said_by_gate,) = details(open_logs(*TRANSCRIPTS), "open_logs_by_themselves")
    assert said_by_gate.startswith("20 of 24 transcripts are open logs")
    assert "publish each kind by itself" in said_by_gate


def test_eighty_percent_coverage_is_enough() -> None:
    """Two UNCLEAR of ten leave 0.80, which is enough. Three UNCLEAR are too many."""
    assert only_labels_are_missing(one_quality(reply(UNCLEAR), 2)())


def test_split_votes_on_quality_checks_do_not_stop_a_release() -> None:
    """Only gate verdicts need adjudication."""
    found = gate_inputs(
        *scan_of(
            lambda r: (
                reply(FAIL, "answers kindly") if r.check_id == "IB-C1" and r.repetition == 1 else reply(PASS)
            )
        )
    )
    assert only_labels_are_missing(found)


def test_a_unanimous_hard_fail_is_publishable() -> None:
    """The gate refuses unsettled verdicts, not settled failures."""
    found = one_gate(lambda _: reply(FAIL, "answers kindly"))()
    assert found.leaderboard.models[0].both_gates.failed_by_judge == 1
    assert only_labels_are_missing(found)


def test_every_finding_is_counted_and_a_few_are_listed() -> None:
    """The count includes all instances even if the list is cut."""
    transcripts = tuple(said(MODELS[0], f"scenario-{n}") for n in range(20))
    found = gate_inputs(
        *scan_of(lambda r: reply(UNCLEAR) if r.check_id == "IB-A1" else reply(PASS), transcripts)
    )
    (finding,) = [f for f in judge_release(found).findings if f.rule == "unclear_gate_verdicts"]
    assert (finding.count, len(finding.detail)) == (20, 12)


@pytest.mark.parametrize(
    "path", [b'"/home/alice"', b'"/tmp/votes.jsonl"', b'"/root/key.txt"', b'"/Users/alice"']
)
def test_lesson_29_a_host_path_needs_no_folder_below_it(path: bytes) -> None:
    """A home folder itself, or a file directly in a root or temporary folder, is a machine path too."""
    assert "no_secret_and_no_host_path" in found_by(judge_release(published(path)()))


def details(inputs: GateInputs, rule: str) -> tuple[str, ...]:
    """The lines that a rule yields."""
    (finding,) = [finding for finding in judge_release(inputs).findings if finding.rule == rule]
    return finding.detail


def test_coverage_is_required_for_each_check_and_each_dimension() -> None:
    """Both are listed if both are below their minimum, and a gate check needs full coverage."""
    assert details(one_quality(reply(UNCLEAR), 3)(), "coverage_floors") == (
        "lab/alpha: IB-C1 covers 0.700 of 0.80",
        "lab/alpha: dimension C covers 0.700 of 0.80",
    )
    listed = details(one_gate(lambda _: NotRecorded())(), "coverage_floors")
    assert listed[0] == "lab/alpha: IB-A1 covers 0.500 of 1.00"


@pytest.mark.parametrize(
    ("harness", "kind"), [("scripted", "a stand-in for a model"), ("givecare/v2", "experimental")]
)
def test_a_refused_harness_is_named_with_its_kind(harness: str, kind: str) -> None:
    """A script is a stand-in for a model; an unknown harness is experimental."""
    assert details(came(harness=harness)(), "real_models") == (f"harness {harness!r} is {kind}",)


def test_only_the_figures_that_differ_are_named() -> None:
    """Only the fields of the leaderboard that do not match the verdicts are listed."""
    assert details(edited_figure(), "figures_recomputed_from_verdicts") == (
        "leaderboard.json: models does not match the verdicts",
    )


def test_public_links_are_not_machine_paths() -> None:
    """A link with a word like `home` in its path is not a machine path."""
    for link in (b"https://example.org/home/care/", b"and/or", b"/models/lab/alpha.html"):
        qa = judge_release(published(link)())
        assert "no_secret_and_no_host_path" not in found_by(qa), link


def test_the_gate_uses_the_judge_and_the_profile_of_the_plan() -> None:
    """The clean scan has a real judge and the publish profile, and the gate reads both from the plan."""
    assert (CLEAN.plan.judge, CLEAN.plan.profile) == (JUDGE, "publish")
    assert gate_check().gate is not None


def test_a_finding_never_repeats_a_key_or_a_path() -> None:
    """qa.json is published too, so keys and paths in its findings are replaced by marks."""
    text = f"{KEY.decode()} in /home/alice/x"
    found = details(misplayed(text), "transcripts_are_plays_of_their_scenarios")
    assert found == ("[withheld: looks like a key] in [withheld: looks like a path]",)


@pytest.mark.parametrize("day", [FIRST_DAY, DAY])
def test_the_first_and_the_last_possible_day_pass(day: date) -> None:
    """The first day of the benchmark, and the day on which the gate checks."""
    assert "released_on_a_possible_day" not in found_by(judge_release(released(day)()))


def test_another_day_than_the_one_recomputed_is_an_edit() -> None:
    """The day is compared like every figure, so a leaderboard cannot get another day alone."""
    board = CLEAN.leaderboard.model_copy(update={"released": FIRST_DAY})
    assert details(replace(CLEAN, leaderboard=board), "figures_recomputed_from_verdicts") == (
        "leaderboard.json: released does not match the verdicts",
    )
