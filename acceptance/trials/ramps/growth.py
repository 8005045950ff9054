"""The number of pods at which the growth of running pods stops being linear. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

# The usual delay is that of the first pods: this many, or this share of all, whichever is more.
FIRST_PODS, FIRST_SHARE = 10, 0.1
# The slack beyond the usual delay, which single slow pods and pauses explain: in s, and as a share of it.
SLACK_S, SLACK_SHARE = 15.0, 0.5


def linear_until(asked_s: Sequence[float], running_s: Sequence[float]) -> int:
    """Return how many pods ran when growth was last as fast as they were requested; all that ran if it always was.

    `asked_s`: when the n-th pod was requested; `running_s`: when n pods had become running; both in order, in s.

    While growth is linear, the n-th pod runs a steady time after the n-th was requested, whatever a single start takes.
    That delay is taken as the median of the first pods' delays. Growth is linear for as long as the delay exceeds it by
    no more than half of it or 15 s, whichever is more. A pause that is made up for later does not end it: the last pod
    that was in time counts.
    """
    delays = [run_s - request_s for request_s, run_s in zip(asked_s, running_s, strict=False)]
    if not delays:
        return 0
    first = delays[: max(FIRST_PODS, math.ceil(FIRST_SHARE * len(delays)))]
    usual = median(first)
    longest_s = usual + max(SLACK_S, SLACK_SHARE * usual)
    return max((number for number, delay in enumerate(delays, start=1) if delay <= longest_s), default=0)
