"""Snapshots that this process' runs have taken, and what is behind them: other files take some at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.cluster.api import Api
from acceptance.cluster.objects import name_of, run_namespace
from acceptance.cluster.resources import SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS, Object, Resource
from selftests.integration.suite import own_runs

ONE = (VOLUME_SNAPSHOTS, SNAPSHOT_CONTENTS)


def snapshots_of_own(api: Api, kinds: Sequence[Resource] = ONE, *, in_default: str = "") -> list[str]:
    """The names of those of these kinds; `in_default`: how the names of those begin that a test takes without a run."""
    namespaces = {run_namespace(run_id) for run_id in own_runs()}
    found = []
    for each in (each for kind in kinds for each in api.list(kind)):
        namespace, name = _whose(each)
        if namespace in namespaces or (in_default and namespace == "default" and name.startswith(in_default)):
            found.append(name_of(each))
    return found


def _whose(each: Object) -> tuple[str, str]:
    """The namespace and the name of a snapshot or a group, or of that which a content is behind."""
    spec = each.get("spec") or {}
    of = spec.get("volumeSnapshotRef") or spec.get("volumeGroupSnapshotRef") or each["metadata"]
    return str(of.get("namespace")), str(of.get("name"))
