"""Sentences about a measured profile, except those about its limits."""

from __future__ import annotations

from collections.abc import Mapping

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity


def no_limit(verdict: Verdict, *, metrics: Mapping[str, float]) -> str:
    """Return the sentence for a profile without a limit. `metrics`: the measured values by path."""
    text = ", ".join(
        f"{path} {format_quantity(value, unit=Metric.parse(path).unit)}" for path, value in metrics.items()
    )
    return (
        f"{verdict.profile} on {verdict.storage_class}: measured ({text}), not judged: the tier has no limit for this "
        f"profile; to judge it add one to the limits file under limits: {verdict.profile}:"
    )


SENTENCES = {"unlimited": no_limit}
