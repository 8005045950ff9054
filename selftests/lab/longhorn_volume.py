"""One Longhorn volume with its replicas, as longhorn-manager 1.10 treats them, look after look. Nothing is asked of a
cluster here, and no data is behind it.

What it does as Longhorn does, in controller/engine_controller.go and controller/volume_controller.go: a replica whose
object is gone stays in the engine's map as `UNKNOWN-tcp://...` for a look; a replica in error is marked with `failedAt`
and leaves the map; while one lacks, a failed one that was whole before is taken up again under its old name, at first
at once, or else one is made where there is none, and one that was made so and failed is deleted; a try begins with a
purge, and one that went well is followed by another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Object = Mapping[str, Any]

UNKNOWN = "UNKNOWN-"
LOOKS_S = 5.0
"""`EnginePollInterval`: how often Longhorn itself brings the status of an engine up to date"""
MOST_RETRIES = 5
MADE: Object = {"rebuildRetryCount": MOST_RETRIES}
"""of the spec of a replica that is made for a rebuild: if it fails, it is not taken up again"""


@dataclass(kw_only=True)
class Behaviour:
    """How rebuilds go. The times are shorter than Longhorn's, so that tests are over soon.

    `looks_s`: how often the engine's status is brought up to date (LOOKS_S in Longhorn itself). `purge_s`: how long it
    purges before a rebuild and after it (10 s and more before it). `retry_s`: until it begins anew for the second time
    (a minute and more). `overshoots`: progress goes beyond 100. `error`: how tries fail, half-way,
    the first `fails` of them; empty where none does. `starts`: whether a replica that lacks is ever made. `nodes`:
    those of Longhorn, of which each takes one replica. `leftover`: a further replica failed before, and is there still.
    """

    replicas: int = 3
    nodes: tuple[str, ...] = ("store-1", "store-2", "store-3", "store-4")
    rebuild_s: float = 3.0
    looks_s: float = 0.5
    purge_s: float = 0.3
    retry_s: float = 0.5
    overshoots: bool = False
    error: str = ""
    fails: int = 1000
    starts: bool = True
    leftover: bool = False
    state: str = "attached"
    robustness: str = "healthy"
    owner: str = ""
    """another claim that Longhorn believes the volume to be of"""
    free: int = 1024**4
    """bytes on the only disk of each node, none of them promised to anybody"""
    settings: dict[str, str] = field(
        default_factory=lambda: {
            "auto-cleanup-system-generated-snapshot": "true",
            "concurrent-replica-rebuild-per-node-limit": "5",
            "fast-replica-rebuild-enabled": '{"v1":"true","v2":"false"}',
            "replica-file-sync-http-client-timeout": "30",
            "replica-replenishment-wait-interval": "600",
            "replica-soft-anti-affinity": "false",
        }
    )


@dataclass(kw_only=True)
class Turn:
    """What a look at the volume comes to: the engine's maps, and what is changed of replicas.

    `specs`: by replica, to be merged. `failed`: what the condition RebuildFailed says, nothing where it is withdrawn.
    `makes`: the node on which a replica is made.
    """

    modes: dict[str, str]
    rebuilds: dict[str, Object] = field(default_factory=dict)
    purging: bool = False
    specs: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    deletes: list[str] = field(default_factory=list)
    makes: str = ""


def stamp() -> str:
    """Now, as Longhorn writes it, but not in whole seconds: a lab that is in a hurry does much in one."""
    return datetime.now(UTC).isoformat()


class LabVolume:
    """What is remembered of a volume between two looks."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._began: dict[str, float] = {}
        self._purged_until = 0.0
        self._failures = 0
        self._failed_at = 0.0

    def turn(self, now: float, *, wanted: int, replicas: Mapping[str, Object], modes: Mapping[str, str]) -> Turn:
        """The next look, at `now` (s); `replicas`: their specs; `modes`: as the engine had them at the last one."""
        gone = [UNKNOWN + address(name) for name in modes if name not in replicas and not name.startswith(UNKNOWN)]
        found = Turn(modes={name: mode for name, mode in modes.items() if name in replicas})
        settled = not gone
        for name, mode in list(found.modes.items()):
            if mode == "ERR":
                settled = False
                if replicas[name].get("failedAt"):
                    del found.modes[name]
                else:
                    found.specs[name] = {"failedAt": stamp()}
        for name, spec in replicas.items():
            if found.modes.get(name, "WO") == "WO" and not spec.get("failedAt") and name not in found.specs:
                self._rebuild(name, now, found)
                settled = False
        if settled:
            self._replenish(now, found, wanted=wanted, replicas=replicas)
        found.modes |= dict.fromkeys(gone, "ERR")
        found.purging |= now < self._purged_until
        return found

    def _rebuild(self, name: str, now: float, found: Turn) -> None:
        behaviour, passed_s = self._behaviour, now - self._began.setdefault(name, now)
        share = (passed_s - behaviour.purge_s) / behaviour.rebuild_s
        if share < 0.0:
            found.purging = True
        elif share > 0.5 and behaviour.error and self._failures < behaviour.fails:
            self._failures, self._failed_at = self._failures + 1, now
            del self._began[name]
            found.modes[name] = "ERR"
            found.rebuilds[address(name)] = _status("error", int(100 * share), behaviour.error)
            found.specs[name], found.failed[name] = {"failedAt": stamp()}, behaviour.error
        elif share >= 1.0:
            del self._began[name]
            found.modes[name] = "RW"
            found.specs[name], found.failed[name] = {"healthyAt": stamp(), "rebuildRetryCount": 0}, ""
            self._purged_until = now + behaviour.purge_s
        else:
            if found.modes.get(name) != "WO":
                found.failed[name] = ""
            found.modes[name] = "WO"
            percent = int((140 if behaviour.overshoots else 100) * share)
            found.rebuilds[address(name)] = _status("in_progress", percent)

    def _replenish(self, now: float, found: Turn, *, wanted: int, replicas: Mapping[str, Object]) -> None:
        """One at a time: a failed one that may be had, else one on a node that has none."""
        failed = {name: spec for name, spec in replicas.items() if spec.get("failedAt")}
        given_up = [name for name, spec in failed.items() if int(spec.get("rebuildRetryCount") or 0) >= MOST_RETRIES]
        found.deletes += given_up
        if len(replicas) - len(failed) >= wanted or not self._behaviour.starts:
            return
        if again := sorted(failed.keys() - given_up):
            count = int(failed[again[0]].get("rebuildRetryCount") or 0)
            if not count or now - self._failed_at >= self._behaviour.retry_s:
                found.specs[again[0]] = {"failedAt": "", "healthyAt": "", "rebuildRetryCount": count + 1}
                self._began[again[0]] = now
            return
        if self._failures > 1 and now - self._failed_at < self._behaviour.retry_s:
            return
        used = {spec["nodeID"] for name, spec in replicas.items() if name not in given_up}
        found.makes = next((node for node in self._behaviour.nodes if node not in used), "")


def address(replica: str) -> str:
    """Of its process, as the engine's maps of what is done have it."""
    return f"tcp://{replica}:10000"


def _status(state: str, progress: int, error: str = "") -> Object:
    return {"isRebuilding": not error, "state": state, "progress": progress, "error": error}
