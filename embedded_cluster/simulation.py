"""Nodes and storage in the API server alone, simulated by KWOK: for the cost of many pods, not for their work."""

import json
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import builds
from embedded_cluster.check import ready_nodes
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.progress import say, step
from embedded_cluster.state import read_state
from embedded_cluster.timers import timers
from embedded_cluster.waiting import NotYet, wait_for

COMPONENT = "kwok"
COMMON_NAME = "storage-acceptance:kwok"
# The nodes' label and the key of their taint; manifests/simulated-node.yaml.
MARK = "storage-acceptance/simulated"
MOST_NODES = 500
PODS_A_NODE = 1000

# As fast as the fastest real pod. KWOK does not wait until the volume is attached, which takes about 0.1 s.
_RUNNING_AFTER_MS = 1000
_READY_WITHIN_S = 60
_SERVED_WITHIN_S = 30
# Addresses that lead nowhere: RFC 2544 sets them apart for tests. All pods get one, so the range is a large one.
_POD_ADDRESSES = "198.18.0.0/15"


def present(kubectl: Kubectl) -> set[str]:
    """Return the names of the simulated nodes. Raise EnvironmentFailure if the API server does not answer."""
    return {node["metadata"]["name"] for node in kubectl.get("nodes", f"--selector={MARK}")}


def arrange(layout: Layout, *, nodes: int | None) -> None:
    """Have exactly `nodes` simulated nodes in a running cluster, all Ready; None: keep and print those that exist.

    With the first come KWOK, built if it was not yet, and the class `simulated`; both then stay. Pods of removed nodes
    are removed by Kubernetes, within about a minute.

    Raises EnvironmentFailure if KWOK cannot be built, or it or its nodes do not come up.
    """
    kubectl = Kubectl.of(layout)
    there = present(kubectl)
    if nodes is None:
        if there:
            say(f"simulated nodes: {len(there)}; `up --simulated-nodes COUNT` changes that, 0 removes them")
        return
    names = {layout.simulated_node(number) for number in range(1, nodes + 1)}
    if surplus := there - names:
        with step(f"remove {len(surplus)} simulated nodes"):
            kubectl.run("delete", "node", *sorted(surplus), "--ignore-not-found", timeout=60)
    if names:
        _add(names - there, of=names, layout=layout, kubectl=kubectl)


def _add(missing: set[str], *, of: set[str], layout: Layout, kubectl: Kubectl) -> None:
    state = read_state(layout)
    if state is None:
        raise EnvironmentFailure(f"cluster {layout.name} was removed meanwhile")
    daemons = Daemons(layout=layout, state=state)
    if not daemons.has(COMPONENT):
        kwok = builds.ensure_kwok()
        with step("start KWOK"):
            _start(daemons, kubectl=kubectl, kwok=kwok)
    with step(f"{len(of)} simulated nodes ready"):
        if missing:
            values = [{"name": name, "pods": str(PODS_A_NODE)} for name in sorted(missing)]
            kubectl.apply_each("simulated-node.yaml", values)
        _wait(daemons, kubectl=kubectl, names=of)


def _start(daemons: Daemons, *, kubectl: Kubectl, kwok: builds.Kwok) -> None:
    kubeconfig = daemons.layout.pki / f"{COMPONENT}.kubeconfig"
    if not kubeconfig.exists():
        raise EnvironmentFailure(
            f"cluster {daemons.layout.name} was started by an older version without simulated nodes: take the "
            "cluster down and start it again"
        )
    kubectl.run("apply", "--server-side", "--force-conflicts", f"--filename={kwok.definition}")
    wait_for("KWOK's stages to be served", lambda: _require_stages(kubectl), timeout=_SERVED_WITHIN_S)
    kubectl.run("apply", "--server-side", "--force-conflicts", f"--filename={kwok.stages}")
    delay = {"spec": {"delay": {"durationMilliseconds": _RUNNING_AFTER_MS}}}
    kubectl.run("patch", "stage/pod-ready", "--type=merge", f"--patch={json.dumps(delay)}")
    kubectl.apply("simulation.yaml")
    command: list[str | Path] = [
        kwok.program,
        f"--kubeconfig={kubeconfig}",
        # Stages are objects of the cluster, so that a test can add some of its own while it runs.
        "--enable-crds=Stage",
        "--manage-all-nodes=false",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        f"--node-lease-duration-seconds={timers(short=daemons.state.short_timers).lease_s}",
        # No kubelet listens anywhere: with a loopback address the API server refuses logs and exec immediately.
        "--node-ip=127.0.0.1",
        f"--cidr={_POD_ADDRESSES}",
    ]
    # Otherwise KWOK would read the user's own settings.
    daemons.start(COMPONENT, command, environment={"KWOK_WORKDIR": str(daemons.layout.state / COMPONENT)})


def _require_stages(kubectl: Kubectl) -> None:
    # Not `kubectl wait`: it gives up on a definition that has no conditions yet.
    (definition,) = kubectl.get("customresourcedefinition", "stages.kwok.x-k8s.io")
    conditions = definition.get("status", {}).get("conditions") or []
    if not any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions):
        raise NotYet(f"conditions: {conditions}")


def _wait(daemons: Daemons, *, kubectl: Kubectl, names: set[str]) -> None:
    def ready() -> None:
        daemons.require_alive(COMPONENT)
        if missing := names - set(ready_nodes(kubectl)):
            raise NotYet(f"not Ready: {', '.join(sorted(missing)[:5])}; {len(missing)} in total")

    try:
        wait_for("the simulated nodes to be Ready", ready, timeout=_READY_WITHIN_S)
    except EnvironmentFailure as error:
        raise EnvironmentFailure(f"{error}\n{daemons.last_words(COMPONENT)}") from None
