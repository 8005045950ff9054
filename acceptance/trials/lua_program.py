"""A program in Lua that a pod has sysbench run: images that hold fio and sysbench have no other language that can
request everything of the kernel. Its output is read line by line."""

from __future__ import annotations

from importlib.resources import files

from acceptance.text.errors import EnvironmentFailure

SAYS = "storage-acceptance: "
RUN = f"""
command -v sysbench > /dev/null || {{ echo "{SAYS}lacks sysbench"; exit 1; }}
printf '%s' "$PROGRAM" | sysbench -
"""
"""The command of a pod's shell."""
OutputWords = list[list[str]]
"""The words of each line that a pod has printed so far."""


def program_of(package: str, *names: str) -> str:
    """Return the program that RUN runs if it is in $PROGRAM: `names` are files of the package, one after the other; all
    programs begin alike."""
    start = files("acceptance.trials").joinpath("lua_program.lua")
    return "".join(part.read_text(encoding="utf-8") for part in (start, *map(files(package).joinpath, names)))


def words_said(output: str, *, image: str) -> OutputWords:
    """Return the words that a pod of that image has printed. Raises EnvironmentFailure if the image lacks a required
    program."""
    lines = [line.removeprefix(SAYS).split() for line in output.splitlines() if line.startswith(SAYS)]
    for words in lines:
        if words[:1] == ["lacks"]:
            raise EnvironmentFailure(
                f"image {image!r} lacks {words[1]}, which runs a program of the suite on the volume; name an image "
                f"that contains {words[1]} with --storage-image"
            )
    return lines
