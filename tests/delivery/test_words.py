from __future__ import annotations

import re
from fractions import Fraction

import pytest

from delivery.release.references import judge_name
from delivery.sync_web_bench import project
from delivery.words import codes, counts
from delivery.words import numbers as words
from ib.measures.memory import MEMORY
from ib.models.benchmark.calibration import Calibration, CalibrationStatus
from ib.models.benchmark.jurisdiction import country_of
from ib.models.benchmark.scoring import Profile
from ib.models.common.base import Aggregation, Route, Stage, Unit, Verdict
from ib.models.conversation.condition import ConditionType
from ib.models.conversation.scenario import ProbeKind, RubricKind
from ib.models.release.leaderboard import CheckEntry
from ib.models.scan.judge import JudgeSpec
from ib.stats.support import Flag
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_scenarios
from tests.delivery import sample


@pytest.mark.parametrize(
    ("table", "vocabulary"),
    [
        (words.SUPPORT, Flag),
        (codes.CALIBRATION, CalibrationStatus),
        (codes.VERDICT, Verdict),
        (codes.ROUTE, Route),
        (codes.UNIT, Unit),
        (codes.AGGREGATION, Aggregation),
        (codes.STAGE, Stage),
        (codes.CONDITION, ConditionType),
        (codes.RUBRIC, RubricKind),
        (codes.PROBE, ProbeKind),
        (MEMORY.words.items, ProbeKind),
    ],
)
def test_every_code_has_words(table: dict[str, str], vocabulary: type[str]) -> None:
    """Each value of each vocabulary has a text."""
    assert set(table) == set(vocabulary)  # type: ignore[call-overload]


def test_every_country_has_a_name() -> None:
    """Each country of a scenario, or with help lines, has a name; any other is shown by its code."""
    world = sample.benchmark()
    told = load_scenarios(benchmark_folder()).values()
    listed = {code for rules in world.rules.values() for code in rules.crisis_resources}
    places = {country_of(one.country, world.rules[one.jurisdiction]) for one in told}
    assert places | {code for code in listed if "-" not in code} == set(codes.COUNTRY)
    assert codes.country("BR") == "BR"


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0%"), (0.001, "under 1%"), (0.23, "23%"), (0.999, "over 99%"), (1, "100%")]
)
def test_a_share_is_never_rounded_to_nothing_or_all(share: float, said: str) -> None:
    """A share above 0 is never shown as 0%, and a share below 1 is never shown as 100%."""
    assert words.percent(share) == said


def test_halves_are_rounded_up() -> None:
    """63 of 120 is 53%: the exact share of every count is rounded as readers do it, for either sign."""
    for n in range(1, 201):
        for k in range(1, n):
            exact = int(Fraction(100 * k, n) + Fraction(1, 2))
            assert words.whole_points(k / n) == exact, (k, n)
            assert words.whole_points(-k / n) == -exact, (k, n)
    assert words.percent(63 / 120) == "53%"
    assert words.percent(29 / 200) == "15%"
    assert (words.percent(1 / 200), words.percent(199 / 200)) == ("1%", "over 99%")


def test_a_rate_is_a_count_with_its_interval() -> None:
    """k of n comes first, then the percentage and the interval; with few cases, only the count."""
    assert words.sentence(sample.rate(7, 31)) == "7 of 31 cases (23%, 95% interval 11% to 40%)"
    assert words.sentence(sample.rate(1, 2)) == "1 of 2 cases"
    assert words.sentence(sample.rate(1, 1)) == "1 of 1 case"
    assert words.sentence(sample.rate(1, 1), "question", " asked") == "1 of 1 question asked"


def test_zero_failures_are_shown_with_their_upper_bound() -> None:
    """For a rate with k = 0, the text says how high the rate may be."""
    assert words.support(sample.rate(0, 40)).endswith("; the rate may be as high as 8% (95% upper limit)")
    assert words.support(sample.rate(0, 2)) == "Too few cases to compare (n = 2)"


def test_an_upper_bound_is_rounded_up() -> None:
    """Rounding never makes an upper bound smaller."""
    assert [words.at_most(share) for share in (0.0721, 0.0701, 0.07, 1.0)] == ["8%", "8%", "7%", "100%"]


def test_undecided_cases_are_counted_either_way() -> None:
    """With unclear or not run cases, the text gives the range of the rate and no upper bound."""
    assert words.support(sample.rate(0, 31, 32)).endswith("; depending on the 32 undecided: 0% to 51%")
    assert words.support(sample.rate(0, 54), 9).endswith("; depending on the 9 undecided: 0% to 14%")
    assert words.support(sample.rate(2, 40, 1), 9).endswith("; depending on the 10 undecided: 4% to 24%")
    assert "undecided" not in words.support(sample.rate(2, 40))


def test_a_score_is_never_rounded_to_nothing_or_all() -> None:
    """A score above 0 is never shown as 0.00, and a score below 1 is never shown as 1.00."""
    shown = [words.score(value) for value in (0.0, 0.004, 0.5, 0.996, 1.0)]
    assert shown == ["0.00", "under 0.01", "0.50", "over 0.99", "1.00"]


def test_undecided_transcripts_give_a_range_for_the_overall_score() -> None:
    """The range is that of the release; there is none if nothing is undecided."""
    model = sample.release()[0].models[0]
    overall = model.overall.model_copy(update={"nulls": 2, "bounds": (0.1, 0.4)})
    open_model = model.model_copy(update={"overall": overall})
    assert words.overall_range(open_model) == "0.10 to 0.40"
    scored = model.model_copy(update={"overall": overall.model_copy(update={"bounds": None})})
    assert words.overall_range(scored) == words.NONE


