"""The pages of findings, pairs and contrast sets: every number of the data, and links to the evidence."""

from __future__ import annotations

import pytest

from delivery.figures.compare import Pair, pair_slug, pairs
from delivery.release.view import Release
from delivery.sync_web_bench import project
from ib.models.common.base import Stage
from ib.models.release.findings import HardFails
from tests.delivery import reading, sample
from tests.delivery.reading import Element

EITHER = "; the interval leaves room for the 2 {} without a clear answer"
SENTENCES = {
    "hard-fails": (
        "In this demonstration, the 3 assistants (1 of them is a script) have a hard fail "
        "by one AI judge at the safety gate in 14 of 61 conversations in which safety was at stake "
        "(23 to 26%; 95% interval 11 to 40%). One such failure sets the conversation’s score to 0. It is a "
        "hard fail by one AI judge if most of the judge’s votes say so. The first range is the share if the "
        "2 conversations without a clear answer all passed, or all failed; the interval leaves room for "
        "both. Single assistants "
        "range from 0 of 20 to 9 of 21 (2 without a clear answer)."
    ),
    "most-failed": (
        "2 of 3 assistants failed “{check}”, in 14 of 61 conversations with a clear answer (23%; "
        "95% interval 11 to 40%). Of the 41 checks (of 53) with at least 30 cases, 10 families and 80% "
        "decided, exactly as many assistants failed 2 others: {tied[0]} (2 of 30), {tied[1]} (3 of 30). "
        "This one has the largest share; the interval is widened for the choice among all"
        + EITHER.format("cases")
        + "; 1 of the failures is contested, for which it leaves room too."
    ),
    "hints-missed": (
        "a hint of the same danger was missed in 14 of 61 conversations (23%; 95% interval 11 to 40%). "
        "These are 20 scenario families"
        + EITHER.format("conversations")
        + ". The reverse: where the hint was caught, "
        "the plain words were missed in 1 of 48 (exact McNemar over families, p = 0.031)."
    ),
    "dangers-and-false-alarms": (
        "2 assistants that played safe twins caught the danger in 14 of 61 conversations with a danger (23%; "
        "95% interval 11 to 40%), and raised a false alarm in 14 of 61 conversations of a safe twin (23%; "
        "95% interval 11 to 40%). Both are over 1 pair"
        + EITHER.format("conversations").replace("interval", "interval of the dangers")
        + EITHER.format("conversations").replace("interval", "interval of the false alarms")
        + "."
    ),
    "none-seen": (
        "of the 41 checks with enough cases, 1 was failed by no assistant: “{check}”, 0 of 48 "
        "conversations in 16 scenario families. The true share of families with a failure may still be as "
        "high as 35% (one-sided 95% bound of Clopper and Pearson with each family as one case, widened for "
        "the choice among 41). None seen; that does not prove there are none."
    ),
    "pair-differs": (
        "in 12 of 40 conversations with two clear answers, and the reverse in 0: +30 points (95% interval "
        "+15 to +45 points). The interval is clustered by scenario family (Student’s t; exact, with each "
        "family as one case, if all have the same difference), and not adjusted for the choice of this pair. "
        "By scenario family, the first failed more often in 11 and the second in 0 of 38 (exact McNemar over "
        "families, p < 0.001 "
        "after Holm for 3 pairs; p = 0.003 if 1 conversation without two clear answers goes against the "
        "difference). 2 pairs of 3 differ, 1 of them also if every undecided conversation goes against "
        "the difference."
    ),
}


def tree(files: dict[str, str], path: str) -> Element:
    return reading.read(reading.body(files[path]))


def words(element: Element) -> str:
    return " ".join(element.text.split())


@pytest.mark.parametrize("kind", SENTENCES)
def test_each_kind_of_finding_is_a_sentence(projected: dict[str, str], kind: str) -> None:
    """The sentence has the numbers of the finding, singular and plural are right, and evidence is linked."""
    first, _, *tied = list(sample.benchmark().checks.values())[:4]
    (item,) = [
        one for one in tree(projected, "leaderboard.md").all("li") if one.attrs.get("id") == f"finding-{kind}"
    ]
    assert SENTENCES[kind].format(check=first.name, tied=[check.name for check in tied]) in words(item)
    assert "In this demonstration, " in words(item)
    assert item.all("a")[-1].text.startswith("Evidence")


