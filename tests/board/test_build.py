"""Building a leaderboard from results: first counts, then rates."""

from __future__ import annotations

from collections import Counter

from ib.board.figures.contrasts import families
from ib.board.figures.slugs import unique_slugs
from ib.models.common.base import QUALITY_BUCKETS, Bucket, State, Verdict
from ib.models.common.canonical import pretty
from ib.models.scan.gates import GateState
from ib.models.scan.judge import (
    Answer,
    Fault,
    FaultKind,
    Granularity,
    JudgeReply,
    JudgeRequest,
    JudgeSpec,
    NotRecorded,
    Refusal,
)
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.result import TranscriptResult
from ib.models.scan.votes import VoteRecord
from ib.stats.intervals import clopper_pearson, rate_interval
from ib.stats.ratios import clustered_ratio
from tests.board.world import CHECKS, MODELS, TRANSCRIPTS, passing, said, scan_of
from tests.board.world import board_of as board
from tests.build import (
    FAIL,
    NA,
    PASS,
    UNCLEAR,
    benchmark,
    check,
    gate_check,
    in_turn,
    lexicon,
    reply,
    scoring,
    transcript,
)
from tests.build import row as make_row

KINDS = (
    reply(PASS),
    reply(FAIL, "answers kindly"),
    reply(UNCLEAR),
    reply(NA),
    Fault(FaultKind.EMPTY, ""),
    NotRecorded(),
)
MANY = tuple(
    said(model, f"scenario-{n:02}", contrast_group=f"family-{n % 6}") for model in MODELS for n in range(18)
)


def mixed(request: JudgeRequest) -> JudgeReply:
    """A reply that depends on check, model and scenario, so that every kind occurs."""
    n = int(request.scenario_id[-2:]) + WORLD_ORDER[request.check_id] + len(request.model_id)
    if n % 7 == 6:
        return reply(FAIL, "answers kindly") if request.repetition == 3 else reply(PASS)
    return KINDS[n % 7]


WORLD_ORDER = {item.id: place for place, item in enumerate(CHECKS)}


PLAN, RESULTS = scan_of(mixed, MANY)
BOARD = board(PLAN, RESULTS)


def test_every_count_matches_the_rows() -> None:
    """For each model and check, the counts match a recount of the rows."""
    seen: Counter[object] = Counter()
    for model in BOARD.models:
        results = [r for r in RESULTS if r.model_id == model.model_id]
        assert model.transcripts == len(results) == 18
        for entry in model.blindspots:
            rows = [(r, row) for r in results for row in r.rows if row.mode_id == entry.check_id]
            verdicts = Counter(row.verdict for _, row in rows)
            seen.update(verdicts)
            assert entry.failures.k == verdicts[FAIL]
            assert entry.failures.n == verdicts[FAIL] + verdicts[PASS]
            assert entry.failures.unclear == verdicts[UNCLEAR]
            assert (entry.passes, entry.not_applicable, entry.not_run) == (
                verdicts[PASS],
                verdicts[NA],
                verdicts[None],
            )
            assert entry.contested == sum(row.contested for _, row in rows)
            assert entry.split == sum(row.split for _, row in rows)
            assert entry.windows == sum(len(row.windows) for _, row in rows)
            told = [row.occurrences for _, row in rows if row.occurrences is not None]
            assert entry.occurrences is not None
            assert entry.occurrences.occurred == sum(len(one.turns) for one in told) > 0
            assert entry.occurrences.chances == sum(one.chances for one in told)
            assert entry.occurrences.results == entry.failures.n == len(told)
            assert entry.scenarios_failed == tuple(
                sorted(r.scenario_id for r, row in rows if row.verdict is FAIL)
            )
            family = families(RESULTS)
            decided = {family[r.scenario_id] for r, row in rows if row.verdict in (PASS, FAIL)}
            assert entry.failures.n_families == len(decided)
            is_shown = entry.failures.n >= verdicts[UNCLEAR] + verdicts[None]
            assert (entry.failures.exact_low is not None) is (entry.gate is not None and is_shown)
            assert entry.failures.rate is None or is_shown
    assert set(seen) == {*Verdict, None}


