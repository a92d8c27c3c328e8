"""The files of a scan that are computed from its results. The scan and the gate use the same class."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ib.board.evidence.adjudicate import Contradicted, requests
from ib.board.figures.blindspot import Profile
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.canonical import compact, pretty
from ib.models.scan.plan import ScanPlan
from ib.models.scan.result import TranscriptResult
from ib.models.scan.supplement import Supplement
from ib.store.files.leaks import without_keys
from ib.store.folders import scans

if TYPE_CHECKING:
    from ib.models.exam.report import Outcome


def said_of_sentinels(plan: ScanPlan, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """What a scan says about exam items among its questions; empty if there are none."""
    if plan.sentinels is None:
        return ()
    from ib.exam.sentinels import sentinel_lines  # needed only with sentinels

    return tuple(sentinel_lines(plan.sentinels, outcomes))


class DerivedFiles:
    """Counts results one by one, so that memory does not grow with the number of results.

    `contradicted` holds the (model, scenario, epoch, check) of every recorded verdict that differs
    from the verdict of its own votes. `plan` says if the scan is a sample of logs, and if it has sentinels.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        contradicted: Contradicted,
        plan: ScanPlan | None = None,
        sentinels: Iterable[Outcome] = (),
    ) -> None:
        self.profile = Profile(benchmark)
        """The counts. Counts of another part of the scan can be merged into them."""
        self.sentinels = list(sentinels)
        """What the judge said of exam items among the questions. More can be added."""
        self._contradicted, self._plan = contradicted, plan
        self._adjudications = hashlib.sha256()

    def add(self, result: TranscriptResult, supplement: Supplement | None) -> Iterator[bytes]:
        """Count one result; yields its lines of `adjudications.jsonl`, each with its newline."""
        self.profile.add(result, supplement)
        for request in requests(result, self._contradicted, supplement):
            line = compact(request) + b"\n"
            self._adjudications.update(line)
            yield line

    def documents(self) -> dict[str, bytes]:
        """The contents of the files that need all results, by file name."""
        return {
            scans.BLINDSPOT: pretty(self.profile.document()),
            scans.SUMMARY: without_keys(self._summary()).encode(),
        }

    def _summary(self) -> str:
        plan = self._plan
        if plan is None:
            return self.profile.summary()
        return self.profile.summary(plan.sample, said_of_sentinels(plan, self.sentinels))

    def hashes(self) -> dict[str, str]:
        """The SHA-256 of every derived file, by name."""
        found = {name: hashlib.sha256(data).hexdigest() for name, data in self.documents().items()}
        return {**found, scans.ADJUDICATIONS: self._adjudications.hexdigest()}
