"""A profile at a set rate: the same job, with fio's own limit of operations or bytes a second."""

from __future__ import annotations

import re

from acceptance.loads.profiles import Profile
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage

_SECTION = re.compile(r"^\s*\[(?!global\])[^\]]+\]\s*$", re.MULTILINE)


def limited_job(profile: Profile, *, metric: Metric) -> str:
    """The profile's text with `${RATE}` as its limit, in the unit of the metric (fio's `rate_iops` or `rate`).

    fio limits each job by itself, so there must be one job, one process. Raises WrongUsage otherwise.
    """
    several = re.search(r"^\s*(numjobs|rate|rate_iops)\s*=", profile.text, re.MULTILINE)
    if len(profile.jobs) != 1 or several:
        raise WrongUsage(
            f"profile {profile.path}: wanted one job of one process without a rate of its own to run it rate-limited, "
            f"found {several[1] if several else f'{len(profile.jobs)} jobs'}; take its rate_limited limit away"
        )
    option = "rate_iops" if metric.statistic == "iops" else "rate"
    return _SECTION.sub(lambda section: f"{section[0]}\n{option}=${{RATE}}", profile.text)
