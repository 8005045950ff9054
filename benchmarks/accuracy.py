"""Does the suite tell what fio tells? fio run directly on a volume, in turn with the suite's own measurement of it.

Both load the same file of the same mounted volume of the embedded cluster with the same profile; the order alternates,
so that drift of the machine falls on both. Directly means: typed into a shell of a pod with the volume mounted, as a
person would; with `--on-host` in the host's shell instead, which adds what a container costs. Printed are the ratios
suite / direct and their median; the goal is a median within 3 % of 1.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from acceptance import embedded
from acceptance.cluster.api import VOLUMES, Api
from acceptance.cluster.cleanup import remove_run
from acceptance.cluster.objects import new_run_id
from acceptance.cluster.pod_manifest import FILES_PATH, PodPlan
from acceptance.cluster.pods import create_pod, wait_started
from acceptance.cluster.run_namespace import alive, create_namespace
from acceptance.cluster.workspace import FILES, Workspace
from acceptance.fio.profiles import Profile, find_profiles
from acceptance.measuring.measure import segment_plan
from acceptance.measuring.metric_values import metric_value
from acceptance.measuring.preparation import PreparedVolume, offer_profiles, prepare_volume
from acceptance.measuring.segment import TEST_FILE, run_segment
from acceptance.metrics import Metric

PROFILES = Path(__file__).parents[1] / "profiles"
PROFILE = "sync-write-iops"
METRIC = Metric.parse("write.iops")
GOAL = 0.03
SIZE = 512 * 1024**2


@dataclass(frozen=True, kw_only=True)
class Shell:
    """Where fio is run by hand: the words that lead to it, the test file and the profiles as seen from there."""

    words: list[str]
    file: str
    profiles: str


def main() -> int:
    """Print the ratios; 0 whatever they are, since this measures and does not judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--seconds", type=int, default=12, help="of load in each half of a pair")
    parser.add_argument("--storage-class", default="local-path")
    parser.add_argument("--on-host", action="store_true", help="run the direct fio on the host, not in a pod")
    chosen = parser.parse_args()
    cluster = embedded.find()
    if cluster is None:
        print("the embedded cluster does not run; start it with `python -m acceptance.embedded up`", file=sys.stderr)
        return 10
    api = Api.from_kubeconfig(cluster.kubeconfig)
    run_id = new_run_id(datetime.now(UTC))
    workspace = Workspace(
        api=api, run_id=run_id, namespace=create_namespace(api, run_id=run_id), image=cluster.image, timeout_s=120
    )
    try:
        with alive(api, run_id=run_id):
            ratios = _ratios(workspace, chosen)
    finally:
        remove_run(api, run_id=run_id, timeout_s=120)
    median = statistics.median(ratios)
    print(f"ratios suite / direct: {', '.join(f'{ratio:.3f}' for ratio in ratios)}")
    print(f"median {median:.4f}, smallest {min(ratios):.3f}, largest {max(ratios):.3f}")
    print(f"goal: median within {GOAL:.0%} of 1: {'met' if abs(median - 1) <= GOAL else 'missed'}")
    return 0


def _ratios(workspace: Workspace, chosen: argparse.Namespace) -> list[float]:
    profile = find_profiles(PROFILES)[PROFILE]
    offer_profiles(workspace, {PROFILE: profile})
    volume = prepare_volume(
        workspace,
        storage_class=chosen.storage_class,
        volume_size=2 * SIZE,
        test_size=SIZE,
        profiles=[PROFILE],
        node=None,
        progress=lambda written: None,
    )
    shell = _host_shell(workspace, volume) if chosen.on_host else _pod_shell(workspace, volume)

    def through_suite(number: int) -> float:
        return _through_suite(workspace, volume, profile, number=number, seconds=chosen.seconds)

    def directly(number: int) -> float:
        return _directly(shell, profile, seconds=chosen.seconds)

    ratios = []
    for number in range(1, chosen.pairs + 1):
        found = {}
        for way in (directly, through_suite) if number % 2 else (through_suite, directly):
            found[way] = way(number)
        ratios.append(found[through_suite] / found[directly])
        print(f"pair {number}: suite {found[through_suite]:,.0f}, direct {found[directly]:,.0f} IOPS", flush=True)
    return ratios


def _through_suite(
    workspace: Workspace, volume: PreparedVolume, profile: Profile, *, number: int, seconds: int
) -> float:
    plan = segment_plan(volume, profile, number=number, runtime_s=seconds)
    segment = run_segment(workspace, plan, watch=lambda samples: len(samples) >= seconds)
    value = metric_value(METRIC, segment.samples[:seconds])
    assert value is not None
    return value


def _pod_shell(workspace: Workspace, volume: PreparedVolume) -> Shell:
    """A shell in a pod like the suite's own, with the volume mounted."""
    plan = PodPlan(
        name="by-hand",
        claim=volume.claim,
        image=workspace.image,
        command=["sleep", "100000"],
        deadline_s=10000,
        files=FILES,
        node=volume.node,
    )
    create_pod(workspace.api, plan)
    wait_started(workspace.api, plan, timeout_s=120)
    state = Path("/var/lib/storage-acceptance/default")
    kubectl = [str(state / "bin" / "kubectl"), f"--kubeconfig={state / 'admin.kubeconfig'}"]
    words = [*kubectl, "exec", f"--namespace={workspace.namespace}", plan.name, "--", "env"]
    return Shell(words=words, file=TEST_FILE, profiles=FILES_PATH)


def _host_shell(workspace: Workspace, volume: PreparedVolume) -> Shell:
    """A shell of the host, where the volume is a folder."""
    spec = workspace.api.get(VOLUMES, volume.volume)["spec"]
    folder = (spec.get("hostPath") or spec["local"])["path"]
    return Shell(words=["env"], file=f"{folder}/{Path(TEST_FILE).name}", profiles=str(PROFILES))


def _directly(shell: Shell, profile: Profile, *, seconds: int) -> float:
    variables = [f"FILE={shell.file}", f"SIZE={SIZE}", f"RUNTIME={seconds}s"]
    command = [*shell.words, *variables, "fio", "--output-format=json", f"{shell.profiles}/{profile.path.name}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]["write"]["iops"])


if __name__ == "__main__":
    sys.exit(main())
