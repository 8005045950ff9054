"""Single limits asked for beside the files: `sync-write-iops.write.iops>=1200`, as `--storage-limit` takes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from acceptance.limits.inheritance import contradictions
from acceptance.limits.limit import Limit
from acceptance.limits.merging import is_family, members_of
from acceptance.limits.reported import Missing, metric_problem, nothing_missing
from acceptance.limits.speed import speed_limit
from acceptance.limits.tiers import Tier
from acceptance.limits.values import side_problem
from acceptance.results.metrics import Metric
from acceptance.results.requirement import Operator
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import format_quantity, parse_quantity

OPTION = "--storage-limit"
_FORM = re.compile(
    r"(?P<profile>.+?)\.(?P<metric>(?:read|write|sync|cpu|stall)\.[^<>=\s]+)\s*(?P<side>>=|<=)\s*(?P<value>.+)"
)
_SIDES: dict[str, Operator] = {">=": "at_least", "<=": "at_most"}


def asked_limit(text: str) -> Limit:
    """One of them; its profile may be a family of profiles. Raises ValueError for what is no limit."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"wanted a limit such as 'sync-write-iops.write.iops>=1200', found {text!r}")
    metric, side = Metric.parse(found["metric"]), _SIDES[found["side"]]
    if problem := side_problem(side, metric):
        raise ValueError(f"{problem} ({text!r})")
    value = parse_quantity(found["value"], unit=metric.unit)
    if value == 0.0:
        raise ValueError(f"wanted a limit above zero, found {text!r}, which every class meets or none does")
    return speed_limit(found["profile"], metric, side, value, because=f"asked for with {OPTION}")


def with_asked(
    tier: Tier, asked: Sequence[Limit], *, profiles: Collection[str], missing: Missing = nothing_missing
) -> Tier:
    """The tier with these limits instead of its own on the same profile and metric, and on the same side.

    Raises WrongUsage, with all that is wrong, for profiles that do not exist, for metrics that they never report
    (`missing`), and for limits that nothing can meet.
    """
    limits = list(tier.of("limits"))
    problems: list[str] = []
    for each in asked:
        names = members_of(each.profile, profiles) if is_family(each.profile) else [each.profile]
        if unknown := [name for name in names if name not in profiles] or ([] if names else [each.profile]):
            known = ", ".join(sorted(profiles)) or "none at all"
            problems.append(f"{OPTION}: wanted a profile that exists ({known}), found {', '.join(unknown)}; correct it")
            continue
        told = (metric_problem(name, each.metric, missing) for name in names)
        problems += [f"{OPTION}: {problem}" for problem in told if problem is not None]
        for name in names:
            limits = _replaced(limits, replace(each, profile=name))
    problems += _contradictions(limits, asked)
    if problems:
        raise WrongUsage("\n".join(dict.fromkeys(problems)))
    others = (limit for limit in tier.limits if limit.section != "limits")
    return replace(tier, limits=(*limits, *others))


def _replaced(limits: list[Limit], asked: Limit) -> list[Limit]:
    """The limits with this one instead of that on the same side, and with its reason or that of the other side."""
    own = [limit for limit in limits if (limit.profile, limit.path) == (asked.profile, asked.path)]
    old = next((each for each in own if each.operator == asked.operator), None)
    if not own:
        return [*limits, asked]
    instead = "" if old is None else f" instead of {format_quantity(old.bound, unit=old.unit)}"
    new = replace(asked, because=f"{(old or own[0]).because} ({asked.because}{instead})")
    return [new if limit is old else limit for limit in limits] if old is not None else [*limits, new]


def _contradictions(limits: Sequence[Limit], asked: Sequence[Limit]) -> Iterator[str]:
    """Of what was asked for: that nothing can be at least the one and at most the other."""
    metrics = {each.path for each in asked}
    for least, upper in contradictions(limits):
        if least.path in metrics:
            low, high = (format_quantity(each.bound, unit=each.unit) for each in (least, upper))
            yield (
                f"{OPTION}: wanted limits on {least.path} of {least.profile} that can be met together, found at "
                f"least {low} and at most {high}; change one of them"
            )
