"""The load pods: a set that keeps to the restricted standard, spreads evenly, and a script that any shell takes."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.pod_manifest import PodDefaults
from acceptance.cluster.stateful_sets import REQUESTS, set_manifest
from acceptance.cluster.workspace import Workspace
from acceptance.loads.fio.job_file import read_job_file
from acceptance.loads.fio.rate_limit import limited_job, only_direction
from acceptance.loads.profiles import Profile
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage
from acceptance.trials.scaling.load_plan import LoadPlan

PROFILES = Path(__file__).parents[2] / "profiles"
WORKSPACE = Workspace(
    api=cast(Api, None), run_id="r", namespace="ns", image="fio:1", timeout_s=60, pods=PodDefaults(pull_secret="pull")
)


def profile(name: str = "random-write-iops") -> Profile:
    return read_job_file(PROFILES / f"{name}.fio")


def plan(storage_class: str = "fast", nodes: Sequence[str] = ()) -> LoadPlan:
    return LoadPlan(
        name="scale",
        storage_class=storage_class,
        volume_size=2 * 1024**3,
        test_size=1024**3,
        most_pods=15,
        profiles=[profile()],
        rate_metrics={"random-write-iops": Metric.parse("write.iops")},
        nodes=nodes,
    )


def spec(**more: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", set_manifest(plan(**more).set_plan(WORKSPACE))["spec"])


def pod(**more: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", spec(**more)["template"]["spec"])


def test_pods_start_together_each_with_a_claim_of_the_run() -> None:
    found = spec()
    assert found["podManagementPolicy"] == "Parallel"
    (claim,) = found["volumeClaimTemplates"]
    assert claim["metadata"]["labels"]["storage-acceptance/run"] == "r"
    assert claim["spec"]["storageClassName"] == "fast"
    assert claim["spec"]["resources"]["requests"]["storage"] == str(2 * 1024**3)
    assert found["template"]["metadata"]["labels"]["storage-acceptance/run"] == "r"
    assert found["selector"]["matchLabels"].items() <= found["template"]["metadata"]["labels"].items()


def test_pod_is_what_a_set_takes_and_the_restricted_standard_allows() -> None:
    found = pod()
    assert found["restartPolicy"] == "Always" and "activeDeadlineSeconds" not in found
    assert found["securityContext"]["runAsNonRoot"] is True
    assert found["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert found["automountServiceAccountToken"] is False
    assert found["imagePullSecrets"] == [{"name": "pull"}]
    kinds = {kind for volume in found["volumes"] for kind in volume if kind != "name"}
    assert kinds == {"configMap", "downwardAPI"}
    assert found["containers"][0]["resources"]["requests"] == REQUESTS
    assert set(found["containers"][0]["resources"]["limits"]) == {"memory"}


def test_pods_spread_evenly_over_nodes_that_take_them() -> None:
    (constraint,) = pod()["topologySpreadConstraints"]
    assert constraint["maxSkew"] == 1 and constraint["whenUnsatisfiable"] == "DoNotSchedule"
    assert constraint["topologyKey"] == "kubernetes.io/hostname" and constraint["nodeTaintsPolicy"] == "Honor"
    assert "affinity" not in pod()


def test_nodes_are_chosen_through_the_scheduler() -> None:
    required = pod(nodes=["n1", "n2"])["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    chosen = [term["matchFields"][0]["values"] for term in required["nodeSelectorTerms"]]
    assert chosen == [["n1"], ["n2"]]


def test_the_start_barrier_shows_the_annotation_of_the_pod() -> None:
    found = pod()
    (barrier,) = [volume for volume in found["volumes"] if volume["name"] == "start-barrier"]
    (item,) = barrier["downwardAPI"]["items"]
    assert item["fieldRef"]["fieldPath"] == "metadata.annotations['storage-acceptance/step']"
    (mount,) = [mount for mount in found["containers"][0]["volumeMounts"] if mount["name"] == "start-barrier"]
    environment = {each["name"]: each.get("value") for each in found["containers"][0]["env"]}
    assert environment["START_BARRIER"] == f"{mount['mountPath']}/{item['path']}"


def test_pods_wait_as_long_as_others_may_write_their_files() -> None:
    """15 files of 1 GiB at 5 MiB/s in all, and 15 minutes."""
    environment = {each["name"]: each.get("value") for each in pod()["containers"][0]["env"]}
    assert environment["IDLE_S"] == str(900 + 15 * 1024 // 5)


def test_names_stay_within_what_labels_of_pods_may_hold() -> None:
    first, second = (plan(storage_class="a" * 60 + end).set_name for end in "xy")
    assert first != second
    assert len(first) <= 45 and len(plan().set_plan(WORKSPACE).claim(99).name) <= 63


def test_the_script_is_one_that_a_shell_takes() -> None:
    script = pod()["containers"][0]["command"][2]
    subprocess.run(["sh", "-n", "-c", script], check=True)
    assert "@" not in script.replace('"$@"', "") and "#CHECK#" not in script


def test_pods_find_every_job_and_the_one_at_a_set_rate() -> None:
    found = plan().files()
    assert set(found) == {"prefill.fio", "random-write-iops.fio", "random-write-iops.limited.fio"}
    assert found["random-write-iops.fio"] == profile().text


@pytest.mark.parametrize(
    ("name", "metric", "option"),
    [
        ("random-write-iops", "write.iops", "rate_iops=${RATE}"),
        ("random-read-bandwidth", "read.bandwidth", "rate=${RATE}"),
        ("sync-write-iops", "write.iops", "rate_iops=${RATE}"),
    ],
)
def test_a_set_rate_is_fios_own_and_all_else_stays(name: str, metric: str, option: str) -> None:
    text = limited_job(profile(name), metric=Metric.parse(metric))
    assert f"[{name}]\n{option}\n" in text
    assert text.replace(f"{option}\n", "") == profile(name).text
    environment = {"FILE": "/tmp/x", "SIZE": "1M", "RUNTIME": "1s", "RATE": "100", "PATH": "/usr/bin:/bin"}
    subprocess.run(["fio", "--parse-only", "/dev/stdin"], input=text, text=True, env=environment, check=True)


def test_a_section_with_a_comment_behind_its_name_is_limited_too() -> None:
    text = "[global]\nnumjobs=1 # rate=5\n [p] # numjobs=4\nrw=write ; all\n"
    one = Profile(name="p", path=Path("p.fio"), text=text, about="", jobs=("p",))
    limited = limited_job(one, metric=Metric.parse("write.iops"))
    assert limited == text.replace("numjobs=4\n", "numjobs=4\nrate_iops=${RATE}\n")
    assert only_direction(one) == "write"


def test_a_rate_of_several_processes_is_refused() -> None:
    several = Profile(name="p", path=Path("p.fio"), text="[p]\nnumjobs=4\n", about="", jobs=("p",))
    with pytest.raises(WrongUsage, match="found numjobs"):
        limited_job(several, metric=Metric.parse("write.iops"))
