"""The pages of a release, each with its template and its data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from delivery import references, scenarios, words
from delivery.release import Release, entries
from delivery.tables import TABLES
from ib.models.base import BUCKET_NAMES, Bucket, Route
from ib.models.check import Check
from ib.models.jurisdiction import country_of
from ib.models.leaderboard import CheckEntry, EvidenceItem, ModelEntry
from ib.models.lexicon import Lexicon
from ib.models.second import ComparedCheck
from ib.stats.intervals import wilson


@dataclass(frozen=True)
class Page:
    """One file of the build folder, before it is rendered."""

    path: str
    """Path of the Markdown file in the build folder."""
    template: str
    title: str
    view: Mapping[str, object] = field(default_factory=dict)
    search: bool = True
    """True if the search of the site includes the page. Pages with quotes are not included."""

    @property
    def root(self) -> str:
        """The relative path from the page to the home page."""
        folders = self.path.removesuffix(".md").removesuffix("index").strip("/")
        return "../" * (folders.count("/") + 1) if folders else "./"


@dataclass(frozen=True)
class Row:
    """The results of one check for one model, with the evidence."""

    check: Check
    entry: CheckEntry
    items: tuple[EvidenceItem, ...]

    @property
    def veiled(self) -> bool:
        """True if the quotes stay hidden until a reader opens them."""
        return veiled(self.check)


def veiled(check: Check) -> bool:
    """True for gate checks and checks of severity S5: their quotes stay hidden until a reader opens them."""
    return check.gate is not None or check.severity == "S5"


def pages(release: Release) -> Iterator[Page]:
    """Every page of the site, in a fixed order."""
    scripts = references.of_models(release)
    models = {"models": release.models, "scripts": scripts}
    yield _home(release, models)
    yield Page("models/index.md", "models.html", "Models", models)
    for model in release.models:
        yield from _model(release, model, scripts.get(model.slug))
    yield Page("checks/index.md", "checks.html", "Checks", {**models, "groups": _check_groups(release)})
    for check in release.benchmark.checks.values():
        yield _check(release, check)
    yield from (_conversations if release.board.open_logs else _scenarios)(release)
    told = references.assistants(release)
    yield Page("reference/index.md", "references.html", "Reference assistants", {"assistants": told})
    yield Page("methodology.md", "methodology.html", "Methodology", models | _methods(release))
    yield Page("about.md", "about.html", "About and limits", models)
    yield Page("data.md", "data.html", "Data", {**models, "tables": TABLES})


def _home(release: Release, models: Mapping[str, object]) -> Page:
    """The first page. Models of open logs do not stand in one table."""
    view = {**models, "asked": release.asked}
    if release.board.open_logs:
        return Page("index.md", "home_logs.html", "Results", view)
    return Page("index.md", "home.html", "Leaderboard", view)


def _model(release: Release, model: ModelEntry, script: references.Assistant | None) -> Iterator[Page]:
    rows = _rows(release, model)
    groups = [(b, BUCKET_NAMES[b], [row for row in rows if row.check.bucket is b]) for b in Bucket]
    opened = [gate for gate in release.board.open_gates if gate.model_id == model.model_id]
    view: dict[str, object] = {
        "model": model,
        "script": script,
        "groups": [group for group in groups if group[2]],
        "failing": [row for row in rows if row.entry.failures.k],
        "opened": opened,
        "alarms": release.evidence[model.slug].alarms,
        "joined": [(met, group) for met in model.scenarios for group in met.joined],
        "slugs": _slugs(release),
    }
    yield Page(f"models/{model.slug}.md", "model.html", model.model, view)
    for row in rows:
        if row.items:
            name = f"{model.model}: {row.check.name}"
            yield Page(
                f"models/{model.slug}/{row.check.id}.md",
                "quotes.html",
                name,
                {"model": model, "row": row, "slugs": view["slugs"]},
                search=False,
            )


def _rows(release: Release, model: ModelEntry) -> list[Row]:
    found, items = entries(model), release.items(model)
    checks = release.benchmark.checks
    return [Row(checks[i], found[i], items.get(i, ())) for i in checks if i in found]


def _slugs(release: Release) -> dict[str, str]:
    return {scenario.scenario_id: scenario.slug for scenario in release.board.scenarios}


def _check_groups(release: Release) -> list[tuple[Bucket, str, list[tuple[object, ...]]]]:
    found = [entries(model) for model in release.models]
    summaries = release.summaries()
    groups = []
    for bucket in Bucket:
        checks = release.checks(bucket)
        rows: list[tuple[object, ...]] = [
            (check, summaries.get(check.id), [one.get(check.id) for one in found]) for check in checks
        ]
        groups.append((bucket, BUCKET_NAMES[bucket], rows))
    return groups


def _check(release: Release, check: Check) -> Page:
    results = [
        (model, entry, bool(release.items(model).get(check.id)))
        for model in release.models
        if (entry := entries(model).get(check.id))
    ]
    lexicon = release.benchmark.lexicons.get(check.routing.lexicon or "")
    summary = release.summaries().get(check.id)
    view: dict[str, object] = {
        "check": check,
        "summary": summary,
        "results": results,
        "flag": summary.flag if summary else None,
        "lexicon": lexicon,
        "precision": _precision(release, lexicon),
        "unseen": _unseen(release, check),
        "pilot": _pilot(release, check),
        "reasons": [n.reason for n in release.board.not_evaluated if n.check_id == check.id],
        "second": _second(release, check),
    }
    return Page(f"checks/{check.id}.md", "check.html", f"{check.id}: {check.name}", view)


def _second(release: Release, check: Check) -> ComparedCheck | None:
    """What a second judge said on a check; None if it was not asked."""
    second = release.board.second_judge
    compared = () if second is None else second.checks
    return next((one for one in compared if one.check_id == check.id), None)


def _precision(release: Release, lexicon: Lexicon | None) -> str | None:
    """How many deciding matches on real text were judged correct, as text. Returns None if not measured."""
    found = release.benchmark.precision
    judged = None if found is None or lexicon is None else found.lexicons.get(lexicon.name)
    if found is None or judged is None or not judged.hits:
        return None
    return f"{judged.right} of {judged.hits} deciding matches were correct, as judged by {found.judged_by}"


def _unseen(release: Release, check: Check) -> str | None:
    """How much unseen wording the lexicon of a check finds, as text. Returns None if not measured.

    For a check without a judge, only deciding matches count as found.
    """
    measured = release.benchmark.recall
    figures = None if measured is None else measured.lexicons.get(check.routing.lexicon or "")
    if measured is None or figures is None:
        return None
    judged = check.routing.route is not Route.LEXICON_ONLY
    held = figures.groups.get(check.routing.lexicon_group or "", figures)
    if not held.hold:
        return None
    found = held.decided + (held.proposed if judged else 0)
    wrong = figures.near_decided + (figures.near_proposed if judged else 0)
    interval = words.between(*wilson(found, held.hold))
    what = "the lexicon" if held is figures else "this group of phrases"
    return (
        f"Test passages contain what {what} looks for, in wording that was not used for tuning. "
        f"The lexicon finds {found} of {held.hold} of them (95% interval {interval}). "
        f"It wrongly matches {wrong} of {figures.near} near misses. "
        f"The passages were written by {measured.written_by}."
    )


def _pilot(release: Release, check: Check) -> tuple[str, ...]:
    """What independent readers of the check's prompt said, in sentences; nothing if no judge is asked."""
    pilot = release.benchmark.pilot
    if check.prompt is None or pilot is None:
        return ()
    said = []
    figures = pilot.checks.get(check.id)
    if figures is None:
        said.append("The prompt was not piloted with this wording.")
    else:
        kappa = "" if figures.kappa is None else f"; Cohen’s kappa {figures.kappa:.2f}"
        ac1 = "" if figures.ac1 is None else f", Gwet’s AC1 {figures.ac1:.2f}"
        said.append(
            f"Two language models ({' and '.join(pilot.read_by)}) read the prompt on {figures.n} replies. "
            f"They agreed on {figures.agreed} of {figures.n}{kappa}{ac1}. No person has read them for this. "
            "All pilots are in benchmark/PILOT.md."
        )
    none = pilot.no_failures.get(check.id)
    if none is not None:
        said.append(f"No recorded vote on two real models was a failure. {none.why}")
    return tuple(said)


