"""`benchmark/PILOT.md`: what independent readers of each prompt said, and how far they agree."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import yaml

from ib.models.benchmark.pilot import OVER_ALARM, PilotItem, ReplySource
from ib.models.common.base import Verdict
from ib.models.scan.over_alarm import ALARM
from ib.stats.agreement import agreement
from ib.stats.intervals import RATE_METHOD
from tools.figures import interval, made_yaml, share
from tools.pilot.files import FOLDER
from tools.pilot.found import Pilots, compared

FAIL, UNCLEAR = Verdict.FAIL.value, Verdict.UNCLEAR.value


def pilot_page(pilots: Pilots) -> str:
    """The page."""
    parts = [
        "# What independent readers of the prompts said",
        _about(pilots),
        "## Agreement on the last batch",
        _overall(pilots),
        _table(
            (
                *("check", "batch", "wording", "n", "real", "reference", "written", "agreed"),
                *("kappa", "95 %", "AC1", "95 %", "meant to FAIL: both, one"),
            ),
            (_agreement_row(pilots, check) for check in pilots.checks),
        ),
        "## First and last batch",
        "Checks that were piloted more than once. A first batch was read with the wording of its time.",
        _table(
            ("check", "first: agreed", "kappa", "last: agreed", "kappa"),
            (row for check in pilots.checks if (row := _first_and_last(pilots, check))),
        ),
        "## Verdicts of both readers",
        "For each check, how often the two readers gave each pair of verdicts in the last batch; P is PASS, "
        "F is FAIL, U is UNCLEAR, N is NOT_APPLICABLE, and a digit is a grade. "
        "Replies that do not count are those that a scan would not count either: their form is wrong, or no "
        "quote was found. The last two columns are kappa over FAIL or not: once each UNCLEAR is a FAIL, "
        "once it is none.",
        _table(
            (
                *("check", "reader one", "reader two", "pairs (one, two)", "do not count"),
                *("UNCLEAR is a FAIL", "UNCLEAR is none"),
            ),
            (row for check in pilots.checks if (row := _verdicts_row(pilots, check))),
        ),
        *_alarms(pilots),
        *_person(pilots),
        *_screens(pilots),
        "## How often recorded votes failed real models",
        f"Votes of {pilots.rates.judged_by} on two real models. They answer another instrument's prompts, so "
        "the figures say how common the failures are, not how well these prompts find them.",
        _table(("check", "model", "failed", "95 %"), _rates(pilots)),
        "### Checks that no recorded vote failed",
        _table(
            ("check", "because of", "why"),
            (
                (f"`{check}`", one.because, one.why)
                for check, one in sorted(pilots.no_failures.checks.items())
            ),
        ),
        "## What changed because of pilots",
        _table(
            ("check", "batch", "what", "why"),
            ((f"`{c.check}`", c.batch, c.what, c.why) for c in pilots.changes.changes),
        ),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _about(pilots: Pilots) -> str:
    readers = " and ".join(pilots.readers) or "nobody so far"
    return (
        "Every prompt is read by two independent readers who know nothing but the rendered question. Both "
        f"readers are language models ({readers}); no person has read for this page. The items are replies "
        "of real models, of the reference assistants, or written for the pilot, and are counted apart. About "
        "20 are drawn for a check, at least 6 of them meant to FAIL: a recorded judge failed them, an answer "
        "known beforehand says so, or they were written to fail. These are overrepresented: no figure here "
        "is a rate of failure.\n\n"
        f"Kappa is Cohen's, AC1 is Gwet's. Their intervals are the {RATE_METHOD} interval of the observed "
        "agreement, corrected for the observed agreement by chance. A dash stands where only one verdict "
        "occurred. The verdicts are in `pilot/`, one line an item: file, turns, verdicts and hashes, no "
        "words. [How to pilot a prompt](../docs/pilot-a-prompt.md)"
    )


def _overall(pilots: Pilots) -> str:
    """How many checks are piloted in their present wording, and their mean kappa."""
    found = {check: compared(pilots.present(check)) for check in pilots.checks}
    read = {check: one for check, one in found.items() if one.n}
    kappas = [one.kappa for one in read.values() if one.kappa is not None]
    missing = [check for check in pilots.checks if check not in read]
    mean = f"{statistics.fmean(kappas):.3f} over {len(kappas)} checks" if kappas else "not measured"
    told = (
        f"{len(read)} of {len(found)} questions were piloted with their present wording. "
        f"Mean kappa within checks: {mean}. {len(read) - len(kappas)} have no kappa, because only one "
        "verdict occurred."
    )
    listed = ", ".join(f"`{check}`" for check in missing)
    return f"{told}\n\nNot piloted with the present wording: {listed}." if missing else told


def _agreement_row(pilots: Pilots, check: str) -> Sequence[object]:
    batches = pilots.of(check)
    if not batches:
        return (f"`{check}`", "-", "not piloted", 0, *("-" for _ in range(9)))
    last = batches[-1]
    found = compared(last)
    wording = "present" if pilots.present(check) else "earlier"
    sources = Counter(item.source for item in last)
    meant = [item for item in last if item.meant == FAIL]
    said = [sum(one == FAIL for one in item.pair or ()) for item in meant]
    return (
        *(f"`{check}`", last[0].batch, wording, found.n),
        *(sources[source] for source in ReplySource),
        f"{found.agreed}/{found.n}",
        *(_figure(found.kappa), _between(found.kappa_interval)),
        *(_figure(found.ac1), _between(found.ac1_interval)),
        f"{sum(n == 2 for n in said)}, {sum(n == 1 for n in said)} of {len(meant)}" if meant else "-",
    )


def _first_and_last(pilots: Pilots, check: str) -> Sequence[object]:
    batches = pilots.of(check)
    if len(batches) < 2:
        return ()
    first, last = compared(batches[0]), compared(batches[-1])
    cells = [(f"{one.agreed}/{one.n}", _figure(one.kappa)) for one in (first, last)]
    return (f"`{check}`", *cells[0], *cells[1])


def _verdicts_row(pilots: Pilots, check: str) -> Sequence[object]:
    batches = pilots.of(check)
    if not batches:
        return ()
    last = batches[-1]
    pairs = Counter(item.pair for item in last if item.pair is not None)
    told = ", ".join(f"{a[0]}{b[0]} {n}" for (a, b), n in sorted(pairs.items()))
    void = sum(item.pair is None for item in last)
    both = (_fail_or_not(pairs, fails) for fails in ({FAIL, UNCLEAR}, {FAIL}))
    return (f"`{check}`", *(_said(last, reader) for reader in ("one", "two")), told, void, *both)


def _fail_or_not(pairs: Mapping[tuple[str, str], int], fails: set[str]) -> str:
    """Kappa over FAIL or not; `fails` has the verdicts that are counted as FAIL. A dash for grades."""
    if all(verdict.isdecimal() for pair in pairs for verdict in pair):
        return "-"
    counts: Counter[tuple[bool, bool]] = Counter()
    for (one, other), count in pairs.items():
        counts[one in fails, other in fails] += count
    return _figure(agreement(counts).kappa)


def _said(items: Iterable[PilotItem], reader: str) -> str:
    """The verdicts of one reader, counted."""
    readings = (getattr(item, reader) for item in items)
    counts = Counter(one.choice for one in readings if one is not None and one.choice is not None)
    return ", ".join(f"{choice[0]} {count}" for choice, count in sorted(counts.items()))


def _alarms(pilots: Pilots) -> Iterator[str]:
    """The readers of the question about over-alarm: over all grades, and over an alarm or none."""
    batches = pilots.of(OVER_ALARM)
    if not batches:
        return
    last, alarm = batches[-1], str(ALARM)
    pairs = Counter(item.pair for item in last if item.pair is not None)
    alarms: Counter[tuple[bool, bool]] = Counter()
    for (one, two), count in pairs.items():
        alarms[one == alarm, two == alarm] += count
    yield "## Over-alarm"
    yield (
        "The question about over-alarm has three grades, and one answer a conversation. The items of "
        "the last batch are plays of safe twins by reference assistants, cut off after a few turns, and "
        "conversations that were written for the pilot. No real model has played a safe twin."
    )
    yield _table(
        ("agreement over", "agreed", "kappa", "95 %", "AC1", "95 %"),
        (
            (
                *(name, f"{found.agreed}/{found.n}", _figure(found.kappa), _between(found.kappa_interval)),
                *(_figure(found.ac1), _between(found.ac1_interval)),
            )
            for name, found in (
                ("the grades 0, 1 and 2", agreement(pairs)),
                ("grade 2 or not", agreement(alarms)),
            )
        ),
    )
    meant = sorted({item.meant for item in last if item.meant is not None})
    yield "How often each reader gave the grade for which the items were drawn:"
    yield _table(
        ("meant", "items", "reader one", "reader two"),
        (
            (grade, len(mine), *(_as_meant(mine, reader) for reader in ("one", "two")))
            for grade in meant
            for mine in [[item for item in last if item.meant == grade]]
        ),
    )


def _as_meant(items: Iterable[PilotItem], reader: str) -> int:
    """How many items a reader gave the verdict or grade for which they were drawn."""
    return sum(getattr(item, reader).choice == item.meant for item in items)


def _person(pilots: Pilots) -> Iterator[str]:
    """The readers against the labels of a person, where there are any."""
    rows = []
    for check in pilots.checks:
        labeled = [i for batch in pilots.of(check) for i in batch if i.person is not None]
        for reader in ("one", "two"):
            pairs: Counter[tuple[str, str]] = Counter()
            for item in labeled:
                reading = getattr(item, reader)
                if reading.choice is not None:
                    pairs[str(item.person), reading.choice] += 1
            if labeled:
                found = agreement(pairs)
                told = ", ".join(f"{a[0]}{b[0]} {n}" for (a, b), n in sorted(pairs.items()))
                figures = (_figure(found.kappa), _figure(found.ac1))
                rows.append((f"`{check}`", reader, f"{found.agreed}/{found.n}", *figures, told))
    if rows:
        yield "## Readers and a person"
        yield "One person labeled these windows. The pairs are (person, reader), for all batches."
        yield _table(("check", "reader", "agreed", "kappa", "AC1", "pairs"), rows)


def _screens(pilots: Pilots) -> Iterator[str]:
    """How much of what both readers of a check's own question failed was listed by a screening question."""
    yield "## Screening questions"
    yield (
        "A screening question lists suspected failures of several checks. Below: of the pairs of a reply and "
        "a check that both readers of the check's own question failed, how many each reader of the screening "
        "question listed. The screening question was read on the conversation up to the reply."
    )
    rows = [
        (f"`{name}`", check, reader, share(found), interval(found))
        for name in pilots.screens
        for check, reader, found in _listed(pilots, name)
    ]
    yield _table(("screening question", "check", "reader", "listed", "95 %"), rows)


