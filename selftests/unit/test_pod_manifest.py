"""The pods of a run: admitted by the restricted Pod Security Standard, never throttled, ended by themselves."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodDefaults, PodPlan, pod_manifest, volume_path
from acceptance.cluster.pod_states import describe_pod, image_digest
from acceptance.settings.pod_template import PodTemplate

ROOT = Path(__file__).parents[2]
CLAIM = Claim(name="data", namespace="ns", storage_class="fast", size=1024**3, run_id="r")


def plan(**more: Any) -> PodPlan:
    return PodPlan(
        **{"name": "load-1", "claims": (CLAIM,), "image": "fio:1", "command": ["fio", "a.fio"], "deadline_s": 90} | more
    )


def spec(**more: Any) -> dict[str, Any]:
    found: dict[str, Any] = pod_manifest(plan(**more))["spec"]
    return found


def containers(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [*found.get("initContainers", []), *found["containers"]]


# https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
def test_every_container_meets_the_restricted_standard() -> None:
    found = spec(files="profiles")
    assert len(containers(found)) == 1
    for container in containers(found):
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert "privileged" not in security
        assert not [port for port in container.get("ports", []) if "hostPort" in port]
    pod = found["securityContext"]
    assert pod["runAsNonRoot"] is True
    assert pod["runAsUser"] != 0
    assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(found)
    allowed = {"persistentVolumeClaim", "configMap"}
    assert all(set(volume) <= {"name", *allowed} for volume in found["volumes"])


def test_cpu_is_not_limited_and_memory_is() -> None:
    for container in containers(spec()):
        assert set(container["resources"]["limits"]) == {"memory"}
        assert set(container["resources"]["requests"]) == {"cpu", "memory"}


def test_the_cluster_ends_the_pod_by_itself() -> None:
    assert spec()["activeDeadlineSeconds"] == 90
    assert spec()["restartPolicy"] == "Never"


def test_the_pod_has_no_access_to_the_api() -> None:
    assert spec()["automountServiceAccountToken"] is False


def test_the_node_is_chosen_through_the_scheduler() -> None:
    found = spec(node="n1")
    (term,) = found["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    assert "nodeName" not in found


def test_a_node_is_kept_free_through_the_scheduler() -> None:
    found = spec(away_from="n1")
    (term,) = found["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]}


def test_without_a_node_the_scheduler_is_free() -> None:
    assert "affinity" not in spec()


def test_each_claim_is_mounted_at_its_place() -> None:
    found = spec(claims=(CLAIM, replace(CLAIM, name="local")), files="profiles")
    assert found["volumes"] == [
        {"name": "volume-0", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "volume-1", "persistentVolumeClaim": {"claimName": "local"}},
        {"name": "files", "configMap": {"name": "profiles"}},
    ]
    (container,) = containers(found)
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounts == {"volume-0": volume_path(0), "volume-1": volume_path(1), "files": "/profiles"}
    assert container["volumeDevices"] == []


def test_a_raw_block_volume_is_a_device() -> None:
    (container,) = containers(spec(claims=(CLAIM, replace(CLAIM, name="raw", block=True))))
    assert [mount["name"] for mount in container["volumeMounts"]] == ["volume-0"]
    assert container["volumeDevices"] == [{"name": "volume-1", "devicePath": volume_path(1, block=True)}]


def test_what_is_not_asked_for_is_not_there() -> None:
    assert not {"initContainers", "imagePullSecrets"} & set(spec())
    assert spec(defaults=PodDefaults(pull_secret="registry"))["imagePullSecrets"] == [{"name": "registry"}]


def test_pods_run_as_nobody_where_nobody_says_otherwise() -> None:
    security = spec()["securityContext"]
    assert [security[each] for each in ("runAsUser", "runAsGroup", "fsGroup")] == [65534] * 3
    security = spec(defaults=PodDefaults(user=1000), fs_group=54321)["securityContext"]
    assert [security[each] for each in ("runAsUser", "runAsGroup", "fsGroup")] == [1000, 1000, 54321]


def test_where_the_cluster_gives_ids_no_pod_asks_for_any() -> None:
    assert not re.search("runAsUser|runAsGroup|fsGroup\\b", json.dumps(spec(defaults=PodDefaults(user=None))))
    assert spec(defaults=PodDefaults(user=None))["securityContext"]["runAsNonRoot"] is True


def test_what_is_wanted_of_all_pods_is_added_and_replaces_nothing() -> None:
    template = PodTemplate.model_validate(
        {
            "metadata": {"labels": {"team": "storage"}, "annotations": {"why": "acceptance"}},
            "spec": {
                "nodeSelector": {"disks": "nvme"},
                "tolerations": [{"key": "dedicated", "operator": "Exists"}],
                "priorityClassName": "high",
            },
        }
    )
    made = pod_manifest(plan(defaults=PodDefaults(template=template)))
    assert made["metadata"]["labels"] == {"team": "storage", **pod_manifest(plan())["metadata"]["labels"]}
    assert made["metadata"]["annotations"] == {"why": "acceptance"}
    assert made["spec"]["nodeSelector"] == {"disks": "nvme", "kubernetes.io/os": "linux"}
    assert made["spec"]["tolerations"] == [{"key": "dedicated", "operator": "Exists"}]
    assert made["spec"]["priorityClassName"] == "high"
    added = {"nodeSelector", "tolerations", "priorityClassName"}
    assert {key: made["spec"][key] for key in made["spec"] if key not in added} == {
        key: value for key, value in spec().items() if key not in added
    }


def test_every_pod_of_the_engine_has_what_is_wanted_of_all() -> None:
    """A pod that is planned without it would be refused where the others are let in."""
    calls = [
        (path.name, node)
        for path in (ROOT / "acceptance").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "PodPlan"
    ]
    assert len(calls) > 8
    assert [name for name, call in calls if "defaults" not in {keyword.arg for keyword in call.keywords}] == []


def test_command_and_environment_are_passed_on_as_they_are() -> None:
    (container,) = spec(environment={"FILE": "/volume/a b", "SIZE": "1"})["containers"]
    assert container["command"] == ["fio", "a.fio"]
    assert container["env"] == [{"name": "FILE", "value": "/volume/a b"}, {"name": "SIZE", "value": "1"}]
    assert container["image"] == "fio:1"


def test_the_pod_carries_the_runs_label() -> None:
    assert pod_manifest(plan())["metadata"]["labels"]["storage-acceptance/run"] == "r"


def test_a_pod_is_described_by_what_keeps_it() -> None:
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
    pod = {
        "status": {
            "phase": "Pending",
            "conditions": [
                {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"},
                {"type": "Ready", "status": "False"},
            ],
            "containerStatuses": [{"name": "load", "state": waiting}],
        }
    }
    assert describe_pod(pod) == (
        "phase Pending, container load waiting: ImagePullBackOff no such image, not scheduled: 0/3 nodes are available"
    )
    assert describe_pod({"status": {}}) == "phase unknown"
    evicted = {"status": {"phase": "Failed", "reason": "Evicted", "message": "disk pressure"}}
    assert describe_pod(evicted) == "phase Failed, Evicted: disk pressure"


def test_the_digest_is_that_of_the_image_which_ran_the_load() -> None:
    statuses = [{"name": "sidecar", "imageID": "x@sha256:1"}, {"name": "load", "imageID": "reg/fio@sha256:2"}]
    assert image_digest({"status": {"containerStatuses": statuses}}) == "sha256:2"
    assert image_digest({"status": {"containerStatuses": [{"name": "load", "imageID": ""}]}}) is None
    assert image_digest({"status": {}}) is None
