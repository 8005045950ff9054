"""The times for which nodes may be silent before they count as lost: Kubernetes' own, or shorter ones for tests."""

from dataclasses import dataclass

# On a busy machine a restarted API server receives nothing for over ten seconds, which must not lose a node.
SHORT_GRACE_S = 25


@dataclass(frozen=True)
class Timers:
    """Times in s; None for `grace_s` and `monitor_s` is Kubernetes' default: 50 and 5.

    A lease is renewed four times in `lease_s`, so that some renewals may come late before the grace period ends.
    """

    lease_s: int = 40
    grace_s: int | None = None
    monitor_s: int | None = None

    @property
    def of_controllers(self) -> list[str]:
        """The controller manager's options."""
        periods = {"node-monitor-grace-period": self.grace_s, "node-monitor-period": self.monitor_s}
        return [f"--{option}={seconds}s" for option, seconds in periods.items() if seconds is not None]


def timers(*, short: bool) -> Timers:
    """Return the times of a cluster."""
    return Timers(lease_s=12, grace_s=SHORT_GRACE_S, monitor_s=1) if short else Timers()
