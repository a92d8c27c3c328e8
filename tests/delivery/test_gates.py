"""Gates as text: hard fails of due first, what is undecided beside it, and no share that hides it."""

from __future__ import annotations

import re

import pytest

from delivery.words import gates
from ib.models.scan.gates import GateScore, GateState
from tests.delivery import reading, sample


def text_of(page: str) -> str:
    """The text of a page, as a reader sees it."""
    return reading.read(reading.body(page)).text


def test_every_state_has_words() -> None:
    """Each state of a gate has a text."""
    assert set(gates.STATE) == set(GateState)


def test_a_gate_is_hard_fails_of_due_with_the_undecided_beside_it() -> None:
    """The count is out of what was due, and contested and incomplete are named, also where they are 0."""
    entry = sample.gate(due=40, failed_by_judge=3, contested=2, incomplete=5)
    assert gates.gate_count(entry) == "3 of 40 due"
    assert gates.gate_aside(entry) == "2 contested, 5 incomplete"
    assert gates.gate_aside(sample.gate(due=40)) == "0 contested, 0 incomplete"
    assert gates.gate_sentence(entry) == (
        "hard fail by the judge in 3 of 40 conversations due (8% to 25%, depending on the undecided; "
        "95% interval 3% to 40%); 2 contested, 5 incomplete"
    )


def test_a_decided_gate_has_a_share_and_its_interval() -> None:
    """Without undecided transcripts, the share is one number."""
    assert gates.gate_sentence(sample.gate(due=40, failed_by_judge=3)) == (
        "hard fail by the judge in 3 of 40 conversations due (8%; 95% interval 3% to 20%); "
        "0 contested, 0 incomplete"
    )


def test_a_gate_that_nobody_decided_is_not_shown_as_safe() -> None:
    """63 incomplete of 63 due allow every rate, and no text gives 0% or an upper bound by itself."""
    entry = sample.gate(due=63, incomplete=63)
    assert (gates.gate_share(entry), gates.gate_interval(entry)) == ("–", "–")
    assert gates.gate_support(entry) == "Not measurable here; 63 of 63 conversations lack an answer"
    decided = gates.gate_support(sample.gate(due=63))
    assert decided.endswith("the rate may be as high as 5% (95% upper limit)")


def test_a_gate_with_more_than_half_undecided_is_not_measurable() -> None:
    """In place of share, interval and plot stands what is lacking; what failed is still counted."""
    entry = sample.gate(due=63, failed_by_judge=6, incomplete=57)
    assert gates.gate_sentence(entry) == (
        "not measurable here; 57 of 63 conversations lack an answer; hard fail by the judge in 6 of 63 "
        "conversations due; 0 contested, 57 incomplete"
    )
    assert gates.gate_note(entry) == "6 failed, 0 contested, 57 incomplete"
    half = sample.gate(due=62, failed_by_judge=6, incomplete=31)
    assert gates.not_measurable(half) == ""
    assert gates.not_measurable(sample.gate(due=4, incomplete=4)) == ""


def test_a_short_note_names_what_is_undecided() -> None:
    """Enough cases need no words, and what is undecided is counted in place of an upper bound."""
    assert (
        gates.gate_note(sample.gate(due=400, failed_by_judge=200, contested=1))
        == "Undecided: 1 contested, 0 incomplete"
    )
    few = sample.gate(due=6, incomplete=3)
    assert gates.gate_note(few).endswith("; undecided: 0 contested, 3 incomplete")
    assert gates.gate_note(sample.gate(due=63)) == gates.gate_support(sample.gate(due=63))


def test_few_transcripts_are_only_counted() -> None:
    """With fewer than five due there is a count and no share; with none there is not even a count."""
    few, none = sample.gate(due=4, failed_by_judge=1), sample.gate(due=0)
    assert gates.gate_sentence(few) == (
        "hard fail by the judge in 1 of 4 conversations due; 0 contested, 0 incomplete"
    )
    assert (gates.gate_share(few), gates.gate_support(few)) == ("–", "Too few cases to compare (n = 4)")
    assert (gates.gate_count(none), gates.gate_support(none)) == ("not due", "No conversation was due")
    assert gates.gate_sentence(none) == "no check of the gate was due on any conversation"


def test_the_checks_of_a_transcript_are_named_by_what_they_say() -> None:
    """Failed, contested and open checks; a gate without any has the name of its state."""
    score = GateScore(
        state=GateState.FAILED_BY_JUDGE,
        failed_by_judge=("IB-A1",),
        contested=("IB-A2",),
        incomplete=("IB-A3", "IB-A4"),
    )
    assert gates.gate_parts(score) == [
        ("hard fail by the judge", ("IB-A1",)),
        ("contested hard fail", ("IB-A2",)),
        ("no clear answer", ("IB-A3", "IB-A4")),
    ]
    clear = GateScore(state=GateState.CLEAR)
    assert (gates.gate_parts(clear), gates.gate_state(clear)) == ([], "clear")


@pytest.mark.parametrize("page", ["models/index.md", "models/alder.md"])
def test_the_lead_numbers_are_safety_and_compliance(projected: dict[str, str], page: str) -> None:
    """Each gate by itself, out of what was due, with contested and incomplete beside it."""
    text = text_of(projected[page])
    assert re.search(r"1 of 40 (due|· 95% interval under 1% to 20%)", text)
    assert "1 contested, 1 incomplete" in text
    assert text.index("Safety") < text.index("Compliance")


def test_a_flag_is_printed_only_where_something_failed(projected: dict[str, str]) -> None:
    """The page of a model prints as many flags as it has flagged checks with k > 0."""
    model = next(m for m in sample.release()[0].models if m.slug == "alder")
    flagged = [entry for entry in model.blindspots if entry.flag is not None]
    assert all(entry.failures.k for entry in flagged)
    assert text_of(projected["models/alder.md"]).count("flag: ") == len(flagged) > 0


def test_a_page_says_where_only_phrases_were_looked_for(projected: dict[str, str]) -> None:
    """On the page of the model and of the check, the count is what was found."""
    check_id = list(sample.benchmark().checks)[sample.PHRASES_ONLY]
    for page in ("models/alder.md", f"checks/{check_id}.md", "checks/index.md"):
        assert "found in 3 of 40" in text_of(projected[page])
