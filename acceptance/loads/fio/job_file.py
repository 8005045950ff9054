"""fio job files as profiles: read and checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from acceptance.loads.fio.job_load import extent_of, is_buffered, is_durable, reported_by, waiting_s
from acceptance.loads.fio.job_options import option_problems
from acceptance.loads.fio.job_sections import Job, Problem, Section, jobs_of, read_sections
from acceptance.loads.fio.option_values import seconds_of
from acceptance.loads.profiles import Profile, name_problems, opening_comment, read_text, unset_problem
from acceptance.text.errors import WrongUsage

LONGEST_RAMP_S = 60
_FILE = "it does not use ${FILE}: filename=${FILE} makes it load the volume under test"
_RUNTIME = "it does not use ${RUNTIME}: runtime=${RUNTIME} with time_based lets the suite set the time of load"
_LACKS_TIME_BASED = "it lacks time_based: the suite sets the time of load"
_STARTDELAY = "its sections begin at different times, but a profile is one load; expected the same startdelay for all"
_OF_SEVERAL = {
    "group_reporting": "group_reporting hides all sections but the first from the result; leave it out",
    "stonewall": "its sections run one after the other, but a profile is one load; write a file for each",
    "wait_for_previous": "its sections run one after the other, but a profile is one load; write a file for each",
}


def read_job_file(path: Path) -> Profile:
    """Read one job file.

    Raises WrongUsage, with a line for each problem, if it is no job file, could not load the volume under test, or
    would load something else than its author means.
    """
    text = read_text(path)
    sections, problems = read_sections(text)
    jobs = jobs_of(sections)
    if not problems:
        problems = [*_unset(sections), *option_problems(sections), *_of_jobs(jobs)]
    if not problems and not jobs:
        problems.append(Problem(text="it holds no job section, only [global] or nothing"))
    if not problems:
        problems += _of_times(jobs)
    lines = [f"profile {path}: {problem}" for problem in name_problems(path)]
    lines += [f"profile {path}{f':{problem.line}' if problem.line else ''}: {problem.text}" for problem in problems]
    if lines:
        raise WrongUsage("\n".join(lines))
    extents = tuple(map(extent_of, jobs))
    return Profile(
        name=path.stem,
        path=path,
        text=text,
        about=opening_comment(text),
        jobs=tuple(job.name for job in jobs),
        ramp_s=max(map(waiting_s, jobs)),
        # Shares refer to the test file, which is written in full; of a device, only the beginning is written.
        needs_file_system=any(
            amount is not None and amount.of_device
            for extent in extents
            for amount in (extent.start, extent.step, extent.size)
        ),
        is_buffered=any(map(is_buffered, jobs)),
        durable=any(map(is_durable, jobs)),
        extents=extents,
        reported_metrics=reported_by(jobs),
    )


def _unset(sections: Sequence[Section]) -> Iterator[Problem]:
    options = [option for section in sections for option in section.options if option.unset_variables]
    if options:
        names = {name for option in options for name in option.unset_variables}
        yield Problem(text=unset_problem(names), line=options[0].line)


def _of_jobs(jobs: Sequence[Job]) -> Iterator[Problem]:
    """Yield the problems of jobs that lack a required option, or have one that several jobs may not have."""
    jobs_lacking = {
        _FILE: [job for job in jobs if job.last("filename") is None],
        _RUNTIME: [job for job in jobs if job.value("runtime") != "${RUNTIME}"],
        _LACKS_TIME_BASED: [job for job in jobs if not job.has_flag("time_based")],
    }
    for problem, lacking in jobs_lacking.items():
        if lacking:
            where = "" if len(lacking) == len(jobs) else f"section [{lacking[0].name}]: "
            yield Problem(text=f"{where}{problem}")
    for option, problem in _OF_SEVERAL.items():
        if len(jobs) > 1 and any(job.has_flag(option) for job in jobs):
            yield Problem(text=problem)


def _of_times(jobs: Sequence[Job]) -> Iterator[Problem]:
    """Yield the problems of times before the load that are too long or differ. Their values are already checked."""
    if len({seconds_of(job.value("startdelay", default="0")) for job in jobs}) > 1:
        yield Problem(text=_STARTDELAY)
    for name in ("ramp_time", "startdelay"):
        options = [option for job in jobs if (option := job.last(name)) is not None]
        if too_long := [option for option in options if seconds_of(option.value or "") > LONGEST_RAMP_S]:
            yield Problem(text=f"its {name} is above {LONGEST_RAMP_S} s", line=too_long[0].line)
