"""A cluster that takes pods as OpenShift does: restricted_v2.yaml, in force until the block ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.resources import NAMESPACES, PODS, Object
from acceptance.cluster.waiting import wait_for
from selftests.lab.accounts import applied
from selftests.lab.definitions import defined

FILE = Path(__file__).parent / "restricted_v2.yaml"
REFUSED = "restricted-v2: runAsUser and fsGroup must be in the ranges of the namespace"
TRIED = "storage-acceptance-lab-restricted"


@contextmanager
def restricted_v2(api: Api) -> Iterator[None]:
    """What it refuses is refused when the block begins."""
    documents: list[Object] = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))
    kinds = [document for document in documents if document["kind"] == "CustomResourceDefinition"]
    with defined(api, kinds), applied(api, [document for document in documents if document not in kinds]):
        api.create(NAMESPACES, {"metadata": {"name": TRIED}})
        try:
            wait_for(
                "the policy to be in force",
                look=lambda: _refusal(api),
                ready=lambda said: REFUSED in said,
                state=str,
                timeout_s=60,
            )
        finally:
            api.delete(NAMESPACES, TRIED)
        yield


def _refusal(api: Api) -> str:
    """What the API server says to a pod with an id of its own; empty where it takes it."""
    container = {"name": "x", "image": "x", "command": ["true"]}
    body = {"metadata": {"name": "tried"}, "spec": {"securityContext": {"runAsUser": 65534}, "containers": [container]}}
    try:
        api.create(PODS, body, namespace=TRIED)
    except ApiError as error:
        return str(error)
    api.delete(PODS, "tried", namespace=TRIED, grace_s=0)
    return ""
