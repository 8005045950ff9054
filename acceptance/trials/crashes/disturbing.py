"""Storage that is interrupted while a pod writes records, for each duration once; then its volume moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pydantic import JsonValue

from acceptance.cluster.pods import end_pod
from acceptance.judging.crashes import LOOK_S
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.settings.target_plans import DisturbancePlan
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.crashes.draining import delete
from acceptance.trials.crashes.gaps import longest_gap
from acceptance.trials.crashes.kubelets import mounts_left, while_away
from acceptance.trials.crashes.outage import Interruption
from acceptance.trials.crashes.reading import read_records, reader_plan
from acceptance.trials.crashes.trial import LEAST_RECORDS, Crash, Trial
from acceptance.trials.crashes.writer import Writer

WRITABLE = "disturbances.writable"
"""The metric: the time from the restoration of the storage to the next durable record."""
AGAIN_S = 3.0
"""Seconds for which records are written once the storage is restored."""
PAUSE_S = 0.1
"""Seconds between records: the records of a writer then last for half an hour."""


@dataclass(frozen=True, kw_only=True)
class Disturbed:
    """The outcome of one disturbance.

    `lasted_s`: how long the pod was to write through it; `refused`: the number of records that the storage refused
    meanwhile; `pause_s`: the longest time between two durable records, None if it is unknown. `writable_s`: the time
    from the end of the restoring command to the next durable record; None: there was none, which is the `problem`.
    """

    lasted_s: float
    acknowledged: int
    refused: int
    pause_s: float | None
    writable_s: float | None = None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class DisturbedTrial(Trial):
    """A trial that disturbs the storage by the commands of `disturbance`, which the target file has."""

    disturbance: DisturbancePlan

    def _new_writer(self) -> Writer:
        return Writer(
            self.workspace, self.claim, node=self.settings.node, heeds_term=True, persists=True, pause_s=PAUSE_S
        )

    def _crash(self, writer: Writer, volume: str, other_nodes: Sequence[str]) -> Crash:
        """Disturb the storage, and require that the same pod can write again; then use the volume elsewhere."""
        began_at, outcomes = datetime.now(UTC), list[Disturbed]()
        for seconds in self.disturbance.durations_s:
            outcomes.append(self._disturb(writer, seconds))
            if outcomes[-1].problem:
                break
        crash = self._move(writer, volume, other_nodes, began_at=began_at, cause=cause_of(outcomes))
        problem = next((outcome.problem for outcome in outcomes if outcome.problem), "")
        figures = figures_of(outcomes, storage_class=self.claim.storage_class)
        return replace(crash, figures=figures, problem=problem)

    def _disturb(self, writer: Writer, seconds: float) -> Disturbed:
        workspace = self.workspace
        before, refused_before = writer.acknowledged_count, writer.refused_count
        self._tell(f"the storage is interrupted for {seconds:.0f} s")
        plan = self.disturbance
        with Interruption(workspace.api, plan, node=writer.node, namespace=workspace.namespace) as interruption:
            while_away(seconds, subject="the storage")
            interruption.end()
        since = writer.acknowledged_count
        self._tell("the storage is restored; the pod must be able to write")
        problem, writable_s = "", None
        try:
            writer.write_for(AGAIN_S, records=since + LEAST_RECORDS)
            first_s = next(at_s for at_s, number in writer.arrivals if number > since)
            writable_s = max(first_s - interruption.ended_s, 0.0)
        except StorageFailure as error:
            problem = f"{error}; the pod's last message: {writer.last_words or 'none'}"
        return Disturbed(
            lasted_s=seconds,
            acknowledged=since - before,
            refused=writer.refused_count - refused_before,
            pause_s=longest_gap(writer.moments, since=before),
            writable_s=writable_s,
            problem=problem,
        )

    def _move(
        self, writer: Writer, volume: str, other_nodes: Sequence[str], *, began_at: datetime, cause: str
    ) -> Crash:
        """Delete the pod; have one on another node use the volume, or on the same node if there is no other."""
        if other_nodes:
            mounts = mounts_left(self.kubelet, volume=volume, node=writer.node) if self.kubelet else list
            return self._move_pod(writer, volume, leave=delete, began_at=began_at, cause=cause, mounts=mounts)
        end_pod(self.workspace.api, writer.plan, timeout_s=self.workspace.timeout_s)
        writer.wait_over(failure=StorageFailure)
        reading = read_records(
            self.workspace, reader_plan(self.workspace, self.claim, token=writer.token, node=writer.node)
        )
        return Crash(durability=self._record(writer, reading, crashed_at=began_at, cause=cause))


def cause_of(outcomes: Sequence[Disturbed]) -> str:
    """Return in words how often and for how long the storage was interrupted, and how the pod wrote meanwhile."""
    parts = []
    for outcome in outcomes:
        pause = "" if outcome.pause_s is None else f", with at most {outcome.pause_s:.1f} s between two records"
        parts.append(
            f"interrupted for {_time(outcome.lasted_s)}: {outcome.acknowledged:,} records acknowledged and "
            f"{outcome.refused:,} refused meanwhile{pause}"
        )
    return "; ".join(parts)


def figures_of(outcomes: Sequence[Disturbed], *, storage_class: str) -> FiguresRecord:
    """Return the longest time until the pod could write again, which is unknown if it never could."""
    times_s = [outcome.writable_s for outcome in outcomes if outcome.writable_s is not None]
    longest_s = max(times_s) if len(times_s) == len(outcomes) else None
    rows: list[dict[str, JsonValue]] = [
        {
            "Interrupted for (s)": outcome.lasted_s,
            "Records acknowledged meanwhile": outcome.acknowledged,
            "Refused": outcome.refused,
            "Longest pause (s)": None if outcome.pause_s is None else round(outcome.pause_s, 1),
            "Writable after (s)": None if outcome.writable_s is None else round(outcome.writable_s, 1),
            "Problem": outcome.problem,
        }
        for outcome in outcomes
    ]
    durations = " and ".join(_time(outcome.lasted_s) for outcome in outcomes)
    return FiguresRecord(
        subject="durability",
        storage_class=storage_class,
        done=f"the storage was interrupted for {durations} while a pod wrote records, and then restored",
        figures=[
            NamedFigure(
                metric=WRITABLE,
                value=longest_s,
                low=None if longest_s is None else max(longest_s - LOOK_S, 0.0),
                high=None if longest_s is None else longest_s + LOOK_S,
                unit="s",
                unknown="" if longest_s is not None else "the pod could not write again in time",
            )
        ],
        rows=rows,
    )


def require_writable(crash: Crash) -> None:
    """Raise StorageFailure if the pod could not write again, although it was not deleted."""
    if crash.problem:
        raise StorageFailure(
            f"the volume of {crash.durability.storage_class} did not become writable again after the storage was "
            f"restored: {crash.problem}"
        )


def _time(seconds: float) -> str:
    return format_quantity(seconds, unit="s")
