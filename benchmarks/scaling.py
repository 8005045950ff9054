"""The cost of a scale run next to its load: the suite's own memory, and its requests to the API server.

Runs the suite's scale tests with 15 volumes on a running embedded cluster, as a user would. It prints the largest
resident memory of that process, and how the API server's own request counters changed meanwhile, next to their change
in the same time without it. Goals: below 250 MB; pods are watched once, not requested again and again.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))

import embedded_cluster
from embedded_cluster.layout import Layout

ROOT = Path(__file__).parents[1]
GOAL_MB = 250
# The samples of `apiserver_request_total` that count: kubelets and controllers read pods by watches of their own.
_REQUEST = re.compile(r"^apiserver_request_total\{(?P<labels>.*)\} (?P<count>\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
RESOURCES = ("pods", "statefulsets", "persistentvolumeclaims", "persistentvolumes", "events", "leases", "nodes")


def main() -> int:
    """Print the figures; return 0 whatever they are, because this measures and does not judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cluster", default="default", help="name of the embedded cluster (default: %(default)s)")
    parser.add_argument("--storage-class", default="local-path")
    parser.add_argument("--steps", default="1,15", help="numbers of volumes (default: %(default)s)")
    options = parser.parse_args()
    cluster = embedded_cluster.find(options.cluster)
    if cluster is None:
        print(f"the embedded cluster {options.cluster} does not run; start it first", file=sys.stderr)
        return 10
    kubectl = [str(Layout(options.cluster).state / "bin" / "kubectl"), f"--kubeconfig={cluster.kubeconfig}"]
    before = _requests(kubectl)
    began = time.monotonic()
    peak, status = _run_suite(cluster.kubeconfig, options.storage_class, options.steps)
    took_s = time.monotonic() - began
    during = _requests(kubectl) - before
    idle_from = _requests(kubectl)
    time.sleep(took_s)
    idle = _requests(kubectl) - idle_from
    print(f"scale run, steps {options.steps} on {options.storage_class}: {took_s:.0f} s, exit status {status}")
    print(f"largest resident memory of the suite: {peak / 1e6:.0f} MB     goal: below {GOAL_MB} MB")
    print(f"requests to the API server in the run, and in {took_s:.0f} s without it:")
    for key in sorted(key for key in during if key[1].partition("/")[0] in RESOURCES):
        print(f"  {key[0]:8} {key[1]:28} {during[key]:6} {idle[key]:6}")
    return 0


def _run_suite(kubeconfig: Path, storage_class: str, steps: str) -> tuple[int, int]:
    """Return the largest resident memory of the suite's process in bytes, and its exit status."""
    with TemporaryDirectory() as reports:
        sizes = ["--storage-volume-size=96Mi", "--storage-test-size=64Mi"]
        scale = ["-m", "scale", f"--storage-scale-steps={steps}", "--storage-scale-rate-pods=1"]
        where = [f"--storage-kubeconfig={kubeconfig}", f"--storage-class={storage_class}"]
        words = [sys.executable, "-m", "pytest", "-q", *where, *sizes, *scale, f"--storage-report={reports}"]
        process = subprocess.Popen(words, cwd=ROOT)
        suite, peak = psutil.Process(process.pid), 0
        while process.poll() is None:
            try:
                peak = max(peak, suite.memory_info().rss)
            except psutil.Error:
                break
            time.sleep(0.5)
        return peak, process.wait()


def _requests(kubectl: list[str]) -> Counter[tuple[str, str]]:
    """Return the requests that the API server has answered since it started, by verb and resource."""
    text = subprocess.run([*kubectl, "get", "--raw", "/metrics"], capture_output=True, text=True, check=True).stdout
    counts: Counter[tuple[str, str]] = Counter()
    for line in _REQUEST.finditer(text):
        labels = dict(_LABEL.findall(line["labels"]))
        resource = labels["resource"] + (f"/{labels['subresource']}" if labels["subresource"] else "")
        counts[labels["verb"], resource] += int(float(line["count"]))
    return counts


if __name__ == "__main__":
    sys.exit(main())
