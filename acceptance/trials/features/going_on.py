"""A pod that writes to its volume and reads it back, round by round, and must continue whatever happens to it."""

from __future__ import annotations

from collections.abc import Callable

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import describe_pod, main_ended
from acceptance.cluster.pods import require_pod, start_problem
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench

ROUNDS = 5
"""Rounds of writing and reading, of a second each, that must succeed after the event."""

USES = """
n=0
while :; do
    n=$((n + 1))
    echo "$n" >> "$VOLUME/rounds" && sync "$VOLUME/rounds" || exit 1
    last=; while read -r each; do last=$each; done < "$VOLUME/rounds"
    [ "$last" = "$n" ] || { echo "read $last after writing $n"; exit 1; }
    echo "round $n"
    sleep 1
done
"""


def wait_goes_on(
    bench: Bench,
    pod: PodPlan,
    *,
    since: str,
    describe_failure: Callable[[int], str],
    look: Callable[[], object] = lambda: None,
) -> None:
    """Wait until a pod that runs USES has continued for some rounds; `look` is called before each poll of it.

    `since`: the event, appended to the words of the goal; `describe_failure`: the words on a pod that failed, by
    its rounds since the event. Raises StorageFailure if the pod failed, or at the deadline; raises what `look` and
    `start_problem` raise.
    """
    before = _rounds(bench, pod)

    def seen_now() -> tuple[int, Object]:
        look()
        return _rounds(bench, pod) - before, require_pod(bench.api, pod)

    def ends(progress: tuple[int, Object]) -> AcceptanceError | None:
        if main_ended(progress[1]):
            return StorageFailure(
                f"a pod on a volume of StorageClass {bench.storage_class.name} {describe_failure(progress[0])}: "
                f"{bench.output_of(pod).splitlines()[-1:]}, {describe_pod(progress[1])}"
            )
        return start_problem(bench.api, pod, progress[1])

    wait_for(
        f"pod {pod.name} to continue writing and reading for {ROUNDS} rounds{since}",
        look=seen_now,
        ready=lambda progress: progress[0] >= ROUNDS,
        state=lambda progress: f"{progress[0]} rounds, {describe_pod(progress[1])}",
        fatal=ends,
        timeout_s=bench.timeout_s,
    )


def _rounds(bench: Bench, pod: PodPlan) -> int:
    return sum(line.startswith("round ") for line in bench.output_of(pod).splitlines())
