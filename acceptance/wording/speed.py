"""Sentences about a measured profile, except those about its limits."""

from __future__ import annotations

from collections.abc import Mapping

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import how_to_judge


def no_limit(verdict: Verdict, *, metrics: Mapping[str, float]) -> str:
    """Return the sentence for a profile without a limit. `metrics`: the measured values by path."""
    text = ", ".join(
        f"{path} {format_quantity(value, unit=Metric.parse(path).unit)}" for path, value in metrics.items()
    )
    example = f"limits: {{{verdict.profile}: {{{_limit_example(metrics)}}}}}"
    return f"{verdict.profile} on {verdict.storage_class}: measured, no limit ({text}). {how_to_judge(example)}"


SENTENCES = {"unlimited": no_limit}


def _limit_example(metrics: Mapping[str, float]) -> str:
    """Return a limit on the first metric: `write.iops: {at_least: VALUE, because: REASON}`."""
    path = next(iter(metrics), "write.iops")
    side = "at_least" if Metric.parse(path).higher_is_better else "at_most"
    return f"{path}: {{{side}: VALUE, because: REASON}}"