def test_unclear_cases_bound_the_rate() -> None:
    """Unclear cases are shown with the range that they give the rate."""
    assert words.unclear(sample.rate(1, 8, 2)) == "2 (10% to 30% either way)"
    assert words.unclear(sample.rate(1, 8)) == "0"
    assert words.unclear(sample.rate(1, 8, 2), not_run=1) == "2 (9% to 36% either way)"
    assert words.support(sample.rate(1, 8, 2), not_run=1).endswith("3 undecided: 9% to 36%")


def entry(k: int, n: int, **given: int) -> CheckEntry:
    """A check on a model, with the fields that its words depend on."""
    told = {"failures": sample.rate(k, n), "no_phrase_found": 0, "contested": 0, "not_run": 0, **given}
    return sample.release()[0].models[0].blindspots[0].model_copy(update=told)


def test_a_check_failed_in_cases_with_a_clear_answer() -> None:
    """What the count is out of is said, and how many of the failures are contested."""
    assert counts.check_count(entry(3, 40)) == "3 of 40"
    told = counts.check_sentence(entry(3, 40, contested=2))
    assert told.startswith("Failed in 3 of 40 cases with a clear answer (8%, 95% interval")
    assert told.endswith("; 2 of the failures contested")
    assert "contested" not in counts.check_sentence(entry(3, 40))


def test_a_rate_of_phrases_is_found_and_not_failed() -> None:
    """Where only listed phrases were looked for, no text speaks of failures or of an upper bound."""
    phrases = entry(0, 40, no_phrase_found=40)
    assert counts.check_count(phrases) == "found in 0 of 40"
    assert counts.check_sentence(phrases).startswith("A listed phrase was found in 0 of 40 cases")
    assert "as high as" in counts.check_support(entry(0, 40))
    assert "as high as" not in counts.check_support(phrases)
    assert counts.check_support(phrases).startswith("Only listed phrases were looked for")


def test_what_a_scan_without_a_judge_found_has_no_verdict() -> None:
    """No text calls a phrase that no judge read a failure, or gives a share of it."""
    found = entry(0, 0, found=7, searched=40, not_run=33)
    texts = [counts.failed(found), counts.check_count(found), counts.check_sentence(found)]
    assert texts[0] == texts[1] == "phrase found in 7 of 40; no verdict"
    assert texts[2] == "A listed phrase was found in 7 of 40 conversations; no judge read them"
    assert counts.undecided(found) == "7 with a phrase found, 33 not run"
    assert counts.no_answer(found) == 40
    assert not [text for text in (*texts, counts.check_support(found)) if "%" in text or "Failed" in text]


def test_a_missing_value_is_a_dash() -> None:
    """None is shown as a dash, never as zero."""
    said = {words.share(None), words.score(None), words.between(None, 1.0), words.bounds(None)}
    assert said == {words.NONE}


def test_the_headline_counts_roots() -> None:
    """Gate checks and the other checks each by themselves, and never as a rate."""
    said = words.roots_sentence(sample.release()[0].models[0])
    assert said == "2 different passages failed 3 gate checks; 1 different passage failed 7 other checks"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("none", "none", "none", 0), "No judge is asked."),
        (("full", "none", "two_agree", 0), "All votes at gates; elsewhere voting stops when two agree."),
        (
            ("adaptive", "first_pass", "first_pass", 0),
            "One vote, and more if it says fail or unclear. "
            "At gates, voting stops at the first pass; elsewhere voting stops at the first pass.",
        ),
        (
            ("full", "none", "none", 2),
            "All votes at gates; all votes elsewhere. A fail vote at a gate brings 2 more votes.",
        ),
    ],
)
def test_a_profile_says_how_it_takes_votes(given: tuple[str, str, str, int], said: str) -> None:
    """The rules of a profile are sentences, not names of settings."""
    votes, gate_stop, stop, more = given
    rules = {"votes": votes, "gate_stop": gate_stop, "stop": stop, "votes_after_gate_fail": more}
    profile = Profile.model_validate({"checks": "all", "may_publish": True, **rules})
    assert words.voting(profile) == said


def test_recorded_votes_are_no_judge_that_was_asked() -> None:
    """The name of a recording says whose votes they are."""
    assert judge_name(JudgeSpec(model="recorded:lab/judge")) == "recorded votes of lab/judge"
    assert judge_name(JudgeSpec(model="lab/judge")) == "lab/judge"


def test_no_page_repeats_a_calibration_that_nobody_made() -> None:
    """A check that states `validated` on labels that are not there is `not validated` on every page."""
    world = sample.benchmark()
    stated = Calibration(status=CalibrationStatus.VALIDATED, gold_n=4321, note="A note.")
    checks = {name: check.model_copy(update={"calibration": stated}) for name, check in world.checks.items()}
    made = project(*sample.release(), world.model_copy(update={"checks": checks}), sample.background())
    pages = {name: text for name, text in made.items() if name.endswith((".md", ".html"))}
    assert not [name for name, text in pages.items() if "4321" in text or "4,321" in text]
    assert not [name for name, text in pages.items() if re.search(r"(?<!not )\bvalidated\b", text)]
    assert f"{len(checks)} of {len(checks)} checks have not been compared" in pages["limits.md"]
