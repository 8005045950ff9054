"""How long kbench's twelve modes take on two classes in turn, or on one alone, beside kbench's own schedule.

    python benchmarks/time_to_verdict.py [--candidate NAME] [--baseline NAME] [--cluster NAME] [--alone] [--skip-kbench]

The suite is run through its own command line on the embedded cluster, from its start to its end: provisioning, test
files, load, verdicts, cleaning up. kbench's schedule is run after it with fio on volumes of the same classes on one
node: for one class after the other a fresh file is laid out by fio itself, then the twelve modes run for 5 s of ramp
and 20 s, as published. Its figures are judged by their means against the same limits and rules. The goals: at most one
third of the time, and the same decisions.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import embedded_cluster
from acceptance.judging.outcome import decide
from acceptance.limits.file import load_limits
from acceptance.limits.tiers import Tier
from acceptance.loads.profile_folder import find_profiles
from acceptance.measuring.cluster_load_runner import ClaimedVolume, ClusterLoadRunner
from acceptance.text.errors import AcceptanceError
from benchmarks.direct_fio import named_metric, pod_shell, run_directly
from benchmarks.opened import MODES, PROFILES, ROOT, opened_workspace

SIZE = 1024**3
RAMP_S, RUNTIME_S = 5, 20
GOAL = 1 / 3

Decisions = dict[tuple[str, str, str], str]
"""pass or fail by profile, metric and rule"""


def main() -> int:
    """Print times and decisions; 0 whatever they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidate", default="replicated")
    parser.add_argument("--baseline", default="local-path")
    parser.add_argument("--cluster", default="default")
    parser.add_argument("--alone", action="store_true", help="the candidate without a baseline")
    parser.add_argument("--skip-kbench", action="store_true")
    chosen = parser.parse_args()
    suite_s, ours = _suite(chosen)
    print(f"suite: {suite_s:.0f} s from start to end, {len(ours)} verdicts", flush=True)
    if chosen.skip_kbench:
        return 0
    kbench_s, theirs = _kbench(chosen)
    print(f"kbench's schedule: {kbench_s:.0f} s, prefill included, without provisioning")
    print(f"time: {suite_s / kbench_s:.3f} of kbench's; goal at most {GOAL:.3f}: {_met(suite_s <= GOAL * kbench_s)}")
    differing = {key: (ours[key], theirs[key]) for key in ours.keys() & theirs.keys() if ours[key] != theirs[key]}
    print(f"decisions that both made: {len(ours.keys() & theirs.keys())}; the same: {_met(not differing)}")
    for (profile, metric, rule), (our, their) in sorted(differing.items()):
        print(f"  {profile} {metric} {rule}: suite {our}, means of kbench's schedule {their}")
    return 0


def _met(it: bool) -> str:
    return "met" if it else "missed"


def _suite(chosen: argparse.Namespace) -> tuple[float, Decisions]:
    """The suite's twelve modes through its command line: seconds and decisions."""
    cluster = embedded_cluster.find(chosen.cluster)
    if cluster is None:
        raise SystemExit("the embedded cluster does not run; start it with `python -m embedded_cluster up`")
    with tempfile.TemporaryDirectory() as reports:
        began = time.monotonic()
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", f"--storage-kubeconfig={cluster.kubeconfig}"),
                f"--storage-class={chosen.candidate}",
                *([] if chosen.alone else [f"--storage-baseline-class={chosen.baseline}"]),
                *(f"--storage-test-size={SIZE}", f"--storage-report={reports}"),
                *("-m", "not scale", "-k", " or ".join(MODES)),
            ],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        seconds = time.monotonic() - began
        results: dict[str, Any] = json.loads((Path(reports) / "latest" / "results.json").read_text())
    for measurement in results["measurements"]:
        loaded = {
            path: estimate["samples"] for path, estimate in measurement["metrics"].items() if path.endswith(".iops")
        }
        print(f"  {measurement['profile']:28} {measurement['role']:10} {loaded}")
    verdicts = [verdict for verdict in results["verdicts"] if verdict["requirement"]["metric"]]
    return seconds, {
        tuple(verdict["requirement"][name] for name in ("profile", "metric", "rule")): verdict["status"]
        for verdict in verdicts
    }


def _kbench(chosen: argparse.Namespace) -> tuple[float, Decisions]:
    """kbench's schedule on fresh volumes: its seconds of prefill and load, and what its means say."""
    profiles = find_profiles(PROFILES)
    means: dict[str, dict[str, float]] = {}
    with opened_workspace(chosen.cluster) as workspace:
        bench = ClusterLoadRunner(
            workspace, wanted=[profiles[mode] for mode in MODES], volume_size=2 * SIZE + SIZE // 2, test_size=SIZE
        )
        bench.offer_profiles()
        classes = [chosen.candidate] if chosen.alone else [chosen.baseline, chosen.candidate]
        # The suite's own preparation only serves to have the volumes on one node; kbench lays out a file of its own.
        volumes = bench.prepare(classes, node=None, progress=lambda *_: None)
        shells = {}
        for name in classes:
            volume = volumes[name]
            if isinstance(volume, AcceptanceError):
                raise volume
            assert isinstance(volume, ClaimedVolume)
            shells[name] = pod_shell(workspace, volume, chosen.cluster)
        began = time.monotonic()
        for name, shell in shells.items():
            file = f"{shell.file}.kbench"  # not there yet: fio lays it out before the first mode
            means[name] = {
                mode: run_directly(shell, profiles[mode], size=SIZE, ramp_s=RAMP_S, seconds=RUNTIME_S, file=file)
                for mode in MODES
            }
        seconds = time.monotonic() - began
    tier = load_limits(ROOT / "thresholds.yaml", profiles=profiles).tier("baseline")
    decisions: Decisions = {}
    for mode in MODES:
        ours = means[chosen.candidate][mode]
        local = None if chosen.alone else means[chosen.baseline][mode]
        beside = "" if local is None else f"{local:14.6g} {ours / local:8.3f}"
        print(f"  {mode:28} {ours:14.6g} {beside}")
        ratio = None if local is None else ours / local
        decisions |= _by_means(tier, mode, str(named_metric(profiles[mode])), value=ours, ratio=ratio)
    return seconds, decisions


def _by_means(tier: Tier, profile: str, metric: str, *, value: float, ratio: float | None) -> Decisions:
    found: Decisions = {}
    for limit in tier.of("limits", profile=profile):
        if limit.path == metric:
            status = decide(value, value, **{limit.operator: limit.bound})
            found[profile, metric, limit.rule] = status
    for rule in () if ratio is None else tier.of("comparison", profile=profile):
        if rule.path == metric:
            found[profile, metric, rule.rule] = decide(ratio, ratio, **{rule.operator: rule.bound})
    return found


if __name__ == "__main__":
    sys.exit(main())
