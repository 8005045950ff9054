"""The cost of other users' volumes for a smoke run in a large cluster: pages of lists, and memory.

    python -m embedded_cluster run -- python benchmarks/large_cluster.py [--volumes N] [--attachments N]

Volumes and attachments of other users are created through the API: retained volumes whose claims are deleted, so that
the cluster's own controllers have nothing to do with them, and attachments by a driver that does not exist. The
suite's own command line runs once next to ten of each and once next to all, with an account of its own, so that the
API server's audit log shows its requests: each page of a list is one line there. Some of its pages are polls of waits,
of its own claims, pods and events: their number depends on how long the waits take. Its memory is the peak that the
kernel records for its process. All objects are removed again, and so are those of an earlier benchmark that was
killed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

import embedded_cluster
from acceptance.cluster.api import Api
from benchmarks.others_volumes import OthersVolumes
from selftests.lab.accounts import ACCOUNT, applied, documents, token_kubeconfig
from selftests.lab.audit import Asked, audited

ROOT = Path(__file__).parents[1]
FEW = 10
OTHER_KINDS = ("persistentvolumes", "volumeattachments")
"""The kinds of which there are many, as the audit log calls them."""
MORE_PAGES, MORE_MB = 50, 50
# As `make smoke` has it.
TESTS = ("-m", "smoke", "-k", "not etcd and not stall", "--storage-class=local-path")
SIZES = ("--storage-volume-size=512Mi", "--storage-test-size=256Mi")
LOOK_S = 0.1


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The cost of one run. `seconds`: of the whole command; `pages`: of lists, by kind; `peak`: memory in bytes."""

    seconds: float
    status: int
    pages: Counter[str]
    peak: int


def main() -> int:
    """Print the figures; return 0 whatever they are, because this measures and does not judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cluster", default="default", help="name of the embedded cluster (default: %(default)s)")
    parser.add_argument("--volumes", type=int, default=50_000, help="volumes of other users (default: %(default)s)")
    parser.add_argument("--attachments", type=int, default=40_000, help="of these volumes (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=400, help="requests a second at most (default: %(default)s)")
    parser.add_argument("--most-minutes", type=float, default=45, help="to create them (default: %(default)s)")
    options = parser.parse_args()
    cluster = embedded_cluster.find(options.cluster)
    if cluster is None:
        print(f"the embedded cluster {options.cluster} does not run; start it first", file=sys.stderr)
        return 10
    user = f"system:serviceaccount:{ACCOUNT}:{ACCOUNT}"
    with ExitStack() as undo:
        folder = Path(undo.enter_context(TemporaryDirectory()))
        requests = undo.enter_context(audited(cluster.name, user, folder=folder))
        api = Api.from_kubeconfig(cluster.kubeconfig)
        undo.enter_context(applied(api, documents("rbac.yaml")))
        other_volumes = undo.enter_context(
            OthersVolumes(api, cluster=cluster.name, rate_per_s=options.rate, most_s=60 * options.most_minutes)
        )
        other_volumes.grow(volumes=FEW, attachments=FEW)
        beside_few = _smoke(api, cluster, requests, folder)
        _print(f"next to {FEW} volumes and {FEW} attachments", beside_few)
        other_volumes.grow(volumes=options.volumes, attachments=options.attachments)
        beside_all = _smoke(api, cluster, requests, folder)
        _print(f"next to {options.volumes} volumes and {options.attachments} attachments", beside_all)
    pages = beside_all.pages.total() - beside_few.pages.total()
    of_others = sum(beside_all.pages[kind] - beside_few.pages[kind] for kind in OTHER_KINDS)
    memory = (beside_all.peak - beside_few.peak) / 1e6
    print(f"additional pages: {pages}     goal: at most {MORE_PAGES}: {_result(pages <= MORE_PAGES)}")
    print(f"  of {' and '.join(OTHER_KINDS)}: {of_others}")
    print(f"additional memory: {memory:.0f} MB     goal: at most {MORE_MB} MB: {_result(memory <= MORE_MB)}")
    return 0


def _result(is_met: bool) -> str:
    return "met" if is_met else "missed"


def _print(title: str, cost: Cost) -> None:
    print(
        f"{title}: {cost.seconds:.0f} s, exit status {cost.status}, {cost.pages.total()} pages of lists, "
        f"{cost.peak / 1e6:.0f} MB"
    )
    for kind, pages in cost.pages.most_common():
        print(f"  {kind:32} {pages:6}", flush=True)


def _smoke(api: Api, cluster: embedded_cluster.EmbeddedCluster, requests: Callable[[], Asked], folder: Path) -> Cost:
    """Do a smoke run as the account of `deploy/`, with a new token, which lasts for half an hour."""
    kubeconfig = token_kubeconfig(api, cluster.kubeconfig, folder / "kubeconfig")
    where = (f"--storage-kubeconfig={kubeconfig}", f"--storage-image={cluster.image}")
    command = [sys.executable, "-m", "pytest", *TESTS, *SIZES, *where, f"--storage-report={folder}/reports"]
    command.append("--storage-partial=pass")  # a smoke run judges a part of the tier
    before, log = _pages(requests()), folder / "printed"
    began, peak = time.monotonic(), 0
    with log.open("w") as output, subprocess.Popen(command, cwd=ROOT, stdout=output) as process:
        try:
            while process.poll() is None:
                peak = max(peak, _peak(process.pid))
                time.sleep(LOOK_S)
        except BaseException:
            process.terminate()  # it removes what it created
            raise
    if process.returncode:
        print(log.read_text(errors="replace")[-3000:])
    return Cost(
        seconds=time.monotonic() - began,
        status=process.returncode,
        pages=_pages(requests()) - before,
        peak=peak,
    )


def _pages(requests: Asked) -> Counter[str]:
    """Return the number of pages that the account was given so far, by kind of list."""
    pages: Counter[str] = Counter()
    for grant, times in requests.counted.items():
        if grant.verb == "list":
            pages[grant.resource] += times
    return pages


def _peak(pid: int) -> int:
    """Return the most memory that the process itself has held so far, in bytes; 0 if it has ended.

    The kernel keeps this figure, so that no peak between two polls is missed; it excludes child processes.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


if __name__ == "__main__":
    sys.exit(main())
