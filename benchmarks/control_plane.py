"""The suite's own cost of a ramp of the control plane: time, memory and requests, by the number of pods.

Runs the suite's own command line on the simulated nodes of a running embedded cluster (`up --simulated-nodes 4`), once
for each number of pods, up and down. The memory is the largest resident size of the suite's process; the requests are
those that it counts itself. Goals: at most 300 MB at 2,000 pods, requests that grow with the pods and no faster.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import embedded_cluster

ROOT = Path(__file__).parents[1]
GOAL_MB = 300
SELECTOR = "storage-acceptance/simulated=true"
LIMITS = """\
version: 1
tiers:
  baseline:
    description: for a benchmark of the suite
    control_plane:
      ramp:
        rate: {rate}
        stop_when:
          slow_starts: {{longer_than: 4min, more_than: 10, because: the machine is too slow for the benchmark}}
      pods: {{at_least: {pods}, because: the benchmark measures this number}}
      ramp_down: {{at_most: 10min, because: the benchmark waits no longer}}
"""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The cost of one ramp. `seconds`: of the whole command; `peak`: in bytes; `requests`: by verb and kind."""

    pods: int
    seconds: float
    peak: int
    record: dict[str, Any]

    @property
    def requests(self) -> int:
        return sum(self.record["requests"].values())


def main() -> int:
    """Print the figures; return 0 whatever they are, because this measures and does not judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cluster", default="default", help="name of the embedded cluster (default: %(default)s)")
    parser.add_argument("--pods", default="250,500,1000,2000", help="numbers of pods (default: %(default)s)")
    parser.add_argument("--rate", default="600/min", help="rate at which pods are requested (default: %(default)s)")
    options = parser.parse_args()
    cluster = embedded_cluster.find(options.cluster)
    if cluster is None:
        print(f"the embedded cluster {options.cluster} does not run; start it with --simulated-nodes", file=sys.stderr)
        return 10
    print(f"goal: at most {GOAL_MB} MB; up and down at {options.rate}")
    print("  pods   up, s  all, s  memory, MB  requests  a pod  ended by  cleanup, s")
    costs = []
    for pods in map(int, options.pods.split(",")):
        cost = _ramp(cluster.kubeconfig, pods=pods, rate=options.rate)
        costs.append(cost)
        record = cost.record
        print(
            f"{record['pods']:6} {record['ended']['after_s']:7.0f} {cost.seconds:7.0f} {cost.peak / 1e6:11.0f} "
            f"{cost.requests:9} {cost.requests / pods:6.2f}  {record['ended']['kind']:12} "
            f"{record['ramp_down']['cleanup_s'] or float('nan'):.1f}",
            flush=True,
        )
    print(f"requests of the last ramp: {json.dumps(costs[-1].record['requests'])}")
    phases = {name: (phase["p50_s"], phase["p99_s"]) for name, phase in costs[-1].record["phases"].items()}
    print(f"phases of the last ramp, p50 and p99 in s: {json.dumps(phases)}")
    return 0


def _ramp(kubeconfig: Path, *, pods: int, rate: str) -> Cost:
    with TemporaryDirectory() as folder:
        limits = Path(folder) / "limits.yaml"
        limits.write_text(LIMITS.format(rate=rate, pods=pods), encoding="utf-8")
        selection = ["-m", "control_plane", "--storage-destructive", "--storage-class=simulated"]
        selection += [f"--storage-claim-at-most={pods}Gi"]
        where = [f"--storage-kubeconfig={kubeconfig}", f"--storage-ramp-node-selector={SELECTOR}"]
        files = [f"--storage-thresholds={limits}", f"--storage-report={folder}/reports"]
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", *selection, *where, *files]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        results = json.loads((Path(folder) / "reports" / "latest" / "results.json").read_text(encoding="utf-8"))
        if not results["control_plane"]:
            raise SystemExit(f"the ramp to {pods} pods has no results: {results['errors']}")
        return Cost(pods=pods, seconds=seconds, peak=usage.ru_maxrss * 1024, record=results["control_plane"][0])


if __name__ == "__main__":
    sys.exit(main())
