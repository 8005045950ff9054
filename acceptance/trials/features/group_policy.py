"""When a pod's group (fsGroup) is given all files of a volume: at each start (Always), or only where the folder at its
root has another group (OnRootMismatch), which spares a volume of a million files minutes."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from acceptance.cluster.pod_manifest import GroupPolicy
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.ownership import FIRST, SECOND, groups_in, why_no_group

OTHER = 54323
"""a further group of the pods, to which they give the file by themselves"""

# The group of the folder and the file as the pod finds them; then the file is given away for the next pod to find.
_LOOK = """
[ -e "$VOLUME/file" ] || echo one > "$VOLUME/file" || exit
ls -ldn "$VOLUME" && ls -ldn "$VOLUME/file" && chgrp "$OTHER" "$VOLUME/file"
"""


class Start(NamedTuple):
    """A pod on the volume, and the groups that it must find: of the folder, and of the file."""

    policy: GroupPolicy
    group: int
    wanted: tuple[int, int]
    why: str


# The first makes the file; each leaves it with the group OTHER.
STARTS = (
    Start("OnRootMismatch", FIRST, (FIRST, FIRST), "its first pod asks for that group"),
    Start("OnRootMismatch", FIRST, (FIRST, OTHER), "the folder has that group already"),
    Start("Always", FIRST, (FIRST, FIRST), "all files are to be of the group at each start"),
    Start("OnRootMismatch", SECOND, (SECOND, SECOND), "the folder has another group"),
    Start("Always", FIRST, (FIRST, FIRST), "the pod asks for another group than the one before"),
)


@Tries("group-policy", "fsGroupChangePolicy is kept", pods=5)
def try_group_policy(bench: Bench) -> str:
    """How both policies were seen. Raises Unsupported where Kubernetes or the driver says that volumes are given to no
    group, or no pod may ask for one, StorageFailure where files are of another group than the policy says."""
    if bench.workspace.pods.user is None:
        raise bench.not_tried("the cluster gives pods their groups here, and lets none ask for another")
    claim = bench.claim("given")
    for number, start in enumerate(STARTS, start=1):
        plan = bench.plan(claim, script=_LOOK, OTHER=str(OTHER))
        done = bench.run_plan(replace(plan, fs_group=start.group, group_policy=start.policy, groups=(OTHER,)))
        found = groups_in(done.output)
        if done.status or tuple(found) != start.wanted:
            if why := why_no_group(bench, claim):
                raise bench.missing(why)
            raise StorageFailure(
                f"pod {number} on a volume of StorageClass {bench.storage_class.name} has fsGroup {start.group} and "
                f"fsGroupChangePolicy {start.policy}; wanted folder and file of groups {start.wanted}, since "
                f"{start.why}; found {tuple(found) if len(found) == 2 else done.output.strip()}"
            )
    return (
        "with OnRootMismatch a file kept its group where the folder had the pod's, and lost it where the folder had "
        "another; with Always it was given to the pod's group each time"
    )
