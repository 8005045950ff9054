"""`python -m acceptance`: the commands that run without pytest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from acceptance.commands.accept_level import add_accept_level
from acceptance.commands.cleanup import add_cleanup
from acceptance.commands.compare import add_compare
from acceptance.commands.discover import add_discover
from acceptance.commands.driver_info import add_driver_info
from acceptance.commands.limits import add_limits
from acceptance.commands.presets import add_presets
from acceptance.commands.profiles import add_profiles
from acceptance.commands.report import add_report
from acceptance.process.standard_streams import outlast_readers
from acceptance.text.errors import AcceptanceError, WrongUsage


class _Parser(argparse.ArgumentParser):
    """A parser that ends with the exit status of wrong usage, in all commands; argparse's own means interrupted."""

    def error(self, message: str) -> NoReturn:
        """Raise WrongUsage."""
        raise WrongUsage(f"{message}\n{self.format_usage().strip()}")


def command_parser(program: str) -> argparse.ArgumentParser:
    """Return the parser of all commands and their options; `program`: the name that the user called."""
    parser: argparse.ArgumentParser = _Parser(prog=program, description="What is done without pytest.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_accept_level(commands)
    add_cleanup(commands)
    add_compare(commands)
    add_discover(commands)
    add_driver_info(commands)
    add_limits(commands)
    add_presets(commands)
    add_profiles(commands)
    add_report(commands)
    return parser


def main(arguments: Sequence[str] | None = None, *, program: str = "python -m acceptance") -> int:
    """Run a command and return its exit status. `program`: the name that the user called."""
    if arguments is None:
        outlast_readers()
    try:
        options = command_parser(program).parse_args(arguments)
        status: int = options.command(options)
    except AcceptanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_status
    return status


if __name__ == "__main__":
    sys.exit(main())
