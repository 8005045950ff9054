"""fio job files as profiles: read and checked before anything runs."""

from __future__ import annotations

import re
from pathlib import Path

from acceptance.loads.fio.job_options import option_problems, sections_of
from acceptance.loads.fio.samples import seconds
from acceptance.loads.profiles import Profile, name_problems, opening_comment, read_text, variable_problems
from acceptance.text.errors import WrongUsage

LONGEST_RAMP_S = 60
_WANTED = {
    r"^[^#;\n]*\$\{RUNTIME\}": "it does not use ${RUNTIME}: runtime=${RUNTIME} with time_based lets the suite set the "
    "time of load",
    r"^\s*time_based\b(?!\s*=\s*0)": "it lacks time_based: the suite sets the time of load",
}
_OF_SEVERAL = {
    r"group_reporting\b(?!\s*=\s*0)": "group_reporting hides all sections but the first from the result; leave it out",
    r"(stonewall|wait_for_previous)\b(?!\s*=\s*0)": "its sections run one after the other, but a profile is one load; "
    "make a file of each",
}


def read_job_file(path: Path) -> Profile:
    """Read one job file. Raises WrongUsage when it is no job file or could not load the volume under test."""
    text = read_text(path)
    problems = name_problems(path) + variable_problems(text)
    problems += [problem for option, problem in _WANTED.items() if not re.search(option, text, re.MULTILINE)]
    problems += option_problems(text)
    jobs = tuple(name for name in sections_of(text) if name != "global")
    if len(jobs) > 1:
        problems += [problem for option, problem in _OF_SEVERAL.items() if _has(option, text)]
    ramp_s = max(map(seconds, re.findall(r"^\s*ramp_time\s*=\s*(\S+)", text, re.MULTILINE)), default=0.0)
    if ramp_s > LONGEST_RAMP_S:
        problems.append(f"its ramp_time is above {LONGEST_RAMP_S} s")
    if not problems and not jobs:
        problems.append("it holds no job section, only [global] or nothing")
    if problems:
        raise WrongUsage("\n".join(f"profile {path}: {problem}" for problem in problems))
    return Profile(
        name=path.stem,
        path=path,
        text=text,
        about=opening_comment(text),
        jobs=jobs,
        ramp_s=ramp_s,
        # Shares are of the test file, which is written in full; of a device, only the beginning is.
        needs_file_system=_has(r"(size|offset|offset_increment)\s*=\s*\d+%", text),
        buffered=not _has(r"direct\s*=\s*1\s*$", text),
        durable=_has(r"(fdatasync|fsync)\s*=\s*1\s*$", text),
    )


def _has(option: str, text: str) -> bool:
    return re.search(rf"^\s*{option}", text, re.MULTILINE) is not None
