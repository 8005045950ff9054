"""Storage that is disturbed while a pod writes records: interrupted, or its nodes restarted; then its volume moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pydantic import JsonValue

from acceptance.cluster.pods import end_pod
from acceptance.judging.crashes import LOOK_S
from acceptance.results.crashes import Failure
from acceptance.results.disturbances import DISTURBANCES
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.settings.target_plans import DisturbancePlan
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.crashes.draining import delete
from acceptance.trials.crashes.gaps import longest_gap
from acceptance.trials.crashes.kubelets import mounts_left, while_away
from acceptance.trials.crashes.outage import Interruption, Outage
from acceptance.trials.crashes.reading import read_records, reader_plan
from acceptance.trials.crashes.trial import LEAST_RECORDS, Crash, Trial
from acceptance.trials.crashes.writer import Writer

AGAIN_S = 3.0
"""Seconds for which records are written once the storage is restored."""
PAUSE_S = 0.1
"""Seconds between records: the records of a writer then last for half an hour."""


@dataclass(frozen=True, kw_only=True)
class Disturbed:
    """The outcome of one disturbance.

    `subject`: what was disturbed. `lasted_s`: for how long; `acknowledged`, `refused`: the number of records that the
    storage acknowledged and refused meanwhile; `pause_s`: the longest time between two durable records, None if it is
    unknown. `writable_s`: the time from the end of the disturbance to the next durable record; None: there was none,
    which is the `problem`.
    """

    subject: str
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
        for seconds, outage in self._outages(writer):
            outcomes.append(self._disturb(writer, seconds, outage))
            if outcomes[-1].problem:
                break
        problem = next((outcome.problem for outcome in outcomes if outcome.problem), "")
        cause = cause_of(outcomes)
        if writer.node in self.disturbance.nodes and not problem:
            crash = replace(self, node_failure=self.disturbance.outage)._fail_node(writer)
            what = "; ".join(filter(None, (cause, f"finally node {writer.node} ({crash.durability.what})")))
            crash = replace(crash, durability=crash.durability.model_copy(update={"what": what}))
        else:
            crash = self._move(writer, volume, other_nodes, began_at=began_at, cause=cause)
        figures = figures_of(outcomes, failure=self.failure, storage_class=self.claim.storage_class)
        return replace(crash, figures=figures, problem=problem)

    def _outages(self, writer: Writer) -> Iterator[tuple[float, Outage]]:
        """Yield the disturbances through which the pod is to write, each with its duration: all but that of its own
        node."""
        api, namespace, plan = self.workspace.api, self.workspace.namespace, self.disturbance
        for seconds in plan.durations_s:
            if not plan.nodes:
                yield seconds, Interruption(api, plan, node=writer.node, namespace=namespace)
            for node in plan.nodes:
                if node != writer.node:
                    yield seconds, Outage(api, plan.outage, node=node, namespace=namespace)

    def _disturb(self, writer: Writer, seconds: float, outage: Outage) -> Disturbed:
        before, refused_before = writer.acknowledged_count, writer.refused_count
        self._tell(f"{outage.subject} is disturbed for {seconds:.0f} s")
        with outage:
            while_away(seconds, subject=outage.subject)
            outage.end()
        since = writer.acknowledged_count
        self._tell(f"{outage.subject} is restored; the pod must be able to write")
        problem, writable_s = "", None
        try:
            writer.write_for(AGAIN_S, records=since + LEAST_RECORDS)
            first_s = next(at_s for at_s, number in writer.arrivals if number > since)
            writable_s = max(first_s - outage.ended_s, 0.0)
        except StorageFailure as error:
            problem = f"{error}; the pod's last message: {writer.last_words or 'none'}"
        return Disturbed(
            subject=outage.subject,
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
    """Return in words what was disturbed and for how long, and how the pod wrote meanwhile."""
    parts = []
    for outcome in outcomes:
        pause = "" if outcome.pause_s is None else f", with at most {outcome.pause_s:.1f} s between two records"
        parts.append(
            f"{outcome.subject} away for {_time(outcome.lasted_s)}: {outcome.acknowledged:,} records acknowledged and "
            f"{outcome.refused:,} refused meanwhile{pause}"
        )
    return "; ".join(parts)


def figures_of(outcomes: Sequence[Disturbed], *, failure: Failure, storage_class: str) -> FiguresRecord:
    """Return the longest time until the pod could write again, which is unknown if it never could."""
    disturbance = DISTURBANCES[failure]
    times_s = [outcome.writable_s for outcome in outcomes if outcome.writable_s is not None]
    longest_s = max(times_s) if times_s and len(times_s) == len(outcomes) else None
    rows: list[dict[str, JsonValue]] = [
        {
            "Disturbed": outcome.subject,
            "For (s)": outcome.lasted_s,
            "Records acknowledged meanwhile": outcome.acknowledged,
            "Refused": outcome.refused,
            "Longest pause (s)": None if outcome.pause_s is None else round(outcome.pause_s, 1),
            "Writable after (s)": None if outcome.writable_s is None else round(outcome.writable_s, 1),
            "Problem": outcome.problem,
        }
        for outcome in outcomes
    ]
    subjects = ", ".join(f"{outcome.subject} for {_time(outcome.lasted_s)}" for outcome in outcomes)
    return FiguresRecord(
        subject="durability",
        storage_class=storage_class,
        done=f"while a pod wrote records, {disturbance.title}: {subjects or 'only the node of the pod'}",
        figures=[
            NamedFigure(
                metric=disturbance.metric,
                value=longest_s,
                low=None if longest_s is None else max(longest_s - LOOK_S, 0.0),
                high=None if longest_s is None else longest_s + LOOK_S,
                unit="s",
                unknown="" if longest_s is not None else "the pod never had to write again, or could not in time",
            )
        ],
        rows=rows,
    )


def require_writable(crash: Crash) -> None:
    """Raise StorageFailure if the pod could not write again, although it was not deleted."""
    if crash.problem:
        raise StorageFailure(
            f"the volume of {crash.durability.storage_class} did not become writable again after "
            f"{DISTURBANCES[crash.durability.failure].title}: {crash.problem}"
        )


def _time(seconds: float) -> str:
    return format_quantity(seconds, unit="s")
