"""The writer: a pod that appends records, and its log, followed outside the volume for as long as the pod lives."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files
from types import TracebackType
from typing import ClassVar, Self

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.followed_log import FollowedLog, LogCutOff
from acceptance.cluster.objects import object_name
from acceptance.cluster.pod_manifest import MAIN, PodPlan, volume_path
from acceptance.cluster.pod_states import describe_pod, lost_to_the_cluster, main_runs, node_of
from acceptance.cluster.pods import create_pod, wait_started
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.crashes.acknowledged_records import MOST_RECORDS
from acceptance.trials.crashes.writer_log import WriterLog

WRITER = "writer"
LEDGER = f"{volume_path(0)}/records"
DEADLINE_S = 3600
# A record that is acknowledged is heard of within the first; a node that failed is silent for both.
LATE_S, SILENT_S = 2.0, 2.0
# For which lines that were on their way may go on to come where the API server, or this machine, is busy.
ON_THEIR_WAY_S = 20.0
# Storage may stall for long; the pod's deadline ends it at last.
SILENCE_S = 120
AGAIN_S = 0.5

Arrival = tuple[float, int]
"""When a number arrived, in s of time.monotonic(), and the number."""


class Writer:
    """Writes records to the claim's volume from `__enter__` on; `acknowledged` counts those that are durable.

    A connection that breaks is taken up again where it was left while the pod lives; numbers that never arrive here are
    not demanded later. The pod itself is ended by whoever makes it crash, or with the run.

    `beside`: further claims of the pod. `ledgers`: the files for the records, which take them in turn; in a volume's
    folder, or in folders there. `heeds_term`: the pod ends by itself when it is told to, as in a drain. `pause_s`: its
    rest after each record, so that MOST_RECORDS last for longer. `log_kind`: what its log says, where a kind of writer
    says more.
    """

    log_kind: ClassVar[type[WriterLog]] = WriterLog

    def __init__(
        self,
        workspace: Workspace,
        claim: Claim,
        *,
        node: str | None,
        beside: Sequence[Claim] = (),
        ledgers: Sequence[str] = (LEDGER,),
        heeds_term: bool = False,
        pause_s: float = 0.0,
    ) -> None:
        self.token = secrets.token_hex(8)
        self.plan = PodPlan(
            name=object_name(claim.name, WRITER),
            claims=(claim, *beside),
            image=workspace.image,
            command=["sh", "-c", script("write_records.sh")],
            environment={
                "LEDGER": " ".join(ledgers),
                "TOKEN": self.token,
                "MOST": str(MOST_RECORDS),
                "HEEDS_TERM": "yes" if heeds_term else "",
                "PAUSE": f"{pause_s:g}" if pause_s else "",
            },
            deadline_s=DEADLINE_S,
            node=node,
            defaults=workspace.pods,
        )
        self._workspace = workspace
        self._printed, self._log = self._anew()
        self._acknowledged = 0
        self._arrivals: list[Arrival] = []
        self._moments: list[Arrival] = []
        self._heeds_term = heeds_term
        self._given_up = threading.Event()
        self._over = threading.Event()
        self._cut_off = ""
        self._thread = threading.Thread(target=self._follow, name="writer", daemon=True)
        self.node = ""

    def __enter__(self) -> Self:
        """Raises StorageFailure or EnvironmentFailure when the pod does not start."""
        create_pod(self._workspace.api, self.plan, timeout_s=self._workspace.timeout_s)
        self.node = node_of(wait_started(self._workspace.api, self.plan, timeout_s=self._workspace.timeout_s))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._given_up.set()

    @property
    def acknowledged(self) -> int:
        """The highest number that was acknowledged so far; all below it were too."""
        return self._acknowledged

    @property
    def write_s(self) -> float:
        """From the first acknowledgement to the last, as they arrived here."""
        return self._last_s - self._arrivals[0][0] if self._arrivals else 0.0

    @property
    def last_s(self) -> float:
        """When the last acknowledgement arrived, by time.monotonic()."""
        return self._last_s

    @property
    def arrivals(self) -> Sequence[Arrival]:
        """When numbers arrived here, in order."""
        return tuple(self._arrivals)

    @property
    def moments(self) -> Sequence[Arrival]:
        """When records became durable by the clock of the pod's node, in order; empty where the pod could not tell."""
        return tuple(self._moments)

    def write_for(self, seconds: float, *, records: int) -> None:
        """Have it write for so long, and so many records at least, until they are heard of at once again.

        A crash while nobody hears would take with it what was acknowledged. Raises StorageFailure when it cannot.
        """
        ends_s = time.monotonic() + seconds
        wait_for(
            f"{records} durable records by pod {self.plan.name} on StorageClass {self.plan.classes}",
            look=lambda: self._acknowledged,
            ready=lambda seen: seen >= records and time.monotonic() >= ends_s and self._is_heard,
            state=lambda seen: f"{seen} acknowledged",
            fatal=lambda seen: self.broken(),
            timeout_s=self._workspace.timeout_s + seconds,
        )

    @property
    def _last_s(self) -> float:
        return self._arrivals[-1][0] if self._arrivals else 0.0

    @property
    def _is_heard(self) -> bool:
        return time.monotonic() - self._last_s <= LATE_S or self._acknowledged >= MOST_RECORDS

    def wait_over(self) -> None:
        """Wait until the log has ended with its container, which is then no more.

        Raises EnvironmentFailure when the container does not end.
        """
        wait_for(
            f"the container of pod {self.plan.name} to be killed",
            look=self._over.is_set,
            ready=bool,
            state=lambda seen: "ended" if seen else f"still there, {self._acknowledged} records acknowledged",
            fatal=lambda seen: EnvironmentFailure(self._cut_off) if self._cut_off else None,
            timeout_s=self._workspace.timeout_s,
            failure=EnvironmentFailure,
        )

    def require_silent(self, *, what: str) -> None:
        """See that no more records come, now that the writer's node has failed by `what`.

        Lines that were on their way come to an end; those of a pod that writes do not. Raises EnvironmentFailure when
        they go on: then nothing has failed, and nothing would be shown.
        """
        began_s = time.monotonic()

        def writes_on(last_s: float) -> bool:
            """One that has written all it can is silent, too."""
            return last_s - began_s > (LATE_S if self._acknowledged >= MOST_RECORDS else ON_THEIR_WAY_S)

        wait_for(
            f"pod {self.plan.name} to stop writing",
            look=lambda: self._last_s,
            ready=lambda seen: time.monotonic() - max(began_s, seen) >= LATE_S + SILENT_S and not writes_on(seen),
            state=lambda seen: f"{self._acknowledged} records",
            fatal=lambda seen: self._still_writes(what) if writes_on(seen) else None,
            timeout_s=ON_THEIR_WAY_S + LATE_S + SILENT_S + AGAIN_S + 1.0,
        )
        self._given_up.set()

    def _still_writes(self, what: str) -> EnvironmentFailure:
        return EnvironmentFailure(
            f"pod {self.plan.name} on node {self.node} still writes, though that node was made to fail ({what}); "
            "correct the command node_failure.fail in the target file"
        )

    def broken(self) -> AcceptanceError | None:
        """Why there will be no more records; None while there may be."""
        where = f"pod {self.plan.name} on StorageClass {self.plan.classes}"
        if self._log.lacks:
            return EnvironmentFailure(
                f"image {self.plan.image!r} lacks {self._log.lacks}, which the writer of records needs; name one "
                "that holds it with --storage-image"
            )
        if self._log.failed:
            return StorageFailure(f"{where} could not make {self._log.failed} durable: {self._log.others.strip()}")
        if self._cut_off:
            return EnvironmentFailure(self._cut_off)
        if not self._over.is_set():
            return None
        pod = self._workspace.api.find(PODS, self.plan.name, namespace=self.plan.namespace)
        reason = "the pod is gone" if pod is None else lost_to_the_cluster(pod)
        if reason:
            return EnvironmentFailure(f"{where} was ended by the cluster: {reason}")
        return StorageFailure(f"{where} broke off: {self._log.others.strip()} ({describe_pod(pod or {'status': {}})})")

    def _follow(self) -> None:
        while not self._given_up.is_set():
            broke: AcceptanceError | None = None
            try:
                self._read_on()
            except LogCutOff:  # or it is another container's; each number says that all before it are durable
                self._printed, self._log = self._anew()
                continue
            except AcceptanceError as error:
                broke = error
            with suppress(AcceptanceError):
                if not self._lives(self._workspace.api):
                    self._settle(broke)
                    return
            self._given_up.wait(AGAIN_S)

    def _lives(self, api: Api) -> bool:
        """Whether a stream that ended may go on: its end alone may be that of a connection."""
        pod = api.find(PODS, self.plan.name, namespace=self.plan.namespace)
        return pod is not None and main_runs(pod)

    def _settle(self, broke: AcceptanceError | None) -> None:
        """The pod is gone. After an end by force only a log that came to its end says that its container is, too; a pod
        that was told to end has gone when its kubelet said so.
        """
        if broke is None or self._heeds_term:
            self._over.set()
        else:
            self._cut_off = f"pod {self.plan.name} is gone, but its container was not seen to end: {broke}"

    def _anew(self) -> tuple[FollowedLog, WriterLog]:
        printed = FollowedLog(
            self._workspace.api,
            self.plan.name,
            namespace=self.plan.namespace,
            container=MAIN,
            silence_s=SILENCE_S,
        )
        return printed, self.log_kind()

    def _read_on(self) -> None:
        log = self._log
        for piece in self._printed.pieces():
            if self._given_up.is_set():
                return
            log.feed(piece)
            told, log.moments = log.moments, []  # of a log that is read anew those before are known
            self._moments += [each for each in told if each[1] > (self._moments[-1][1] if self._moments else 0)]
            if log.acknowledged > self._acknowledged:
                self._arrivals.append((time.monotonic(), log.acknowledged))
                self._acknowledged = log.acknowledged


def script(name: str) -> str:
    """One of this package's shell scripts; what differs between runs reaches it through its environment."""
    return files("acceptance.trials.crashes").joinpath(name).read_text(encoding="utf-8")
