"""A profile at a set rate: its own text with fio's rate limit, which the load takes from `${RATE}`."""

from __future__ import annotations

import re
from dataclasses import replace

from acceptance.loads.fio.job_load import directions_of
from acceptance.loads.fio.job_sections import Option, jobs_of, read_sections
from acceptance.loads.profiles import Profile
from acceptance.results.metrics import Direction, Metric
from acceptance.text.errors import WrongUsage

RATE = "RATE"
_RATES = ("rate", "rate_iops")
_SECTION = re.compile(r"^[ \t]*\[(?!global)[^\n]*\][ \t]*([;#].*)?$", re.MULTILINE)


def only_direction(profile: Profile) -> Direction | None:
    """Return the direction of a fio profile with one section that only reads or only writes; None for others."""
    jobs = jobs_of(read_sections(profile.text)[0])
    directions = [direction for job in jobs for direction in directions_of(job) if direction != "sync"]
    return directions[0] if len(jobs) == len(directions) == 1 else None


def job_file(profile: Profile, *, is_limited: bool = False) -> str:
    """Return the name under which loads find the profile."""
    return f"{profile.name}{'.limited' if is_limited else ''}.fio"


def limited_job(profile: Profile, *, metric: Metric) -> str:
    """Return the profile's text with `${RATE}` as its limit, in the unit of the metric (fio's `rate_iops` or `rate`).

    fio limits each job separately, so the profile must have one job of one process. Raises WrongUsage otherwise.
    """
    options = [option for section in read_sections(profile.text)[0] for option in section.options]
    several = next((option.name for option in options if option.name in _RATES or _is_several(option)), None)
    if len(profile.jobs) != 1 or several:
        raise WrongUsage(
            f"profile {profile.path}: expected one job of one process without its own rate to run it "
            f"rate-limited, found {several or f'{len(profile.jobs)} jobs'}; remove its limit at a set rate"
        )
    option = "rate_iops" if metric.statistic == "iops" else "rate"
    return _SECTION.sub(lambda section: f"{section[0]}\n{option}=${{RATE}}", profile.text)


def limit_rate(profile: Profile, *, metric: Metric) -> Profile:
    """Return the profile with the text of `limited_job`. Raises the errors of `limited_job`."""
    path = profile.path.with_name(job_file(profile, is_limited=True))
    return replace(profile, path=path, text=limited_job(profile, metric=metric))


def _is_several(option: Option) -> bool:
    return option.name == "numjobs" and option.value != "1"
