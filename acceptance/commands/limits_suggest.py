"""`limits suggest`: writes a file of your own limits from good runs."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.limits.file import BUILTIN, load_limits
from acceptance.limits.shipped import shipped_folder, shipped_profiles
from acceptance.limits.suggesting import MARGIN, as_file, stricter, suggest_limits
from acceptance.process.whole_file import write_whole
from acceptance.results.document import Results
from acceptance.results.file import read_results
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import parse_quantity


def add_suggest(limits: argparse.ArgumentParser) -> None:
    """Add the command `suggest` to `limits`."""
    suggest = limits.add_subparsers(metavar="suggest").add_parser("suggest", help="suggest limits from good runs")
    suggest.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="results.json or run folder; three or more")
    suggest.add_argument(
        "--margin", default=f"{MARGIN:.0%}", metavar="PERCENT", help=f"how much less to require (default: {MARGIN:.0%})"
    )
    suggest.add_argument("--class", dest="storage_class", metavar="NAME", help="class, if the runs measured several")
    suggest.add_argument("--name", default="suggested", metavar="TIER", help="name of the tier (default: suggested)")
    suggest.add_argument("-o", "--output", type=Path, metavar="FILE", help="a new file (default: print it)")
    suggest.set_defaults(command=_suggest)


def _suggest(options: argparse.Namespace) -> int:
    margin, name = _margin(options.margin), _name(options.name)
    if options.output is not None and options.output.exists():
        raise WrongUsage(f"{options.output} already exists; name a new file with -o")
    runs = [read_results(path) for path in options.runs]
    ids = [run.run.id for run in runs]
    if len(set(ids)) < len(ids):
        raise WrongUsage(f"expected each run once, found {', '.join(ids)}")
    with refused_where_unusable(*options.runs):
        suggestions = suggest_limits(runs, storage_class=options.storage_class, margin=margin)
        extends = _shipped_tier(runs)
        if extends:
            shipped_path = shipped_folder() / "thresholds.yaml"
            suggestions = stricter(suggestions, load_limits(shipped_path, profiles=shipped_profiles()).tier(extends))
            if not suggestions:
                raise WrongUsage(
                    f"expected figures above the limits of {extends}, which the runs passed, found none that leave a "
                    f"margin of {options.margin}; use {BUILTIN}{extends} itself, or give a smaller --margin"
                )
        text = as_file(suggestions, runs, tier=name, margin=margin, extends=f"{BUILTIN}{extends}" if extends else "")
    if options.output is None:
        print(text, end="")
    else:
        write_whole(options.output, text)
        print(f"limits: {options.output}, tier {name}")
    if len(runs) < 3:
        problem = f"expected at least 3 runs, found {len(runs)}, which do not show how much nights differ"
        print(f"warning: {problem}; name more", file=sys.stderr)
    return 0


def _shipped_tier(runs: Sequence[Results]) -> str:
    """Return the tier that all runs passed, if it was the shipped one; else an empty text."""
    tiers = {str(run.settings.get("tier")) for run in runs}
    is_shipped_tier = all(run.tested_with is not None and run.tested_with.limits_shipped for run in runs)
    return tiers.pop() if is_shipped_tier and len(tiers) == 1 else ""


def _margin(text: str) -> float:
    try:
        margin = parse_quantity(text, unit="ratio")
    except ValueError as error:
        raise WrongUsage(f"--margin: {error}; correct it") from error
    if not margin < 1.0:
        raise WrongUsage(
            f"--margin: expected less than 100%, found {text!r}, which leaves nothing to require; give less"
        )
    return margin


def _name(text: str) -> str:
    if re.fullmatch(r"[A-Za-z][-\w]*", text) is None:
        raise WrongUsage(f"--name: expected letters, digits and '-', found {text!r}; choose another name")
    return text
