"""Reads the file of limits, strictly: all that is wrong with it is said at once, with file, line and path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acceptance.limits import crashes, history, provisioning, ramps
from acceptance.limits.rebuilds import inherited
from acceptance.limits.references import Found, ancestors, reference_problems
from acceptance.limits.scaling import ScalingLimit
from acceptance.limits.schema import FileEntry, TierEntry
from acceptance.limits.tiers import ComparisonRule, Limit, LimitsFile, RuleKind, Tier
from acceptance.limits.values import METRIC
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import format_quantity
from acceptance.text.strict_yaml import Document, Problem, load

__all__ = ["ComparisonRule", "Limit", "LimitsFile", "Metric", "Tier", "load_limits"]

_TYPES = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "string_type": "text",
    "too_short": "at least one tier",
}


def load_limits(path: Path, *, profiles: Collection[str]) -> LimitsFile:
    """The limits in the file at `path`; `profiles` are the names of those that exist.

    Raises WrongUsage with one line for each thing that is wrong: `file:line: path: wanted ..., found ...; do ...`.
    """
    try:
        document = load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: wanted a readable file of limits, found: {error}; name another file") from error
    problems = list(document.problems)
    entry = _entry(document, problems, profiles=profiles)
    if entry is not None:
        tiers = {name: _resolve(name, entry.tiers) for name in entry.tiers}
        problems += _at_lines(document, [problem for tier in tiers.values() for problem in _impossible(tier)])
        if not problems:
            return LimitsFile(source=str(path), tiers=tiers)
    raise WrongUsage(_report(path, problems))


def _entry(document: Document, problems: list[Problem], *, profiles: Collection[str]) -> FileEntry | None:
    """The checked file, or None after adding to `problems` what keeps its tiers from being put together."""
    if document.data is None and problems:  # not even YAML
        return None
    found = list(reference_problems(document.data, profiles=profiles))
    try:
        entry = FileEntry.model_validate(document.data)
    except ValidationError as error:
        found += [_say(details) for details in error.errors()]
    problems += _at_lines(document, found)
    return None if found else entry


def _at_lines(document: Document, found: Iterable[Found]) -> list[Problem]:
    return [Problem(line=document.line_of(path), path=path, text=text) for path, text in found]


def _report(path: Path, problems: Iterable[Problem]) -> str:
    """All problems, in the order of the file, each once."""
    told = sorted({(problem.line, ".".join(map(str, problem.path)), problem.text) for problem in problems})
    return "\n".join(f"{path}:{line}: {where}{': ' if where else ''}{text}" for line, where, text in told)


def _say(details: ErrorDetails) -> Found:
    """One of pydantic's errors in our words."""
    where = tuple(part for part in details["loc"] if part not in (METRIC, "[key]"))
    kind, value = details["type"], details["input"]
    if kind == "missing":
        return where, "wanted this key, found nothing; add it"
    if kind == "extra_forbidden":
        return where, "wanted only keys that are known here, found this one; correct or remove it"
    if kind == "value_error":
        return where, f"{details['ctx']['error']}; correct it"
    wanted = _TYPES.get(kind, details["msg"])
    if kind == "literal_error":
        wanted = "1, the only version there is" if where == ("version",) else details["ctx"]["expected"]
    shown = "nothing" if value is None or value == {} else repr(value)
    return where, f"wanted {wanted}, found {shown}; correct it"


def _resolve(name: str, tiers: dict[str, TierEntry]) -> Tier:
    """The tier with all it inherits: a rule replaces the parent's of the same profile, metric and kind."""
    limits: dict[tuple[str, str, str], Limit] = {}
    rules: dict[tuple[str, str, str], ComparisonRule] = {}
    scaling: dict[tuple[str, str, int | None], ScalingLimit] = {}
    parents = {one: entry.extends for one, entry in tiers.items()}
    family = [*reversed(ancestors(name, parents)), name]
    for origin in family:
        for limit in _limits(origin, tiers[origin]):
            limits[limit.profile, limit.metric.path, limit.kind] = limit
        for rule in _rules(origin, tiers[origin]):
            rules[rule.profile, rule.metric.path, rule.kind] = rule
        for profile, section in tiers[origin].scaling.items():
            for each in section.limits(profile=profile, tier=origin):
                scaling[profile, each.kind, each.pods] = each
    entry = tiers[name]
    return Tier(
        name=name,
        description=entry.description,
        extends=entry.extends,
        limits=tuple(limits.values()),
        comparison=tuple(rules.values()),
        scaling=tuple(scaling.values()),
        control_plane=ramps.inherited([(origin, tiers[origin].control_plane) for origin in family]),
        rebuild=inherited([(origin, tiers[origin].rebuild) for origin in family]),
        failover=crashes.inherited([(origin, tiers[origin].failover) for origin in family]),
        provisioning=provisioning.inherited([(origin, tiers[origin].provisioning) for origin in family]),
        history=history.inherited([(origin, tiers[origin].history) for origin in family]),
    )


def _limits(tier: str, entry: TierEntry) -> Iterator[Limit]:
    for profile, entries in entry.limits.items():
        for one in entries.values():
            if one.at_least is not None:
                yield Limit(profile=profile, metric=one.metric, at_least=one.at_least, because=one.because, tier=tier)
            if one.at_most is not None:
                yield Limit(profile=profile, metric=one.metric, at_most=one.at_most, because=one.because, tier=tier)


def _rules(tier: str, entry: TierEntry) -> Iterator[ComparisonRule]:
    for profile, entries in entry.comparison.items():
        for one in entries.values():
            margins: dict[RuleKind, float | None] = {
                "not_better_than_baseline_by": one.not_better_than_baseline_by,
                "not_worse_than_baseline_by": one.not_worse_than_baseline_by,
            }
            for kind, margin in margins.items():
                if margin is not None:
                    yield ComparisonRule(
                        profile=profile, metric=one.metric, kind=kind, margin=margin, because=one.because, tier=tier
                    )


def _impossible(tier: Tier) -> Iterator[Found]:
    """Limits that nothing can meet, and a tier that asks for nothing; inherited limits count."""
    destructive = (tier.rebuild, tier.control_plane, tier.failover)
    if not any((tier.limits, tier.comparison, tier.scaling, tier.provisioning, tier.history, *destructive)):
        yield ("tiers", tier.name), "wanted at least one limit, its own or inherited, found none; add one"
    if tier.control_plane is not None and tier.control_plane.rules is None:
        yield ("tiers", tier.name, "control_plane"), "wanted the key ramp, its own or inherited, found none; add it"
    most = {(limit.profile, limit.metric.path): limit for limit in tier.limits if limit.kind == "at_most"}
    for least in tier.limits:
        upper = most.get((least.profile, least.metric.path))
        if least.kind == "at_least" and upper is not None and least.value > upper.value:
            where = ("tiers", tier.name, "limits", least.profile, least.metric.path)
            low, high = (format_quantity(limit.value, unit=limit.metric.unit) for limit in (least, upper))
            found = f"found at least {low} (tier {least.tier}) and at most {high} (tier {upper.tier})"
            yield where, f"wanted limits that can be met together, {found}; change one of them"
