"""The overhead of a profile next to its load: wall time less the time in which fio runs, mode by mode.

    python benchmarks/overhead.py [--candidate NAME] [--baseline NAME] [--cluster NAME]

Each of kbench's twelve modes is measured on two classes in turn, as the suite does it, and ended at the first analysis.
Printed are the wall time of the measurement, the time for which its fio processes were asked to run, and the
difference; the goal is at most 1.5 s.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from acceptance.loads.profile_folder import find_profiles
from acceptance.measuring.cluster_load_runner import ClusterLoadRunner
from acceptance.measuring.load import Load, Segment, Watch
from acceptance.measuring.measure import measure_alternately
from acceptance.statistics.interim_analyses import IN_TURN
from acceptance.text.errors import AcceptanceError
from benchmarks.opened import MODES, PROFILES, opened_workspace

GOAL_S = 1.5
SIZE = 512 * 1024**2


class TimedBench(ClusterLoadRunner):
    """A runner that keeps how long the last load took, and for how long its fio processes were told to run."""

    wall_s = 0.0
    requested_s = 0.0

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        """Run the load; see `ClusterLoadRunner`."""
        began = time.monotonic()
        segments = super().run(load, watch=watch)
        self.wall_s = time.monotonic() - began
        self.requested_s = float(sum(load.runtimes_s[: len(segments)]))
        return segments


def main() -> int:
    """Print the times; return 0 whatever they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidate", default="replicated")
    parser.add_argument("--baseline", default="local-path")
    parser.add_argument("--cluster", default="default")
    options = parser.parse_args()
    profiles = [find_profiles(PROFILES)[mode] for mode in MODES]
    overheads = []
    with opened_workspace(options.cluster) as workspace:
        bench = TimedBench(workspace, profiles=profiles, volume_size=2 * SIZE, test_size=SIZE)
        bench.offer_profiles()
        volumes = bench.prepare([options.baseline, options.candidate], node=None, progress=lambda *_: None)
        baseline, candidate = volumes[options.baseline], volumes[options.candidate]
        for volume in (baseline, candidate):
            if isinstance(volume, AcceptanceError):
                raise volume
        assert not isinstance(baseline, AcceptanceError) and not isinstance(candidate, AcceptanceError)
        for profile in profiles:
            measure_alternately(
                bench,
                candidate=candidate,
                baseline=baseline,
                profile=profile,
                plan=IN_TURN,
                is_decided=lambda *_: True,
                report=lambda _: None,
            )
            overheads.append(bench.wall_s - bench.requested_s)
            times = f"wall {bench.wall_s:6.2f} s, fio {bench.requested_s:4.0f} s, overhead {overheads[-1]:5.2f} s"
            print(f"{profile.name:28} {times}", flush=True)
    median = statistics.median(overheads)
    print(f"overhead next to the load: median {median:.2f} s, longest {max(overheads):.2f} s")
    print(
        f"goal: at most {GOAL_S} s a profile: {'met' if max(overheads) <= GOAL_S else 'missed'} (by the median: "
        f"{'met' if median <= GOAL_S else 'missed'})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
