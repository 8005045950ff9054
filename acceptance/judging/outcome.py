"""How every verdict is made: where an interval lies, how that is said, and the record of it. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from acceptance.limits.limit import Limit
from acceptance.results.document import Status, Verdict
from acceptance.results.requirement import Decision, Outcome, Requirement
from acceptance.wording import sentence
from acceptance.wording.requirements import described


def decide(
    low: float, high: float, *, at_least: float | None = None, at_most: float | None = None, beyond: float = 1.0
) -> Decision:
    """Where the interval low..high lies: all on the good side of the limit, all on the bad side, or neither.

    `beyond`: by what factor on either side. A value exactly at the limit is good. Raises ValueError unless exactly one
    limit is given.
    """
    if (at_least is None) == (at_most is None):
        raise ValueError("wanted one of at_least and at_most, found both or none")
    if at_least is not None:
        good, bad = low >= at_least * beyond, high < at_least / beyond
    else:
        assert at_most is not None
        good, bad = high <= at_most / beyond, low > at_most * beyond
    return "pass" if good else "fail" if bad else "inconclusive"


def both(*decisions: Decision) -> Decision:
    """Of what must hold together: what is surely missed decides, and only what is surely met passes."""
    return "fail" if "fail" in decisions else "inconclusive" if "inconclusive" in decisions else "pass"


def outcome(
    limit: Limit,
    *,
    storage_class: str,
    status: Status,
    measured: float | None,
    found: Outcome,
    interval: tuple[float, float] | None = None,
    confidence: float | None = None,
    applies: bool = True,
) -> Verdict:
    """The verdict on a limit, whose unit its figures have; `confidence` counts with an interval only.

    `applies`: false if there is nothing that the limit could be judged by, which leaves nothing of the tier out.

    Which test asked is added when the verdict is accepted.
    """
    asked = limit.requirement
    step = asked.at.get("pods")
    name = asked.rule if step is None else f"{asked.rule}_at_{step}"
    verdict = Verdict(
        id=verdict_id(storage_class, limit.profile, limit.path, name),
        storage_class=storage_class,
        requirement=asked,
        outcome=found,
        limit=described(asked),
        measured=measured,
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
    found: Outcome,
    rule: str | None = None,
    profile: str | None = None,
    metric: str | None = None,
    at: Mapping[str, float] | None = None,
    at_most: float | None = None,
    count: int | None = None,
    applies: bool = True,
) -> Verdict:
    """What holds or does not, without a figure; `verdict` is its id, whose question is the rule if none is given.

    `at`: the conditions. `at_most`: how many there may be of what was counted; `count`: how many there are, which is
    exact and has no interval; None where that is not known.
    """
    question = (verdict.rpartition("/")[0] or verdict).rpartition("/")[2]
    asked = Requirement(rule=rule or question, profile=profile, metric=metric, at={**(at or {})})
    if at_most is not None:
        asked = asked.model_copy(update={"operator": "at_most", "bound": at_most, "unit": "count"})
    made = Verdict(
        id=verdict,
        storage_class=storage_class,
        requirement=asked,
        outcome=found,
        limit=limit,
        measured=None if count is None else float(count),
        low=None,
        high=None,
        unit=None if count is None else "count",
        status=status,
        reason="",
        applies=applies,
    )
    return made.model_copy(update={"reason": sentence(made)})


def told(text: str) -> Outcome:
    """What was found in the words of whoever found it."""
    return Outcome(code="plain.told", facts={"text": text})


def not_judged(verdict: str, *, storage_class: str, profile: str, found: Outcome) -> Verdict:
    """What was measured and has no limit: `verdict` is its id, and the outcome says what was found."""
    return without_figures(
        verdict,
        storage_class=storage_class,
        profile=profile,
        rule="none",
        limit="none",
        status="skipped",
        found=found,
    )


def verdict_id(storage_class: str, profile: str, metric: str, rule: str) -> str:
    """`replicated/sync-write-iops/write.iops/at-least`: the same for the same question in every run.

    The path of a directory gets a hash, so that `/mnt/a` and `/mnt-a` have different ids.
    """
    name, *rest = (
        re.sub(r"[^a-z0-9.]+", "-", part.lower()).strip("-") for part in (storage_class, profile, metric, rule)
    )
    if name != storage_class:
        name += "-" + hashlib.sha256(storage_class.encode()).hexdigest()[:8]
    return "/".join((name, *rest))
