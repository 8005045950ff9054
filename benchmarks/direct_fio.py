"""fio as a user runs it: typed into a shell that sees the mounted volume."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from acceptance.cluster.objects import object_name
from acceptance.cluster.pod_manifest import FILES_PATH, PodPlan, volume_path
from acceptance.cluster.pods import create_pod, wait_started
from acceptance.cluster.resources import VOLUMES
from acceptance.cluster.workspace import FILES, Workspace
from acceptance.loads.profiles import Profile
from acceptance.measuring.cluster_load_runner import TEST_FILE, ClaimedVolume
from acceptance.results.metrics import Metric
from benchmarks.opened import PROFILES
from embedded_cluster.layout import Layout


@dataclass(frozen=True, kw_only=True)
class Shell:
    """A place where fio is run by hand: the words that lead to it, and the test file and the profiles there."""

    words: list[str]
    file: str
    profiles: str


def pod_shell(workspace: Workspace, volume: ClaimedVolume, cluster: str) -> Shell:
    """Return a shell in a pod like the suite's own, with the volume mounted."""
    plan = PodPlan(
        name=object_name("by-hand", volume.storage_class),
        claims=(volume.claim,),
        image=workspace.image,
        command=["sleep", "100000"],
        deadline_s=10000,
        files=FILES,
        node=volume.node,
    )
    create_pod(workspace.api, plan, timeout_s=workspace.timeout_s)
    wait_started(workspace.api, plan, timeout_s=workspace.timeout_s)
    kubeconfig = Layout(cluster).kubeconfig
    kubectl = [str(kubeconfig.parent / "bin" / "kubectl"), f"--kubeconfig={kubeconfig}"]
    words = [*kubectl, "exec", f"--namespace={workspace.namespace}", plan.name, "--", "env"]
    return Shell(words=words, file=f"{volume_path(0)}/{TEST_FILE}", profiles=FILES_PATH)


def host_shell(workspace: Workspace, volume: ClaimedVolume) -> Shell:
    """Return a shell of the host, where the volume is a folder."""
    spec = workspace.api.get(VOLUMES, volume.volume)["spec"]
    folder = (spec.get("hostPath") or spec["local"])["path"]
    return Shell(words=["env"], file=f"{folder}/{TEST_FILE}", profiles=str(PROFILES))


def named_metric(profile: Profile) -> Metric:
    """Return the metric that a mode is named after."""
    direction = "read" if "-read-" in profile.name else "write"
    figure = profile.name.rpartition("-")[2]
    return Metric.parse(f"{direction}.{'latency.mean' if figure == 'latency' else figure}")


def run_directly(shell: Shell, profile: Profile, *, size: int, ramp_s: int, seconds: int, file: str = "") -> float:
    """Return the profile's named metric as fio itself reports it; `ramp_s` is added to a profile that has no ramp."""
    ramp = "" if profile.ramp_s else f"s/^time_based/ramp_time={ramp_s}s\\n&/"
    variables = [f"FILE={file or shell.file}", f"SIZE={size}", f"RUNTIME={seconds}s"]
    script = f"sed '{ramp}' {shell.profiles}/{profile.path.name} | fio --output-format=json -"
    process = subprocess.run([*shell.words, *variables, "sh", "-c", script], capture_output=True, text=True, check=True)
    metric = named_metric(profile)
    figures = json.loads(process.stdout[process.stdout.index("{") :])["jobs"][0][metric.direction]
    if metric.statistic == "mean":
        return float(figures["lat_ns"]["mean"]) / 1e9
    return float(figures["iops"] if metric.statistic == "iops" else figures["bw_bytes"])
