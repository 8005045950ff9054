"""What rebuilds amount to once they are over: what the foreground noticed, and how well they were timed."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.measuring.windows import Window
from acceptance.results.rebuilds import ForegroundRecord, TimedRebuild
from acceptance.statistics.step_analyses import ONE_LOOK_CONFIDENCE
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.rebuild.foreground import Foreground
from acceptance.trials.rebuild.impact import impact, lost

SHORT = 20
"""Looks that were further apart than a twentieth of the rebuild are told of."""


def impact_of(
    foreground: Foreground, *, before: Sequence[Window], rebuilds: Sequence[TimedRebuild]
) -> tuple[ForegroundRecord | None, str | None]:
    """What is known of the foreground, or why nothing is; `before`: the time before each rebuild, to compare with.

    Raises StorageFailure where the storage refused a write meanwhile.
    """
    if foreground.error is not None:
        if not isinstance(foreground.error, EnvironmentFailure):
            raise foreground.error
        return None, f"the load ended too early: {foreground.error}"
    during = [Window(start_s=rebuild.started.timestamp(), end_s=rebuild.finished.timestamp()) for rebuild in rebuilds]
    samples = foreground.samples
    if why := lost(samples, before=before, during=during):
        return None, why
    return impact(samples, before=before, during=during, confidence=ONE_LOOK_CONFIDENCE), None


def warnings(rebuilds: Sequence[TimedRebuild]) -> list[str]:
    """What a reader must know of the rebuilds' times: tries that failed are in them, and they may be rough."""
    found = [
        f"a try of the rebuild failed, and the storage repeated it: {why}"
        for rebuild in rebuilds
        for why in rebuild.failures
    ]
    rough = [rebuild for rebuild in rebuilds if rebuild.uncertainty_s * SHORT > rebuild.seconds]
    if not rough:
        return found
    worst = max(rough, key=lambda each: each.uncertainty_s / each.seconds)
    off, took = (format_quantity(value, unit="s") for value in (worst.uncertainty_s, worst.seconds))
    return [*found, f"a rebuild of {took} is known to within {off} only; use a larger --storage-rebuild size"]
