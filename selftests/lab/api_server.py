"""The embedded cluster's API server, killed and started again, as an upgrade or a crash would."""

from __future__ import annotations

from selftests.lab.components import API_SERVER, restart


def restart_api_server(cluster: str, *, down_s: float) -> None:
    """Kill it, and start it again with the same words so long after."""
    restart(cluster, API_SERVER, down_s=down_s)
