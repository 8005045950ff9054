"""`profiles`: lists the profiles of a folder and what each of them stands for."""

from __future__ import annotations

import argparse
from pathlib import Path

from acceptance.commands.command import Commands
from acceptance.limits.shipped import shipped_folder
from acceptance.limits.workloads import workload_folder
from acceptance.loads.profile_folder import find_profiles
from acceptance.results.workloads import WORKLOADS
from acceptance.text.sanitizing import sanitize


def add_profiles(commands: Commands) -> None:
    """Add the command to the command line."""
    profiles = commands.add_parser("profiles", help="list the profiles of a folder and what each represents")
    profiles.add_argument("folder", type=Path, nargs="?", default=shipped_folder() / "profiles")
    profiles.add_argument(
        "--for",
        dest="workload",
        choices=WORKLOADS,
        metavar="WORKLOAD",
        help=f"only the profiles of a workload: {', '.join(WORKLOADS)}",
    )
    profiles.set_defaults(command=_profiles)


def _profiles(options: argparse.Namespace) -> int:
    folder = workload_folder(options.workload) if options.workload else options.folder
    for profile in find_profiles(folder).values():
        print(sanitize(f"{profile.name}\n  {profile.about}"))
    return 0
