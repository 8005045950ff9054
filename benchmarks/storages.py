"""The verdicts on storage that idles, stands still, slows down or is slow by the second, by simulation.

    python benchmarks/storages.py [--runs N] [--only rest|standstills|credits|sustained|percentiles|bursts|steps|tiers]

No storage is measured: fio's documents are simulated in continuous time, and go through the functions of a run. Each
table has the results of a review of the first version, before rates went by the clock and limits had a load of their
own, and the results now. Verdicts are percent pass / fail; the others are inconclusive. Goal: storage 5 % short of
its limit passes in at most 1 %, storage 5 % over it fails in at most 1 %.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[1]))

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.metric_values import metric_estimate, metric_value
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import ALONE, DURABLE, plan_for
from acceptance.trials.speed.decisions import judge_limit
from selftests.unit.simulated_credits import Credits, finding, steady
from selftests.unit.simulated_decay import Decaying
from selftests.unit.simulated_latencies import Second, ended, p99_of, skewed, slow_operations, slow_seconds
from selftests.unit.simulated_paces import LOADED_ONCE, STORAGES, Making
from selftests.unit.simulated_paces import RATE as PACED_RATE
from selftests.unit.simulated_standstills import FROM_S, UNTIL_S, Standstills, Storage, at_least, measured, profile
from selftests.unit.simulated_steps import ends_of_ratios
from selftests.unit.simulated_tier import PROFILES, run_tier
from selftests.unit.test_bursts import KINDS as BURSTS
from selftests.unit.test_bursts import RULE as TOO_GOOD
from selftests.unit.test_bursts import compared
from selftests.unit.test_sustained_promises import DEFAULT_S, verdict
from selftests.unit.test_uninterrupted_promises import RULE

RATE, NOISE = 500.0, 0.05
IOPS = Metric.parse("write.iops")
SIDES = (0.95, 1.05)
"""The shares of the limit that the storage does."""


def _begin(title: str, columns: str) -> None:
    """Print the head of a table, with its columns between bars."""
    print(f"\n### {title}\n| {columns} |\n|{'---|' * (columns.count('|') + 1)}")


def rest(runs: int) -> None:
    """Print the table of storage with credits next to local storage, of which limits were judged in turn."""
    _begin(
        "Idle time: credits that were used up at the start; reported rate / rate without a pause",
        "burst, s of credits | first version, in turn | turns (ratios alone) | limits | 5 % short: pass / fail",
    )
    for burst, credits_s, then in (
        (1.5, 4, 1.50),
        (2, 4, 1.57),
        (2, 8, 1.97),
        (3, 4, 1.49),
        (3, 8, 1.96),
        (5, 8, 1.67),
    ):
        turns, alone, statuses = [], [], []
        for seed in range(1, runs + 1):
            storage = Credits(rate=RATE, burst=burst, credits_s=credits_s, noise=NOISE, seed=seed)
            local = steady(rate=RATE, seed=-seed)
            limit = at_least(RATE / 0.95)
            result = finding(storage, profile(durable=False), limits=[limit], rules=[RULE], local=local)
            statuses.append(result.against(limit).status)
            in_turn = result.turns.candidate.samples if result.turns else ()
            turns.append(_mean(in_turn) / RATE)
            alone.append(_mean(result.candidate.samples) / RATE)
        print(
            f"| {burst}, {credits_s} | {then} | {fmean(turns):.2f} | {fmean(alone):.2f} | {_shares(statuses)} |",
            flush=True,
        )


def _mean(segments: Sequence[Sequence[object]]) -> float:
    return metric_value(IOPS, [sample for segment in segments for sample in segment]) or 0.0  # type: ignore[misc]


def _standing_still(still_s: float, each_s: float, seed: int) -> Standstills:
    return Standstills(rate=RATE, still_s=still_s, each_s=each_s, noise=NOISE, seed=seed)


def standstills(runs: int) -> None:
    """Print the table of storage that stands still now and then, held to the rate of all its time."""
    _begin(
        "Standstills: value / rate of all time, how often the CI contains it, and 5 % short, 5 % over: pass / fail",
        "standstill | profile | first version | now | first version: contained | contained | 5 % short | 5 % over",
    )
    then = {
        (2, 20): ("1.021", "1.027", "100"),
        (4, 20): ("1.073", "1.091", "2"),
        (8, 30): ("1.17", "1.19", "0"),
    }
    for (still_s, each_s), (durable_then, alone_then, held_then) in then.items():
        for name, durable, before in (("durable", True, durable_then), ("others", False, alone_then)):
            values, hits = [], 0
            for seed in range(1, runs + 1):
                samples, plan = measured(_standing_still(still_s, each_s, seed), [at_least(RATE)], durable=durable)
                estimate = metric_estimate(IOPS, samples, plan=plan, confidence=0.996)
                assert estimate is not None and estimate.low is not None and estimate.high is not None
                values.append(estimate.mean / RATE)
                hits += estimate.low <= RATE <= estimate.high
            kind = partial(_standing_still, still_s, each_s)
            sides = " | ".join(_verdicts(kind, durable=durable, times=times, runs=runs)[0] for times in SIDES)
            share = f"{fmean(values):.3f} | {held_then} % | {100 * hits / runs:.0f} %"
            print(f"| {still_s} s every {each_s} s | {name} | {before} | {share} | {sides} |", flush=True)


KINDS: dict[str, tuple[Callable[[int], Storage], str]] = {
    "30 s, then a third": (lambda seed: _credits(3, 30, seed), "100 / 0"),
    "45 s, then a third": (lambda seed: _credits(3, 45, seed), "100 / 0"),
    "6 s of credits, full": (lambda seed: _credits(3, 3, seed), "0 / 100"),
    "30 min, then a tenth": (lambda seed: _credits(10, 1800, seed), "100 / 0"),
    "to half, tau 120 s": (lambda seed: _decay(lambda at_s: 1 + math.exp(-at_s / 120), seed), "100 / 0"),
    "- 30 % in 10 min": (lambda seed: _decay(lambda at_s: 1 / 0.7 - at_s / 1400, seed), "100 / 0"),
}
"""Each does `RATE` in the end; the verdicts before, 5 % short, alone and durable."""


def _credits(burst: float, lasts_s: float, seed: int) -> Credits:
    """Return storage that does `burst` times its rate for `lasts_s`."""
    credits_s, until_s = lasts_s * (burst - 1), UNTIL_S + lasts_s
    return Credits(rate=RATE, burst=burst, credits_s=credits_s, noise=NOISE, seed=seed, full=True, until_s=until_s)


def _decay(share: Callable[[float], float], seed: int) -> Decaying:
    """Return storage whose decay begins when the load does."""
    return Decaying(lambda at_s: share(max(0.0, at_s - FROM_S)), rate=RATE, noise=NOISE, seed=seed)


def credits(runs: int) -> None:
    """Print the table of storage that is fast at first: limits between its first and last rate, and 5 % above that."""
    _begin(
        "Credits and decay, limits by the final rate (five minutes at most)",
        "storage | profile | first version, 5 % short | now, load | limit at 1.2 times | at twice",
    )
    for name, (kind, then) in KINDS.items():
        for way, durable in (("durable", True), ("others", False)):
            outcomes = [_verdicts(kind, durable=durable, times=times, runs=runs) for times in (0.95, 1 / 1.2, 0.5)]
            cells = f"{outcomes[0][0]}, {outcomes[0][1]:.0f} s | {outcomes[1][0]} | {outcomes[2][0]}"
            print(f"| {name} | {way} | {then} | {cells} |", flush=True)


def _verdicts(kind: Callable[[int], Storage], *, durable: bool, times: float, runs: int) -> tuple[str, float]:
    """Return the verdicts on storage that does `times` its limit, and how long it was loaded (s)."""
    limit, statuses, loads = at_least(RATE / times), [], []
    plan = plan_for(durable=durable, in_turn=False)
    for seed in range(1, runs + 1):
        samples, _ = measured(kind(seed), [limit], durable=durable, longest_s=plan.cap)
        statuses.append(judge_limit(samples, limit, plan=plan, storage_class="fast").status)
        loads.append(loaded_s(samples))
    return _shares(statuses), fmean(loads)


def sustained_loads(runs: int) -> None:
    """Print the answers of a longer load: credits of N seconds, limits 5 % above what is left."""
    _begin(
        "Sustained loads: three times as fast until credits end, limit 5 % above the final rate: pass / fail",
        f"credits | first version: 12 s pass; SNIA's criterion | 10 min | {DEFAULT_S // 60} min",
    )
    for burst_s, then in (
        (30, "pass; steady at a third"),
        (1200, "pass; steady at 1.01"),
        (2000, "pass; steady at 1.01"),
    ):
        cells = [
            _shares(
                [verdict(burst_s, asked_s=asked_s, times=1.05, seed=seed).status for seed in range(max(1, runs // 8))]
            )
            for asked_s in (600, DEFAULT_S)
        ]
        print(f"| {burst_s} s | {then} | {cells[0]} | {cells[1]} |", flush=True)


LATENCIES: dict[str, tuple[Second, str, str]] = {
    "a quarter of the seconds at 22 ms": (slow_seconds(0.25, 0.022), "92.5 / 0", "39 / 0"),
    "a fifth": (slow_seconds(0.2, 0.022), "98.5 / 0", "56.5 / 0"),
    "a tenth at 12 ms": (slow_seconds(0.1, 0.012), "3 / 0", "3 / 0"),
    "1.5 % slow of 192 a second": (slow_operations(0.015, 0.02, rate=192), "0 / 4", "0 / 26"),
    "lognormal, 442 a second": (skewed(442), "0 / 59", "0 / 100"),
}


def percentiles(runs: int) -> None:
    """Print the table of limits on p99 that the storage misses by 5 and 25 %, or meets by 5 %."""
    _begin(
        "p99 beyond its limit by 5 %, by 25 %, and 5 % within it: pass / fail",
        "operations | plan | first version +5 % | now | first version +25 % | now | 5 % within",
    )
    for name, (second, then_5, then_25) in LATENCIES.items():
        for way, plan in (("durable", DURABLE), ("others", ALONE)):
            cells = [
                _shares([ended(second, plan=plan, at_most=p99_of(second) / by, seed=seed) for seed in range(runs)])
                for by in (1.05, 1.25, 0.95)
            ]
            print(f"| {name} | {way} | {then_5} | {cells[0]} | {then_25} | {cells[1]} | {cells[2]} |", flush=True)


def bursts(runs: int) -> None:
    """Print the table of caches that fill and flush: the rule of 20 %."""
    _begin(
        "Caches that lie in bursts, under the rule of 20 %: pass / fail",
        "burst, full after, every | in total | profile | first version | now",
    )
    for high, for_s, each_s in BURSTS:
        times = (high * for_s + 0.05 * (each_s - for_s)) / each_s
        for way, durable, then in (("others", False, "0 / 0"), ("durable", True, "0 / 39 to 100")):
            statuses = [
                compared((high, for_s, each_s), seed=seed, durable=durable).compare(TOO_GOOD).status
                for seed in range(1, runs + 1)
            ]
            print(
                f"| {high}x, {for_s:.0f} s, {each_s:.0f} s | {times:.1f}x | {way} | {then} | {_shares(statuses)} |",
                flush=True,
            )


def steps_of_scale(runs: int) -> None:
    """Print the table of the ratio of two steps of a scale run that lies exactly at its limit, correlation 0.5."""
    _begin(
        f"Steps of a scale run at their limit: pass / fail, of {1000 * runs:,}",
        "window | noise | first version | now",
    )
    for (window_s, then), cv in product(((6, "3.7 / 3.5"), (10, "4.0 / 4.0"), (20, "1.7 / 1.5")), (0.05, 0.15, 0.30)):
        ends = ends_of_ratios(0.5, window_s=window_s, cv=cv, correlation=0.5, at_least=0.5, runs=1000 * runs)
        shares = " / ".join(f"{100 * ends[status]:.2f}" for status in ("pass", "fail"))
        print(f"| {window_s} s | {100 * cv:.0f} % | {then} | {shares} |", flush=True)


def tiers(runs: int) -> None:
    """Print the table of whole runs on storage whose pace changes over minutes."""
    _begin(
        f"A run of {PROFILES} profiles in visits, percent of {PROFILES * runs:,} limits (if one is near: of {runs:,})",
        "storage | loaded once: 5 % short and passed, 5 % over and failed | 5 % short: pass / fail, minutes of load "
        "| 5 % over | 10 % over | only one limit is near: 5 % short | 5 % over",
    )
    for name, making in STORAGES.items():
        cells = [_of_runs(making, times, runs=runs, near=PROFILES) for times in (0.95, 1.05, 1.1)]
        cells += [_of_runs(making, times, runs=runs, near=1) for times in (0.95, 1.05)]
        print(f"| {name} | {LOADED_ONCE.get(name, '')} | {' | '.join(cells)} |", flush=True)


def _of_runs(making: Making, times: float, *, runs: int, near: int) -> str:
    """Return the shares of the verdicts on near limits, and the minutes of a run, as `12 / 88, 30`."""
    of_runs = [run_tier(making(seed), rate=PACED_RATE / times, near=near) for seed in range(1, runs + 1)]
    statuses = [verdict.status for verdicts, _ in of_runs for verdict in verdicts]
    return f"{_shares(statuses)}, {fmean(took_s for _, took_s in of_runs) / 60:.0f}"


def _shares(statuses: Sequence[str]) -> str:
    """Return the shares of pass and fail in percent, as `12 / 88`."""
    return " / ".join(f"{100 * statuses.count(status) / len(statuses):.3g}" for status in ("pass", "fail"))


TABLES: dict[str, Callable[[int], None]] = {
    "rest": rest,
    "standstills": standstills,
    "credits": credits,
    "sustained": sustained_loads,
    "percentiles": percentiles,
    "bursts": bursts,
    "steps": steps_of_scale,
    "tiers": tiers,
}


def main() -> int:
    """Print the tables; return 0 whatever they show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40, help="simulated runs for each cell")
    parser.add_argument("--only", choices=TABLES, help="print one table")
    options = parser.parse_args()
    for name, table in TABLES.items():
        if options.only in (None, name):
            table(options.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
