"""The room of the nodes for more pods, spread evenly; checked before any pod is created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from kubernetes.utils.quantity import parse_quantity

from acceptance.cluster.api import Api
from acceptance.cluster.nodes import nodes_that_take_pods
from acceptance.cluster.objects import name_of
from acceptance.cluster.pod_states import OVER, is_over
from acceptance.cluster.resources import PODS, Object
from acceptance.settings.pod_template import PodTemplate
from acceptance.text.errors import EnvironmentFailure


def usable_nodes(api: Api, template: PodTemplate) -> list[str]:
    """Return the names of the nodes that take pods of the template."""
    return sorted(map(name_of, nodes_that_take_pods(api, template)))


def require_room(
    api: Api, template: PodTemplate, *, pods: int, requests: Mapping[str, str], nodes: Sequence[str] = ()
) -> None:
    """Raise EnvironmentFailure, naming node and resource, if `pods` more do not fit when spread evenly.

    `requests` of each pod by resource, as Kubernetes quantities; `nodes`: the only ones to use, empty for all that take
    pods of the template. Limits that only the scheduler knows, such as how many volumes a node may attach, are left to
    it.
    """
    there_are = nodes_that_take_pods(api, template)
    usable = [node for node in there_are if not nodes or name_of(node) in nodes]
    if not usable:
        raise EnvironmentFailure(
            f"expected a node that takes pods, found none{' of ' + ', '.join(nodes) if nodes else ''}; each "
            "is not ready, cordoned or tainted: uncordon one, remove its taint, or give pods a toleration "
            "(--storage-pods template)"
        )
    lacking = room_problems(usable, _pods(api), pods=pods, requests=requests)
    if lacking:
        raise EnvironmentFailure(
            f"{pods} pods do not fit on {len(usable)} nodes when spread evenly, so none was created: "
            f"{'; '.join(lacking)}; free some, add nodes or request fewer pods "
            "(--storage-scale steps, --storage-scale rate-pods)"
        )


def total_room(api: Api, nodes: Sequence[Object], *, requests: Mapping[str, str]) -> int:
    """Return how many more such pods these nodes hold together, as far as is known without the scheduler."""
    there_are = _pods(api)
    return sum(_room(node, there_are, requests)[0] for node in nodes)


def _pods(api: Api) -> list[Object]:
    """Return the pods that take room; clusters that run jobs have many that have ended."""
    return api.list(PODS, fields=",".join(f"status.phase!={phase}" for phase in OVER), slim=_footprint)


def room_problems(
    nodes: Sequence[Object], there_are: Sequence[Object], *, pods: int, requests: Mapping[str, str]
) -> list[str]:
    """Return what each node lacks for its even part of `pods`; `there_are`: all pods of the cluster."""
    fewest, more = divmod(pods, len(nodes))
    rooms = sorted(((_room(node, there_are, requests), name_of(node)) for node in nodes), key=lambda item: -item[0][0])
    problems = []
    for number, ((room, resource, free), name) in enumerate(rooms):
        part = fewest + (number < more)
        if room < part:
            request = f" ({requests[resource]} each)" if resource in requests else ""
            problems.append(f"node {name} lacks {resource}: {part} pods{request} would run there, {free} is free")
    return problems


def _room(node: Object, there_are: Sequence[Object], requests: Mapping[str, str]) -> tuple[int, str, str]:
    """Return how many more pods the node holds, the resource that is used up first, and how much of it is free."""
    allocatable = node["status"]["allocatable"]
    here = [pod for pod in there_are if pod["spec"].get("nodeName") == name_of(node) and not is_over(pod)]
    free = {name: _quantity(allocatable.get(name, "0")) - _total_requests(here, name) for name in requests}
    rooms = [
        (max(0, int(free[name] / _quantity(amount))), name, _format(free[name])) for name, amount in requests.items()
    ]
    places = int(_quantity(allocatable.get("pods", "0"))) - len(here)
    return min([*rooms, (max(0, places), "pods", f"room for {max(0, places)}")])


def _total_requests(pods: Sequence[Object], resource: str) -> Decimal:
    return sum((_pod_requests(pod["spec"], resource) for pod in pods), Decimal(0))


def _pod_requests(spec: Object, resource: str) -> Decimal:
    """Return a pod's requests.

    Its containers run together, its init containers before, one at a time (sidecars are rare, and ignored).
    """

    def of(container: Object) -> Decimal:
        return _quantity(((container.get("resources") or {}).get("requests") or {}).get(resource, "0"))

    together = sum((of(container) for container in spec.get("containers") or []), Decimal(0))
    return max([together, *(of(container) for container in spec.get("initContainers") or [])])


def _footprint(pod: Object) -> Object:
    """Return a pod's requests and node: all that is kept of each pod of the cluster."""
    spec = pod["spec"]
    containers = {
        kind: [
            {"resources": {"requests": (container.get("resources") or {}).get("requests")}}
            for container in spec.get(kind) or []
        ]
        for kind in ("containers", "initContainers")
    }
    return {"spec": {"nodeName": spec.get("nodeName"), **containers}, "status": {"phase": pod["status"].get("phase")}}


def _quantity(text: str) -> Decimal:
    return Decimal(parse_quantity(text))  # type: ignore[no-untyped-call]


def _format(free: Decimal) -> str:
    return f"{max(Decimal(0), free).normalize():f}"
