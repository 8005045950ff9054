"""Ramps each class up and down once, however often that is requested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from acceptance.cluster.claims import require_no_unclaimed_volumes
from acceptance.cluster.lifetime import Lifetime
from acceptance.cluster.offered_mode import require_mode
from acceptance.cluster.stateful_sets import create_set, delete_set
from acceptance.cluster.workspace import Workspace
from acceptance.limits.ramps import RampRules
from acceptance.process.once import Once
from acceptance.process.undoing import Undoing
from acceptance.results.ramps import ControlPlaneRecord, Form
from acceptance.trials import Say
from acceptance.trials.ramps.conditions import StopConditions
from acceptance.trials.ramps.observer import Observer
from acceptance.trials.ramps.ramp_down import ramp_down
from acceptance.trials.ramps.ramp_up import ramp_up
from acceptance.trials.ramps.record_of import late_pods, phases, ramp_up_fields
from acceptance.trials.ramps.server_metrics import operation_times, read_server_metrics, request_times
from acceptance.trials.ramps.sets import RampPlan, RampSets, usable


@dataclass(frozen=True, kw_only=True)
class RampSettings:
    """The settings of ramps. `goal`: pods; `required_pods`: the number that the limit requires. `rate_per_s`: None for
    the tier's. `volume_size` in bytes.

    `timeout_s`: how long nothing may happen while pods are waited for; `down_s`: how long it may take until all are
    deleted after the last pod was asked to end.
    """

    goal: int
    required_pods: int
    volume_size: int
    timeout_s: float
    down_s: float
    rate_per_s: float | None = None
    form: Form = "set"
    node_labels: Mapping[str, str] = field(default_factory=dict)
    block: bool = False


class RampRunner:
    """All ramps of a session, by the rules of its tier; each record is passed to `keep`, once."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: RampSettings,
        rules: RampRules,
        say: Say,
        keep: Callable[[ControlPlaneRecord], object],
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._rules = rules
        self._say = say
        self._records = Once(self._ramp, keep=keep)

    def record(self, storage_class: str) -> ControlPlaneRecord:
        """Return the record of the ramp of the class.

        A ramp that failed is not tried again: every caller gets the same error. Raises what `require_mode` raises;
        EnvironmentFailure if the nodes cannot hold the pods that are required, if the image is of no use, or if the
        ramp cannot be watched to its end; ApiError and ApiUnreachable.
        """
        return self._records(storage_class)

    def _ramp(self, storage_class: str) -> ControlPlaneRecord:
        """Ramp the class up and down. The removal of the run deletes what an error leaves behind."""
        settings, api = self._settings, self._workspace.api
        plan = RampPlan(
            storage_class=storage_class,
            goal=settings.goal,
            rate_per_s=settings.rate_per_s or self._rules.rate_per_s,
            volume_size=settings.volume_size,
            form=settings.form,
            node_labels=settings.node_labels,
            block=settings.block,
        )
        require_no_unclaimed_volumes(api, storage_classes=[storage_class])
        require_mode(self._workspace, storage_class=storage_class, size=settings.volume_size, block=settings.block)
        sets = RampSets(self._workspace, plan, usable(self._workspace, plan, minimum=settings.required_pods))
        with Undoing() as undoing:
            lifetime = undoing.enter(Lifetime(api, sets.plans[0].pod))
            for set_plan in sets.plans:
                create_set(api, set_plan, owner=lifetime.owner)
            record = self._up_and_down(plan, sets)
            for set_plan in sets.plans:
                delete_set(api, set_plan)
        return record

    def _up_and_down(self, plan: RampPlan, sets: RampSets) -> ControlPlaneRecord:
        api = self._workspace.api
        conditions = StopConditions(self._rules.stop_when, goal=plan.goal, timeout_s=self._settings.timeout_s)
        names = [set_plan.name for set_plan in sets.plans]
        before = read_server_metrics(api, sets.nodes)
        earlier_requests = api.request_counts.copy()
        with Observer(self._workspace, conditions, sets=names, nodes=sets.nodes) as observer:
            up = ramp_up(self._workspace, sets, observer, goal=plan.goal, rate_per_s=plan.rate_per_s, say=self._say)
            with observer.condition:
                fields = ramp_up_fields(observer.timeline, up)
            after = read_server_metrics(api, sets.nodes)
            down = ramp_down(
                self._workspace,
                sets,
                observer,
                pods=len(up.asked_s),
                rate_per_s=plan.rate_per_s,
                timeout_s=self._settings.down_s,
                say=self._say,
            )
        return ControlPlaneRecord(
            storage_class=plan.storage_class,
            form=plan.form,
            goal=plan.goal,
            rate_per_s=plan.rate_per_s,
            ramp_down=down,
            phases=phases(observer.timeline),
            observed_late=late_pods(observer.timeline),
            api_server=request_times(before, after, seconds=up.ended_s - up.began_s),
            api_server_missing=before.requests_missing or after.requests_missing,
            storage_operations=operation_times(before, after),
            storage_operations_missing=before.operations_missing or after.operations_missing,
            requests=dict(sorted((api.request_counts - earlier_requests).items())),
            **fields,
        )
