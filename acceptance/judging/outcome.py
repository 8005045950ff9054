"""The construction of every verdict: where an interval lies, its words, and the record of it. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from acceptance.limits.limit import Limit
from acceptance.results.document import Status, Verdict
from acceptance.results.requirement import Decision, Outcome, Requirement
from acceptance.wording import sentence
from acceptance.wording.requirements import describe_requirement


def decide(
    low: float, high: float, *, at_least: float | None = None, at_most: float | None = None, beyond: float = 1.0
) -> Decision:
    """Return where the interval low..high lies: all on the good side of the limit, all on the bad side, or neither.

    `beyond`: the factor by which it must lie on either side. A value exactly at the limit is good. Raise ValueError
    unless exactly one limit is given.
    """
    if (at_least is None) == (at_most is None):
        raise ValueError("expected one of at_least and at_most, found both or none")
    if at_least is not None:
        good, bad = low >= at_least * beyond, high < at_least / beyond
    else:
        assert at_most is not None
        good, bad = high <= at_most / beyond, low > at_most * beyond
    return "pass" if good else "fail" if bad else "inconclusive"


def combine(*decisions: Decision) -> Decision:
    """Return the decision on requirements that must all hold: one certain failure decides, and only all passes pass."""
    return "fail" if "fail" in decisions else "inconclusive" if "inconclusive" in decisions else "pass"


def outcome(
    limit: Limit,
    *,
    storage_class: str,
    status: Status,
    value: float | None,
    finding: Outcome,
    interval: tuple[float, float] | None = None,
    confidence: float | None = None,
    applies: bool = True,
) -> Verdict:
    """Return the verdict on a limit, whose unit its figures have; `confidence` counts with an interval only.

    `applies`: false if nothing exists by which the limit could be judged; the tier is then still complete.

    The recorder adds the test when it accepts the verdict.
    """
    requirement = limit.requirement
    step = requirement.at.get("pods")
    name = requirement.rule if step is None else f"{requirement.rule}_at_{step}"
    verdict = Verdict(
        id=verdict_id(storage_class, limit.profile, limit.path, name),
        storage_class=storage_class,
        requirement=requirement,
        outcome=finding,
        limit=describe_requirement(requirement),
        measured=value,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        unit=limit.unit,
        confidence=confidence if interval else None,
        status=status,
        reason="",
        applies=applies,
    )
    return verdict.model_copy(update={"reason": sentence(verdict)})


def without_figures(
    verdict: str,
    *,
    storage_class: str,
    status: Status,
    limit: str,
    finding: Outcome,
    rule: str | None = None,
    profile: str | None = None,
    metric: str | None = None,
    at: Mapping[str, float] | None = None,
    at_most: float | None = None,
    count: int | None = None,
    applies: bool = True,
) -> Verdict:
    """Return the verdict on a yes-or-no question; `verdict` is its id, whose last but one part is the default rule.

    `at`: the conditions. `at_most`: the most allowed occurrences; `count`: the number of occurrences, which is exact
    and has no interval; None if it is not known.
    """
    question = (verdict.rpartition("/")[0] or verdict).rpartition("/")[2]
    requirement = Requirement(rule=rule or question, profile=profile, metric=metric, at={**(at or {})})
    if at_most is not None:
        requirement = requirement.model_copy(update={"operator": "at_most", "bound": at_most, "unit": "count"})
    record = Verdict(
        id=verdict,
        storage_class=storage_class,
        requirement=requirement,
        outcome=finding,
        limit=limit,
        measured=None if count is None else float(count),
        low=None,
        high=None,
        unit=None if count is None else "count",
        status=status,
        reason="",
        applies=applies,
    )
    return record.model_copy(update={"reason": sentence(record)})


def plain_outcome(text: str) -> Outcome:
    """Return an outcome that holds a finding in the words of its author."""
    return Outcome(code="plain.told", facts={"text": text})


def without_limit(verdict: str, *, storage_class: str, profile: str, finding: Outcome) -> Verdict:
    """Return a skipped verdict on measured values without a limit: `verdict` is its id, and the finding holds them."""
    return without_figures(
        verdict,
        storage_class=storage_class,
        profile=profile,
        rule="none",
        limit="none",
        status="skipped",
        finding=finding,
    )


def verdict_id(storage_class: str, profile: str, metric: str, rule: str) -> str:
    """Return an id such as `replicated/sync-write-iops/write.iops/at-least`, which is equal in every run.

    The path of a directory gets a hash, so that `/mnt/a` and `/mnt-a` have different ids.
    """
    name, *rest = (
        re.sub(r"[^a-z0-9.]+", "-", part.lower()).strip("-") for part in (storage_class, profile, metric, rule)
    )
    if name != storage_class:
        name += "-" + hashlib.sha256(storage_class.encode()).hexdigest()[:8]
    return "/".join((name, *rest))
