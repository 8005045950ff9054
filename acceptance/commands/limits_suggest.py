"""`limits suggest`: limits from good runs, as a file of one's own."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.limits.file import BUILTIN, load_limits
from acceptance.limits.shipped import shipped_folder, shipped_profiles
from acceptance.limits.suggesting import MARGIN, as_file, stricter, suggested
from acceptance.process.whole_file import write_whole
from acceptance.results.document import Results
from acceptance.results.file import read_results
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import parse_quantity


def add_suggest(limits: argparse.ArgumentParser) -> None:
    """Add it to `limits`."""
    suggest = limits.add_subparsers(metavar="suggest").add_parser("suggest", help="limits from good runs")
    suggest.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="results.json or run folder; three or more")
    suggest.add_argument(
        "--margin", default=f"{MARGIN:.0%}", metavar="PERCENT", help=f"how much less to ask for (default: {MARGIN:.0%})"
    )
    suggest.add_argument("--class", dest="storage_class", metavar="NAME", help="where the runs measured several")
    suggest.add_argument("--name", default="suggested", metavar="TIER", help="of the tier (default: suggested)")
    suggest.add_argument("-o", "--output", type=Path, metavar="FILE", help="a new file (default: print it)")
    suggest.set_defaults(command=_suggest)


def _suggest(chosen: argparse.Namespace) -> int:
    margin, name = _margin(chosen.margin), _name(chosen.name)
    if chosen.output is not None and chosen.output.exists():
        raise WrongUsage(f"{chosen.output} is there already; name a new file with -o")
    runs = [read_results(path) for path in chosen.runs]
    ids = [run.run.id for run in runs]
    if len(set(ids)) < len(ids):
        raise WrongUsage(f"wanted each run once, found {', '.join(ids)}")
    with refused_where_unusable(*chosen.runs):
        found = suggested(runs, storage_class=chosen.storage_class, margin=margin)
        extends = _shipped_tier(runs)
        if extends:
            shipped = shipped_folder() / "thresholds.yaml"
            found = stricter(found, load_limits(shipped, profiles=shipped_profiles()).tier(extends))
            if not found:
                raise WrongUsage(
                    f"wanted figures above the limits of {extends}, which the runs passed, found none with a margin of "
                    f"{chosen.margin} left; use {BUILTIN}{extends} itself, or say a smaller --margin"
                )
        text = as_file(found, runs, tier=name, margin=margin, extends=f"{BUILTIN}{extends}" if extends else "")
    if chosen.output is None:
        print(text, end="")
    else:
        write_whole(chosen.output, text)
        print(f"limits: {chosen.output}, tier {name}")
    if len(runs) < 3:
        print(f"warning: {len(runs)} run says nothing about other nights: name three or more", file=sys.stderr)
    return 0


def _shipped_tier(runs: Sequence[Results]) -> str:
    """The tier that all of them passed, where it was the shipped one; else nothing."""
    tiers = {str(run.settings.get("tier")) for run in runs}
    shipped = all(run.tested_with is not None and run.tested_with.limits_shipped for run in runs)
    return tiers.pop() if shipped and len(tiers) == 1 else ""


def _margin(text: str) -> float:
    try:
        margin = parse_quantity(text, unit="ratio")
    except ValueError as error:
        raise WrongUsage(f"--margin: {error}; correct it") from error
    if not margin < 1.0:
        raise WrongUsage(f"--margin: wanted less than 100%, found {text!r}, which leaves nothing to ask for; give less")
    return margin


def _name(text: str) -> str:
    if re.fullmatch(r"[A-Za-z][-\w]*", text) is None:
        raise WrongUsage(f"--name: wanted letters, digits and '-', found {text!r}; name the tier otherwise")
    return text