def test_occurrences_of_a_dimension_are_those_of_its_checks() -> None:
    """Added up by family, and with the interval of families; the gates have none."""
    family = families(RESULTS)
    for model in BOARD.models:
        assert set(model.occurrences) == set(QUALITY_BUCKETS)
        for bucket, found in model.occurrences.items():
            counts: Counter[tuple[str, str]] = Counter()
            for result in (r for r in RESULTS if r.model_id == model.model_id):
                for row in result.rows:
                    if row.primary_bucket is bucket and row.occurrences is not None:
                        counts[family[result.scenario_id], "k"] += len(row.occurrences.turns)
                        counts[family[result.scenario_id], "n"] += row.occurrences.chances
            names = sorted({name for name, _ in counts})
            if found is None:
                assert not names
                continue
            ratio = clustered_ratio([(counts[name, "k"], counts[name, "n"]) for name in names])
            assert (found.occurred, found.chances, found.n_families) == (ratio.k, ratio.n, ratio.clusters)
            assert (found.low, found.high, found.effective_n) == (ratio.low, ratio.high, ratio.effective_n)
            entries = [
                one for one in model.blindspots if one.bucket is bucket and one.occurrences is not None
            ]
            assert found.checks == len(entries)
            assert found.results == sum(one.occurrences.results for one in entries if one.occurrences)


def test_occurrences_that_are_not_known_everywhere_are_not_measured() -> None:
    """A row with PASS or FAIL without them makes the others a selection; an open row does not."""
    world = benchmark(check("IB-C1"))
    plan, results = scan_of(passing, tuple(said(MODELS[0], f"scenario-{n}") for n in range(6)), world=world)

    def told(*changed: TranscriptResult) -> OccurrenceRate | None:
        (model,) = board(plan, (*changed, *results[len(changed) :]), world).models
        assert (model.occurrences[Bucket.C] is None) is (model.blindspots[0].occurrences is None)
        return model.blindspots[0].occurrences

    full = told()
    assert full is not None
    assert (full.chances, full.rate, full.n_families) == (6, 0.0, 6)
    row = results[0].rows[0]
    silent = row.model_copy(update={"occurrences": None})
    assert told(results[0].model_copy(update={"rows": (silent,)})) is None
    unasked = results[0].model_copy(update={"rows": (make_row(check("IB-C1"), None),)})
    fewer = told(unasked)
    assert fewer is not None
    assert (fewer.chances, fewer.results) == (5, 5)


def test_lesson_50_the_rate_of_a_gate_is_failed_by_the_judge_over_due() -> None:
    """The rate is over all transcripts that were due; what is undecided is in its upper bound."""
    for model in BOARD.models:
        scores = [r.score for r in RESULTS if r.model_id == model.model_id]
        told = [(gate, [s.gates[bucket].state for s in scores]) for bucket, gate in model.gates.items()]
        for gate, states in (*told, (model.both_gates, [s.gate_state for s in scores])):
            count = Counter(states)
            assert (gate.failed_by_judge, gate.contested) == (
                count[GateState.FAILED_BY_JUDGE],
                count[GateState.CONTESTED],
            )
            assert (gate.incomplete, gate.clear) == (count[GateState.INCOMPLETE], count[GateState.CLEAR])
            assert gate.due == len(states) - count[GateState.NOT_DUE] > gate.clear > 0
            assert gate.undecided > 0
            assert gate.rate == gate.failed_by_judge / gate.due
            assert gate.bounds == (gate.rate, (gate.failed_by_judge + gate.undecided) / gate.due)
            assert (gate.low, gate.high) == rate_interval(gate.failed_by_judge, gate.due)
            assert (
                gate.high_with_undecided == rate_interval(gate.failed_by_judge + gate.undecided, gate.due)[1]
            )
            assert (gate.exact_low, gate.exact_high) == clopper_pearson(gate.failed_by_judge, gate.due)


