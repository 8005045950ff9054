"""What an account asked of the embedded cluster's API server, in the server's own words: its audit log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from acceptance.cluster.resources import Object
from selftests.lab.accounts import Grant
from selftests.lab.components import API_SERVER, with_words

DECISION, POD_SECURITY = "authorization.k8s.io/decision", "pod-security.kubernetes.io/"
CREATED = 201
SET_CONTROLLER = "system:serviceaccount:kube-system:statefulset-controller"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was asked for, in whatever namespace and by whatever name: what was allowed, and what was refused.

    `counted`: how often each was allowed; of a list each page counts, of a watch or a log its begin and its end.
    `pod_security`: for each pod that was made, by the user or for its sets, what the server's Pod Security admission
    says that it did: `enforce-policy`, and `exempt` where it looked away. One that the server refused before it came to
    that (its namespace's account is not there yet) was not made, and is asked for again.
    """

    counted: Mapping[Grant, int]
    refused: frozenset[Grant]
    pod_security: tuple[dict[str, str], ...]

    @property
    def allowed(self) -> frozenset[Grant]:
        """Each that was allowed."""
        return frozenset(self.counted)


@contextmanager
def audited(cluster: str, user: str, *, folder: Path) -> Iterator[Callable[[], Asked]]:
    """What the user has asked for so far, there to be read until the block ends.

    The API server is started anew for it, and again at the end.
    """
    policy, log = folder / "audit-policy.yaml", folder / "audit.log"
    pods = {"verbs": ["create"], "resources": [{"group": "", "resources": ["pods"]}]}
    rules = [
        {"level": "Metadata", "users": [user], "omitStages": ["RequestReceived"]},
        {"level": "Metadata", "users": [SET_CONTROLLER], "omitStages": ["RequestReceived"], **pods},
        {"level": "None"},
    ]
    policy.write_text(yaml.safe_dump({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules}))
    options = (f"--audit-policy-file={policy}", f"--audit-log-path={log}", "--audit-log-mode=blocking")
    with with_words(cluster, API_SERVER, *options):
        yield lambda: _asked(log, user)


def _asked(log: Path, user: str) -> Asked:
    found: dict[str, Counter[Grant]] = {"allow": Counter(), "forbid": Counter()}
    pod_security = []
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        told, grant = event.get("annotations") or {}, _grant(event)
        if event["user"]["username"] == user and DECISION in told:
            found[told[DECISION]][grant] += 1
        if (grant.resource, grant.verb) == ("pods", "create") and event["responseStatus"]["code"] == CREATED:
            pod_security.append(
                {key.removeprefix(POD_SECURITY): told[key] for key in told if key.startswith(POD_SECURITY)}
            )
    return Asked(counted=found["allow"], refused=frozenset(found["forbid"]), pod_security=tuple(pod_security))


def _grant(event: Object) -> Grant:
    about = event.get("objectRef")
    if about is None:
        return Grant(resource=event["requestURI"].partition("?")[0], verb=event["verb"])
    resource = "/".join(filter(None, [about["resource"], about.get("subresource", "")]))
    return Grant(resource=resource, verb=event["verb"], group=about.get("apiGroup", ""))
