"""Whether a judge errs as often as in its exam, on exam items that were mixed among the questions of a scan.

The test is the exact one of Fisher (1934) for two counts, in both directions: a judge that suddenly errs less
has changed, too. Its p value depends on the counts alone, so the chance that the alarm is raised can be
computed before anything is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

LEVEL = 0.01
"""The alarm is raised below this p value: a judge that has not changed raises it about once in 100 scans."""
POWER = 0.8
_STEPS = 30
_TIE = 1 + 1e-7
"""Tables with the same probability differ by rounding; R and scipy use the same tolerance."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The errors of a judge in a scan, beside those of its exam."""

    wrong: int
    n: int
    exam_wrong: int
    exam_n: int
    p: float
    """The two-sided exact p value."""

    @property
    def alarm(self) -> bool:
        """True if the judge differs from its exam."""
        return self.p < LEVEL


def drift(wrong: int, n: int, exam_wrong: int, exam_n: int) -> Drift:
    """Compare `wrong` of `n` answers in a scan with `exam_wrong` of `exam_n` in the exam.

    Raises ValueError unless both have answers, and 0 <= wrong <= n in each.
    """
    if not (0 <= wrong <= n and n >= 1 and 0 <= exam_wrong <= exam_n and exam_n >= 1):
        raise ValueError(f"counts need 0 <= wrong <= n; found {wrong}/{n} and {exam_wrong}/{exam_n}")
    chances = _chances(wrong + exam_wrong, n, exam_n)
    seen = chances[wrong] * _TIE
    return Drift(wrong, n, exam_wrong, exam_n, min(1.0, math.fsum(p for p in chances.values() if p <= seen)))


def power(n: int, exam_wrong: int, exam_n: int, rate: float) -> float:
    """The chance that the alarm is raised on `n` answers of a judge that now errs at this rate.

    The result of the exam is taken as it is. At the exam's own rate, this is the chance of a false alarm.
    """
    return math.fsum(_binomial(k, n, rate) for k in _alarming(n, exam_wrong, exam_n))


def least_rate(n: int, exam_wrong: int, exam_n: int) -> float | None:
    """The least error rate above that of the exam that raises the alarm with a chance of POWER.

    None if no rate does: there are too few answers.
    """
    low, high = exam_wrong / exam_n, 1.0
    if power(n, exam_wrong, exam_n, high) < POWER:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = power(n, exam_wrong, exam_n, middle) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


@lru_cache(maxsize=256)
def _alarming(n: int, exam_wrong: int, exam_n: int) -> tuple[int, ...]:
    """The numbers of errors in `n` answers that raise the alarm."""
    return tuple(k for k in range(n + 1) if drift(k, n, exam_wrong, exam_n).alarm)


@lru_cache(maxsize=4096)
def _chances(every: int, n: int, exam_n: int) -> dict[int, float]:
    """The chance of each number of errors among the first n of n + exam_n answers, of which `every` err."""
    whole = _log_choose(n + exam_n, every)
    return {
        k: math.exp(_log_choose(n, k) + _log_choose(exam_n, every - k) - whole)
        for k in range(max(0, every - exam_n), min(n, every) + 1)
    }


def _binomial(k: int, n: int, rate: float) -> float:
    if rate in (0.0, 1.0):
        return float(k == n * rate)
    return math.exp(_log_choose(n, k) + k * math.log(rate) + (n - k) * math.log1p(-rate))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
