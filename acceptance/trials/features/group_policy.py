"""The times at which all files of a volume get a pod's group (fsGroup), by its fsGroupChangePolicy.

With Always they get it at each start; with OnRootMismatch only if the folder at the root has another group, which saves
minutes for a volume of a million files.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from acceptance.cluster.pod_manifest import GroupPolicy
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.ownership import FIRST, SECOND, groups_in, why_no_group

FURTHER_GROUP = 54323
"""A further group of the pods, to which they give the file themselves."""

# The group of the folder and the file as the pod finds them; then the file is given away for the next pod to find.
_LOOK = """
[ -e "$VOLUME/file" ] || echo one > "$VOLUME/file" || exit
ls -ldn "$VOLUME" && ls -ldn "$VOLUME/file" && chgrp "$OTHER" "$VOLUME/file"
"""


class Start(NamedTuple):
    """A pod on the volume, and the groups of the folder and of the file that it must find."""

    policy: GroupPolicy
    group: int
    expected_groups: tuple[int, int]
    why: str


# The first creates the file; each leaves it with the group FURTHER_GROUP.
STARTS = (
    Start("OnRootMismatch", FIRST, (FIRST, FIRST), "its first pod requests that group"),
    Start("OnRootMismatch", FIRST, (FIRST, FURTHER_GROUP), "the folder has that group already"),
    Start("Always", FIRST, (FIRST, FIRST), "Always sets the group of all files at each start"),
    Start("OnRootMismatch", SECOND, (SECOND, SECOND), "the folder has another group"),
    Start("Always", FIRST, (FIRST, FIRST), "the pod requests another group than the previous pod"),
)


@Tries("fs-group-change-policy", "fsGroupChangePolicy is honored", pods=5)
def try_group_policy(bench: Bench) -> str:
    """Verify that both policies hold, and return what was observed.

    Raises Unsupported if Kubernetes or the driver reports that volumes are given to no group, or if no pod may request
    a group, StorageFailure if files have another group than the policy requires.
    """
    if bench.workspace.pods.user is None:
        raise bench.not_tried("the cluster assigns the groups of pods, and no pod may request another")
    claim = bench.claim("given")
    for number, start in enumerate(STARTS, start=1):
        plan = bench.plan(claim, script=_LOOK, OTHER=str(FURTHER_GROUP))
        pod = bench.run_plan(replace(plan, fs_group=start.group, group_policy=start.policy, groups=(FURTHER_GROUP,)))
        groups = groups_in(pod.output)
        if pod.status or tuple(groups) != start.expected_groups:
            if why := why_no_group(bench, claim):
                raise bench.missing(why)
            raise StorageFailure(
                f"pod {number} on a volume of StorageClass {bench.storage_class.name} has fsGroup {start.group} and "
                f"fsGroupChangePolicy {start.policy}; expected folder and file of groups {start.expected_groups}, "
                f"because {start.why}; found {tuple(groups) if len(groups) == 2 else pod.output.strip()}"
            )
    return (
        "OnRootMismatch left a file's group unchanged if the folder had the pod's group, and changed it if the folder "
        "had another; Always changed it at each start"
    )
