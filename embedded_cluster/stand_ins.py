"""The substitutes of a cluster for the real thing, reported to the runs on it by the ConfigMap that the suite reads."""

import json
from collections.abc import Iterable

from embedded_cluster.kubectl import Kubectl

CONFIG_MAP = ("configmap", "storage-acceptance", "--namespace=kube-public")


def tell(kubectl: Kubectl, lines: Iterable[str]) -> None:
    """Add these to the lines that it has already, so that reports name them."""
    existing = [line for item in kubectl.get(*CONFIG_MAP) for line in item["data"].get("standIns", "").splitlines()]
    change = {"data": {"standIns": "\n".join([*existing, *(line for line in lines if line not in existing)])}}
    kubectl.run("patch", *CONFIG_MAP, "--type=merge", f"--patch={json.dumps(change)}")
