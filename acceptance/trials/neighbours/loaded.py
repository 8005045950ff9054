"""Volumes of a class that are loaded as fast as they can be, for as long as another of that class is measured."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from acceptance.cluster.node_room import require_room
from acceptance.cluster.stateful_sets import REQUESTS
from acceptance.cluster.workspace import Workspace
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.metric_values import metric_value
from acceptance.results.metrics import Metric
from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.trials import Say
from acceptance.trials.scaling.load_plan import LoadPlan
from acceptance.trials.scaling.load_set import LoadSet
from acceptance.trials.scaling.pod_log import PodLog
from acceptance.trials.scaling.steps import Step, run_step

BEGUN_S = 3
"""Seconds of load that each volume must have shown before anything is measured next to them."""
JOIN_S = 60.0
"""Seconds in which a thread that waits for the load notices that the load is no longer needed."""


class _LeftAlone(AcceptanceError):
    """No caller waits for the load any more."""


class _Set(LoadSet):
    """A set whose load need not end before its pods are removed: a thread that waits for it gets an error then."""

    leaving = False

    def log(self, pod: str) -> PodLog:
        if self.leaving:
            raise _LeftAlone(f"pod {pod} is about to be removed")
        return super().log(pod)


class Neighbours:
    """The load, from `__enter__` until the end of the block; then its pods and volumes are deleted.

    `plan`: of the pods, as many as its `most_pods`; `longest_s`: how long they load at the most.
    """

    def __init__(self, workspace: Workspace, plan: LoadPlan, *, profile: Profile, longest_s: float, say: Say) -> None:
        self._plan = plan
        self._say = say
        self._set = _Set(workspace, plan, say=self._tell)
        self._step = Step(number=1, profile=profile, pods=plan.most_pods, window_s=longest_s)
        self._thread = threading.Thread(target=self._load, name="neighbours", daemon=True)
        self._loading = False
        self._error: AcceptanceError | None = None

    def __enter__(self) -> Self:
        """Start the load.

        Raises EnvironmentFailure if their node has no room for the pods; for the pods, what a scale run raises.
        """
        workspace, plan = self._set.workspace, self._plan
        require_room(workspace.api, workspace.pods.template, pods=plan.most_pods, requests=REQUESTS, nodes=plan.nodes)
        self._set.__enter__()
        try:
            self._set.grow(plan.most_pods)
            self._thread.start()
            self._set.wait("to load", self._has_begun)
            self._loading = True
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._set.leaving = True
        try:
            if self._thread.is_alive():
                self._thread.join(timeout=JOIN_S)
        finally:
            self._set.__exit__(kind, error, trace)

    @property
    def seconds(self) -> list[int]:
        """The number of seconds that each volume has shown so far."""
        return [len(self._samples(pod)) for pod in self._set.pods]

    def rates(self, metric: Metric, *, since: Sequence[int]) -> list[float]:
        """Return the rate of each volume per second, from the second `since` on. Raises the error that ended their load
        early."""
        if self._error is not None:
            raise self._error
        if not self._thread.is_alive():
            raise EnvironmentFailure(
                "the load of the noisy neighbors ended before the measurement did, so part of the measurement ran "
                "without that load; run the test again"
            )
        rates = []
        for pod, first_second in zip(self._set.pods, since, strict=True):
            rates.append(metric_value(metric, self._samples(pod)[first_second:]) or 0.0)
        return rates

    def _load(self) -> None:
        try:
            run_step(self._set, self._step)
        except _LeftAlone:
            return
        except AcceptanceError as error:
            self._error = error

    def _has_begun(self, pod: str) -> bool:
        if self._error is not None:
            raise self._error
        return len(self._samples(pod)) >= BEGUN_S

    def _samples(self, pod: str) -> list[Sample]:
        step = self._set.log(pod).step
        return [] if step is None else [sample.sample for sample in list(step.samples)]

    def _tell(self, text: str) -> None:
        """Report nothing about the load itself: the measurement next to it reports."""
        if not self._loading:
            self._say(text)
