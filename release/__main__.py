"""`python -m release image` builds the image; `python -m release notes` prints what is new in a version."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from acceptance import __version__
from acceptance.results.checksums import digest_of
from acceptance.text.errors import AcceptanceError
from embedded_cluster.oci_archive import ARCHITECTURE
from release.image import ROOT, build
from release.notes import notes
from release.packages import MACHINES
from release.running import Say, interrupted_in_order

INTERRUPTED_STATUS = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the image or print the notes; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    image = commands.add_parser("image", help="build the image of deploy/Containerfile, as root, on Debian or Ubuntu")
    image.add_argument("--output", type=Path, default=Path("dist"), metavar="DIR", help="default: dist")
    image.add_argument("--architecture", choices=sorted(MACHINES), default=ARCHITECTURE, help="default: this machine's")
    image.add_argument(
        "--mirror",
        action="append",
        default=[],
        metavar="MIRROR",
        help="address or line of sources.list instead of Debian's own; repeatable",
    )
    notes_parser = commands.add_parser("notes", help="print the section of CHANGELOG.md")
    notes_parser.add_argument("--tag", required=True, help="such as v0.1.0")
    options = parser.parse_args(arguments)
    try:
        if options.command == "notes":
            sys.stdout.write(notes((ROOT / "CHANGELOG.md").read_text("utf-8"), tag=options.tag, version=__version__))
        else:
            with interrupted_in_order():
                _image(options)
    except AcceptanceError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print("interrupted: all programs have ended, and no image was written", file=sys.stderr)
        return INTERRUPTED_STATUS
    return 0


def _image(options: argparse.Namespace) -> None:
    image = build(
        options.output,
        version=__version__,
        architecture=options.architecture,
        created_s=_moment(),
        mirrors=options.mirror,
        say=_progress(),
    )
    print(f"{image.reference} {image.digest}")
    for file in (image.archive, image.bill):
        print(f"{digest_of(file)}  {file}")


def _progress() -> Say:
    """Print each step with the minutes and seconds since the first, on stderr: stdout is the result's."""
    began_s = time.monotonic()

    def say(step: str) -> None:
        minutes, seconds = divmod(int(time.monotonic() - began_s), 60)
        print(f"{minutes:2}:{seconds:02} {step}", file=sys.stderr, flush=True)

    return say


def _moment() -> int:
    """Return SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/), else the last commit's."""
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(epoch)
    process = subprocess.run(
        ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False
    )
    return int(process.stdout) if process.stdout.strip() else 0


if __name__ == "__main__":
    sys.exit(main())