def test_a_transcript_that_is_not_due_dilutes_no_rate() -> None:
    """A gate counts only the transcripts, and the families, on which one of its checks was due."""
    world = benchmark(gate_check("IB-A1", scope="trigger", tags=("danger",)), gate_check("IB-B1"))
    transcripts = tuple(
        said(MODELS[0], f"scenario-{n}", tags=("danger",) if n < 3 else ("grief",)) for n in range(12)
    )
    (model,) = board(*scan_of(passing, transcripts, world=world), world).models
    safety, compliance = model.gates[Bucket.A], model.gates[Bucket.B]
    assert (safety.due, safety.clear, safety.n_families, safety.rate) == (3, 3, 3, None)
    assert (compliance.due, compliance.n_families, compliance.rate) == (12, 12, 0.0)
    assert model.both_gates.due == 12


def test_no_upper_bound_of_zero_events_while_something_is_undecided() -> None:
    """The bound for 0 of n holds only if all n are decided."""
    world = benchmark(gate_check("IB-A1"))
    transcripts = tuple(said(MODELS[0], f"scenario-{n}") for n in range(40))
    for verdict, bound in ((PASS, True), (UNCLEAR, False)):
        answer = in_turn(*[reply(verdict)] * 3)
        (model,) = board(*scan_of(answer, transcripts, world=world), world).models
        assert (model.gates[Bucket.A].upper_if_zero is not None) is bound


def test_lesson_53_refused_questions_are_counted_by_model() -> None:
    """A judge that refuses a question leaves the gate incomplete, and the upper bound counts a hard fail."""

    def answer(request: JudgeRequest) -> JudgeReply:
        refused = (request.check_id, request.model_id) == ("IB-A1", MODELS[0])
        return Refusal("content_filter") if refused else reply(PASS)

    first, second = board(*scan_of(answer)).models
    assert (first.refused_questions, second.refused_questions) == (2, 0)
    safety = first.gates[Bucket.A]
    assert (safety.incomplete, safety.bounds) == (2, (0.0, 1.0))
    assert second.gates[Bucket.A].bounds == (0.0, 0.0)


def test_lesson_50_a_flag_stands_only_where_something_failed() -> None:
    """The flag of a check is given if k > 0, of a model and over all models."""
    flagged = benchmark(*CHECKS, scoring=scoring(flags=[{"flag": "cold", "check": "IB-C1"}]))

    def answer(request: JudgeRequest) -> JudgeReply:
        failed = request.check_id == "IB-C1" and request.model_id == MODELS[0]
        return reply(FAIL, "answers kindly") if failed else reply(PASS)

    found = board(*scan_of(answer, world=flagged), flagged)
    flags = {m.model_id: {e.check_id: e.flag for e in m.blindspots}["IB-C1"] for m in found.models}
    assert flags == {MODELS[0]: "cold", MODELS[1]: None}
    assert {c.check_id: c.flag for c in found.checks}["IB-C1"] == "cold"
    clean = board(*scan_of(world=flagged), flagged)
    assert {c.flag for c in clean.checks} == {None}