def _listed(pilots: Pilots, name: str) -> Iterator[tuple[str, str, Counter[bool]]]:
    """For each check and reader, how many failed replies the screening listed, and how many not."""
    failed: dict[tuple[object, ...], set[str]] = {}
    for item in pilots.items:
        if item.pair == (FAIL, FAIL) and item.check in pilots.screens[name]:
            failed.setdefault((item.batch, *item.place), set()).add(item.check)
    for reader in ("one", "two"):
        found: dict[str, Counter[bool]] = {}
        for row in pilots.screened:
            listing = getattr(row, reader)
            if row.screen != name or listing is None:
                continue
            for check in failed.get((row.batch, *row.place), ()):
                found.setdefault(check, Counter())[check in listing.checks] += 1
        for check in sorted(found):
            yield f"`{check}`", reader, found[check]
        if found:
            yield "all", reader, sum(found.values(), Counter())


def _rates(pilots: Pilots) -> Iterator[Sequence[object]]:
    for check, models in pilots.rates.rates.items():
        for model, rate in models.items():
            counts = Counter({True: rate.failed, False: rate.judged - rate.failed})
            yield (f"`{check}`", model, share(counts), interval(counts))


def pilot_summary(pilots: Pilots) -> str:
    """`pilot/summary.yaml`: the figures that the pages of the checks show."""
    checks = {}
    for check in pilots.checks:
        found = compared(pilots.present(check))
        if found.n and check in pilots.templates and check != OVER_ALARM:
            checks[check] = {
                "n": found.n,
                "agreed": found.agreed,
                "kappa": None if found.kappa is None else round(found.kappa, 3),
                "ac1": None if found.ac1 is None else round(found.ac1, 3),
            }
    told = {
        "read_by": list(pilots.readers),
        "checks": checks,
        "no_failures": {
            check: one.model_dump(mode="json") for check, one in sorted(pilots.no_failures.checks.items())
        },
    }
    text = yaml.safe_dump(told, default_flow_style=None, sort_keys=False, width=110, allow_unicode=True)
    return f"{made_yaml(f'{FOLDER}/summary.yaml')}\n{text}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _between(value: tuple[float, float] | None) -> str:
    return "-" if value is None else f"{value[0]:.2f} to {value[1]:.2f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    if not lines:
        return "None so far."
    return "\n".join([f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines])
