"""The pods of a run: admitted by the restricted Pod Security Standard, never throttled, ended by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest, volume_path
from acceptance.cluster.pod_states import describe_pod, image_digest

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
    assert spec(pull_secret="registry")["imagePullSecrets"] == [{"name": "registry"}]


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