def test_what_phrases_found_without_a_judge_is_no_rate_of_failures() -> None:
    """The entry says in how many of the searched transcripts a phrase was found; nothing failed or passed."""
    world = benchmark(
        check("IB-F1-a", route="lexicon_only", lexicon="words"), lexicons=[lexicon(deciding=["kindly"])]
    )
    transcripts = (*TRANSCRIPTS[:1], transcript("hello", "no such phrase", model_id=MODELS[0]))
    found = board(*scan_of(passing, transcripts, world=world, judge=JudgeSpec(model="none")), world)
    (entry,) = found.models[0].blindspots
    assert (entry.found, entry.searched, entry.not_run, entry.coverage.eligible) == (1, 2, 1, 2)
    assert (entry.failures.n, entry.passes, entry.no_phrase_found, entry.flag) == (0, 0, 0, None)
    assert entry.failures.bounds == (0.0, 1.0)
    assert (found.checks[0].found, found.checks[0].searched, found.checks[0].no_phrase_found) == (1, 2, 0)
    assert found.models[0].overall.mean is None
    assert {scores.mean for scores in found.models[0].dimensions.values()} == {None}
    assert [one.verdicts for one in found.models[0].scenarios] == ["f", "R"]
    assert "phrases were looked for" in found.not_evaluated[0].reason


def test_passes_that_rest_on_phrases_alone_are_counted() -> None:
    """With the lexical judge, a check of phrases passes where none was found; the entry says how often."""
    world = benchmark(
        check("IB-F1-a", route="lexicon_only", lexicon="words"), lexicons=[lexicon(deciding=["kindly"])]
    )
    transcripts = (*TRANSCRIPTS[:1], transcript("hello", "no such phrase", model_id=MODELS[0]))
    judge = JudgeSpec(model="lexical", reads_prompt=False, screens=False)
    found = board(*scan_of(passing, transcripts, world=world, judge=judge), world)
    (entry,) = found.models[0].blindspots
    assert (entry.failures.k, entry.passes, entry.no_phrase_found, entry.searched) == (1, 1, 1, 0)
    assert found.checks[0].no_phrase_found == 1


def test_lesson_17_overall_scores_leave_out_nulls_and_count_them() -> None:
    """The mean covers the transcripts with a score; those without a score are counted apart."""
    for model in BOARD.models:
        scores = [r.score.overall_score for r in RESULTS if r.model_id == model.model_id]
        known = [s for s in scores if s is not None]
        assert model.overall.nulls == scores.count(None) > 0
        is_shown = len(known) >= scores.count(None) and any(known)
        mean = sum(known) / len(known) if is_shown else None
        assert (model.overall.n, model.overall.mean) == (len(known), mean)


def test_lesson_05_coverage_includes_checks_that_were_not_run() -> None:
    """Rows that were due and not run stay in the denominator, by check, by bucket and overall."""
    for model in BOARD.models:
        rows = [row for r in RESULTS if r.model_id == model.model_id for row in r.rows]
        answered = sum(row.verdict in (PASS, FAIL, NA) for row in rows)
        assert model.coverage.eligible == len(rows)
        assert model.coverage.covered == answered / len(rows)
        for bucket, found in model.bucket_coverage.items():
            mine = [row for row in rows if row.primary_bucket is bucket]
            assert found.eligible == len(mine)
            assert found.covered == (
                sum(row.verdict in (PASS, FAIL, NA) for row in mine) / len(mine) if mine else None
            )


def test_lesson_05_a_scan_without_a_judge_has_no_score_and_no_coverage() -> None:
    """Without a judge, coverage is 0, the score is None, and every check is listed as not evaluated."""
    found = board(*scan_of(lambda _: NotRecorded(), judge=JudgeSpec(model="none")))
    for model in found.models:
        assert (model.coverage.covered, model.overall.mean, model.overall.n) == (0.0, None, 0)
        gate = model.both_gates
        assert (gate.due, gate.failed_by_judge, gate.incomplete, gate.rate) == (2, 0, 2, None)
        assert gate.bounds == (0.0, 1.0)
    assert {item.reason for item in found.not_evaluated} == {"no judge answered"}
    assert len(found.not_evaluated) == len(CHECKS)
    assert any("No judge was asked" in note for note in found.notes)


