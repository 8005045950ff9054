"""A node whose kubelet is away while its pods run on, and what is left of a volume there once the kubelet is back."""

from __future__ import annotations

import time
from collections.abc import Callable

from acceptance.cluster.waiting import wait_for
from acceptance.process.commands import run_command
from acceptance.settings.target_plans import KubeletPlan
from acceptance.trials.crashes.gaps import longest_gap
from acceptance.trials.crashes.writer import Writer

AWAY_S = 10.0
"""Seconds that a kubelet is away: as long as its upgrade takes, and shorter than a cluster waits until it takes the
node for lost."""


def while_away(seconds: float = AWAY_S, *, subject: str = "the kubelet") -> None:
    """Wait for as long as a kubelet, or the storage, must be away."""
    ends_s = time.monotonic() + seconds
    wait_for(
        f"{subject} to have been away for {seconds:.0f} s",
        look=lambda: time.monotonic(),
        ready=lambda now_s: now_s >= ends_s,
        state=str,
        timeout_s=seconds + 5.0,
    )


def wrote_on(writer: Writer, *, since: int) -> str:
    """Return in words the longest time in which no record became durable meanwhile, by the clock of the node."""
    gap_s = longest_gap(writer.moments, since=since)
    if gap_s is None:
        return "the longest pause of the pod is unknown: the pod cannot read its node's clock"
    return f"the pod continued to write, with at most {gap_s:.1f} s between two records"


def mounts_left(plan: KubeletPlan, *, volume: str, node: str) -> Callable[[], list[str]]:
    """Return a function that lists the mounts of the volume on the node by the user's own command; an empty list if
    there is no such command.

    The function raises EnvironmentFailure, with the command's own words, if the command fails.
    """

    def look() -> list[str]:
        if not plan.mounts:
            return []
        result = run_command(plan.mounts, values={"node": node, "volume": volume}, timeout_s=plan.timeout_s)
        if result.status:
            raise result.failure(f"0 from the command that shows mounts on node {node}")
        return [f"mounted at {line.strip()}" for line in result.stdout.splitlines() if line.strip()]

    return look
