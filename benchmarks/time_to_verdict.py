"""The time of kbench's twelve modes on two classes in turn, or on one alone, next to kbench's own schedule.

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
"""Pass or fail by profile, metric and rule."""


def main() -> int:
    """Print times and decisions; return 0 whatever they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidate", default="replicated")
    parser.add_argument("--baseline", default="local-path")
    parser.add_argument("--cluster", default="default")
    parser.add_argument("--alone", action="store_true", help="measure the candidate without a baseline")
    parser.add_argument("--skip-kbench", action="store_true")
    options = parser.parse_args()
    suite_s, suite = _suite(options)
    print(f"suite: {suite_s:.0f} s from start to end, {len(suite)} verdicts", flush=True)
    if options.skip_kbench:
        return 0
    kbench_s, kbench = _kbench(options)
    print(f"kbench's schedule: {kbench_s:.0f} s, prefill included, without provisioning")
    print(f"time: {suite_s / kbench_s:.3f} of kbench's; goal at most {GOAL:.3f}: {_result(suite_s <= GOAL * kbench_s)}")
    differing = {key: (suite[key], kbench[key]) for key in suite.keys() & kbench.keys() if suite[key] != kbench[key]}
    print(f"decisions that both made: {len(suite.keys() & kbench.keys())}; the same: {_result(not differing)}")
    for (profile, metric, rule), (suite_status, kbench_status) in sorted(differing.items()):
        print(f"  {profile} {metric} {rule}: suite {suite_status}, means of kbench's schedule {kbench_status}")
    return 0


def _result(is_met: bool) -> str:
    return "met" if is_met else "missed"


def _suite(options: argparse.Namespace) -> tuple[float, Decisions]:
    """Return the seconds and decisions of the suite's twelve modes through its command line."""
    cluster = embedded_cluster.find(options.cluster)
    if cluster is None:
        raise SystemExit("the embedded cluster does not run; start it with `python -m embedded_cluster up`")
    with tempfile.TemporaryDirectory() as reports:
        began = time.monotonic()
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", f"--storage-kubeconfig={cluster.kubeconfig}"),
                f"--storage-class={options.candidate}",
                *([] if options.alone else [f"--storage-baseline-class={options.baseline}"]),
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
        sample_counts = {
            path: estimate["samples"] for path, estimate in measurement["metrics"].items() if path.endswith(".iops")
        }
        print(f"  {measurement['profile']:28} {measurement['role']:10} {sample_counts}")
    verdicts = [verdict for verdict in results["verdicts"] if verdict["requirement"]["metric"]]
    return seconds, {
        tuple(verdict["requirement"][name] for name in ("profile", "metric", "rule")): verdict["status"]
        for verdict in verdicts
    }


def _kbench(options: argparse.Namespace) -> tuple[float, Decisions]:
    """Return the seconds of prefill and load of kbench's schedule on fresh volumes, and the decisions by its means."""
    profiles = find_profiles(PROFILES)
    means: dict[str, dict[str, float]] = {}
    with opened_workspace(options.cluster) as workspace:
        bench = ClusterLoadRunner(
            workspace, profiles=[profiles[mode] for mode in MODES], volume_size=2 * SIZE + SIZE // 2, test_size=SIZE
        )
        bench.offer_profiles()
        classes = [options.candidate] if options.alone else [options.baseline, options.candidate]
        # The suite's own preparation only serves to have the volumes on one node; kbench lays out a file of its own.
        volumes = bench.prepare(classes, node=None, progress=lambda *_: None)
        shells = {}
        for name in classes:
            volume = volumes[name]
            if isinstance(volume, AcceptanceError):
                raise volume
            assert isinstance(volume, ClaimedVolume)
            shells[name] = pod_shell(workspace, volume, options.cluster)
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
        candidate_mean = means[options.candidate][mode]
        local = None if options.alone else means[options.baseline][mode]
        beside = "" if local is None else f"{local:14.6g} {candidate_mean / local:8.3f}"
        print(f"  {mode:28} {candidate_mean:14.6g} {beside}")
        ratio = None if local is None else candidate_mean / local
        decisions |= _by_means(tier, mode, str(named_metric(profiles[mode])), value=candidate_mean, ratio=ratio)
    return seconds, decisions


def _by_means(tier: Tier, profile: str, metric: str, *, value: float, ratio: float | None) -> Decisions:
    decisions: Decisions = {}
    for limit in tier.of("limits", profile=profile):
        if limit.path == metric:
            status = decide(value, value, **{limit.operator: limit.bound})
            decisions[profile, metric, limit.rule] = status
    for rule in () if ratio is None else tier.of("comparison", profile=profile):
        if rule.path == metric:
            decisions[profile, metric, rule.rule] = decide(ratio, ratio, **{rule.operator: rule.bound})
    return decisions


if __name__ == "__main__":
    sys.exit(main())
