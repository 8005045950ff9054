"""The logs of many pods at once, one stream each, continued if it breaks or ends while the pod still runs."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from acceptance.cluster.api import Api
from acceptance.cluster.followed_log import FollowedLog, LogCutOff
from acceptance.cluster.pod_manifest import MAIN
from acceptance.loads.profiles import PREFILL
from acceptance.process.clock import now_s
from acceptance.text.errors import AcceptanceError
from acceptance.trials.scaling.pod_log import PodLog

# A pod at the start barrier prints its clock every second, fio a document; silence means a broken connection.
SILENCE_S = 20
AGAIN_S = 1.0


class Listener:
    """Follows pods' logs from threads of its own. `condition` guards all logs and is notified of news."""

    def __init__(self, api: Api, *, namespace: str, condition: threading.Condition) -> None:
        self._api = api
        self._namespace = namespace
        self._condition = condition
        self._logs: dict[str, PodLog] = {}
        self._streams: dict[str, tuple[FollowedLog, PodLog]] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._ended_pods: set[str] = set()
        self._jobs: Sequence[str] = ()
        self._closing = threading.Event()

    def now_s(self) -> float:
        """Return the seconds since the epoch, by the clock that all pods' clocks are compared with."""
        return now_s()

    def log(self, pod: str) -> PodLog:
        """Return the log of the pod so far."""
        return self._logs.get(pod) or PodLog(prefill_jobs=(PREFILL,))

    def expect(self, jobs: Sequence[str]) -> None:
        """Set the jobs whose results the next step will print."""
        with self._condition:
            self._jobs = jobs
            for log in self._logs.values():
                log.wanted_jobs = jobs

    def follow(self, pod: str) -> None:
        """Follow the log of a pod that runs, unless that is being done already."""
        with self._condition:
            self._ended_pods.discard(pod)
            if pod in self._threads:
                return
            thread = threading.Thread(target=self._follow, args=(pod,), name=f"log of {pod}", daemon=True)
            self._threads[pod] = thread
        thread.start()

    def leave(self, pod: str) -> None:
        """Note that the pod was deleted or its container ended: its log is not continued."""
        with self._condition:
            self._ended_pods.add(pod)

    def close(self) -> None:
        """Stop; the streams end with their pods."""
        self._closing.set()

    def _follow(self, pod: str) -> None:
        stream, log = self._streams.get(pod) or self._new_stream(pod, cut_off=False)
        while not self._closing.is_set():
            # A stream may end as if its container had, if a kubelet or a proxy stops; the watch knows the truth.
            try:
                self._read_on(pod, stream, log)
            except LogCutOff:  # or the log is another container's: its beginning tells
                stream, log = self._new_stream(pod, cut_off=True)
                continue
            except AcceptanceError:
                pass
            self._closing.wait(AGAIN_S)
            with self._condition:
                if pod in self._ended_pods:
                    self._streams[pod] = stream, log
                    del self._threads[pod]
                    return

    def _new_stream(self, pod: str, *, cut_off: bool) -> tuple[FollowedLog, PodLog]:
        stream = FollowedLog(self._api, pod, namespace=self._namespace, container=MAIN, silence_s=SILENCE_S)
        return stream, PodLog(prefill_jobs=(PREFILL,), cut_off=cut_off)

    def _read_on(self, pod: str, stream: FollowedLog, log: PodLog) -> None:
        for piece in stream.pieces():
            with self._condition:
                if self._closing.is_set():
                    return
                log.wanted_jobs = self._jobs
                if log.feed(piece, arrived_s=self.now_s()) or self._logs.get(pod) is not log:
                    self._logs[pod] = log
                    self._condition.notify_all()
