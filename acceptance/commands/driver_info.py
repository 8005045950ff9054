"""`driver-info`: writes the findings of a run as the manifest by which the Kubernetes e2e tests the same driver."""

from __future__ import annotations

import argparse
from pathlib import Path

from acceptance.commands.command import Commands
from acceptance.commands.output import keep_the_runs_own
from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.process.whole_file import write_whole
from acceptance.report.driver_info import driver_info
from acceptance.results.file import read_results


def add_driver_info(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "driver-info", help="write the results of a run as a test driver's manifest for the Kubernetes e2e"
    )
    command.add_argument("run", type=Path, metavar="RUN", help="results.json or run folder")
    command.add_argument("--storage-class", metavar="NAME", help="class, if the run tested several")
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: print it")
    command.set_defaults(command=_driver_info)


def _driver_info(options: argparse.Namespace) -> int:
    if options.output is not None:
        keep_the_runs_own(options.output, [options.run])
    with refused_where_unusable(options.run):
        text = driver_info(read_results(options.run), storage_class=options.storage_class)
    if options.output is None:
        print(text, end="")
    else:
        write_whole(options.output, text)
        print(f"manifest: {options.output}")
    return 0
