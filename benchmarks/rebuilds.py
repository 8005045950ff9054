"""The share of limits on rebuilds that are judged wrongly from one size, and from two, by simulation (docs/rebuild.md).

    python benchmarks/rebuilds.py [--runs N]

No storage is measured: rebuilds of 20 GiB, and of 5 GiB before, are simulated, and a limit on 1 TiB is judged by the
functions of a run. Goal: at most 1 % wrong verdicts on a rebuild that takes 5 % too long or is 5 % within the limit.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from selftests.unit.rebuild_records import GI
from selftests.unit.simulated_rebuilds import Copying, decisions

KINDS = {
    "5 % noise": Copying(),
    "10 % noise": Copying(noise=0.10),
    "60 s to begin": Copying(start_up_s=60.0),
    "3 times as fast for 5 GiB": Copying(burst=5 * GI),
    "3 times as fast for 10 GiB": Copying(burst=10 * GI),
    "3 times as fast for 30 GiB": Copying(burst=30 * GI),
}


def main() -> int:
    """Print the table; return 0 whatever it shows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs for each cell")
    runs = parser.parse_args().runs
    print("| storage | rebuilds | sizes | 5 % too long passes | 5 % within fails | half the time: undecided |")
    print("|---|---|---|---|---|---|")
    for (name, storage), repeats, two in product(KINDS.items(), (1, 3), (False, True)):
        shares = [
            decisions(storage, takes=takes, repeats=repeats, two=two, runs=runs)[decision]
            for takes, decision in ((1.05, "pass"), (0.95, "fail"), (0.5, "inconclusive"))
        ]
        cells = " | ".join(f"{100 * share:.1f}" for share in shares)
        print(f"| {name} | {repeats} | {2 if two else 1} | {cells} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