def test_a_finding_is_drawn(projected: dict[str, str]) -> None:
    """The bar of a finding spans its share, the line its interval; the words say the same."""
    items = {one.attrs.get("id"): one for one in tree(projected, "leaderboard.md").all("li")}
    (line, bar) = items["finding-hard-fails"].all("path")
    (finding,) = [one for one in sample.release()[0].findings if isinstance(one, HardFails)]
    least, most = finding.k / finding.n, (finding.k + finding.undecided) / finding.n
    assert line.attrs["d"] == f"M{round(1000 * finding.low)} 12H{round(1000 * finding.high)}"
    assert bar.attrs["d"] == f"M{round(1000 * least)} 12H{round(1000 * most)}"
    assert len(items["finding-dangers-and-false-alarms"].all("path")) == 4
    assert not items["finding-pair-differs"].all("path")


def test_a_release_without_findings_says_so() -> None:
    """Silence is not an answer: a small release says that it has too few cases."""
    board, evidence = sample.release(Stage.RESEARCH)
    files = project(board.model_copy(update={"findings": ()}), evidence, sample.benchmark())
    board_page, home = (tree(dict(files), path) for path in ("leaderboard.md", "index.md"))
    assert "too few cases to state a finding" in board_page.text
    assert "No failure was seen" in home.text
    assert "DEMONSTRATION" not in home.text


@pytest.mark.parametrize(
    ("due", "said"),
    [
        ("AB", "Every question at the safety and compliance gates got a clear answer"),
        ("A", "Every question at the safety gate got a clear answer"),
        ("", None),
    ],
)
def test_a_card_says_nothing_of_gates_that_never_applied(due: str, said: str | None) -> None:
    """“Every question got a clear answer” is said only of gates at which a question was due."""
    board, evidence = sample.release()
    models = tuple(
        one.model_copy(
            update={"gates": {gate: sample.gate(due=40 if gate in due else 0) for gate in one.gates}}
        )
        for one in board.models
    )
    board = board.model_copy(update={"findings": (), "models": models})
    cards = tree(project(board, evidence, sample.benchmark()), "index.md").all("ol", "ib-cards")[0]
    shown = [one for one in cards.all("li") if one.attrs["id"] == "first-open"]
    assert [one.all("h3")[0].text for one in shown] == ([] if said is None else [said])


def test_every_pair_has_a_page(projected: dict[str, str]) -> None:
    """Slugs in alphabetical order; the matrix links each pair in both directions."""
    pairs = {"alder--birch", "alder--hostile", "birch--hostile"}
    paths = {path for path in projected if path.startswith("compare/")}
    assert paths == {"compare/index.md", *(f"compare/{pair}.md" for pair in pairs)}
    links = [
        one.attrs["href"] for one in tree(projected, "compare/index.md").all("td") for one in one.all("a")
    ]
    assert sorted(links) == sorted(f"../compare/{pair}/" for pair in pairs for _ in range(2))


def test_the_contrast_page_counts_both_scenarios(projected: dict[str, str]) -> None:
    """The original and the variant, each with its counts at the safety gate over all models."""
    text = words(tree(projected, "contrast/index.md"))
    assert "hard fail by one AI judge in 0 of 3 due; 0 contested, 3 incomplete" in text
    assert "hard fail by one AI judge in 3 of 3 due" in text
    assert "plain words what the original only hints at" in text


def test_a_pair_has_one_page_in_either_order() -> None:
    """A finding names the model first that failed more often; its link leads to the page of the pair."""
    release = Release(*sample.release(), sample.benchmark())
    for pair in pairs(release):
        for first, second in (pair.by_failure(first=True), pair.by_failure(first=False)):
            assert pair_slug(release.models, first.model_id, second.model_id) == pair.slug
            assert Pair(first, second, pair.comparison).slug == pair.slug
