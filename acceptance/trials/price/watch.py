"""Requests CPU and memory of the storage's pods every few seconds, in a thread of its own, until it is asked to end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from acceptance.cluster.api import Api
from acceptance.cluster.pod_usage import PodKey, WatchedPod, read_usage, watched_pods
from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.trials.price.history import PodHistory

EACH_S = 10.0
"""A kubelet checks a pod every 10 to 20 s, an idle one every 15 to 30 s: more frequent requests repeat the reading."""


class PriceWatch:
    """A watch, in a `with` block, on the pods of each NAMESPACE or NAMESPACE/SELECTOR in `of`.

    A request that fails is a gap in the figures, and is reported: the load continues. `requests` and `asked_s` are the
    overhead of the watch itself, in requests and seconds.
    """

    def __init__(self, api: Api, *, of: Sequence[str], now_s: Callable[[], float] = time.time) -> None:
        self._api = api
        self._of = tuple(of)
        self._now_s = now_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="price of the storage", daemon=True)
        self.pods: dict[PodKey, PodHistory] = {}
        self.gaps: dict[str, None] = {}
        self.requests = 0
        self.asked_s = 0.0
        self.began_s = now_s()

    @property
    def started_at(self) -> datetime:
        """The time when it began, by this machine's clock."""
        return datetime.fromtimestamp(self.began_s, tz=UTC)

    def __enter__(self) -> Self:
        """Start the watch. Raises EnvironmentFailure if there is no such pod, and what a first request raises."""
        self.look()
        if not self.pods:
            raise EnvironmentFailure(
                f"no pod of the storage was found in {', '.join(self._of)}; name the storage's namespaces, and labels "
                "if other pods run there, with --storage-with resource-overhead-of=NAMESPACE[/SELECTOR]"
            )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        for pod in self.pods.values():
            pod.settle()

    def look(self) -> None:
        """Send one request to each node. Raises ApiError, ApiUnreachable."""
        began_s = time.monotonic()
        pods_by_key: dict[PodKey, WatchedPod] = {}
        try:
            for of in self._of:
                self.requests += 1
                pods_by_key |= {watched_pod.key: watched_pod for watched_pod in watched_pods(self._api, of)}
            now_s = self._now_s()
            for key, pod in pods_by_key.items():
                self.pods.setdefault(key, PodHistory()).take_state(pod, now_s=now_s)
            for key in self.pods.keys() - pods_by_key.keys():
                self.pods[key].note_deletion(now_s=now_s)
            errors: list[AcceptanceError] = []
            for node in sorted({watched_pod.node for watched_pod in pods_by_key.values()}):
                try:
                    self._ask(node, keys={key for key, watched_pod in pods_by_key.items() if watched_pod.node == node})
                except AcceptanceError as error:  # One node that does not answer hides no other.
                    errors.append(error)
            if errors:
                raise errors[0]
        finally:
            self.asked_s += time.monotonic() - began_s

    def _ask(self, node: str, *, keys: set[PodKey]) -> None:
        self.requests += 1
        usage, now_s = read_usage(self._api, node), self._now_s()
        for key in keys:
            if (cpu := usage.cpu.get(key)) is not None:
                self.pods[key].take_cpu(cpu, now_s=now_s)
            if (memory := usage.memory.get(key)) is not None:
                self.pods[key].take_memory(memory, now_s=now_s)

    def _run(self) -> None:
        while not self._over.wait(EACH_S):
            try:
                self.look()
            except AcceptanceError as error:
                self.gaps[str(error)] = None

    def rest(self, seconds: float) -> None:
        """Let this thread wait while the storage is idle and watched."""
        self._over.wait(seconds)
