"""Longhorn's objects of a volume at a moment, in the shapes of v1beta2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.trials.rebuild.longhorn_objects import LonghornView


def view(
    modes: dict[str, str],
    *,
    robustness: str = "degraded",
    status: dict[str, dict[str, Any]] | None = None,
    conditions: list[dict[str, str]] | None = None,
    replicas: dict[str, dict[str, Any]] | None = None,
    unknown: dict[str, str] | None = None,
    purging: Sequence[str] = (),
    wanted: int = 3,
) -> LonghornView:
    """A volume whose replicas are those of `modes` and of `replicas`, which has more of their spec and status.

    `unknown`: keys of the engine's map that are no replicas. `purging`: the replicas whose snapshots are coalesced.
    """
    addresses = {name: f"10.42.0.{number}:10000" for number, name in enumerate(sorted(modes), start=1)}
    names = dict.fromkeys((*modes, *(replicas or {})))
    return LonghornView(
        volume={
            "metadata": {"name": "pvc-1"},
            "spec": {"numberOfReplicas": wanted, "size": "1073741824"},
            "status": {"state": "attached", "robustness": robustness, "conditions": conditions or []},
        },
        engines=[
            {
                "metadata": {"name": "pvc-1-e-0"},
                "status": {
                    "replicaModeMap": modes | (unknown or {}),
                    "currentReplicaAddressMap": addresses,
                    "purgeStatus": {
                        f"tcp://{each}": {"isPurging": name in purging} for name, each in addresses.items()
                    },
                    "rebuildStatus": {f"tcp://{addresses[name]}": each for name, each in (status or {}).items()},
                },
            }
        ],
        replicas=[
            {"metadata": {"name": name}, "spec": {"nodeID": f"node-{name[-1]}"}} | (replicas or {}).get(name, {})
            for name in names
        ],
    )
