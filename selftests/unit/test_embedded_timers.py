"""How long nodes of the embedded cluster may be silent: as Kubernetes has it, or shorter."""

from __future__ import annotations

from embedded_cluster.timers import SHORT_GRACE_S, timers


def test_without_being_asked_controllers_have_their_own_times() -> None:
    assert timers(short=False).of_controllers == []
    assert timers(short=False).lease_s == 40  # the kubelet's own


def test_short_ones_leave_time_for_as_many_late_renewals() -> None:
    short = timers(short=True)
    assert short.of_controllers == [f"--node-monitor-grace-period={SHORT_GRACE_S}s", "--node-monitor-period=1s"]
    assert SHORT_GRACE_S / (short.lease_s / 4) >= 50 / (timers(short=False).lease_s / 4)
