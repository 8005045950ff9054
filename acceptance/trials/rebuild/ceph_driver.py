"""The driver for Ceph as Rook runs it: an OSD is taken out, and in again afterwards, through the toolbox pod.

It moves the data of everyone who stores on that OSD. So it is used only if the target file names it and allows it.
"""

from __future__ import annotations

from typing import Any

from acceptance.cluster.api import Api
from acceptance.cluster.permissions import Permission, require_rebuild_permissions
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for
from acceptance.process.clock import now_s
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.ceph_status import (
    Groups,
    groups_of,
    groups_on,
    is_in,
    options_of,
    parse,
    recovery_state,
    require_room,
    stored_bytes,
)
from acceptance.trials.rebuild.driver import RebuildState, TargetVolume, Undo

COMMAND_S = 60.0
INFLUENCES = (
    "osd_max_backfills",
    "osd_recovery_max_active",
    "osd_recovery_max_active_hdd",
    "osd_recovery_max_active_ssd",
    "osd_recovery_sleep",
    "osd_recovery_sleep_hdd",
    "osd_recovery_sleep_hybrid",
    "osd_recovery_sleep_ssd",
    "osd_op_queue",
    "osd_mclock_profile",
)
"""The options of an OSD that change how long a recovery takes. If one is 0, the option for its kind of device
counts."""
RESOLUTION_S = 5.0
"""The age in s that the answer of `ceph pg stat` about placement groups may have: OSDs report to the manager, which
answers it, every 5 s (`mgr_stats_period`, default of Ceph's own mgr.yaml.in). `ceph status` is from the monitors and
2 s older."""


def ceph_permissions(namespace: str) -> list[Permission]:
    """Return the permissions that the driver needs in Rook's namespace."""
    return [
        Permission(resource=PODS, verbs=("list",), namespace=namespace),
        Permission(resource=PODS, subresource="exec", verbs=("get", "create"), namespace=namespace),
    ]


class CephDriver:
    """Implements `RebuildDriver`. `toolbox`: the label of the toolbox pod; `osd`: the OSD that is taken out.

    `move_timeout_s`: how long its data may take to move back once it is in again.
    """

    name = "ceph"
    of_one_volume = False

    def __init__(self, api: Api, *, namespace: str, toolbox: str, osd: int, move_timeout_s: float) -> None:
        self.move_timeout_s = move_timeout_s
        self._api = api
        self._namespace = namespace
        self._toolbox = toolbox
        self._osd = osd

    def require_ready(self) -> None:
        """See `RebuildDriver`."""
        require_rebuild_permissions(self._api, ceph_permissions(self._namespace))
        if not is_in(self.ask("osd", "dump"), self._osd):
            raise EnvironmentFailure(f"expected OSD {self._osd} in, found it out; name another one in the target file")

    def rebuild_of(self, volume: TargetVolume) -> CephRebuild:
        """See `RebuildDriver`."""
        return CephRebuild(self, osd=self._osd)

    def ask(self, *words: str) -> dict[str, Any]:
        """Return the answer of a ceph command, from JSON."""
        return parse(self.run(*words, "-f", "json"), of=f"ceph {' '.join(words)}")

    def run(self, *words: str) -> str:
        """Return the output of a ceph command, run in the toolbox pod. Raises EnvironmentFailure with its own words."""
        pods = self._api.list(PODS, namespace=self._namespace, labels=self._toolbox)
        running = [pod for pod in pods if pod["status"].get("phase") == "Running"]
        if not running:
            raise EnvironmentFailure(
                f"expected Rook's toolbox pod (label {self._toolbox}) running in namespace {self._namespace}, found "
                f"{len(pods)} pods, none of them running; deploy it as in Rook's documentation, or name its namespace "
                "and label in the target file"
            )
        pod, container = running[0]["metadata"]["name"], running[0]["spec"]["containers"][0]["name"]
        outcome = self._api.execute(
            pod, namespace=self._namespace, container=container, command=["ceph", *words], timeout_s=COMMAND_S
        )
        if outcome.status:
            message = outcome.stderr.strip() or outcome.stdout.strip() or outcome.why
            raise EnvironmentFailure(f"`ceph {' '.join(words)}` ended with {outcome.status} in pod {pod}: {message}")
        return outcome.stdout


