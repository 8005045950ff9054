"""A profile at a set rate: its own text with fio's limit of the rate, which the load takes from `${RATE}`."""

from __future__ import annotations

import re
from dataclasses import replace

from acceptance.loads.profiles import Profile
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage

RATE = "RATE"
_SECTION = re.compile(r"^\s*\[(?!global\])[^\]]+\]\s*$", re.MULTILINE)


def job_file(profile: Profile, *, limited: bool = False) -> str:
    """The name under which loads find the profile."""
    return f"{profile.name}{'.limited' if limited else ''}.fio"


def limited_job(profile: Profile, *, metric: Metric) -> str:
    """The profile's text with `${RATE}` as its limit, in the unit of the metric (fio's `rate_iops` or `rate`).

    fio limits each job by itself, so there must be one job, one process. Raises WrongUsage otherwise.
    """
    several = re.search(r"^\s*(numjobs|rate|rate_iops)\s*=", profile.text, re.MULTILINE)
    if len(profile.jobs) != 1 or several:
        raise WrongUsage(
            f"profile {profile.path}: wanted one job of one process without a rate of its own to run it rate-limited, "
            f"found {several[1] if several else f'{len(profile.jobs)} jobs'}; remove its limit at a set rate"
        )
    option = "rate_iops" if metric.statistic == "iops" else "rate"
    return _SECTION.sub(lambda section: f"{section[0]}\n{option}=${{RATE}}", profile.text)


def rate_limited(profile: Profile, *, metric: Metric) -> Profile:
    """The profile with that text. Raises what `limited_job` raises."""
    path = profile.path.with_name(job_file(profile, limited=True))
    return replace(profile, path=path, text=limited_job(profile, metric=metric))
