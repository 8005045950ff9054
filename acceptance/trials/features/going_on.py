"""A pod that writes to its volume and reads it back, round by round, and must go on whatever happens to the volume."""

from __future__ import annotations

from collections.abc import Callable

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import describe_pod, main_ended
from acceptance.cluster.pods import needed, start_problem
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench

ROUNDS = 5
"""of writing and reading, each a second, that must go well after what happened"""

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
    bench: Bench, pod: PodPlan, *, since: str, failed: Callable[[int], str], look: Callable[[], object] = lambda: None
) -> None:
    """Wait until a pod that does USES has gone on for some rounds; `look` is done before each look at it.

    `since`: what has happened, behind the words of what is waited for; `failed`: the same of a pod that failed, by its
    rounds since. Raises StorageFailure where it failed, or at the deadline; what `look` and `start_problem` raise.
    """
    before = _rounds(bench, pod)

    def seen_now() -> tuple[int, Object]:
        look()
        return _rounds(bench, pod) - before, needed(bench.api, pod)

    def ends(seen: tuple[int, Object]) -> AcceptanceError | None:
        if main_ended(seen[1]):
            return StorageFailure(
                f"a pod on a volume of StorageClass {bench.storage_class.name} {failed(seen[0])}: "
                f"{bench.output_of(pod).splitlines()[-1:]}, {describe_pod(seen[1])}"
            )
        return start_problem(bench.api, pod, seen[1])

    wait_for(
        f"pod {pod.name} to go on writing and reading for {ROUNDS} rounds{since}",
        look=seen_now,
        ready=lambda seen: seen[0] >= ROUNDS,
        state=lambda seen: f"{seen[0]} rounds, {describe_pod(seen[1])}",
        fatal=ends,
        timeout_s=bench.timeout_s,
    )


def _rounds(bench: Bench, pod: PodPlan) -> int:
    return sum(line.startswith("round ") for line in bench.output_of(pod).splitlines())
