"""The logs of many pods at once, one stream each, taken up again when it breaks or ends while the pod still runs."""

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

# A pod at the start barrier prints its clock every second, fio a document; silence means a connection that is gone.
SILENCE_S = 20
AGAIN_S = 1.0


class Listener:
    """Follows pods' logs from threads of its own. `changed` guards all logs and is notified of news."""

    def __init__(self, api: Api, *, namespace: str, changed: threading.Condition) -> None:
        self._api = api
        self._namespace = namespace
        self._changed = changed
        self._logs: dict[str, PodLog] = {}
        self._left: dict[str, tuple[FollowedLog, PodLog]] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._ended: set[str] = set()
        self._jobs: Sequence[str] = ()
        self._closed = threading.Event()

    def now_s(self) -> float:
        """Seconds since the epoch, by the clock that all pods' clocks are compared with."""
        return now_s()

    def log(self, pod: str) -> PodLog:
        """What the pod has printed so far."""
        return self._logs.get(pod) or PodLog(prefill_jobs=(PREFILL,))

    def expect(self, jobs: Sequence[str]) -> None:
        """The jobs whose results the next step will print."""
        with self._changed:
            self._jobs = jobs
            for log in self._logs.values():
                log.wanted_jobs = jobs

    def follow(self, pod: str) -> None:
        """Follow the log of a pod that runs, unless that is being done."""
        with self._changed:
            self._ended.discard(pod)
            if pod in self._threads:
                return
            thread = threading.Thread(target=self._follow, args=(pod,), name=f"log of {pod}", daemon=True)
            self._threads[pod] = thread
        thread.start()

    def leave(self, pod: str) -> None:
        """The pod is gone or its container ended: its log is not taken up again."""
        with self._changed:
            self._ended.add(pod)

    def close(self) -> None:
        """No more is taken; the streams end with their pods."""
        self._closed.set()

    def _follow(self, pod: str) -> None:
        printed, log = self._left.get(pod) or self._anew(pod, cut_off=False)
        while not self._closed.is_set():
            # A stream may end as if its container had, when a kubelet or a proxy stops; the watch knows what is true.
            try:
                self._read_on(pod, printed, log)
            except LogCutOff:  # or it is another container's: what it says from its beginning on tells
                printed, log = self._anew(pod, cut_off=True)
                continue
            except AcceptanceError:
                pass
            self._closed.wait(AGAIN_S)
            with self._changed:
                if pod in self._ended:
                    self._left[pod] = printed, log
                    del self._threads[pod]
                    return

    def _anew(self, pod: str, *, cut_off: bool) -> tuple[FollowedLog, PodLog]:
        printed = FollowedLog(self._api, pod, namespace=self._namespace, container=MAIN, silence_s=SILENCE_S)
        return printed, PodLog(prefill_jobs=(PREFILL,), cut_off=cut_off)

    def _read_on(self, pod: str, printed: FollowedLog, log: PodLog) -> None:
        for piece in printed.pieces():
            with self._changed:
                if self._closed.is_set():
                    return
                log.wanted_jobs = self._jobs
                if log.feed(piece, arrived_s=self.now_s()) or self._logs.get(pod) is not log:
                    self._logs[pod] = log
                    self._changed.notify_all()
