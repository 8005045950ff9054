"""Reads the description of an image from its Containerfile: the few instructions that deploy/Containerfile has."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from string import Template

_INSTALL = re.compile(r"apt-get install (?:--[a-z-]+ )*([a-z0-9 .+-]+?) &&")
_KEYWORDS = {"ARG", "FROM", "COPY", "RUN", "LABEL", "ENV", "USER", "WORKDIR", "ENTRYPOINT"}


# Docker's own image names its Python and its release of Debian.
_BASE = re.compile(r".*/python:(\d+\.\d+)-slim-([a-z]+)")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The image of the last stage. `copies`: files from the checkout, by their path there -> path in the image."""

    bases: tuple[str, ...]
    programs: tuple[str, ...]
    copies: dict[str, str]
    packages: str
    environment: dict[str, str]
    user: str
    folder: str
    entrypoint: tuple[str, ...]

    @property
    def python(self) -> str:
        """The version of the base's Python, as 3.11."""
        return self._base[1]

    @property
    def debian(self) -> str:
        """The release of Debian that the base is made of."""
        return self._base[2]

    @property
    def _base(self) -> re.Match[str]:
        match = _BASE.fullmatch(self.bases[-1])
        if match is None:
            raise ValueError(
                f"expected a base such as docker.io/library/python:3.11-slim-bookworm, found {self.bases[-1]}"
            )
        return match

    @property
    def config(self) -> dict[str, object]:
        """The image's config, as the OCI image specification defines it."""
        environment = [f"{name}={value}" for name, value in self.environment.items()]
        path = "PATH=/usr/local/bin:/usr/bin:/bin"
        return {
            "Env": [path, *environment],
            "User": self.user,
            "WorkingDir": self.folder,
            "Entrypoint": list(self.entrypoint),
        }


def read_recipe(file: Path) -> Recipe:
    """Read a Containerfile. Raise ValueError if an instruction is not understood here."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    instructions = [line.split(None, 1) for line in "\n".join(lines).replace("\\\n", " ").splitlines() if line.strip()]
    if unknown := {name for name, _ in instructions} - _KEYWORDS:
        raise ValueError(f"{file}: expected instructions of {', '.join(sorted(_KEYWORDS))}, found {', '.join(unknown)}")
    of: dict[str, list[str]] = {
        name: [rest for instruction, rest in instructions if instruction == name] for name in _KEYWORDS
    }
    runs = " ".join(of["RUN"])
    arguments = dict(argument.split("=", 1) for argument in of["ARG"])
    return Recipe(
        bases=tuple(Template(image.split()[0]).substitute(arguments) for image in of["FROM"]),
        programs=tuple(name for names in _INSTALL.findall(runs) for name in names.split()),
        copies=dict(_copies(of["COPY"])),
        packages=re.findall(r"--target=(\S+)", runs)[0],
        environment=dict(word.split("=", 1) for line in of["ENV"] for word in shlex.split(line)),
        user=of["USER"][-1],
        folder=of["WORKDIR"][-1],
        entrypoint=tuple(json.loads(of["ENTRYPOINT"][-1])),
    )


def _copies(instructions: list[str]) -> list[tuple[str, str]]:
    """Return the paths that are copied from the checkout, and then to the last stage, where each keeps its place."""
    copies, handed_on = [], []
    for instruction in instructions:
        *sources, target = instruction.split()
        if sources[0].startswith("--from="):
            if sources[1:] != [target]:
                raise ValueError(f"COPY {instruction}: expected the same place in both stages")
            handed_on.append(PurePosixPath(target))
            continue
        copies += [(name, f"{target}{name}" if target.endswith("/") else target) for name in sources]
    return [(name, place) for name, place in copies if any(PurePosixPath(place).is_relative_to(at) for at in handed_on)]