class CephRebuild:
    """Implements `ReplicaRebuild`, for all that an OSD stores, of whatever volume."""

    resolution_s = RESOLUTION_S

    def __init__(self, ceph: CephDriver, *, osd: int) -> None:
        self._ceph = ceph
        self._osd = osd
        self._most = 0
        self._has_begun = False
        self._bytes: int | None = None
        self._out = False

    def require_whole(self) -> None:
        """See `ReplicaRebuild`."""
        groups = self._groups()
        if not groups.whole:
            raise EnvironmentFailure(
                "expected all placement groups clean before an OSD is taken out, found "
                f"{groups.description}; wait until Ceph has recovered"
            )
        usage = self._ceph.ask("osd", "df")
        if not groups_on(usage, self._osd):
            raise EnvironmentFailure(
                f"expected placement groups on osd.{self._osd}, found none: nothing would be rebuilt; name another "
                "one in the target file"
            )
        require_room(usage, self._ceph.ask("osd", "dump"), osd=self._osd)

    def trigger(self) -> str:
        """See `ReplicaRebuild`."""
        self._most, self._has_begun = 0, False
        self._bytes = stored_bytes(self._ceph.ask("osd", "df"), self._osd)
        self._out = True  # before it is out, so that it is undone whatever happens meanwhile
        self._ceph.run("osd", "out", str(self._osd))
        return f"osd.{self._osd} taken out"

    def look(self) -> RebuildState:
        """See `ReplicaRebuild`."""
        groups, groups_left = self._groups(), 0
        if groups.whole:
            # The manager reports both, so that after a group was seen to have left the OSD its state is known as well.
            groups_left = groups_on(self._ceph.ask("osd", "df"), self._osd)
            groups = self._groups()
        state = recovery_state(groups, groups_left=groups_left, most=self._most, has_begun=self._has_begun)
        self._most = max(self._most, groups.missing)
        self._has_begun = self._has_begun or not groups.whole
        return state

    def obstacles(self) -> list[str]:
        """See `ReplicaRebuild`."""
        checks = (self._ceph.ask("status").get("health") or {}).get("checks") or {}
        return [f"{name}: {(check.get('summary') or {}).get('message')}" for name, check in checks.items()]

    def restore(self) -> None:
        """See `ReplicaRebuild`. The restore is over when the data has moved back."""
        if not self._out:
            return
        self._ceph.run("osd", "in", str(self._osd))
        self._out = False
        known_s = now_s() + RESOLUTION_S  # until then an answer may be from before

        def look() -> tuple[Groups, int]:
            group_count = groups_on(self._ceph.ask("osd", "df"), self._osd)
            return self._groups(), group_count

        wait_for(
            f"the data of osd.{self._osd} to move back",
            look=look,
            ready=lambda observation: now_s() >= known_s and observation[0].whole and observation[1] > 0,
            state=lambda observation: f"{observation[0].description}; {observation[1]} groups on the OSD",
            timeout_s=self._ceph.move_timeout_s,
        )

    def wait_settled(self) -> None:
        """See `ReplicaRebuild`: `restore` has waited for the data."""

    def undo(self) -> Undo:
        """See `ReplicaRebuild`: an OSD that is out stays out."""
        return Undo(subject=f"osd.{self._osd} of the Ceph cluster", how=f"ceph osd in {self._osd}")

    def settings(self) -> dict[str, str]:
        """See `ReplicaRebuild`."""
        words = ("config", "show-with-defaults", f"osd.{self._osd}", "-f", "json")
        return options_of(self._ceph.run(*words), INFLUENCES, of=f"ceph {' '.join(words)}")

    def rebuilt_bytes(self) -> int | None:
        """See `ReplicaRebuild`: the data that the OSD held."""
        return self._bytes

    def _groups(self) -> Groups:
        return groups_of(self._ceph.ask("pg", "stat"))
