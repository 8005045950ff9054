"""The PostgreSQL that an image holds: checked in a pod without a volume, before any volume is created."""

from __future__ import annotations

import re
from dataclasses import replace

from acceptance.cluster.one_shot_pod import ended_pod
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest
from acceptance.cluster.pod_states import describe_pod, image_problem, main_ended
from acceptance.cluster.pods import end_pod, require_pod
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.text.errors import NotTried

DEFAULT = "docker.io/library/postgres:17.6-bookworm"
"""The image that Docker, Inc. and its community publish, built from Debian's and PostgreSQL's packages."""
OPTION = "--storage-postgresql-image"
_VERSION = re.compile(r"storage-acceptance: version (\S+)")
_LACKS = re.compile(r"storage-acceptance: lacks (\S+)")


class NoPostgresql(NotTried):
    """No image of PostgreSQL can be pulled here, or it lacks a program: this says nothing about the storage."""

    def __init__(self, why: str) -> None:
        # An error of a pull names the option for the image of the loads: PostgreSQL has another one.
        why = why.partition("; name ")[0]
        super().__init__(
            f"no PostgreSQL to test: {why}; name an image that contains PostgreSQL with {OPTION}, and its pull "
            "credentials with --storage-pods pull-secret"
        )


def version_in(workspace: Workspace, plan: PodPlan) -> str:
    """Return the version of PostgreSQL in the image of the plan, read in the pod of the plan without its volumes.

    Raises NoPostgresql if the image cannot be pulled or lacks a program, EnvironmentFailure for the rest.
    """
    manifest = pod_manifest(replace(plan, files=None))
    manifest["spec"]["volumes"] = []
    manifest["spec"]["containers"][0]["volumeMounts"] = []
    api = workspace.api
    with Undoing() as undoing:
        undoing.callback(lambda: end_pod(api, plan, timeout_s=workspace.timeout_s))
        api.create(PODS, manifest, namespace=plan.namespace)
        wait_for(
            f"image {plan.image} to report its PostgreSQL version",
            look=lambda: require_pod(api, plan),
            ready=main_ended,
            state=describe_pod,
            fatal=lambda pod: NoPostgresql(str(why)) if (why := image_problem(plan.image, pod)) else None,
            timeout_s=workspace.timeout_s,
            failure=NoPostgresql,
        )
        output = ended_pod(workspace, plan, timeout_s=workspace.timeout_s).output
    if version := _VERSION.search(output):
        return version[1]
    lacks = _LACKS.search(output)
    why = f"lacks {lacks[1]}" if lacks else f"reports no version: {output.strip()[-200:]}"
    raise NoPostgresql(f"image {plan.image!r} {why}")
