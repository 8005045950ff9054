"""Compiles programs from Go modules that a go.mod of this repository pins, and go.sum verifies."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import build_cache, golang
from embedded_cluster.commands import run
from embedded_cluster.progress import step

BUILD_SECONDS = 3600
"""Time to download and compile modules, on a slow machine with other work."""


def pinned_version(source: Path, module: str) -> str:
    """Return the version of `module` that the go.mod in `source` pins; raise EnvironmentFailure if it pins none."""
    match = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", (source / "go.mod").read_text(), re.MULTILINE)
    if match is None:
        raise EnvironmentFailure(f"{source / 'go.mod'} does not pin {module}")
    return match[1]


def build_once(title: str, *, sources: Sequence[Path], recipe: str, build: Callable[[Path, Path], None]) -> Path:
    """Return the folder with the programs compiled from `sources`, from the cache or built now.

    `build` is given a `go` as new as the go.mod in the first of `sources` requires, and the folder to fill. Raises
    EnvironmentFailure if there is no Go toolchain, and what `build` raises.
    """

    def compile_sources(target: Path) -> None:
        build(golang.find_go(minimum=golang.required_version(sources[0])), target)

    return build_cache.build_once(title, sources=sources, recipe=recipe, build=compile_sources)


def module_folder(module: str, *, go: Path, source: Path) -> Path:
    """Return the folder with the sources of a module that `source` pins; download and verify it if it is missing."""
    run([go, "mod", "download", module], cwd=source, environment=environment(), timeout=BUILD_SECONDS)
    return Path(run([go, "list", "-m", "-f", "{{.Dir}}", module], cwd=source, environment=environment()).strip())


def compile_packages(
    packages: Sequence[str],
    *,
    go: Path,
    source: Path,
    output: Path,
    flags: str,
    cgo: bool = False,
    timeout: float = BUILD_SECONDS,
) -> None:
    """Compile programs of the module in `source`, several side by side if `output` is a folder.

    `flags` are the linker's, `timeout` is in seconds. With `cgo` C libraries may be linked in, and the network code is
    Go's own all the same. Raises EnvironmentFailure.
    """
    command: list[str | Path] = [go, "build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags", flags]
    if cgo:
        command += ["-tags", "netgo,osusergo"]
    command += ["-o", output, *packages]
    run(command, cwd=source, environment=environment(cgo=cgo), timeout=timeout)


def compile_programs(
    programs: Mapping[str, str],
    *,
    go: Path,
    source: Path,
    target: Path,
    stamps: str = "",
    cgo: bool = False,
    timeout: float = BUILD_SECONDS,
) -> None:
    """Compile each program's package to `target`/bin, where each has the name of its package's last part.

    `stamps`: more of the linker's flags. Raises EnvironmentFailure.
    """
    folder = target / "bin"
    folder.mkdir(exist_ok=True)  # otherwise go takes the path for that of a file to write
    # Several programs in one call: shared packages are compiled once, and the rest side by side.
    flags = f"-s -w {stamps}".strip()
    packages = list(programs.values())
    compile_packages(packages, go=go, source=source, output=folder, flags=flags, cgo=cgo, timeout=timeout)


def have_modules(programs: Mapping[str, str], *, go: Path, source: Path, part: str, cgo: bool = False) -> None:
    """Download and verify all modules of these programs, for a cluster with `part`.

    Raises EnvironmentFailure that names the proxy that was tried.
    """
    command: list[str | Path] = [go, "list", "-mod=readonly", "-deps", "-f", "", *programs.values()]
    with step(f"download the Go modules of {', '.join(programs)}"):
        try:
            run(command, cwd=source, environment=environment(cgo=cgo), timeout=BUILD_SECONDS)
        except EnvironmentFailure as error:
            proxy = run([go, "env", "GOPROXY"], cwd=source, environment=environment()).strip()
            raise EnvironmentFailure(
                f"{proxy} does not have all Go modules for {part}: {error}\n"
                f"Set GOPROXY to a proxy that serves them, or start the cluster without {part}."
            ) from None


def environment(*, cgo: bool = False) -> dict[str, str]:
    """Return the environment of `go`: its own version, whatever a go.mod requires, and no workspace.

    The compiler collects garbage less often than by default, which saves a seventh of the CPU time of a build.
    """
    return {"GOGC": "400", **os.environ, "CGO_ENABLED": str(int(cgo)), "GOTOOLCHAIN": "local", "GOWORK": "off"}
