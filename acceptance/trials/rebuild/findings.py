"""The findings of rebuilds once they are over: the impact on the foreground, and the quality of their timing."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.measuring.windows import Window
from acceptance.results.rebuilds import ForegroundRecord, TimedRebuild
from acceptance.statistics.step_analyses import ONE_LOOK_CONFIDENCE
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.rebuild.foreground import Foreground
from acceptance.trials.rebuild.impact import impact, why_unusable

SHORT = 20
"""Rebuilds are reported whose polls were further apart than a twentieth of their time."""


def impact_of(
    foreground: Foreground, *, before: Sequence[Window], rebuilds: Sequence[TimedRebuild]
) -> tuple[ForegroundRecord | None, str | None]:
    """Return the record of the foreground, or why there is none; `before`: the time before each rebuild, to compare
    with.

    Raises StorageFailure if the storage refused a write meanwhile.
    """
    if foreground.error is not None:
        if not isinstance(foreground.error, EnvironmentFailure):
            raise foreground.error
        return None, f"the load ended too early: {foreground.error}"
    during = [Window(start_s=rebuild.started.timestamp(), end_s=rebuild.finished.timestamp()) for rebuild in rebuilds]
    samples = foreground.samples
    if why := why_unusable(samples, before=before, during=during):
        return None, why
    return impact(samples, before=before, during=during, confidence=ONE_LOOK_CONFIDENCE), None


def warnings(rebuilds: Sequence[TimedRebuild]) -> list[str]:
    """Return what a reader must know of the rebuilds' times: they include tries that failed, and they may be rough."""
    messages = [
        f"a rebuild attempt failed, and the storage repeated it: {why}"
        for rebuild in rebuilds
        for why in rebuild.failures
    ]
    rough = [rebuild for rebuild in rebuilds if rebuild.uncertainty_s * SHORT > rebuild.seconds]
    if not rough:
        return messages
    worst = max(rough, key=lambda rebuild: rebuild.uncertainty_s / rebuild.seconds)
    off, took = (format_quantity(value, unit="s") for value in (worst.uncertainty_s, worst.seconds))
    return [*messages, f"a rebuild time of {took} is known only to within {off}; use a larger --storage-rebuild size"]
