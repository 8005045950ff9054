"""The share of unchanged classes that `compare` calls better or worse, by simulation.

    python benchmarks/between_runs.py [--pairs N]

No storage is measured. Simulated runs that differ by a known noise from night to night are compared by the functions of
the command, without a history and with the nights before. Column `first version`: the result of a review of that
version, which had no history. Goal: at most 8 % of unchanged pairs, and none at all without a history.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from selftests.unit.test_between_runs import findings

THEN = {0.02: "17 %", 0.05: "56 %", 0.10: "76 %"}
NIGHTS = (0, 7, 30)
FALL = 0.3


def main() -> int:
    """Print the table; return 0 whatever it shows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000, help="simulated pairs for each cell")
    pairs = parser.parse_args().pairs
    nights = ", ".join(f"{night} nights" for night in NIGHTS[1:])
    unchanged = f"unchanged: better or worse, first version | now: no history, {nights}"
    print(f"| runs differ by | {unchanged} | fell by 30 %: worse |")
    print("|---|---|---|---|")
    for noise, then in THEN.items():
        cells = [
            ", ".join(f"{100 * _share_of(noise, fall, pairs, night, of):.1f} %" for night in NIGHTS)
            for fall, of in ((0.0, ("better", "worse")), (FALL, ("worse",)))
        ]
        print(f"| {100 * noise:.0f} % | {then} | {cells[0]} | {cells[1]} |", flush=True)
    return 0


def _share_of(noise: float, fall: float, pairs: int, nights: int, of: tuple[str, ...]) -> float:
    statuses = findings(noise=noise, fall=fall, pairs=pairs, nights=nights)
    return sum(status in of for status in statuses) / len(statuses)


if __name__ == "__main__":
    sys.exit(main())