def _conversations(release: Release) -> Iterator[Page]:
    """The pages of open logs: a list, and a page for each conversation."""
    met = release.on_scenarios()
    listed = {"models": release.models, "slugs": _slugs(release)}
    yield Page("scenarios/index.md", "conversations.html", "Conversations", listed)
    for entry in release.scenarios:
        view = {"entry": entry, "met": met.get(entry.scenario_id, [])}
        title = f"Conversation {entry.scenario_id}"
        yield Page(f"scenarios/{entry.slug}.md", "conversation.html", title, view, search=False)


def _scenarios(release: Release) -> Iterator[Page]:
    told, met = scenarios.stories(release), release.on_scenarios()
    groups = scenarios.grouped(told)
    yield Page("scenarios/index.md", "scenarios.html", "Scenarios", {"told": told, "groups": groups})
    for story in told:
        scenario = story.scenario
        law = release.benchmark.rules.get(story.jurisdiction or "")
        view = {
            "story": story,
            "scenario": scenario,
            "met": met.get(story.scenario_id, []),
            "beats": scenarios.beats(scenario) if scenario else {},
            "kin": scenarios.kin(story, told),
            "law": law,
            "country": country_of(scenario.country if scenario else None, law),
        }
        title = f"{scenario.title} ({story.scenario_id})" if scenario else story.title
        yield Page(f"scenarios/{story.slug}.md", "scenario.html", title, view, search=False)


def _methods(release: Release) -> dict[str, object]:
    checks = release.benchmark.checks.values()
    return {
        "gates": [check for check in checks if check.gate is not None],
        "escalating": [check for check in checks if check.escalates_to is not None],
        "scoring": release.benchmark.scoring,
        "profile": release.benchmark.scoring.profiles.get(release.board.profile),
        "recorded": release.board.judge.model.startswith("recorded:"),
        "slugs": _slugs(release),
        "figures": scenarios.figures(release),
        "characters": release.background.characters,
        "names": {model.model_id: model for model in release.models},
    }