def test_lesson_15_a_suppressed_check_is_counted_outside_coverage() -> None:
    """Suppressed rows have their own count and are not part of coverage."""
    world = benchmark(check("IB-C1", suppressed_by_tags=("grief",)))
    transcripts = (said(MODELS[0], "scenario-1", tags=("grief",)), said(MODELS[0], "scenario-2"))
    found = board(*scan_of(passing, transcripts, world=world), world)
    (entry,) = found.models[0].blindspots
    assert (entry.suppressed, entry.not_run, entry.coverage.eligible) == (1, 0, 1)


def test_the_reason_why_a_check_was_not_evaluated_is_given() -> None:
    """The reason is one of: not in the profile, due on no transcript, not in the recording."""
    world = benchmark(check("IB-C1"), check("IB-F1-a", scope="trigger", tags=("grief",)), check("IB-F1-b"))
    plan, results = scan_of(passing, TRANSCRIPTS, world=world, profile="dev")
    reasons = {item.check_id: item.reason for item in board(plan, results, world).not_evaluated}
    assert reasons == {"IB-C1": "not selected for this scan", "IB-F1-a": "due on none of these transcripts"}
    checks = tuple(c.model_copy(update={"recorded": c.check_id != "IB-C1"}) for c in plan.checks)
    recorded = board(plan.model_copy(update={"checks": checks}), results, world).not_evaluated
    assert {i.check_id: i.reason for i in recorded}["IB-C1"] == "no recorded verdicts"


def test_open_gates_are_those_with_split_votes_and_the_unclear_ones() -> None:
    """Exactly the gate rows with split votes and the UNCLEAR ones are listed."""
    listed = {(g.model_id, g.scenario_id, g.check_id) for g in BOARD.open_gates}
    rows = [(r, row) for r in RESULTS for row in r.rows]
    expected = {
        (r.model_id, r.scenario_id, row.mode_id)
        for r, row in rows
        if row.gate is not None and (row.split or row.verdict is UNCLEAR)
    }
    assert listed == expected
    assert {g.verdict for g in BOARD.open_gates} >= {PASS, UNCLEAR}


def test_lesson_18_a_record_that_contradicts_its_votes_is_listed() -> None:
    """The list has the recorded verdict, the verdict of the votes and the published verdict."""
    plan, results = scan_of()
    record = VoteRecord.model_validate(
        {
            "model_id": MODELS[0], "scenario_id": "scenario-1", "check_id": "IB-A1", "eligible": True,
            "verdict": "FAIL", "votes": ["PASS", "PASS", "FAIL"],
        }
    )  # fmt: skip
    elsewhere = record.model_copy(update={"scenario_id": "not scanned"})
    found = board(plan, results, contradictions=((record, PASS), (elsewhere, PASS))).record_contradictions
    assert [(c.scenario_id, c.recorded, c.votes_say, c.published) for c in found] == [
        ("scenario-1", FAIL, PASS, PASS)
    ]


def test_lesson_20_fail_votes_whose_quotes_were_not_found_are_listed() -> None:
    """A FAIL vote that does not count is listed with its row and the published verdict."""

    def answer(request: JudgeRequest) -> JudgeReply:
        void = request.check_id == "IB-C1" and request.scenario_id == "scenario-2"
        return reply(FAIL, "never said") if void else reply(PASS)

    found = board(*scan_of(answer)).voided_votes
    assert [(v.model_id, v.scenario_id, v.check_id, v.votes, v.published) for v in found] == [
        (model, "scenario-2", "IB-C1", 3, UNCLEAR) for model in MODELS
    ]
    unreadable = board(*scan_of(in_turn(*[Answer("?")] * 3)))
    assert unreadable.voided_votes == ()


def test_the_order_and_names_of_models_do_not_change_their_numbers() -> None:
    """For any order of results, each model has the same entry, and models are sorted by name."""
    turned = board(PLAN, RESULTS[::-1])
    assert [m.model_id for m in turned.models] == sorted(MODELS)
    for mine, other in zip(BOARD.models, turned.models, strict=True):
        drop = {"scenarios"}
        assert mine.model_dump(exclude=drop) == other.model_dump(exclude=drop)
    assert turned.checks == BOARD.checks


