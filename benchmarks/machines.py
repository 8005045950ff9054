"""Comparisons of equal classes on a machine that slows down, evenly or in one step, or that bursts.

    python benchmarks/machines.py [--runs N]

No storage is measured: seconds of known noise are analyzed as the plans define, by the functions that decide in a run.
Candidate and baseline are equal, and the rule is that of 20 %: a pass is right, a fail wrong. Column `first version`:
results of a review of that version. Goal: no wrong fail, at the cost of undecided runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[1]))

from acceptance.statistics.interim_analyses import MINUTE_S, plan_for
from selftests.unit.simulated_storage import Looks, Shape, ratio_analyses, share

NOISE, CORRELATION = 0.05, 0.3
MARGIN = 1.2
PLANS = {"in turn": False, "durable in turn": True}


def evenly(_: int) -> Shape:
    """Return a shape that loses half of its speed in 100 s, and no more."""
    return lambda second: max(0.5, 1 - 0.5 * second / 100)


def in_one_step(after_s: int) -> Shape:
    """Return a shape that halves then."""
    return lambda second: 1.0 if second < after_s else 0.5


def bursting(for_s: int, each_s: int) -> Callable[[int], Shape]:
    """Return shapes of which other users take 80 % for `for_s`, again and again, since some seconds ago."""
    return lambda since: lambda second: 0.2 if (second + since) % each_s < for_s else 1.0


KINDS: dict[str, tuple[Callable[[int], Shape], tuple[int, ...], tuple[str, str]]] = {
    "loses half in 100 s": (evenly, (0,), ("ratio 0.998, P 100", "ratio 0.992, P 100")),
    "halves at 20 s": (in_one_step, (20,), ("", "ratio 0.92, P 91")),
    "halves at 15 to 60 s": (in_one_step, (15, 25, 35, 45, 60), ("", "")),
    "- 80 % for 3 s in 30": (bursting(3, 30), tuple(range(0, 30, 3)), ("92 % undecided", "")),
    "- 80 % for 5 s in 60": (bursting(5, 60), tuple(range(0, 60, 6)), ("", "ratio 0.75 to 1.35, 91 % undecided")),
}
"""Each with where it begins, and the results of the first version in turn and of durable writes."""


def main() -> int:
    """Print the table; return 0 whatever it shows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200, help="simulated runs for each cell")
    runs = parser.parse_args().runs
    ends = "pass / fail / undecided"
    print(f"| machine | plan, longest load | first version | ratio after a minute: mean, least to most | {ends} |")
    print("|---|---|---|---|---|")
    for name, (kind, begins, then) in KINDS.items():
        for (plan_name, durable), before in zip(PLANS.items(), then, strict=True):
            for about, more in (("1 min", {"longest_s": MINUTE_S}), ("5 min", {})):
                plan = plan_for(durable=durable, in_turn=True, **more)
                analyses: list[Looks] = []
                for begin in begins:
                    count = max(1, runs // len(begins))
                    analyses += ratio_analyses(plan, cv=NOISE, correlation=CORRELATION, shape=kind(begin), runs=count)
                print(f"| {name} | {plan_name}, {about} | {before} | {_cells(analyses, plan.looks.index(MINUTE_S))} |")
            ratio_analyses.cache_clear()
    return 0


def _cells(analyses: list[Looks], minute: int) -> str:
    ratios = [looks[minute].mean for looks in analyses]
    ends = (share(analyses, status, at_most=MARGIN) for status in ("pass", "fail", "inconclusive"))
    cells = " / ".join(f"{100 * end:.1f}" for end in ends)
    return f"{fmean(ratios):.3f}, {min(ratios):.2f} to {max(ratios):.2f} | {cells}"


if __name__ == "__main__":
    sys.exit(main())
