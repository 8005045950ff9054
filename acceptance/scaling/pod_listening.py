"""The logs of many pods at once, one stream each, taken up again when it breaks."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from acceptance.cluster.api import Api
from acceptance.cluster.pod_manifest import MAIN
from acceptance.errors import AcceptanceError
from acceptance.profiles import LAYOUT
from acceptance.scaling.pod_log import PodLog

# A pod at the gate tells its clock every second, and fio speaks as often; silence means a connection that is gone.
SILENCE_S = 20
AGAIN_S = 1.0


class Listener:
    """Follows pods' logs from threads of its own. `changed` guards all logs and is notified of news."""

    def __init__(self, api: Api, *, namespace: str, changed: threading.Condition) -> None:
        self._api = api
        self._namespace = namespace
        self._changed = changed
        self._logs: dict[str, PodLog] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._jobs: Sequence[str] = ()
        self._closed = threading.Event()
        # The suite's own clock, which does not jump.
        self._epoch_s = time.time() - time.monotonic()

    def now_s(self) -> float:
        """Seconds since the epoch, by the clock that all pods' clocks are compared with."""
        return self._epoch_s + time.monotonic()

    def log(self, pod: str) -> PodLog:
        """What the pod has printed so far."""
        return self._logs.get(pod) or PodLog(layout_jobs=(LAYOUT,))

    def expect(self, jobs: Sequence[str]) -> None:
        """The jobs whose results the next step will print."""
        with self._changed:
            self._jobs = jobs
            for log in self._logs.values():
                log.wanted_jobs = jobs

    def follow(self, pod: str) -> None:
        """Begin to follow the pod's log, unless that was done."""
        if pod not in self._threads:
            self._threads[pod] = threading.Thread(target=self._follow, args=(pod,), name=f"log of {pod}", daemon=True)
            self._threads[pod].start()

    def close(self) -> None:
        """No more is taken; the streams end with their pods."""
        self._closed.set()

    def _follow(self, pod: str) -> None:
        while not self._closed.is_set():
            try:
                self._read_from_start(pod)
                return
            except AcceptanceError:  # the watch knows what became of the pod
                self._closed.wait(AGAIN_S)

    def _read_from_start(self, pod: str) -> None:
        """The log holds it all, so what was taken before is taken again, unseen until it is as far as it was."""
        log, before = PodLog(layout_jobs=(LAYOUT,)), self._logs.get(pod)
        for piece in self._api.follow_log(pod, namespace=self._namespace, container=MAIN, silence_s=SILENCE_S):
            with self._changed:
                if self._closed.is_set():
                    return
                log.wanted_jobs = self._jobs
                news = log.feed(piece, arrived_s=self.now_s())
                if before is None or log.number == before.number or log.restarted:
                    self._logs[pod] = log
                if news:
                    self._changed.notify_all()
