"""The false alarms that noise alone raises in a year of nights, and the delay until falls and declines are reported.

    python benchmarks/history.py [--series N] [--histories N]

No storage is measured: nights are simulated with noise of known kind, and judged as `--storage-history` judges them,
with a margin of 10 % and the level of the first 14 nights. docs/history.md has the tables. The goal: at most 3.65
nights a year with a false alarm, over all limits together, also for correlation 0.6 between nights and heavy tails.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from selftests.unit.simulated_nights import YEAR, Nights, alarms_of_one, declines, fallen

GOAL = 3.65
LIMITS = (4, 60)
KINDS = {
    "independent, 2 %": Nights(noise=0.02),
    "independent, 5 %": Nights(noise=0.05),
    "independent, 12 %": Nights(noise=0.12),
    "correlation 0.3, 5 %": Nights(noise=0.05, alike=0.3),
    "correlation 0.6, 5 %": Nights(noise=0.05, alike=0.6),
    "correlation 0.6, 8 %": Nights(noise=0.08, alike=0.6),
    "correlation 0.6, 12 %": Nights(noise=0.12, alike=0.6),
    "correlation 0.8, 5 %": Nights(noise=0.05, alike=0.8),
    "Student t3, 5 %": Nights(noise=0.05, heavy=True),
    "Student t3, 10 %": Nights(noise=0.10, heavy=True),
    "weekend +15 %, 3 %": Nights(noise=0.03, weekend=0.15),
}


def main() -> int:
    """Print the tables; return 0 whatever they show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=400, help="years of one limit, for each kind of noise")
    parser.add_argument("--histories", type=int, default=400, help="simulated histories for each fall")
    options = parser.parse_args()
    _print_false_alarms(options.series)
    _print_falls(options.histories)
    _print_stays(options.histories // 10)
    _print_declines(options.histories // 10)
    return 0


def _print_false_alarms(series: int) -> None:
    """Print the false alarms of independent limits: N times those of one limit, which is at least as many."""
    print(f"nights with a false alarm in {YEAR}, of {series} years of one limit; goal at most {GOAL}")
    print("| nights | 4 limits | 60 limits |\n|---|---|---|")
    for name, nights in KINDS.items():
        alarm_nights = [limits * alarms_of_one(nights, limits=limits, years=series, seed=1) for limits in LIMITS]
        print(f"| {name} | {alarm_nights[0]:.1f} | {alarm_nights[1]:.1f} |", flush=True)


def _print_falls(histories: int) -> None:
    print("\nlasting fall of 20 %: reported by the second, third and seventh night, in %")
    print("| noise | earlier nights | 4 limits | 60 limits |\n|---|---|---|---|")
    for noise in (0.02, 0.03, 0.05, 0.08):
        for before in (14, 30, 90):
            cells = []
            for limits in LIMITS:
                series = list(
                    fallen(
                        Nights(noise=noise),
                        before=before,
                        after=7,
                        fall=0.2,
                        limits=limits,
                        histories=histories,
                        seed=3,
                    )
                )
                by = [100 * sum(any(alarms[:count]) for alarms in series) / len(series) for count in (2, 3, 7)]
                cells.append(" / ".join(f"{share:.0f}" for share in by))
            print(f"| {100 * noise:.0f} % | {before} | {' | '.join(cells)} |", flush=True)


def _print_stays(histories: int) -> None:
    print(f"\nfall that lasts for {YEAR} nights, noise 5 %, 4 limits: reported nights since the first report, in %")
    print("| fall | histories in which it was reported | nights reported |\n|---|---|---|")
    for fall in (0.2, 0.5):
        nights = Nights(noise=0.05)
        series = list(fallen(nights, before=30, after=YEAR, fall=fall, limits=4, histories=histories, seed=4))
        since = [alarms[alarms.index(True) :] for alarms in series if any(alarms)]
        share = 100 * sum(map(sum, since)) / sum(map(len, since))
        print(f"| {100 * fall:.0f} % | {len(since)} of {len(series)} | {share:.2f} |", flush=True)


def _print_declines(histories: int) -> None:
    print("\nsteady decline in a year, 4 limits: when it is reported, and at which loss (median)")
    print("| a night | noise | reported | night | lost by then |\n|---|---|---|---|---|")
    for a_night in (0.003, 0.004, 0.01):
        for noise in (0.02, 0.03, 0.05):
            nights = Nights(noise=noise)
            first_alarms = list(declines(nights, a_night=a_night, count=YEAR, limits=4, histories=histories, seed=5))
            alarms = [night for night in first_alarms if night is not None]
            when = median(alarms) if alarms else 0
            loss = 100 * (1 - (1 - a_night) ** when)
            print(
                f"| {100 * a_night:.1f} % | {100 * noise:.0f} % | {len(alarms)} of {len(first_alarms)} | {when:.0f} | "
                f"{loss:.0f} % |",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
