"""What a site wants of all pods reaches those of a run: on a node that is kept for some, by a priority of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES, Resource
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from selftests.integration.suite import CLUSTER, finish, limits_file, started_suite, wait_for_load

# Other pods would have to leave the node.
pytestmark = [pytest.mark.disrupts, pytest.mark.full]

PRIORITIES = Resource(prefix="apis/scheduling.k8s.io/v1", plural="priorityclasses", has_namespace=False)
PRIORITY = "lab-storage"
NODE = f"{CLUSTER}-node-2"
TEMPLATE = f"""\
metadata:
  labels: {{lab/team: storage}}
  annotations: {{lab/why: acceptance}}
spec:
  nodeSelector: {{lab/disks: fast}}
  tolerations: [{{key: lab/dedicated, operator: Exists, effect: NoSchedule}}]
  priorityClassName: {PRIORITY}
"""


@pytest.fixture
def dedicated(cluster: embedded_cluster.EmbeddedCluster, api: Api) -> Iterator[None]:
    """A node that takes no ordinary pods, and a priority class; as before at the end."""
    kubectl = Kubectl.of(Layout(CLUSTER))
    api.create(PRIORITIES, {"metadata": {"name": PRIORITY}, "value": 1000})
    kubectl.run("taint", "node", NODE, "lab/dedicated=storage:NoSchedule")
    kubectl.run("label", "node", NODE, "lab/disks=fast")
    yield
    kubectl.run("label", "node", NODE, "lab/disks-")
    kubectl.run("taint", "node", NODE, "lab/dedicated-")
    api.delete(PRIORITIES, PRIORITY)
    assert not api.get(NODES, NODE)["spec"].get("taints")


def test_pods_go_to_dedicated_nodes_as_the_template_says(
    dedicated: None, clean: Api, reports: Path, tmp_path: Path
) -> None:
    template = tmp_path / "pod.yaml"
    template.write_text(TEMPLATE)
    options = [f"--storage-thresholds={limits_file(tmp_path, iops=1)}", f"--storage-pod-template={template}"]
    options += ["--storage-class=local-path", "-k", "synchronous and not stall"]
    with started_suite(*options, reports=reports) as process:
        pod = wait_for_load(clean)
        run = finish(process, reports=reports)
    assert run.status == 0, run.output
    assert pod["spec"]["nodeName"] == NODE
    assert pod["metadata"]["labels"]["lab/team"] == "storage" and pod["metadata"]["annotations"]["lab/why"]
    assert (pod["spec"]["priorityClassName"], pod["spec"]["priority"]) == (PRIORITY, 1000)
    assert run.results["settings"]["pod_template"]["spec"]["priority_class_name"] == PRIORITY
