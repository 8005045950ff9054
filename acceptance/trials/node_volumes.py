"""Volumes on one node, more and more of them, until the node uses no more or the permitted number is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from acceptance.cluster.nodes import nodes_that_take_pods
from acceptance.cluster.objects import name_of
from acceptance.cluster.pod_manifest import VOLUMES_PATH, PodPlan
from acceptance.cluster.pod_states import main_runs
from acceptance.cluster.pods import require_pod, wait_started
from acceptance.cluster.waiting import wait_for
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.features.bench import Bench, new_mark

USED = "node_volumes.used"
"""The metric: the number of volumes that pods of one node use at the same time."""
STEPS = 10
"""The steps to the permitted number: as many pods at the most, each with the volumes of its step."""
_USES = f"""
for folder in {VOLUMES_PATH}/*; do echo "$MARK $folder" > "$folder/mark" && sync "$folder/mark" || exit 1; done
while :; do
    for folder in {VOLUMES_PATH}/*; do
        [ "$(cat "$folder/mark")" = "$MARK $folder" ] || {{ echo "expected its mark in $folder"; exit 1; }}
    done
    echo used
    sleep 2
done
"""


@dataclass(frozen=True, kw_only=True)
class Climb:
    """The volumes that a node used. `refused`: the number that it did not use, None if it used all that were permitted;
    `problem`: why it did not."""

    node: str
    used: int
    refused: int | None = None
    problem: str = ""


def step_sizes(most: int) -> Iterator[int]:
    """Yield the number of volumes of each step, `most` together."""
    size = -(-most // STEPS)
    for before in range(0, most, size):
        yield min(size, most - before)


def climb(bench: Bench) -> Climb:
    """Use more and more volumes on one node, up to `bench.node_volumes`; all remain in use until the end.

    Raises StorageFailure if pods stop or lose data when others get volumes, or if not even the first step works;
    EnvironmentFailure if no node takes pods; ApiError and ApiUnreachable.
    """
    node = _node(bench)
    used, pods, mark = 0, list[PodPlan](), new_mark()
    for size in step_sizes(bench.node_volumes):
        claims = [bench.claim(f"{used + place}-of-{bench.node_volumes}") for place in range(1, size + 1)]
        pod = bench.plan(*claims, script=_USES, node=node, MARK=mark)
        try:
            bench.ask_for(pod)
            wait_started(bench.api, pod, timeout_s=bench.timeout_s)
            _require_use(bench, [pod])
        except StorageFailure as error:
            if not pods:
                raise
            _require_use(bench, pods)
            return Climb(node=node, used=used, refused=used + size, problem=str(error))
        pods.append(pod)
        used += size
    _require_use(bench, pods)
    return Climb(node=node, used=used)


def figures_of(outcome: Climb, *, storage_class: str) -> FiguresRecord:
    """Return the number of volumes that the node used; an interval, because volumes are added step by step."""
    rows: list[dict[str, JsonValue]] = [
        {"Node": outcome.node, "Used": outcome.used, "Not used": outcome.refused, "Problem": outcome.problem}
    ]
    done = f"pods on {outcome.node} used {outcome.used} volumes at the same time"
    if outcome.refused is None:
        done += ", as many as were permitted"
    else:
        done += f", and not {outcome.refused}: {outcome.problem}"
    return FiguresRecord(
        subject="provisioning",
        storage_class=storage_class,
        done=done,
        figures=[
            NamedFigure(
                metric=USED,
                value=outcome.used,
                low=outcome.used,
                high=outcome.used if outcome.refused is None else outcome.refused - 1,
                unit="count",
            )
        ],
        rows=rows,
    )


def _node(bench: Bench) -> str:
    """Return the node of the run, or the first that takes pods."""
    if bench.node:
        return bench.node
    names = sorted(map(name_of, nodes_that_take_pods(bench.api, bench.workspace.pods.template)))
    if not names:
        raise EnvironmentFailure("no node takes pods of the run")
    return names[0]


def _require_use(bench: Bench, pods: list[PodPlan]) -> None:
    """Require that each pod reads all its marks once more. Raises StorageFailure if one stopped, or at the deadline."""
    for pod in pods:
        _require_reading(bench, pod)


def _require_reading(bench: Bench, pod: PodPlan) -> None:
    def readings() -> int:
        return bench.output_of(pod).count("used")

    def stopped(_: int) -> StorageFailure | None:
        if main_runs(require_pod(bench.api, pod)):
            return None
        return StorageFailure(
            f"a pod with {len(pod.claims)} volumes of StorageClass {bench.storage_class.name} stopped: "
            f"{bench.output_of(pod).strip()[-200:]}"
        )

    before = readings()
    wait_for(
        f"pod {pod.name} to read its {len(pod.claims)} volumes once more",
        look=readings,
        ready=lambda count: count > before,
        state=lambda count: f"{count - before} times",
        fatal=stopped,
        timeout_s=bench.timeout_s,
    )
