"""The StorageClasses and the provisioner behind them."""

import json
import re
import string
from collections.abc import Mapping
from pathlib import Path

from embedded_cluster.builds import LOOKS
from embedded_cluster.commands import run
from embedded_cluster.control_plane import ControlPlane
from embedded_cluster.glusterfs import REPLICAS
from embedded_cluster.kubectl import MANIFESTS, Kubectl
from embedded_cluster.layout import Layout

COMPONENT = "local-path-provisioner"
SIZES = {"local-path": "1Mi", "replicated": "1Mi"}
"""The classes that every cluster has, with the size of the smallest volume that they create."""

# Claims that are processed at the same time; each waits for its helper pod for seconds.
_WORKERS = 16


def create(*, kubectl: Kubectl, image: str, disks: Mapping[str, str]) -> None:
    """Create the classes, the provisioner's permissions and the objects that helper pods need.

    `disks`: the kind of disk of the volumes of `local` and `replicated`, for people and reports.
    """
    kubectl.apply("provisioner.yaml")
    kubectl.apply(
        "cluster.yaml",
        image=image,
        glusterfs_version=_glusterfs_version(),
        replicas=str(REPLICAS),
        local_disk=disks["local"],
        replicas_disk=disks["replicated"],
    )


def start_provisioner(
    *, control_plane: ControlPlane, nodes: int, image: str, file_systems: Mapping[str, Path] | None = None
) -> None:
    """Start the one provisioner of all classes, as an identity with permissions of its own.

    `file_systems`: the file systems of further classes, by class, each mounted for all nodes.
    """
    folder = control_plane.layout.state / "provisioner"
    folder.mkdir(exist_ok=True)
    kubeconfig = control_plane.kubeconfig(COMPONENT, common_name="storage-acceptance:provisioner")
    configuration = folder / "config.json"
    configuration.write_text(
        json.dumps(_configuration(control_plane.layout, nodes=nodes, file_systems=file_systems or {}), indent=1)
    )
    helper = folder / "helper-pod.yaml"
    helper.write_text(string.Template((MANIFESTS / "helper-pod.yaml").read_text()).substitute(image=image))
    command: list[str | Path] = [
        control_plane.binaries.provisioner,
        "start",
        f"--config={configuration}",
        f"--kubeconfig={kubeconfig}",
        "--namespace=local-path-storage",
        "--configmap-name=local-path-config",
        "--service-account-name=helper",
        f"--helper-pod-file={helper}",
        f"--helper-image={image}",
        f"--worker-threads={_WORKERS}",
    ]
    control_plane.daemons.start(COMPONENT, command)


def _configuration(layout: Layout, *, nodes: int, file_systems: Mapping[str, Path]) -> dict[str, object]:
    paths = [
        {"node": layout.node(number).name, "paths": [str(layout.node(number).volumes)]}
        for number in range(1, nodes + 1)
    ]
    return {
        "cmdTimeoutSeconds": 120 * LOOKS,
        "storageClassConfigs": {
            "local-path": {"nodePathMap": paths},
            "replicated": {"sharedFileSystemPath": str(layout.replicated_mount)},
            **{name: {"sharedFileSystemPath": str(place)} for name, place in file_systems.items()},
        },
    }


def _glusterfs_version() -> str:
    match = re.search(r"glusterfs (\S+)", run(["glusterfs", "--version"]))
    return match[1] if match else "unknown"
