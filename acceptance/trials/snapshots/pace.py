"""The rate at which records were acknowledged between two moments. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acceptance.results.snapshots import Pace, Stage
from acceptance.trials.crashes.acknowledged_records import MOST_RECORDS
from acceptance.trials.crashes.writer import Arrival


def pace_of(
    stage: Stage, arrivals: Sequence[Arrival], *, begin_s: float, end_s: float, most: int = MOST_RECORDS
) -> Pace | None:
    """Return the pace between the two moments; None if all `most` records had been acknowledged before.

    A stage during which the last record arrived ends with that arrival.
    """
    if arrivals and arrivals[-1][1] >= most:
        end_s = min(end_s, arrivals[-1][0])
    if end_s <= begin_s:
        return None
    before = max((number for at_s, number in arrivals if at_s <= begin_s), default=0)
    within = [(at_s, number) for at_s, number in arrivals if begin_s < at_s <= end_s]
    moments = [begin_s, *(at_s for at_s, _ in within), end_s]
    return Pace(
        stage=stage,
        seconds=end_s - begin_s,
        records=within[-1][1] - before if within else 0,
        longest_s=max(later - earlier for earlier, later in pairwise(moments)),
    )
