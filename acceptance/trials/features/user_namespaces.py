"""A pod in a user namespace of its own (`hostUsers: false`): the volume is mounted with mapped ids."""

from __future__ import annotations

import re
from dataclasses import replace

from acceptance.cluster.claims import Claim
from acceptance.cluster.one_shot_pod import OneShotPod
from acceptance.cluster.resources import NODES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.ownership import FIRST, groups_in, why_no_group

ALL_IDS = 2**32 - 1
"""The length of the map of ids of a process without a user namespace of its own."""
_USE = """
set -- $(cat /proc/self/uid_map); echo "ids $3"
cat "$VOLUME/mark" && echo "$MARK" > "$VOLUME/own" && sync "$VOLUME/own" && cat "$VOLUME/own" || exit
ls -ldn "$VOLUME" && ls -ldn "$VOLUME/own"
"""
_IDS = re.compile(r"^ids (\d+)$", re.MULTILINE)
# runc, crun and containerd on a file system without mapped mounts; there is no code for it.
_NO_MAPPED_MOUNTS = re.compile(r"idmap|mount_setattr", re.IGNORECASE)


@Tries("user-namespaces", "A pod with its own user namespace (hostUsers: false) uses volumes", pods=3)
def try_user_namespaces(bench: Bench) -> str:
    """Verify that such a pod reads, writes and has its fsGroup, and return what was observed.

    Raises NotTried if the node or its runtime has no user namespaces for pods, Unsupported if the file system cannot be
    mounted with mapped ids, StorageFailure if the pod cannot use the volume.
    """
    claim, marks = bench.claim("mapped"), (new_mark(), new_mark())
    bench.run(claim, 'echo "$MARK" > "$VOLUME/mark" && chmod 0644 "$VOLUME/mark" && sync "$VOLUME/mark"', MARK=marks[0])
    _require_supported(bench)
    pod = _mapped_pod(bench, claim, marks[1])
    about = f"a pod with hostUsers: false on a volume of StorageClass {bench.storage_class.name}"
    if int((_IDS.findall(pod.output) or [ALL_IDS])[0]) >= ALL_IDS:
        raise bench.not_tried(f"a pod with hostUsers: false ran on {pod.node} without a user namespace of its own")
    if pod.status or not {*marks} <= set(pod.output.split()):
        raise StorageFailure(f"{about} cannot read and write it (status {pod.status}): {pod.output.strip()}")
    _require_group(bench, claim, pod, about)
    if (content := bench.run(claim, 'cat "$VOLUME/own"').strip()) != marks[1]:
        raise StorageFailure(f"{about} wrote a file; a pod without one finds other data: {content or 'nothing'}")
    return f"a pod on {pod.node} with a user namespace of its own read and wrote a volume, which has its fsGroup"


def _require_supported(bench: Bench) -> None:
    """Raise NotTried unless the runtime of the pods' node reports user namespaces."""
    status = bench.api.get(NODES, str(bench.node)).get("status") or {}
    handlers = status.get("runtimeHandlers") or []
    if not any((handler.get("features") or {}).get("userNamespaces") for handler in handlers):
        raise bench.not_tried(
            f"node {bench.node} reports no user namespaces for pods (status.runtimeHandlers[].features.userNamespaces)"
        )


def _mapped_pod(bench: Bench, claim: Claim, mark: str) -> OneShotPod:
    plan = replace(bench.plan(claim, script=_USE, MARK=mark), host_users=False)
    if bench.workspace.pods.user is not None:
        plan = replace(plan, fs_group=FIRST)
    try:
        return bench.run_plan(plan)
    except StorageFailure as error:
        if not _NO_MAPPED_MOUNTS.search(str(error)):
            raise
        raise bench.missing(
            f"volumes of StorageClass {bench.storage_class.name} cannot be mounted with mapped ids: {error}"
        ) from error


def _require_group(bench: Bench, claim: Claim, pod: OneShotPod, about: str) -> None:
    """Raise StorageFailure unless volume and file belong to the pod's group, where Kubernetes or the driver sets it."""
    groups = groups_in(pod.output)
    if bench.workspace.pods.user is None or groups == [FIRST, FIRST] or why_no_group(bench, claim):
        return
    raise StorageFailure(f"{about}: expected volume and file to belong to fsGroup {FIRST}, found {groups or 'none'}")
