"""Where the growth of running pods stops being linear. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

# The usual delay is that of the first pods: so many, or this share of all, whichever is more.
FIRST_PODS, FIRST_SHARE = 10, 0.1
# Beyond the usual delay: what single slow pods and pauses explain, and as a share of it.
SLACK_S, SLACK_SHARE = 15.0, 0.5


def linear_until(asked_s: Sequence[float], running_s: Sequence[float]) -> int:
    """How many pods ran when growth was last as fast as they were asked for; all that ran where it always was.

    `asked_s`: when the n-th pod was asked for; `running_s`: when so many had become running; both in order, in s.

    While growth is linear the n-th pod runs a steady time after the n-th was asked for, whatever a single start takes.
    That delay is taken as the median of the first pods'; growth is linear for as long as the delay keeps to it within
    half of it or 15 s, whichever is more. A pause that is made up for later does not end it: what counts is the last
    pod that was in time.
    """
    delays = [runs - asked for asked, runs in zip(asked_s, running_s, strict=False)]
    if not delays:
        return 0
    first = delays[: max(FIRST_PODS, math.ceil(FIRST_SHARE * len(delays)))]
    usual = median(first)
    allowed = usual + max(SLACK_S, SLACK_SHARE * usual)
    return max((number for number, delay in enumerate(delays, start=1) if delay <= allowed), default=0)
