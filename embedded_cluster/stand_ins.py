"""What a cluster has in place of the real thing, told to the runs on it: in the ConfigMap that the suite reads."""

import json
from collections.abc import Iterable

from embedded_cluster.kubectl import Kubectl

CONFIG_MAP = ("configmap", "storage-acceptance", "--namespace=kube-public")


def tell(kubectl: Kubectl, lines: Iterable[str]) -> None:
    """Add these to what it names already, so that reports name them."""
    told = [line for found in kubectl.get(*CONFIG_MAP) for line in found["data"].get("standIns", "").splitlines()]
    change = {"data": {"standIns": "\n".join([*told, *(line for line in lines if line not in told)])}}
    kubectl.run("patch", *CONFIG_MAP, "--type=merge", f"--patch={json.dumps(change)}")
