"""What a ramp found: the models behind `control_plane` in `results.json`. All frozen; times in s.

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
    """What ended the ramp."""

    kind: StopKind
    reason: str
    since_pods: int = Field(description="how many pods there were when what ended the ramp began")
    after_s: float = Field(description="since the first pod was asked for")


class PhaseTimes(Frozen):
    """How long after its creation a pod had come so far; nearest ranks over `pods` of them."""

    pods: int
    p50_s: float
    p90_s: float
    p99_s: float


class GrowthPoint(Frozen):
    """How many pods were asked for and ran so long after the first was asked for."""

    at_s: float
    requested: int
    running: int = Field(description="that had become running by then")


class StartPoint(Frozen):
    """How long the pod took from creation to running that was made as number `pods`."""

    pods: int
    took_s: float


class RampDownRecord(Frozen):
    """Ramp-down: pods were told to end at twice the rate at which they had been asked for."""

    scale_down_s: float = Field(description="from the first pod that was told to end to the last")
    cleanup_s: float | None = Field(
        description="from then until the last PVC, PV and VolumeAttachment was deleted; None: not in time"
    )
    timeout_s: float = Field(description="how long was waited for that at most")
    remaining: list[str] = Field(description="what was still there then: the first of them by name")


class RequestTimes(Frozen):
    """What the API server answered while the ramp went up, by its own metrics; watches are left out."""

    verb: str
    per_s: float
    mean_s: float
    p99_at_most_s: float | None = Field(description="upper end of the histogram's bucket; None in the last one")


class OperationTimes(Frozen):
    """`storage_operation_duration_seconds` of the nodes' kubelets while the ramp went up."""

    plugin: str
    operation: str
    status: str
    count: int
    mean_s: float
    p99_at_most_s: float | None


class ControlPlaneRecord(Frozen):
    """A ramp of pods with a volume each, and the way back."""

    storage_class: str
    form: Form = Field(description="one StatefulSet for all, or one for each node")
    goal: int
    rate_per_s: float = Field(description="at which pods were asked for")
    pods: int = Field(description="that ran when the ramp ended")
    volumes: int = Field(description="that were bound then")
    per_node: dict[str, int] = Field(description="pods that ran then, by node")
    ended: Ended
    linear_until: int = Field(description="how many pods ran when growth was last as fast as they were asked for")
    phases: dict[str, PhaseTimes] = Field(
        description="bound, scheduled, attached, running, ready; of all pods, also those that came so far while the "
        "ramp went down; what was not seen is not there"
    )
    observed_late: int = Field(
        description="pods of which something was seen late, since the connection was broken: their phases do not count"
    )
    growth: list[GrowthPoint]
    starts: list[StartPoint]
    ramp_down: RampDownRecord
    api_server: list[RequestTimes]
    api_server_missing: str | None = Field(default=None, description="why the API server's metrics could not be read")
    storage_operations: list[OperationTimes]
    storage_operations_missing: str | None = Field(default=None, description="why kubelets' metrics could not be read")
    requests: dict[str, int] = Field(description="what the suite itself asked of the API server, up and down")
