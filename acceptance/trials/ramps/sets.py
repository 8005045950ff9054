"""The StatefulSets of a ramp: one for all pods, or one for each node; pods by number, in the order of their
requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acceptance.cluster.node_room import total_room
from acceptance.cluster.nodes import is_up, slim_node, takes_pods, tolerations
from acceptance.cluster.objects import name_of, set_name
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import NODES, Object
from acceptance.cluster.stateful_sets import SetPlan
from acceptance.cluster.workspace import Workspace
from acceptance.results.ramps import Form
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.ramps.load import REQUESTS, command, environment, probe


@dataclass(frozen=True, kw_only=True)
class RampPlan:
    """A ramp to `goal` pods with a volume each. `volume_size` in bytes.

    `node_labels`: the labels that nodes must carry to be used. Nodes that are selected by a label are used whatever
    their taints; without a label, those that take ordinary pods.
    """

    storage_class: str
    goal: int
    rate_per_s: float
    volume_size: int
    form: Form = "set"
    node_labels: Mapping[str, str] = field(default_factory=dict)
    block: bool = False


class RampSets:
    """The sets of a plan on the nodes that exist. Pod number n, from 0, is the next of the sets in turn."""

    def __init__(self, workspace: Workspace, plan: RampPlan, nodes: Sequence[Object]) -> None:
        self.nodes = [name_of(node) for node in nodes]
        set_tolerations = tolerations(nodes) if plan.node_labels else []
        groups = [[]] if plan.form == "set" else [[name] for name in self.nodes]
        self.plans = [_set_plan(workspace, plan, number, only, set_tolerations) for number, only in enumerate(groups)]

    def name(self, number: int) -> str:
        """Return the name of the pod of that number."""
        return self.plans[number % len(self.plans)].pod_name(number // len(self.plans))

    def parts(self, pods: int) -> list[int]:
        """Return how many of the first `pods` pods belong to each set."""
        fewest, more = divmod(pods, len(self.plans))
        return [fewest + (number < more) for number in range(len(self.plans))]


def usable(workspace: Workspace, plan: RampPlan, *, minimum: int) -> list[Object]:
    """Return the nodes that the ramp uses.

    Raises EnvironmentFailure if there are none, or if they cannot hold `minimum` pods. A goal beyond what they hold is
    no error: a ramp is to find out how far it goes.
    """
    selector = ",".join(f"{key}={value}" for key, value in plan.node_labels.items())
    template = workspace.pods.template
    nodes = [
        node
        for node in workspace.api.list(NODES, labels=selector, slim=slim_node)
        if (is_up(node) if plan.node_labels else takes_pods(node, template))
    ]
    if not nodes:
        label = f" with label {selector} (--storage-ramp node-selector)" if selector else ""
        raise EnvironmentFailure(
            f"expected nodes{label} that are ready and take pods, found none; see `kubectl get nodes --show-labels`, "
            "and correct the label, or uncordon nodes"
        )
    room = total_room(workspace.api, nodes, requests=REQUESTS)
    if room < minimum:
        raise EnvironmentFailure(
            f"the {len(nodes)} nodes of the ramp hold {room} more pods of {REQUESTS['cpu']} CPU and "
            f"{REQUESTS['memory']} each, and the tier requires {minimum}, so none was created; free capacity, or "
            "add nodes"
        )
    return nodes


def _set_plan(
    workspace: Workspace, plan: RampPlan, number: int, nodes: Sequence[str], set_tolerations: Sequence[Object]
) -> SetPlan:
    claim = workspace.claim("like", storage_class=plan.storage_class, size=plan.volume_size, block=plan.block)
    name = set_name("ramp", plan.storage_class, *([str(number)] if nodes else []))
    pod = PodPlan(
        name=name,
        claims=(claim,),
        image=workspace.image,
        command=command(claim),
        deadline_s=0,
        environment=environment(claim),
        defaults=workspace.pods,
    )
    return SetPlan(
        name=name,
        pod=pod,
        nodes=nodes,
        node_labels=plan.node_labels,
        tolerations=set_tolerations,
        requests=REQUESTS,
        evenly=False,
        probe=probe(claim),
    )
