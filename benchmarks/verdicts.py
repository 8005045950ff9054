"""The share of verdicts that are wrong, or none, by simulation: the tables of docs/statistics.md.

    python benchmarks/verdicts.py [--runs N] [--only limits|swings|ratios]

No storage is measured: seconds of known noise are analyzed as the plans define, by the functions that decide in a
run. `for a minute` is `--storage-longest=60s`, the bound of the main job. The goals: at most 1 % wrong verdicts at 5 %
from a limit; storage 10 % above its limits at 15 % noise: at most 5 % of runs of 18 profiles with one that remains
undecided, in 30 min of load.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from acceptance.statistics.interim_analyses import MINUTE_S, AnalysisPlan, plan_for
from selftests.unit.simulated_storage import limit_analyses, lognormal, mean_load_s, normal, ratio_analyses, share

PROFILES = 18
NOISE = (0.05, 0.15, 0.30)
SWINGS = (
    ("correlation 0.9, 5 %", {"cv": 0.05, "correlation": 0.9}),
    ("correlation 0.9, 15 %", {"cv": 0.15, "correlation": 0.9}),
    ("correlation 0.9, 30 %", {"cv": 0.30, "correlation": 0.9}),
    ("0.5 or 1.5, for 5 s on average", {"cv": 0.5, "dwell_s": 5.0}),
    ("0.5 or 1.5, for 20 s on average", {"cv": 0.5, "dwell_s": 20.0}),
    ("lognormal 30 %, correlation 0.5", {"cv": 0.30, "correlation": 0.5, "spread": lognormal}),
    ("lognormal 60 %, correlation 0.5", {"cv": 0.60, "correlation": 0.5, "spread": lognormal}),
)
HEAD = (
    "| {} | 5 % short passes | 5 % over fails | at the limit: pass / fail | +10 %: fails, undecided, load | "
    "+25 %: undecided, load | runs of 18 at +10 %: one undecided, load |\n|---|---|---|---|---|---|---|"
)


RATIO_HEAD = (
    "| noise of, correlation, noise | 5 % beyond the bound passes | 5 % within fails | at the bound: pass / fail | "
    "equal to local, under a rule of 20 %, of 50 %: undecided |\n|---|---|---|---|---|"
)


def main() -> int:
    """Print the tables; return 0 whatever they show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20_000, help="simulated runs for each line")
    parser.add_argument("--only", choices=("limits", "swings", "ratios"), help="print one kind of table")
    options = parser.parse_args()
    tables = {"limits": _limits, "swings": _swings, "ratios": _ratios}
    for name, table in tables.items():
        if options.only in (None, name):
            table(options.runs)
    return 0


def _plans(*, in_turn: bool) -> list[tuple[str, AnalysisPlan]]:
    return [
        (name + about, plan_for(durable=durable, in_turn=in_turn, **more))
        for name, durable in (("durable", True), ("others", False))
        for about, more in (("", {}), (", for a minute", {"longest_s": MINUTE_S}))
    ]


def _limits(runs: int) -> None:
    for name, plan in _plans(in_turn=False):
        print(f"\nLimits, {name}: percent of {runs} runs\n" + HEAD.format("correlation, noise"))
        for correlation, cv in product((0.0, 0.3, 0.5, 0.7), NOISE):
            print(_line(f"{correlation}, {cv:.0%}", plan, runs, cv=cv, correlation=correlation), flush=True)


def _swings(runs: int) -> None:
    for name, plan in _plans(in_turn=False):
        print(f"\nSwings, {name}: percent of {runs} runs\n" + HEAD.format("storage"))
        for about, kind in SWINGS:
            print(_line(about, plan, runs, **kind), flush=True)


def _line(about: str, plan: AnalysisPlan, runs: int, **kind: object) -> str:
    analyses = limit_analyses(plan, runs=runs, **{"spread": normal, **kind})  # type: ignore[arg-type]
    limit_analyses.cache_clear()
    wrong = [share(analyses, "pass", at_least=1 / 0.95), share(analyses, "fail", at_least=1 / 1.05)]
    at = [share(analyses, decision, at_least=1) for decision in ("pass", "fail")]
    near, far = (
        (share(analyses, "inconclusive", at_least=1 / factor), mean_load_s(analyses, plan, at_least=1 / factor))
        for factor in (1.1, 1.25)
    )
    fails = share(analyses, "fail", at_least=1 / 1.1)
    whole = 1 - (1 - near[0]) ** PROFILES, PROFILES * near[1] / 60
    return (
        f"| {about} | {wrong[0]:.2%} | {wrong[1]:.2%} | {at[0]:.2%} / {at[1]:.2%} | {fails:.2%}, {near[0]:.2%}, "
        f"{near[1]:.0f} s | {far[0]:.2%}, {far[1]:.0f} s | {whole[0]:.1%}, {whole[1]:.0f} min |"
    ).replace("%", " %")


def _ratios(runs: int) -> None:
    for name, plan in _plans(in_turn=True):
        print(f"\nComparisons, {name}: percent of {runs // 4} runs\n" + RATIO_HEAD)
        for own, correlation, cv in product((True, False), (0.0, 0.3, 0.5, 0.7), NOISE):
            analyses = ratio_analyses(plan, cv=cv, correlation=correlation, machine_wide=not own, runs=runs // 4)
            ratio_analyses.cache_clear()
            figures = [share(analyses, "pass", at_most=1 / 1.05), share(analyses, "fail", at_most=1.05)]
            figures += [share(analyses, decision, at_most=1) for decision in ("pass", "fail")]
            figures += [share(analyses, "inconclusive", at_most=bound) for bound in (1.2, 1.5)]
            wrong_passes, wrong_fails, passes, fails, near, far = (f"{100 * figure:.2f}" for figure in figures)
            about = f"{'own' if own else 'machine'}, {correlation}, {cv:.0%}"
            print(f"| {about} | {wrong_passes} | {wrong_fails} | {passes} / {fails} | {near}, {far} |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
