"""Profiles: the fio job files of a folder, found, read and checked before anything runs."""

from __future__ import annotations

import configparser
import re
from dataclasses import dataclass
from pathlib import Path

from acceptance.errors import WrongUsage
from acceptance.fio.samples import seconds

# What the suite sets when it runs a profile: the file to load, its size in bytes, the seconds of load after the ramp.
LAYOUT = "layout"
LONGEST_RAMP_S = 60
VARIABLES = ("FILE", "SIZE", "RUNTIME")
_NAME = re.compile(r"[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One fio job file. `about` is the comment that it begins with, `jobs` its section names without `global`."""

    name: str
    path: Path
    text: str
    about: str
    jobs: tuple[str, ...]


def find_profiles(folder: Path) -> dict[str, Profile]:
    """Every `.fio` file of the folder, by name.

    Raises WrongUsage with all that is wrong, file by file.
    """
    if not folder.is_dir():
        raise WrongUsage(
            f"profiles folder {folder} does not exist; name a folder of .fio files with --storage-profiles"
        )
    profiles: dict[str, Profile] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.fio")):
        try:
            profiles[path.stem] = read_profile(path)
        except WrongUsage as error:
            problems.append(str(error))
    if problems:
        raise WrongUsage("\n".join(problems))
    if not profiles:
        raise WrongUsage(f"profiles folder {folder} holds no .fio file")
    return profiles


def read_profile(path: Path) -> Profile:
    """Read one job file. Raises WrongUsage when it is no job file or could not load the volume under test."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"profile {path}: it cannot be read: {error}") from error
    problems = [] if _NAME.fullmatch(path.stem) else ["the name may hold letters, digits, '-', '_' and '.' only"]
    unknown = sorted({name for name in re.findall(r"\$\{([^}]*)\}", text) if name not in VARIABLES})
    if unknown:
        known = ", ".join(f"${{{name}}}" for name in VARIABLES)
        problems.append(f"variables that nobody sets: {', '.join(unknown)}; the suite sets {known}")
    for variable, why in (
        ("FILE", "filename=${FILE} makes it load the volume under test"),
        ("RUNTIME", "runtime=${RUNTIME} with time_based lets the suite set the time of load"),
    ):
        if f"${{{variable}}}" not in text:
            problems.append(f"it does not use ${{{variable}}}: {why}")
    try:
        jobs = _jobs(text)
    except configparser.Error as error:
        problems.append(f"not a fio job file: {error}")
        jobs = ()
    if len(jobs) > 1 and re.search(r"^\s*group_reporting\b(?!\s*=\s*0)", text, flags=re.MULTILINE):
        problems.append("group_reporting hides all sections but the first from the result; leave it out")
    if not re.search(r"^\s*time_based\b(?!\s*=\s*0)", text, flags=re.MULTILINE):
        problems.append("it lacks time_based: the time of load is the suite's to set")
    if re.search(r"^\s*continue_on_error\s*=\s*(?!none)", text, flags=re.MULTILINE):
        problems.append("continue_on_error would make a number of a measurement with errors")
    if any(seconds(each) > LONGEST_RAMP_S for each in re.findall(r"^\s*ramp_time\s*=\s*(\S+)", text, re.MULTILINE)):
        problems.append(f"its ramp_time is above {LONGEST_RAMP_S} s")
    if path.stem == LAYOUT:
        problems.append("the name is taken: the suite writes the test file with a job of that name")
    if re.search(r"^\s*(stonewall|wait_for_previous)\b(?!\s*=\s*0)", text, flags=re.MULTILINE) and len(jobs) > 1:
        problems.append("its sections run one after the other, but a profile is one load; make a file of each")
    if not problems and not jobs:
        problems.append("it holds no job section, only [global] or nothing")
    if problems:
        raise WrongUsage("\n".join(f"profile {path}: {problem}" for problem in problems))
    return Profile(name=path.stem, path=path, text=text, about=_about(text), jobs=jobs)


def _jobs(text: str) -> tuple[str, ...]:
    parser = configparser.RawConfigParser(
        allow_no_value=True, comment_prefixes=("#", ";"), strict=False, default_section="global", delimiters=("=",)
    )
    parser.read_string(text)
    return tuple(parser.sections())


def _about(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if not line.startswith(("#", ";")):
            break
        lines.append(line.lstrip("#; ").rstrip())
    return " ".join(lines)
