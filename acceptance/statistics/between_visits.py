"""The variance between visits: how much the mean of a load differs between moments of a run that lie minutes apart.

A load of a minute shows how storage varies within that minute. Neighbors, compaction, credits and throttling change it
from minute to minute, which only loads at several moments (*visits*) show. Two or three visits of one profile are too
few to estimate that variance, so it is moderated: each profile's own estimate is combined with that of all profiles of
the class, as in Smyth, Linear models and empirical Bayes methods (Stat. Appl. Genet. Mol. Biol. 3, 2004).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.statistics.student_t import t_quantile

LEAST = 0.01
"""The standard deviation between visits that is assumed until visits are known: also quiet machines differ by 1 %."""
LEAST_DEGREES = 4.0
"""The degrees of freedom with which that assumption counts."""
SHARED_DEGREES = 6.0
"""The degrees of freedom with which the variance of the class counts for each profile, next to its own visits."""


@dataclass(frozen=True, kw_only=True)
class Visits:
    """The visits of one profile: `seconds` of each, and the `logarithms` of its means.

    `per_second`: the variance within visits, as that of the logarithm of one second: the mean of n seconds has 1/n of
    it; `within_degrees`: its degrees of freedom. 0 if it is unknown: then all of the differences between visits count.
    """

    seconds: tuple[float, ...]
    logarithms: tuple[float, ...]
    per_second: float = 0.0
    within_degrees: int = 0

    @property
    def degrees(self) -> int:
        """The degrees of freedom of the variance between these visits."""
        return max(0, len(self.seconds) - 1)

    @property
    def size(self) -> float:
        """The weight of the variance between visits in `excess` (n0 of an unbalanced analysis of variance)."""
        total = math.fsum(self.seconds)
        return total - math.fsum(length * length for length in self.seconds) / total if self.degrees else 0.0

    @property
    def excess(self) -> float:
        """The sum of squares between visits, without what the variance within visits explains.

        Searle, Casella & McCulloch, Variance Components, 3.6: the expected value is the variance times `size`.
        """
        if not self.degrees:
            return 0.0
        pairs = list(zip(self.seconds, self.logarithms, strict=True))
        mean = math.fsum(length * value for length, value in pairs) / math.fsum(self.seconds)
        squares = math.fsum(length * (value - mean) ** 2 for length, value in pairs)
        return squares - self.degrees * self.per_second


@dataclass(frozen=True, kw_only=True)
class BetweenVisits:
    """The variance of the logarithm of a mean between visits, and of one second within them, with their degrees of
    freedom.
    """

    variance: float = LEAST**2
    degrees: float = LEAST_DEGREES
    per_second: float = 0.0
    within_degrees: float = 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation, as a share of the mean."""
        return math.sqrt(self.variance)

    def of(self, visits: Visits) -> BetweenVisits:
        """Return the variance of one profile: its own, moderated by this one of its class."""
        shared = min(self.degrees, SHARED_DEGREES)
        own = max(0.0, visits.excess / visits.size * visits.degrees) if visits.size else 0.0
        degrees = shared + visits.degrees
        of_class = min(self.within_degrees, SHARED_DEGREES)
        within_degrees = of_class + visits.within_degrees
        squares = of_class * self.per_second + visits.within_degrees * visits.per_second
        return BetweenVisits(
            variance=(shared * self.variance + own) / degrees,
            degrees=min(degrees, max(shared, self.degrees)),
            per_second=squares / within_degrees if within_degrees else 0.0,
            within_degrees=within_degrees,
        )

    def reach_within(self, *, confidence: float, seconds: Sequence[float]) -> float:
        """Return how far the logarithm reaches for the variance within visits: for a profile whose seconds were calm,
        while others of the class were not.
        """
        if not self.within_degrees:
            return 0.0
        return _quantile(confidence, self.within_degrees) * math.sqrt(self.per_second / math.fsum(seconds))

    def reach(self, *, confidence: float, seconds: Sequence[float]) -> float:
        """Return how far the logarithm of a mean over visits of these lengths reaches to either side, for the variance
        between them (two-sided).
        """
        share = math.fsum(length * length for length in seconds) / math.fsum(seconds) ** 2
        return _quantile(confidence, self.degrees) * math.sqrt(self.variance * share)


def _quantile(confidence: float, degrees: float) -> float:
    return t_quantile(0.5 + confidence / 2, degrees=max(1, round(degrees)))


def between_visits(profiles: Sequence[Visits]) -> BetweenVisits:
    """Return the variance between visits that all profiles of a class share; `LEAST` counts as one more profile."""
    sizes = [visits.size for visits in profiles if visits.degrees]
    if not sizes:
        return BetweenVisits()
    variance = max(0.0, math.fsum(visits.excess for visits in profiles) / math.fsum(sizes))
    # Profiles with longer visits weigh more, so all together count as fewer (Kish, Survey Sampling, 11.7).
    degrees = math.fsum(sizes) ** 2 / math.fsum(
        visits.size**2 / visits.degrees for visits in profiles if visits.degrees
    )
    total = degrees + LEAST_DEGREES
    within = [visits for visits in profiles if visits.within_degrees]
    return BetweenVisits(
        variance=(degrees * variance + LEAST_DEGREES * LEAST**2) / total,
        degrees=total,
        per_second=math.fsum(visits.per_second for visits in within) / max(1, len(within)),
        within_degrees=sum(visits.within_degrees for visits in within),
    )
