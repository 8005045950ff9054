"""A pod's group (`fsGroup`): Kubernetes, or the driver, gives it the volume, so that not only root can write."""

from __future__ import annotations

import re

from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import CSI_DRIVERS, VOLUMES, Object
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries

FIRST, SECOND = 54321, 54322
"""Groups that nothing else has."""

_FIRST = 'echo one > "$VOLUME/file"; ls -ldn "$VOLUME" && ls -ldn "$VOLUME/file"'
_SECOND = 'echo two >> "$VOLUME/file"; ls -ldn "$VOLUME" && ls -ldn "$VOLUME/file"'
_GROUP_IN_LIST = re.compile(r"^\S+ +\d+ +\d+ +(\d+) ", re.MULTILINE)


@Tries("fs-group", "Volumes are given to a pod's group (fsGroup)", e2e=("fsGroup",))
def try_ownership(bench: Bench) -> str:
    """Verify that the volume is given to a pod's group, and return what was observed.

    Raises Unsupported if Kubernetes or the driver reports that it is not, or if no pod may request a group,
    StorageFailure if it should be and is not.
    """
    if bench.workspace.pods.user is None:
        raise bench.not_tried("the cluster assigns the groups of pods, and no pod may request another")
    claim = bench.claim("owned")
    for group, script in ((FIRST, _FIRST), (SECOND, _SECOND)):
        pod = bench.one_shot_pod(claim, script, fs_group=group)
        groups = groups_in(pod.output)
        if pod.status or groups != [group, group]:
            raise _group_error(bench, claim, group=group, groups=groups, output=pod.output.strip())
    return (
        f"the volume and a file on it belonged to group {FIRST} in a pod with that fsGroup, and to group {SECOND} in "
        f"the next pod, with fsGroup {SECOND}"
    )


def groups_in(output: str) -> list[int]:
    """Return the groups in lines of `ls -ldn`."""
    return [int(group) for group in _GROUP_IN_LIST.findall(output)]


def _group_error(bench: Bench, claim: Claim, *, group: int, groups: list[int], output: str) -> Exception:
    if why := why_no_group(bench, claim):
        return bench.missing(why)
    name = bench.storage_class.name
    observation = " and ".join(f"group {file_group}" for file_group in groups) or output
    return StorageFailure(
        f"a pod with fsGroup {group} uses a volume of StorageClass {name}; expected the volume and a file on it to "
        f"belong to group {group}, found {observation}; without the group, pods that do not run as root cannot write"
    )


def why_no_group(bench: Bench, claim: Claim) -> str | None:
    """Return why the claim's bound volume is not given to a pod's group; None if it should be."""
    volume = bench.api.get(VOLUMES, bench.volume_of(claim))
    why = _not_meant_to(bench, volume["spec"])
    return why and f"PVs of StorageClass {bench.storage_class.name} are not given to a pod's group: {why}"


def _not_meant_to(bench: Bench, spec: Object) -> str | None:
    """Return why the volume's kind has no fsGroup, as Kubernetes or the driver reports; None if it should have one."""
    for kind in ("hostPath", "nfs"):
        if kind in spec:
            return f"they are of kind {kind}, to which Kubernetes applies no fsGroup"
    driver = (spec.get("csi") or {}).get("driver")
    if driver is None:
        return None
    policy = ((bench.api.find(CSI_DRIVERS, driver) or {}).get("spec") or {}).get("fsGroupPolicy")
    if policy == "None":
        return f"their driver {driver} declares fsGroupPolicy None"
    if policy == "ReadWriteOnceWithFSType" and not spec["csi"].get("fsType"):
        return f"their driver {driver} declares fsGroupPolicy {policy}, and they have no file system type"
    modes = spec.get("accessModes") or []
    if policy == "ReadWriteOnceWithFSType" and not {"ReadWriteOnce", "ReadWriteOncePod"} & set(modes):
        return f"their driver {driver} declares fsGroupPolicy {policy}, and their access mode is {' and '.join(modes)}"
    return None
