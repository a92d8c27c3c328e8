"""Disputes: from the address of a published verdict to a batch that people read blind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError

from ib.board.figures.slugs import case_id, quotes_path, transcript_path
from ib.board.review.drawing import dispute_draw
from ib.board.review.population import cases_of
from ib.board.review.standing import row_words
from ib.errors import DataError, UsageError
from ib.models.common.base import Verdict
from ib.models.release.leaderboard import Leaderboard, ModelEntry, ScenarioOfModel
from ib.models.review.dispute import Dispute
from ib.models.review.reviews import RowKey
from ib.models.scan.decided import Claim
from ib.pipeline.review.draw import DrawnBatch, redraw
from ib.pipeline.scan.find import pairs
from ib.store.files.clock import today
from ib.store.folders import scans
from ib.store.folders.released import load_joined

RELEASE = Path("data/leaderboard")
RELEASES = Path("data/releases")
"""The folder of older releases, by id."""
_OLDER = re.compile(r"(?:^|/)r/([0-9A-Za-z._-]+)/")
_VERDICTS = {"F": Verdict.FAIL, "C": Verdict.FAIL, "P": Verdict.PASS, "p": Verdict.PASS, "U": Verdict.UNCLEAR}
"""The verdicts that can be disputed, by their letters."""


@dataclass(frozen=True)
class Published:
    """A verdict of a release."""

    key: RowKey
    shown: Verdict
    transcript_hash: str


def release_of(permalink: str) -> Path:
    """The folder of the release that an address is of: an older one, if the address has its id."""
    older = _OLDER.search(_parts(permalink)[0])
    return RELEASE if older is None else RELEASES / older[1]


def _parts(permalink: str) -> tuple[str, str]:
    """The path and the fragment of an address. Raises UsageError if it is none."""
    try:
        found = urlsplit(permalink)
    except ValueError as error:
        raise UsageError(f"{permalink}: is no address: {error}") from error
    return unquote(found.path).removesuffix("index.html"), unquote(found.fragment)


def find_verdict(permalink: str, release: Path, check_id: str | None = None) -> Published:
    """The verdict at an address of a site: models/MODEL/CHECK/#CASE, or transcripts/MODEL/CASE/ and a check.

    Raises UsageError if the release has no verdict there, DataError if `release` is no release.
    """
    board = load_joined(release)
    path, fragment = _parts(permalink)
    found = [
        (model, met, check)
        for model, met, here, check in _addresses(board, fragment, check_id)
        if f"/{path.strip('/')}/".endswith(f"/{here}")
    ]
    if not found:
        raise UsageError(
            f"{permalink}: {release} has no verdict there; give the address of a case on the page of a model "
            "and a check, such as models/MODEL/CHECK/#CASE, or that of a transcript with --check"
        )
    model, met, check = found[0]
    letter = met.verdicts[[one.check_id for one in board.checks].index(check)]
    if letter not in _VERDICTS:
        raise UsageError(
            f"{permalink}: {check} has no PASS, FAIL or UNCLEAR there, and nothing else is disputed"
        )
    key = (model.model_id, met.scenario_id, met.epoch, check)
    return Published(key, _VERDICTS[letter], met.transcript_hash)


def _addresses(
    board: Leaderboard, fragment: str, check_id: str | None
) -> Iterator[tuple[ModelEntry, ScenarioOfModel, str, str]]:
    """The addresses of verdicts that end in a fragment, and of transcripts if a check is named."""
    slugs = {one.scenario_id: one.slug for one in board.scenarios}
    checks = [one.check_id for one in board.checks]
    for model in board.models:
        plays = Counter(met.scenario_id for met in model.scenarios)
        for met in model.scenarios:
            slug = slugs[met.scenario_id]
            if fragment == case_id(slug, met.epoch):
                yield from ((model, met, quotes_path(model.slug, check), check) for check in checks)
            if check_id in checks:
                here = transcript_path(model.slug, slug, met.epoch, plays[met.scenario_id])
                yield model, met, here, check_id


def dispute_batch(
    permalink: str, why: str, scan: Path, published: Published, benchmark: Path | None = None
) -> tuple[DrawnBatch, Dispute]:
    """The batch of a disputed verdict, which has other verdicts of its check too, and the file that says so.

    Raises UsageError if the scan has no such verdict, or has reviews; DataError if its conversation is
    another than that of the release.
    """
    folder = scans.ScanFolder(scan)
    folder.manifest()
    if (scan / scans.REVIEWS).exists():
        raise UsageError(f"{scan} has reviews already; name the scan that they were applied to")
    _same_conversation(folder, published)
    results_hash = scans.file_hash(scan / scans.RESULTS)
    made = redraw(folder, dispute_draw(published.key, results_hash), results_hash, benchmark)
    try:
        claim = Claim(permalink=permalink, shown=published.shown, reason=why.strip(), date=today())
    except ValidationError as error:
        raise UsageError("--why has 1 to 2,000 characters, and an address 500 without spaces") from error
    return made, Dispute(batch=made.batch.hash, draw=made.batch.draw, claim=claim)


def _same_conversation(folder: scans.ScanFolder, published: Published) -> None:
    """Raises an error unless the scan has the row, on the conversation that the release has."""
    for _, result in pairs(folder):
        if (result.model_id, result.scenario_id, result.epoch) == published.key[:3]:
            if result.transcript_hash != published.transcript_hash:
                found = f"{row_words(published.key)} is about another conversation than in the release"
                hint = "name the scan that the release was made from"
                raise DataError.one(folder.path / scans.RESULTS, None, "transcript_hash", found, hint)
            if any(case.key == published.key for case in cases_of(result)):
                return
    raise UsageError(f"{folder.path} has no verdict of {row_words(published.key)} that people could review")


def again(scan: Path) -> str:
    """The options of `ib scan` that judge the conversations of a scan again, for all models."""
    plan = scans.ScanFolder(scan).plan()
    return f"{scan / scans.TRANSCRIPTS} --profile {plan.profile} --judge {plan.judge.model}"
