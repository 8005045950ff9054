"""Single limits in addition to the files: `sync-write-iops.write.iops>=1200`, as `--storage-limit` takes them."""

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
    """Parse a limit; its profile may be a family of profiles. Raise ValueError if the text is no limit."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"expected a limit such as 'sync-write-iops.write.iops>=1200', found {text!r}")
    metric, side = Metric.parse(match["metric"]), _SIDES[match["side"]]
    if problem := side_problem(side, metric):
        raise ValueError(f"{problem} ({text!r})")
    value = parse_quantity(match["value"], unit=metric.unit)
    if value == 0.0:
        raise ValueError(f"expected a limit above zero, found {text!r}, which every class meets or none does")
    return speed_limit(match["profile"], metric, side, value, because=f"requested with {OPTION}")


def with_limits(
    tier: Tier, option_limits: Sequence[Limit], *, profiles: Collection[str], missing: Missing = nothing_missing
) -> Tier:
    """Return the tier with these limits instead of its own on the same profile and metric, and on the same side.

    Raise WrongUsage, with all errors, for profiles that do not exist, for metrics that they never report (`missing`),
    and for limits that nothing can meet.
    """
    limits = list(tier.of("limits"))
    problems: list[str] = []
    for limit in option_limits:
        names = members_of(limit.profile, profiles) if is_family(limit.profile) else [limit.profile]
        if unknown := [name for name in names if name not in profiles] or ([] if names else [limit.profile]):
            names_text, found_text = ", ".join(sorted(profiles)) or "none", ", ".join(unknown)
            problems.append(
                f"{OPTION}: expected a profile that exists (available: {names_text}), found {found_text}; correct it"
            )
            continue
        metric_problems = (metric_problem(name, limit.metric, missing) for name in names)
        problems += [f"{OPTION}: {problem}" for problem in metric_problems if problem is not None]
        for name in names:
            limits = _replace_limit(limits, replace(limit, profile=name))
    problems += _contradictions(limits, option_limits)
    if problems:
        raise WrongUsage("\n".join(dict.fromkeys(problems)))
    other_limits = (limit for limit in tier.limits if limit.section != "limits")
    return replace(tier, limits=(*limits, *other_limits))


def _replace_limit(limits: list[Limit], replacement: Limit) -> list[Limit]:
    """Return the limits with the replacement of that on the same side, with its reason or that of the other side."""
    own = [limit for limit in limits if (limit.profile, limit.path) == (replacement.profile, replacement.path)]
    old = next((limit for limit in own if limit.operator == replacement.operator), None)
    if not own:
        return [*limits, replacement]
    instead = "" if old is None else f" instead of {format_quantity(old.bound, unit=old.unit)}"
    new = replace(replacement, because=f"{(old or own[0]).because} ({replacement.because}{instead})")
    return [new if limit is old else limit for limit in limits] if old is not None else [*limits, new]


def _contradictions(limits: Sequence[Limit], option_limits: Sequence[Limit]) -> Iterator[str]:
    """Yield a problem for each pair of limits that no value can meet, if an option limits the metric."""
    metrics = {limit.path for limit in option_limits}
    for least, upper in contradictions(limits):
        if least.path in metrics:
            low, high = (format_quantity(limit.bound, unit=limit.unit) for limit in (least, upper))
            yield (
                f"{OPTION}: expected limits on {least.path} of {least.profile} that can be met together, found at "
                f"least {low} and at most {high}; change one of them"
            )
