"""Compare the suite's figures with those of fio typed into a shell, in turn on the same file, mode by mode.

    python benchmarks/accuracy.py [--mode NAME ...] [--pairs N] [--seconds N] [--on-host]

Both load the same file of the same mounted volume of the embedded cluster with the same profile; the order alternates,
so that drift of the machine falls on both. The shell is one of a pod with the volume mounted, as a person would use;
with `--on-host` it is the host's, which adds what a container costs. Printed are the median ratios suite / direct of
kbench's twelve modes and of synchronous writes; the goal is a median within 3 % of 1 for each.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from acceptance.loads.fio.samples import Sample
from acceptance.loads.profile_folder import find_profiles
from acceptance.loads.profiles import Profile
from acceptance.measuring.cluster_load_runner import ClaimedVolume, ClusterLoadRunner
from acceptance.measuring.load import Load
from acceptance.measuring.metric_values import metric_value
from acceptance.text.errors import AcceptanceError
from benchmarks.direct_fio import Shell, host_shell, named_metric, pod_shell, run_directly
from benchmarks.opened import MODES, PROFILES, opened_workspace

GOAL = 0.03
SIZE = 512 * 1024**2


def main() -> int:
    """Print the ratios; return 0 whatever they are, because this measures and does not judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", action="append", help="a profile (default: kbench's twelve and sync-write-iops)")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=6, help="seconds of load in each half of a pair")
    parser.add_argument("--storage-class", default="local-path")
    parser.add_argument("--cluster", default="default")
    parser.add_argument("--on-host", action="store_true", help="run the direct fio on the host, not in a pod")
    options = parser.parse_args()
    modes = options.mode or [*MODES, "sync-write-iops"]
    profiles = find_profiles(PROFILES)
    with opened_workspace(options.cluster) as workspace:
        bench = ClusterLoadRunner(
            workspace, profiles=[profiles[mode] for mode in modes], volume_size=2 * SIZE, test_size=SIZE
        )
        bench.offer_profiles()
        volume = bench.prepare([options.storage_class], node=None, progress=lambda *_: None)[options.storage_class]
        if isinstance(volume, AcceptanceError):
            raise volume
        assert isinstance(volume, ClaimedVolume)
        shell = host_shell(workspace, volume) if options.on_host else pod_shell(workspace, volume, options.cluster)
        medians = {}
        for mode in modes:
            ratios = _ratios(bench, volume, shell, profiles[mode], pairs=options.pairs, seconds=options.seconds)
            medians[mode] = statistics.median(ratios)
            print(f"{mode:28} {medians[mode]:.3f} ({min(ratios):.3f} to {max(ratios):.3f})", flush=True)
    misses = [mode for mode, median in medians.items() if abs(median - 1) > GOAL]
    print(f"goal: every median within {GOAL:.0%} of 1: {'missed by ' + ', '.join(misses) if misses else 'met'}")
    print(f"median of all medians: {statistics.median(medians.values()):.3f}")
    return 0


def _ratios(
    bench: ClusterLoadRunner, volume: ClaimedVolume, shell: Shell, profile: Profile, *, pairs: int, seconds: int
) -> list[float]:
    def through_suite(number: int) -> float:
        return _through_suite(bench, volume, profile, number=number, seconds=seconds)

    def directly(number: int) -> float:
        return run_directly(shell, profile, size=SIZE, ramp_s=1, seconds=seconds)

    ratios = []
    for number in range(1, pairs + 1):
        values = {}
        for way in (directly, through_suite) if number % 2 else (through_suite, directly):
            values[way] = way(number)
        ratios.append(values[through_suite] / values[directly])
    return ratios


def _through_suite(
    bench: ClusterLoadRunner, volume: ClaimedVolume, profile: Profile, *, number: int, seconds: int
) -> float:
    name = f"{profile.name}-{number}"
    load = Load(name=name, profile=profile, volumes=(volume,), order=(0,), names=(name,), runtimes_s=(seconds + 3,))

    def watch(segment: int, samples: Sequence[Sample]) -> bool:
        return len(samples) >= seconds

    (segment,) = bench.run(load, watch=watch)
    value = metric_value(named_metric(profile), segment.samples)
    assert value is not None
    return value


if __name__ == "__main__":
    sys.exit(main())
