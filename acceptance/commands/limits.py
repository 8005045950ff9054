"""`limits`: what a tier asks for, inherited limits included, as a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from acceptance.commands.command import Commands
from acceptance.limits.file import load_limits
from acceptance.limits.shipped import shipped_folder
from acceptance.limits.tiers import Requirement, Tier
from acceptance.loads.profile_folder import profile_files


def add_limits(commands: Commands) -> None:
    """Add the command to the command line."""
    limits = commands.add_parser("limits", help="show what a tier asks for")
    limits.add_argument("--tier", default="baseline", metavar="NAME", help="default: baseline")
    limits.add_argument("--thresholds", type=Path, metavar="FILE", help="default: the shipped limits")
    limits.add_argument("--profiles", type=Path, metavar="DIR", help="a folder of your own that the limits are on")
    limits.add_argument("--because", action="store_true", help="say why each limit exists, too")
    limits.set_defaults(command=_limits)


def _limits(chosen: argparse.Namespace) -> int:
    from acceptance.report.plain_table import print_table  # with rich, which others need not wait for

    shipped = shipped_folder()
    file = chosen.thresholds or shipped / "thresholds.yaml"
    folders = filter(None, (shipped / "profiles", chosen.profiles))
    profiles = {path.stem for folder in folders for path in profile_files(folder)}
    limits = load_limits(file, profiles=profiles, shipped=shipped / "thresholds.yaml")
    tier = limits.tier(chosen.tier)
    print(f"tier {tier.name} of {file}: {tier.description}")
    print(f"tiers of this file: {', '.join(limits.tiers)}\n")
    heads = ("on", "asked for", "because") if chosen.because else ("on", "asked for")
    print_table(heads, [row[: len(heads)] for row in _rows(tier)])
    return 0


def _rows(tier: Tier) -> Iterator[tuple[str, str, str]]:
    found: tuple[Requirement, ...] = (*tier.requirements(destructive=True, sustained=True), *tier.history)
    for each in found:
        yield each.profile, each.describe(), getattr(each, "because", "")
    for test in tier.requires:
        yield "a pass of", test, "without it nothing passes the tier"
