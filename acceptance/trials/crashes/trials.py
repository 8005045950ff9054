"""Crashes of all kinds: each class goes through each once, on a volume of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from acceptance.cluster.claims import Claim, create_claim, remove_claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.resources import PODS
from acceptance.cluster.workspace import Workspace
from acceptance.process.once import Once
from acceptance.process.undoing import Undoing
from acceptance.results.crashes import Failure
from acceptance.results.disturbances import DISTURBANCES
from acceptance.settings.target_plans import DisturbancePlan, KubeletPlan, NodeFailurePlan
from acceptance.text.errors import NotTried, Unsupported
from acceptance.trials import Say
from acceptance.trials.crashes.cutting_off import SUCCESSOR, CutOffTrial
from acceptance.trials.crashes.disturbing import DisturbedTrial
from acceptance.trials.crashes.outage import NO_KUBELET, no_disturbance
from acceptance.trials.crashes.reading import READER
from acceptance.trials.crashes.restarting_together import JointRestartTrial
from acceptance.trials.crashes.shutting_down import ShutDownTrial
from acceptance.trials.crashes.trial import Crash, CrashSettings, Trial
from acceptance.trials.crashes.writer import WRITER

CLAIM_SIZE = 1024**3
DISTURBED: Mapping[Failure, type[DisturbedTrial]] = {
    "nodes-restarted-together": JointRestartTrial,
    "node-shut-down": ShutDownTrial,
    "node-cut-off": CutOffTrial,
}
"""The trials of disturbances after which another pod writes."""
DisturbancePlans = Mapping[Failure, DisturbancePlan | str]
"""The user's plan for each disturbance, or why it may not be caused."""
OF_NODES: tuple[Failure, ...] = ("node-failed", "failover", "failover-out-of-service")
"""The crashes for which a node is made to fail."""
OF_KUBELETS: tuple[Failure, ...] = ("kubelet-restarted", "kubelet-away")
"""The crashes for which the kubelet of a node is stopped."""
NO_TAINT = (
    "capability 'out-of-service taint': the taint also removes other users' pods from the node, so the target file "
    "must allow it: node_failure: out_of_service: true (see docs/durability.md)"
)


class CrashTrials:
    """All crashes of a run. `node_failure` is the user's plan to fail a node, `kubelet` to stop a kubelet, or why none
    may be made to fail; `disturbances`: the same of each disturbance."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: CrashSettings,
        node_failure: NodeFailurePlan | str,
        kubelet: KubeletPlan | str = NO_KUBELET,
        disturbances: DisturbancePlans | None = None,
        say: Say,
        keep: Callable[[Crash], object],
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._node_failure = node_failure
        self._kubelet = kubelet
        self._disturbances = disturbances or {}
        self._say = say
        self._crashes = Once(self._crash, keep=keep)

    def crash(self, storage_class: str, failure: Failure) -> Crash:
        """Return the outcome of the crash.

        Raises Unsupported for a class that cannot be used from another node, NotTried without a plan to fail nodes,
        StorageFailure if the volume is unusable afterwards, EnvironmentFailure for the rest. Every caller gets the same
        error.
        """
        return self._crashes((storage_class, failure))

    def _crash(self, key: tuple[str, Failure]) -> Crash:
        storage_class, failure = key
        plan, kubelet, disturbances = self._node_failure, self._kubelet, self._disturbances
        if (why := lacks_plan(failure, plan, kubelet=kubelet, disturbances=disturbances)) is not None:
            raise NotTried(why)
        claim = self._workspace.claim(
            "durability", failure, storage_class, storage_class=storage_class, size=CLAIM_SIZE
        )
        trial = self._trial(claim, failure)
        crash: Crash | None = None

        def remove() -> None:
            has_failed = not isinstance(undoing.error, Unsupported)
            if crash is not None:
                has_failed = bool(crash.durability.lost or crash.problem or (crash.further and crash.further.lost))
            if not (self._settings.keep and has_failed):
                _remove(self._workspace, claim)

        with Undoing() as undoing:
            undoing.callback(remove)
            create_claim(self._workspace.api, claim)
            crash = trial.run()
        return crash

    def _trial(self, claim: Claim, failure: Failure) -> Trial:
        disturbance = self._disturbances.get(failure)
        kind: Callable[..., Trial] = Trial
        if isinstance(disturbance, DisturbancePlan):
            kind = partial(DISTURBED.get(failure, DisturbedTrial), disturbance=disturbance)
        return kind(
            workspace=self._workspace,
            claim=claim,
            failure=failure,
            settings=self._settings,
            node_failure=None if isinstance(self._node_failure, str) else self._node_failure,
            kubelet=None if isinstance(self._kubelet, str) else self._kubelet,
            say=self._say,
        )


def lacks_plan(
    failure: Failure,
    plan: NodeFailurePlan | str,
    *,
    kubelet: KubeletPlan | str = NO_KUBELET,
    disturbances: DisturbancePlans | None = None,
) -> str | None:
    """Return why the crash cannot be brought about: its commands lack, or no node that fails may be tainted."""
    if failure in DISTURBANCES:
        disturbance = (disturbances or {}).get(failure, no_disturbance(DISTURBANCES[failure]))
        return disturbance if isinstance(disturbance, str) else None
    if failure in OF_KUBELETS:
        return kubelet if isinstance(kubelet, str) else None
    if failure in OF_NODES and isinstance(plan, str):
        return plan
    if failure == "failover-out-of-service" and not (isinstance(plan, NodeFailurePlan) and plan.out_of_service):
        return NO_TAINT
    return None


def _remove(workspace: Workspace, claim: Claim) -> None:
    # Not by force: a writer that still runs would write to the volume while it is being deleted.
    for part in (WRITER, READER, SUCCESSOR):
        workspace.api.delete(PODS, object_name(claim.name, part), namespace=claim.namespace, grace_s=1)
    remove_claim(workspace.api, claim, timeout_s=workspace.timeout_s)
