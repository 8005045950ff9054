"""Pods with different SELinux levels that use a volume one after the other: the volume gets the label of each."""

from __future__ import annotations

from dataclasses import replace

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim
from acceptance.cluster.one_shot_pod import OneShotPod
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries

LEVELS = ("s0:c123,c456", "s0:c234,c567")
"""Levels of which none includes the other: without a new label, the second pod is refused what the first wrote."""
_CONTEXT = 'echo "context $(cat /proc/self/attr/current 2> /dev/null | tr -d "\\\\000")"\n'
_WRITE = f'{_CONTEXT}echo "$MARK" > "$VOLUME/labeled" && sync "$VOLUME/labeled" && cat "$VOLUME/labeled"'
_CHANGE = f'{_CONTEXT}cat "$VOLUME/labeled" && echo "$MARK" > "$VOLUME/labeled" && cat "$VOLUME/labeled"'


@Tries("selinux-levels", "Pods with different SELinux levels use a volume one after the other", pods=3)
def try_selinux_levels(bench: Bench) -> str:
    """Verify that a pod can use what a pod with another SELinux level wrote, and return what was observed.

    Raises NotTried if the node has no SELinux or pods may not choose their level, StorageFailure if a pod is refused.
    """
    claim, marks = bench.claim("labels"), (new_mark(), new_mark())
    node_context = _context(bench.run(claim, _CONTEXT))
    if node_context.count(":") < 3:
        raise bench.not_tried(f"pods on {bench.node} have no SELinux context: SELinux is off there")
    for level, script, mark, expected in (
        (LEVELS[0], _WRITE, marks[0], [marks[0]]),
        (LEVELS[1], _CHANGE, marks[1], [*marks]),
    ):
        pod = _labeled_pod(bench, claim, script, level=level, mark=mark)
        if not _context(pod.output).endswith(level):
            raise bench.not_tried(f"a pod on {pod.node} with SELinux level {level} ran as {_context(pod.output)!r}")
        if pod.status or pod.output.split()[-len(expected) :] != expected:
            raise StorageFailure(
                f"a pod with SELinux level {level} cannot use a volume of StorageClass {bench.storage_class.name}"
                f"{', which a pod with another level used before' if level == LEVELS[1] else ''} "
                f"(status {pod.status}): {pod.output.strip()}"
            )
    return f"pods on {bench.node} with SELinux levels {' and '.join(LEVELS)} used a volume one after the other"


def _labeled_pod(bench: Bench, claim: Claim, script: str, *, level: str, mark: str) -> OneShotPod:
    try:
        return bench.run_plan(replace(bench.plan(claim, script=script, MARK=mark), selinux_level=level))
    except ApiError as error:
        if error.status != 403:
            raise
        raise bench.not_tried(f"no pod may request SELinux level {level}: {error.message}") from None


def _context(output: str) -> str:
    """Return the SELinux context that a pod has printed; empty if it has none."""
    return next((line.partition(" ")[2].strip() for line in output.splitlines() if line.startswith("context ")), "")
