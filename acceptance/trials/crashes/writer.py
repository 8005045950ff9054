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
# An acknowledged record arrives within the first; a node that failed is silent for both.
LATE_S, SILENT_S = 2.0, 2.0
# Lines that were on their way may keep arriving for this long if the API server, or this machine, is busy.
ON_THEIR_WAY_S = 20.0
# Storage may stall for long; in the end the pod's deadline ends it.
SILENCE_S = 120
AGAIN_S = 0.5

Arrival = tuple[float, int]
"""The time of an arrival, in s of time.monotonic(), and the number that arrived."""


class Writer:
    """A pod that writes records to the claim's volume from `__enter__` on; `acknowledged_count` counts those that are
    durable.

    If the connection to its log breaks while the pod lives, reading continues where it stopped; numbers that never
    arrive here are not demanded later. The caller that makes the pod crash ends it, or the end of the run does.

    `beside`: further claims of the pod. `ledgers`: the files for the records, which are written in turn; in a volume's
    folder, or in folders there. `heeds_term`: the pod ends by itself when it is asked to, as in a drain. `pause_s`: its
    pause after each record, so that MOST_RECORDS last for longer. `persists`: it writes a record again, at the same
    place, until the storage accepts it; such a writer has one ledger. `log_kind`: the class of its log, for kinds of
    writers that print more.
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
        persists: bool = False,
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
                "PERSISTS": "yes" if persists else "",
            },
            deadline_s=DEADLINE_S,
            node=node,
            defaults=workspace.pods,
        )
        self._workspace = workspace
        self._stream, self._log = self._new_log()
        self._acknowledged_count = 0
        self._arrivals: list[Arrival] = []
        self._moments: list[Arrival] = []
        self._refusals: set[int] = set()
        self._heeds_term = heeds_term
        self._given_up = threading.Event()
        self._over = threading.Event()
        self._cut_off = ""
        self._thread = threading.Thread(target=self._follow, name="writer", daemon=True)
        self.node = ""

    def __enter__(self) -> Self:
        """Start the pod. Raises StorageFailure or EnvironmentFailure if it does not start."""
        create_pod(self._workspace.api, self.plan, timeout_s=self._workspace.timeout_s)
        self.node = node_of(wait_started(self._workspace.api, self.plan, timeout_s=self._workspace.timeout_s))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._given_up.set()

    @property
    def acknowledged_count(self) -> int:
        """The highest number that was acknowledged so far; all lower numbers were acknowledged, too."""
        return self._acknowledged_count

    @property
    def write_s(self) -> float:
        """The time from the first acknowledgement to the last, as they arrived here."""
        return self._last_s - self._arrivals[0][0] if self._arrivals else 0.0

    @property
    def last_s(self) -> float:
        """The time of the last acknowledgement, by time.monotonic()."""
        return self._last_s

    @property
    def arrivals(self) -> Sequence[Arrival]:
        """The arrivals of numbers here, in order."""
        return tuple(self._arrivals)

    @property
    def moments(self) -> Sequence[Arrival]:
        """The moments at which records became durable, by the clock of the pod's node, in order; empty if the pod
        cannot read it."""
        return tuple(self._moments)

    @property
    def refused_count(self) -> int:
        """The number of records that the storage has refused at least once so far."""
        return len(self._refusals)

    @property
    def last_words(self) -> str:
        """The last line of the pod's log that is not the writer's own, such as the message of a failed write."""
        lines = self._log.other_lines.strip().splitlines()
        return lines[-1] if lines else ""

    def write_for(self, seconds: float, *, records: int) -> None:
        """Have the pod write for `seconds` and until `records` are durable, and then until they arrive without delay
        again.

        Acknowledgements that are on their way would be lost with a crash. Raises StorageFailure if the pod cannot
        write.
        """
        ends_s = time.monotonic() + seconds
        wait_for(
            f"{records} durable records by pod {self.plan.name} on StorageClass {self.plan.classes}",
            look=lambda: self._acknowledged_count,
            ready=lambda count: count >= records and time.monotonic() >= ends_s and self._is_heard,
            state=lambda count: f"{count} acknowledged",
            fatal=lambda count: self.fault(),
            timeout_s=self._workspace.timeout_s + seconds,
        )

    @property
    def _last_s(self) -> float:
        return self._arrivals[-1][0] if self._arrivals else 0.0

    @property
    def _is_heard(self) -> bool:
        return time.monotonic() - self._last_s <= LATE_S or self._acknowledged_count >= MOST_RECORDS

    def wait_over(self, *, failure: type[AcceptanceError] = EnvironmentFailure) -> None:
        """Wait until the log has ended together with its container. Raises `failure` if the container does not end."""
        wait_for(
            f"the container of pod {self.plan.name} to be killed",
            look=self._over.is_set,
            ready=bool,
            state=lambda over: "ended" if over else f"not ended yet, {self._acknowledged_count} records acknowledged",
            fatal=lambda over: EnvironmentFailure(self._cut_off) if self._cut_off else None,
            timeout_s=self._workspace.timeout_s,
            failure=failure,
        )

    def require_silent(self, *, cause: str) -> None:
        """Require that no more records arrive after the writer's node has failed by `cause`.

        Lines that were on their way come to an end; those of a pod that writes do not. Raises EnvironmentFailure if
        they continue: then nothing has failed, and the crash would show nothing.
        """
        began_s = time.monotonic()

        def writes_on(last_s: float) -> bool:
            """Return whether the pod still writes. A pod that has written all its records is silent, too."""
            return last_s - began_s > (LATE_S if self._acknowledged_count >= MOST_RECORDS else ON_THEIR_WAY_S)

        wait_for(
            f"pod {self.plan.name} to stop writing",
            look=lambda: self._last_s,
            ready=lambda last_s: time.monotonic() - max(began_s, last_s) >= LATE_S + SILENT_S and not writes_on(last_s),
            state=lambda last_s: f"{self._acknowledged_count} records",
            fatal=lambda last_s: self._still_writes(cause) if writes_on(last_s) else None,
            timeout_s=ON_THEIR_WAY_S + LATE_S + SILENT_S + AGAIN_S + 1.0,
        )
        self._given_up.set()

    def _still_writes(self, cause: str) -> EnvironmentFailure:
        return EnvironmentFailure(
            f"pod {self.plan.name} on node {self.node} still writes, although that node was made to fail ({cause}); "
            "correct the command node_failure.fail in the target file"
        )

    def fault(self) -> AcceptanceError | None:
        """Return why there will be no more records; None if there may be more."""
        where = f"pod {self.plan.name} on StorageClass {self.plan.classes}"
        if self._log.lacks:
            return EnvironmentFailure(
                f"image {self.plan.image!r} lacks {self._log.lacks}, which the writer of records needs; name an "
                f"image that contains {self._log.lacks} with --storage-image"
            )
        if self._log.failure:
            return StorageFailure(
                f"{where} could not make {self._log.failure} durable: {self._log.other_lines.strip()}"
            )
        if self._cut_off:
            return EnvironmentFailure(self._cut_off)
        if not self._over.is_set():
            return None
        pod = self._workspace.api.find(PODS, self.plan.name, namespace=self.plan.namespace)
        reason = "the pod no longer exists" if pod is None else lost_to_the_cluster(pod)
        if reason:
            return EnvironmentFailure(f"{where} was ended by the cluster: {reason}")
        return StorageFailure(
            f"{where} stopped early: {self._log.other_lines.strip()} ({describe_pod(pod or {'status': {}})})"
        )

    def _follow(self) -> None:
        while not self._given_up.is_set():
            broke: AcceptanceError | None = None
            try:
                self._read_on()
            except LogCutOff:  # or the log is another container's; each number implies that all before it are durable
                self._stream, self._log = self._new_log()
                continue
            except AcceptanceError as error:
                broke = error
            with suppress(AcceptanceError):
                if not self._lives(self._workspace.api):
                    self._settle(broke)
                    return
            self._given_up.wait(AGAIN_S)

    def _lives(self, api: Api) -> bool:
        """Return whether a stream that ended may continue: perhaps only its connection ended."""
        pod = api.find(PODS, self.plan.name, namespace=self.plan.namespace)
        return pod is not None and main_runs(pod)

    def _settle(self, broke: AcceptanceError | None) -> None:
        """Record the end of the pod. After an end by force, only a log that came to its end shows that the container
        has ended, too. A pod that was asked to end is deleted only when its kubelet has reported the end."""
        if broke is None or self._heeds_term:
            self._over.set()
        else:
            self._cut_off = f"pod {self.plan.name} was deleted, but the end of its container was not observed: {broke}"

    def _new_log(self) -> tuple[FollowedLog, WriterLog]:
        stream = FollowedLog(
            self._workspace.api,
            self.plan.name,
            namespace=self.plan.namespace,
            container=MAIN,
            silence_s=SILENCE_S,
        )
        return stream, self.log_kind()

    def _read_on(self) -> None:
        log = self._log
        for piece in self._stream.pieces():
            if self._given_up.is_set():
                return
            log.feed(piece)
            self._refusals |= log.refusals
            fresh, log.moments = log.moments, []  # a log that is read again repeats moments
            self._moments += [moment for moment in fresh if moment[1] > (self._moments[-1][1] if self._moments else 0)]
            if log.acknowledged_count > self._acknowledged_count:
                self._arrivals.append((time.monotonic(), log.acknowledged_count))
                self._acknowledged_count = log.acknowledged_count


def script(name: str) -> str:
    """Return one of this package's shell scripts; values that differ between runs reach it through its environment."""
    return files("acceptance.trials.crashes").joinpath(name).read_text(encoding="utf-8")