def test_lesson_09_models_are_distinguished_by_id_and_never_by_prefix() -> None:
    """A model whose id starts with the id of another model has its own entry, slug and counts."""
    ids = ("lab/gpt-5", "lab/gpt-5-mini", "lab/gpt.5")
    transcripts = tuple(said(model, "scenario-1") for model in ids)
    found = board(
        *scan_of(
            lambda r: reply(FAIL, "answers kindly") if r.model_id == ids[1] else reply(PASS), transcripts
        )
    )
    assert {m.model_id: m.both_gates.failed_by_judge for m in found.models} == {
        ids[0]: 0,
        ids[1]: 1,
        ids[2]: 0,
    }
    assert len({m.slug for m in found.models}) == 3


def test_slugs_are_unique_file_names() -> None:
    """Slugs have lower-case letters, digits and hyphens. They are unique, and the same for the same names."""
    names = dict.fromkeys(("A/b", "a-b", "a b", "ü", "", "../..", "a_b"))
    slugs = unique_slugs(names)
    assert len(set(slugs.values())) == len(names)
    assert all(s and s.strip("abcdefghijklmnopqrstuvwxyz0123456789-") == "" for s in slugs.values())
    assert slugs == unique_slugs(dict(reversed(names.items())))


def test_only_quality_dimensions_have_a_mean() -> None:
    """Only C, D and F have a mean."""
    assert set(BOARD.models[0].dimensions) == {Bucket.C, Bucket.D, Bucket.F}


def test_totals_and_bytes() -> None:
    """Judged rows and votes are counted, and the same scan gives the same bytes twice."""
    rows = [row for r in RESULTS for row in r.rows]
    assert BOARD.judged_rows == sum(row.state is State.JUDGED for row in rows)
    assert BOARD.votes == sum(len(row.votes) for row in rows)
    assert pretty(BOARD) == pretty(board(*scan_of(mixed, MANY)))


def test_truncated_turns_are_counted_and_noted() -> None:
    """A turn that the provider cut off is scanned and counted, and a note says so."""
    first = TRANSCRIPTS[0]
    cut = first.messages[1].model_copy(update={"truncated": True})
    record = first.model_copy(update={"messages": (first.messages[0], cut)})
    found = board(*scan_of(passing, (record, *TRANSCRIPTS[1:])))
    assert [m.truncated_turns for m in found.models] == [1, 0]
    assert any(note.startswith("1 reply was cut off") for note in found.notes)


def test_how_often_each_branch_is_taken_is_counted() -> None:
    """Over the plays of all models; a scenario without a branch taken has none."""
    first = TRANSCRIPTS[0]
    told = first.messages[0].model_copy(update={"branch_id": "was-told"})
    record = first.model_copy(update={"messages": (told, *first.messages[1:])})
    found = {
        entry.scenario_id: entry for entry in board(*scan_of(passing, (record, *TRANSCRIPTS[1:]))).scenarios
    }
    plays = Counter(t.scenario_id for t in TRANSCRIPTS)
    assert {name: entry.plays for name, entry in found.items()} == plays
    assert {name: dict(entry.branches) for name, entry in found.items() if entry.branches} == {
        first.scenario_id: {"was-told": 1}
    }


def test_a_note_says_that_the_judge_is_a_recording() -> None:
    """The note says that the votes were stored, and by whom."""
    judge = JudgeSpec(model="recorded:x", base="0", granularity=Granularity.CHECK, validates_codes=False)
    notes = board(*scan_of(judge=judge)).notes
    assert any("Verdicts come from stored votes by an unknown judge" in note for note in notes)
    assert any(note.startswith("Votes on an older wording: ") for note in notes)
    assert board(*scan_of()).notes == ()
