"""Accounts that may do less than the cluster's administrator: those of `deploy/`, made as its files say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from acceptance.cluster.api import Api
from acceptance.cluster.permissions import (
    DELETES_VOLUMES,
    OF_SUBJECT,
    READS_STATISTICS,
    RUN_PERMISSIONS,
    Permission,
    for_pull_secret,
)
from acceptance.cluster.pod_usage import USAGE_PERMISSIONS as usage_permissions
from acceptance.cluster.resources import NAMESPACES, SERVICE_ACCOUNTS, Object, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.settings.target_file import LONGHORN_NAMESPACE, ROOK_NAMESPACE
from acceptance.trials.rebuild.ceph_driver import ceph_permissions
from acceptance.trials.rebuild.ceph_space import ceph_space_permissions
from acceptance.trials.rebuild.longhorn_driver import longhorn_permissions

DEPLOY = Path(__file__).parents[2] / "deploy"
ACCOUNT = "storage-acceptance"
"""both the service account and its namespace"""
PULL_SECRET = "default/registry-pull"
"""as deploy/rbac-pull-secret.yaml has it"""
GONE_S = 180
_RBAC = "apis/rbac.authorization.k8s.io/v1"
_ADMISSION = "apis/admissionregistration.k8s.io/v1"
KINDS = {
    "Namespace": NAMESPACES,
    "ServiceAccount": SERVICE_ACCOUNTS,
    "Role": Resource(prefix=_RBAC, plural="roles"),
    "RoleBinding": Resource(prefix=_RBAC, plural="rolebindings"),
    "ClusterRole": Resource(prefix=_RBAC, plural="clusterroles", has_namespace=False),
    "ClusterRoleBinding": Resource(prefix=_RBAC, plural="clusterrolebindings", has_namespace=False),
    "ValidatingAdmissionPolicy": Resource(prefix=_ADMISSION, plural="validatingadmissionpolicies", has_namespace=False),
    "ValidatingAdmissionPolicyBinding": Resource(
        prefix=_ADMISSION, plural="validatingadmissionpolicybindings", has_namespace=False
    ),
}


@dataclass(frozen=True, kw_only=True, order=True)
class Grant:
    """One verb on one kind of object, in a namespace or in all, on the object of that name or on all."""

    resource: str
    verb: str
    group: str = ""
    namespace: str = ""
    name: str = ""


def documents(*files: str) -> list[Object]:
    """The objects of files of `deploy/`, in their order."""
    return [each for file in files for each in yaml.safe_load_all((DEPLOY / file).read_text(encoding="utf-8"))]


def all_documents() -> list[Object]:
    """The objects of all files about the account's rights."""
    return documents(*sorted(path.name for path in DEPLOY.glob("rbac*.yaml")))


def granted(objects: list[Object]) -> dict[str, list[Grant]]:
    """What roles of that name grant, once for each time that they say so; what is no object of the API is left out."""
    found: dict[str, list[Grant]] = {}
    for each in objects:
        if each["kind"] in ("Role", "ClusterRole"):
            found.setdefault(each["metadata"]["name"], []).extend(
                grant for rule in each["rules"] if "resources" in rule for grant in _grants(rule, each["metadata"])
            )
    return found


def _grants(rule: Object, of: Object) -> Iterator[Grant]:
    for group in rule["apiGroups"]:
        for resource in rule["resources"]:
            for name in rule.get("resourceNames", [""]):
                for verb in rule["verbs"]:
                    yield Grant(group=group, resource=resource, verb=verb, name=name, namespace=of.get("namespace", ""))


def asked() -> dict[str, list[Grant]]:
    """What the suite asks of the account, by the role that is to grant it: that of a subject has the subject's name."""
    permissions: dict[str, list[Permission]] = {
        ACCOUNT: [each for each in RUN_PERMISSIONS if each.resource.has_namespace],
        f"{ACCOUNT}-cluster": [each for each in RUN_PERMISSIONS if not each.resource.has_namespace],
        f"{ACCOUNT}-pull-secret": list(for_pull_secret(PULL_SECRET)),
        f"{ACCOUNT}-volume-deletion": list(DELETES_VOLUMES),
        f"{ACCOUNT}-volume-statistics": list(READS_STATISTICS),
        f"{ACCOUNT}-rebuild": [
            *longhorn_permissions(LONGHORN_NAMESPACE),
            *ceph_permissions(ROOK_NAMESPACE),
            *ceph_space_permissions(ROOK_NAMESPACE),
        ],
        f"{ACCOUNT}-price": list(usage_permissions),
        **{role_of(subject): list(needed) for subject, needed in OF_SUBJECT.items()},
    }
    return {role: [grant for each in of for grant in grants_of(each)] for role, of in permissions.items()}


def role_of(subject: str) -> str:
    """The role that grants what tests of a subject need beside the others."""
    return f"{ACCOUNT}-{subject.replace('_', '-')}"


def grants_of(permission: Permission) -> list[Grant]:
    """The same as rules of roles have it."""
    resource = "/".join(filter(None, [permission.resource.plural, permission.subresource]))
    return [
        Grant(
            group=permission.resource.group,
            resource=resource,
            verb=verb,
            namespace=permission.namespace,
            name=permission.name,
        )
        for verb in permission.verbs
    ]


@contextmanager
def applied(api: Api, objects: list[Object]) -> Iterator[None]:
    """The objects are there until the block ends, and gone after it."""
    with ExitStack() as undo:
        for each in objects:
            resource, about = KINDS[each["kind"]], each["metadata"]
            undo.callback(_remove, api, resource, about["name"], about.get("namespace"))
            api.create(resource, each, namespace=about.get("namespace"))
        yield


def _remove(api: Api, resource: Resource, name: str, namespace: str | None) -> None:
    """A namespace is there for some time after it is deleted, and the next test may want one of its name."""
    api.delete(resource, name, namespace=namespace)
    wait_for(
        f"{resource.plural} {name} to be gone",
        look=lambda: api.find(resource, name, namespace=namespace),
        ready=lambda found: found is None,
        state=str,
        timeout_s=GONE_S,
    )


def token_kubeconfig(
    api: Api, of: Path, path: Path, *, name: str = ACCOUNT, namespace: str = ACCOUNT, seconds: int = 1800
) -> Path:
    """Write a kubeconfig for the cluster of another one, as that service account, by a token good for `seconds`."""
    tokens = Resource(prefix="api/v1", plural=f"serviceaccounts/{name}/token")
    token = api.create(tokens, {"metadata": {}, "spec": {"expirationSeconds": seconds}}, namespace=namespace)
    config: dict[str, Any] = yaml.safe_load(of.read_text(encoding="utf-8"))
    config["users"][0]["user"] = {"token": token["status"]["token"]}
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path
