"""Synchronous writes during a rebuild: one fio that runs all the time, in a pod on the volume, second by second."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import accumulate
from types import TracebackType
from typing import Self

from acceptance.cluster.claims import Claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.pod_manifest import FILES_PATH, PodPlan, volume_path
from acceptance.cluster.pod_states import node_of
from acceptance.cluster.pods import create_pod, wait_started
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.loads.fio.output import FioOutput
from acceptance.loads.fio.samples import Sample
from acceptance.measuring.load_log import LoadLog
from acceptance.measuring.load_script import FIO, KILLED_STATUS, STOPPED_STATUS, load_script
from acceptance.measuring.pod_load import PodLoad
from acceptance.measuring.prefill import SPARE_S
from acceptance.measuring.windows import TimedSample
from acceptance.process.clock import now_s
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.rebuild.patterns import FOREGROUND_FILE, FOREGROUND_JOB

JOIN_S = 60.0
"""Seconds for the load to end once it is asked to."""
BEGIN_S = 120.0
"""Seconds for its file to be written."""


class Foreground:
    """The load, from `__enter__` until the end of the block; its samples are available while it runs.

    `error` is what ended it before its time, None while it is well: a rebuild is timed all the same. It is a
    StorageFailure only if fio itself reported it.
    """

    def __init__(self, workspace: Workspace, claim: Claim, *, files: str, longest_s: int, node: str | None) -> None:
        self._workspace = workspace
        self._plan = PodPlan(
            name=object_name(claim.name, FOREGROUND_JOB),
            claims=(claim,),
            image=workspace.image,
            command=[
                "sh",
                "-c",
                load_script(f'{FIO} "{FILES_PATH}/{FOREGROUND_FILE}"'),
                FOREGROUND_JOB,
                f"{volume_path(0)}/{FOREGROUND_JOB}",
            ],
            deadline_s=longest_s + SPARE_S,
            environment={"RUNTIME": f"{longest_s}s"},
            files=files,
            node=node,
            defaults=workspace.pods,
        )
        self._load = PodLoad(
            workspace, self._plan, new_output=lambda: FioOutput(jobs=[FOREGROUND_JOB]), timeout_s=longest_s
        )
        self._samples: list[Sample] = []
        self._arrivals_s: list[float] = []
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="foreground", daemon=True)
        self.node = ""
        self.error: AcceptanceError | None = None

    def __enter__(self) -> Self:
        """Start the pod. Raises StorageFailure or EnvironmentFailure if it does not start."""
        create_pod(self._workspace.api, self._plan, timeout_s=self._workspace.timeout_s)
        self.node = node_of(wait_started(self._workspace.api, self._plan, timeout_s=self._workspace.timeout_s))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._enough.set()
        self._thread.join(timeout=JOIN_S)

    @property
    def samples(self) -> list[TimedSample]:
        """Every second so far, by the suite's own clock."""
        return timed_samples(list(self._samples), list(self._arrivals_s))

    def load_for(self, seconds: int) -> None:
        """Wait until it has run for `seconds` more. Raises the error that ended it instead."""
        target = len(self._samples) + seconds
        wait_for(
            f"{seconds} s of synchronous writes by pod {self._plan.name}",
            look=lambda: len(self._samples),
            ready=lambda count: count >= target,
            state=lambda count: f"{count} s of {target} s",
            fatal=lambda count: self.error,
            timeout_s=BEGIN_S + 2 * seconds,
        )

    def _follow(self) -> None:
        try:
            with self._load:
                _, enough = self._load.follow(self._watch)
            self.error = None if enough else ended_early(self._load.log)
        except AcceptanceError as error:  # the pod was deleted, or its log: this says nothing about the storage
            self.error = EnvironmentFailure(str(error))
        finally:
            self._load.log.keep([self._plan.name], keep_output=self._workspace.keep_output)

    def _watch(self, number: int, samples: Sequence[Sample]) -> bool:
        self._arrivals_s.append(now_s())
        self._samples.append(samples[-1])
        return self._enough.is_set()


def ended_early(log: LoadLog) -> AcceptanceError:
    """Return what ended the load although nothing here asked it to: the storage, unless fio was ended from outside."""
    message = log.segments[-1].messages if log.segments else log.before.strip()
    if log.exit_status in (None, 0, KILLED_STATUS, STOPPED_STATUS):
        ends = {None: "could not be observed any more", 0: "ended too early", KILLED_STATUS: "were killed"}
        how = ends.get(log.exit_status, "were stopped")
        return EnvironmentFailure(f"synchronous writes during the rebuild {how}: {message}")
    error = log.segments[-1].error if log.segments else None
    return StorageFailure(
        f"synchronous writes during the rebuild failed with status {log.exit_status}: {error or message}"
    )


def timed_samples(samples: Sequence[Sample], arrived_s: Sequence[float]) -> list[TimedSample]:
    """Return the end of each sample in s since the epoch, by the clock of `arrived_s`, the times of the arrivals here.

    The samples follow each other without a gap, so that their lengths give all times once one is known: that of the
    sample that came with the least delay. A sample that arrives late, after a broken connection, is therefore not taken
    for late.
    """
    ends_s = list(accumulate(sample.duration_s for sample in samples))
    begin_s = min((arrival_s - end for arrival_s, end in zip(arrived_s, ends_s, strict=True)), default=0.0)
    return [TimedSample(end_s=begin_s + end, sample=sample) for end, sample in zip(ends_s, samples, strict=True)]
