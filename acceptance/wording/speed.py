"""What is said of a profile that was measured, besides of its limits."""

from __future__ import annotations

from collections.abc import Mapping

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity


def unlimited(verdict: Verdict, *, metrics: Mapping[str, float]) -> str:
    """`metrics`: what was found of each, by its path."""
    shown = ", ".join(
        f"{path} {format_quantity(value, unit=Metric.parse(path).unit)}" for path, value in metrics.items()
    )
    return (
        f"{verdict.profile} on {verdict.storage_class}: measured ({shown}), not judged: the tier has no limit for this "
        f"profile; to judge it add one to the limits file under limits: {verdict.profile}:"
    )


SENTENCES = {"unlimited": unlimited}
