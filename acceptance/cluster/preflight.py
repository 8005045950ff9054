"""Checks before anything is created: the cluster answers, the classes exist, the account has the permissions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from acceptance.cluster.api import Api
from acceptance.cluster.claims import require_no_unclaimed_volumes
from acceptance.cluster.description import describe_cluster, offered_image
from acceptance.cluster.nfs_clients import why_not_shared
from acceptance.cluster.objects import metadata, only_name
from acceptance.cluster.permissions import require_permissions
from acceptance.cluster.pod_manifest import USER, PodDefaults
from acceptance.cluster.resources import NODES, SECRETS
from acceptance.cluster.run_namespace import create_namespace
from acceptance.cluster.storage_classes import choose_class, storage_classes
from acceptance.cluster.workspace import Workspace
from acceptance.results.clusters import Cluster, StorageClass
from acceptance.settings.made_cluster import LOWEST
from acceptance.settings.run import Settings
from acceptance.settings.values import CLUSTERS_USER
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from acceptance.text.redaction import remember_pull_secret

PULL_SECRET = "pull-secret"
# The API group of SecurityContextConstraints, which only OpenShift has.
SECURITY_GROUP = "security.openshift.io"


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """The result of the checks. `candidates` by the name in the options, None for the default class.

    `lacking_mode`: why candidates cannot have volumes of the run's access mode, by the same name, if that is known.
    """

    cluster: Cluster
    candidates: dict[str | None, StorageClass]
    image: str
    lacking_mode: dict[str | None, str] = field(default_factory=dict)


def run_preflight(api: Api, settings: Settings, *, kind: str, subjects: Iterable[str] = ()) -> Preflight:
    """Check everything that the run depends on; create nothing. `subjects`: see `require_permissions`.

    Raises EnvironmentFailure if the cluster does not answer, is too old or forbids what is needed, WrongUsage for
    classes that do not exist or provision nothing, and for a missing image.
    """
    require_version(api.version())
    require_permissions(api, pull_secret=settings.pull_secret, subjects=subjects)
    there_are = storage_classes(api)
    candidates = {name: choose_class(name, among=there_are) for name in settings.classes}
    if settings.class_beside is not None:
        baseline = choose_class(settings.class_beside, among=there_are)
        if baseline in candidates.values():
            raise WrongUsage(
                f"StorageClass {baseline.name} would be compared with itself: it is also the candidate (the cluster's "
                "default class); name another candidate with --storage-class"
            )
    names = {candidate.name for candidate in candidates.values()} | ({settings.class_beside} - {None})
    require_no_unclaimed_volumes(api, storage_classes={str(name) for name in names})
    if settings.node is not None and api.find(NODES, settings.node) is None:
        nodes = ", ".join(node["metadata"]["name"] for node in api.list(NODES, slim=only_name))
        raise WrongUsage(f"--storage-node {settings.node} does not exist; available: {nodes}")
    image = settings.image or offered_image(api)
    if image is None:
        raise no_image("this cluster does not name one in its ConfigMap kube-public/storage-acceptance")
    cluster = describe_cluster(api, kind=kind, image=image)
    lacking_mode = lacking_mode_of(api, settings, candidates)
    return Preflight(cluster=cluster, candidates=candidates, image=image, lacking_mode=lacking_mode)


def lacking_mode_of(
    api: Api, settings: Settings, candidates: Mapping[str | None, StorageClass]
) -> dict[str | None, str]:
    """Return why candidates are known to lack the run's access mode, before a PVC is created; see `nfs_clients`."""
    if settings.access_mode != "ReadWriteMany":
        return {}
    reasons = {name: why_not_shared(api, candidate) for name, candidate in candidates.items()}
    return {
        name: f"capability 'read-write-many', the access mode of this run: {why}"
        for name, why in reasons.items()
        if why is not None
    }


def no_image(why: str) -> WrongUsage:
    """Return the error for a run without the name of an image for its loads."""
    return WrongUsage(f"no image: {why}; give one that holds fio and a shell with --storage-image REF")


def require_version(version: str) -> None:
    """Raise EnvironmentFailure for a Kubernetes, such as `v1.25.3-gke.1`, on which storage would be judged wrongly."""
    match = re.match(r"v?(\d+)\.(\d+)", version)
    if match is not None and (int(match[1]), int(match[2])) < LOWEST:
        raise EnvironmentFailure(
            f"Kubernetes {version} is older than {LOWEST[0]}.{LOWEST[1]}, the oldest that the suite supports: "
            "older versions count nodes that take no pods as empty, so pods of scale runs stay Pending; upgrade it"
        )


def open_workspace(
    api: Api, settings: Settings, *, run_id: str, image: str, keep_output: Callable[[str, Iterable[str]], None]
) -> Workspace:
    """Create the run's namespace, with the pull secret in it if one was named; return the workspace."""
    namespace = create_namespace(api, run_id=run_id)
    if settings.pull_secret is not None:
        _copy_pull_secret(api, settings.pull_secret, namespace=namespace, run_id=run_id)
    return Workspace(
        api=api,
        run_id=run_id,
        namespace=namespace,
        image=image,
        timeout_s=settings.timeout,
        pods=pod_defaults(api, settings),
        keep_output=keep_output,
        access_mode_of=settings.access_mode_of,
    )


def pod_defaults(api: Api, settings: Settings) -> PodDefaults:
    """Return the settings of all pods.

    OpenShift assigns ids of the namespace's range, and refuses pods that request others.
    """
    user = settings.pod_user
    if user is None:
        user = CLUSTERS_USER if api.group_versions(SECURITY_GROUP) else USER
    return PodDefaults(
        user=user if isinstance(user, int) else None,
        pull_secret=None if settings.pull_secret is None else PULL_SECRET,
        template=settings.template,
    )


def _copy_pull_secret(api: Api, reference: str, *, namespace: str, run_id: str) -> None:
    source, _, name = reference.partition("/")
    secret = api.find(SECRETS, name, namespace=source)
    if secret is None:
        raise EnvironmentFailure(
            f"pull secret {name} does not exist in namespace {source}; create it there, or name another with "
            "--storage-pods pull-secret"
        )
    remember_pull_secret(secret.get("data") or {})
    body = {"metadata": metadata(PULL_SECRET, run_id=run_id), "type": secret["type"], "data": secret.get("data")}
    api.create(SECRETS, body, namespace=namespace)
