"""Records of ramps: the models behind `control_plane` in `results.json`. All frozen; times in s.

They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acceptance.results.model import Frozen

Form = Literal["set", "per-node"]
StopKind = Literal[
    "goal", "slow_starts", "running_rate", "crashes", "stuck", "attach_limit", "quota", "nodes_full", "node_lost"
]


class Ended(Frozen):
    """The condition that ended the ramp."""

    kind: StopKind
    reason: str
    since_pods: int = Field(description="how many pods there were when the condition that ended the ramp began")
    after_s: float = Field(description="seconds after the suite requested the first pod")


class PhaseTimes(Frozen):
    """Times from a pod's creation until it reached a phase: percentiles (nearest rank) over `pods` pods."""

    pods: int
    p50_s: float
    p90_s: float
    p99_s: float


class GrowthPoint(Frozen):
    """The numbers of requested and running pods, `at_s` seconds after the request for the first pod."""

    at_s: float
    requested: int
    running: int = Field(description="pods that were running by then")


class StartPoint(Frozen):
    """The time from the creation of pod number `pods` until it ran."""

    pods: int
    took_s: float


class RampDownRecord(Frozen):
    """The ramp-down: the suite ended pods at twice the rate at which it had requested them."""

    scale_down_s: float = Field(
        description="from the request that ended the first pod to the request that ended the last one, in s"
    )
    cleanup_s: float | None = Field(
        description="from then until the last PVC, PV and VolumeAttachment was deleted, in s; None: not within the "
        "time-out",
    )
    timeout_s: float = Field(description="how long the suite waited for that at most, in s")
    remaining: list[str] = Field(description="the first objects, by name, that still existed after the time-out")


class RequestTimes(Frozen):
    """Answer times of the API server during the ramp-up, from its own metrics, without watches."""

    verb: str
    per_s: float
    mean_s: float
    p99_at_most_s: float | None = Field(
        description="upper bound in s of the histogram's bucket; None for the last bucket"
    )


class OperationTimes(Frozen):
    """`storage_operation_duration_seconds` of the nodes' kubelets while the ramp went up."""

    plugin: str
    operation: str
    status: str
    count: int
    mean_s: float
    p99_at_most_s: float | None


class ControlPlaneRecord(Frozen):
    """A ramp-up of pods with a volume each, and the ramp-down."""

    storage_class: str
    form: Form = Field(description="one StatefulSet for all pods, or one for each node")
    goal: int
    rate_per_s: float = Field(description="pods that the suite requested in each second")
    pods: int = Field(description="pods that were running when the ramp ended")
    volumes: int = Field(description="PVCs that were bound when the ramp ended")
    per_node: dict[str, int] = Field(description="pods that were running when the ramp ended, by node")
    ended: Ended
    linear_until: int = Field(
        description="how many pods were running when pods last started as fast as they were requested"
    )
    phases: dict[str, PhaseTimes] = Field(
        description="bound, scheduled, attached, running, ready: of all pods, including those that reached the phase "
        "during the ramp-down; a phase that the suite did not observe is left out",
    )
    observed_late: int = Field(
        description="pods of which the suite observed a change late, because the watch connection was broken: their "
        "phases do not count",
    )
    growth: list[GrowthPoint]
    starts: list[StartPoint]
    ramp_down: RampDownRecord
    api_server: list[RequestTimes]
    api_server_missing: str | None = Field(
        default=None, description="why the suite could not read the API server's metrics"
    )
    storage_operations: list[OperationTimes]
    storage_operations_missing: str | None = Field(
        default=None, description="why the suite could not read the kubelets' metrics"
    )
    requests: dict[str, int] = Field(
        description="number of requests that the suite itself sent to the API server, during ramp-up and ramp-down"
    )
