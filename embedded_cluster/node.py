"""One node: its containerd, its images and its kubelet."""

import json
import socket
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embedded_cluster import cgroups, images, longhorn_mounts, mount_namespaces, mount_points
from embedded_cluster.commands import succeeds
from embedded_cluster.control_plane import ControlPlane
from embedded_cluster.images import Images
from embedded_cluster.layout import PACKAGE, NodeLayout, cache_folder
from embedded_cluster.mount_namespaces import holder_of_node
from embedded_cluster.network import free_ports, pod_range
from embedded_cluster.packages import CNI_PLUGINS
from embedded_cluster.processes import Daemons
from embedded_cluster.state import CSI
from embedded_cluster.timers import timers
from embedded_cluster.waiting import NotYet, wait_for

MOST_PODS = 500


@dataclass(frozen=True)
class Node:
    """A node's parts. `address` is its own on the pod bridge; `longhorn`: it is a node of Longhorn too."""

    layout: NodeLayout
    daemons: Daemons
    address: str
    snapshotter: str
    longhorn: bool = False

    @property
    def containerd(self) -> str:
        return f"containerd-{self.layout.number}"

    @property
    def kubelet(self) -> str:
        return f"kubelet-{self.layout.number}"

    @property
    def mounts(self) -> str:
        return holder_of_node(self.layout.number)

    def start_runtime(self, *, images: Images, subnet: str) -> None:
        """Start containerd, wait until it answers, and load the images.

        Raises EnvironmentFailure with the end of its log if it does not come up.
        """
        for folder in (self.layout.run, self.layout.volumes, self._cni, *self._in_place_of.values()):
            folder.mkdir(parents=True, exist_ok=True)
        (self._cni / "10-bridge.conflist").write_text(json.dumps(self._network(subnet), indent=1))
        configuration = self.layout.state / "containerd.toml"
        configuration.write_text(
            string.Template((PACKAGE / "templates" / "containerd.toml").read_text()).substitute(
                root=self.layout.state / "containerd",
                state=self.layout.run / "containerd",
                socket=self.layout.containerd_socket,
                pause_image=images.pause,
                cni_plugins=CNI_PLUGINS,
                cni_configuration=self._cni,
                snapshotter=self.snapshotter,
            )
        )
        self.start_containerd()
        self.load(images.archive)

    def load(self, archive: Path) -> None:
        """Load an archive of images into the node, which must run. Raise EnvironmentFailure with the output of ctr."""
        images.load(archive, self.layout, snapshotter=self.snapshotter)

    def start_containerd(self) -> None:
        """Start containerd as configured and wait until it answers; create its namespace if there is none."""
        cgroups.create_for_pods(self.layout.cgroup)
        if self.daemons.running(self.mounts) is None:
            seeing = (self.layout.cluster.state, self.layout.cluster.run, cache_folder())
            namespace = mount_namespaces.make(self.daemons, self.mounts, in_place_of=self._in_place_of, seeing=seeing)
            if self.longhorn:
                longhorn_mounts.arrange(namespace)
        command: list[str | Path] = ["containerd", "--config", self.layout.state / "containerd.toml"]
        self.daemons.start(self.containerd, self._inside(command))

        def answers() -> None:
            self.daemons.require_alive(self.containerd)
            if not succeeds(["ctr", "--address", self.layout.containerd_socket, "version"], timeout=10):
                raise NotYet(f"no answer on {self.layout.containerd_socket}")

        wait_for(f"{self.containerd} to answer", answers, timeout=60)

    def configure_kubelet(self, control_plane: ControlPlane) -> None:
        """Write the kubelet's identity and configuration; start_kubelet needs both."""
        name, authority = self.layout.name, control_plane.authority
        serving = authority.issue(f"{name}-serving", common_name=name, addresses=[self.address], names=[name])
        control_plane.kubeconfig(name, common_name=f"system:node:{name}", organization="system:nodes")
        configuration = self._kubelet_configuration(gateway=control_plane.network.gateway)
        configuration["tlsCertFile"] = str(serving.certificate)
        configuration["tlsPrivateKeyFile"] = str(serving.key)
        configuration["authentication"]["x509"] = {"clientCAFile": str(authority.certificate)}
        self._kubelet_settings.write_text(json.dumps(configuration, indent=1))

    def start_kubelet(self, program: Path) -> None:
        """Start the kubelet as it is configured; it registers its node itself."""
        command: list[str | Path] = [
            program,
            f"--config={self._kubelet_settings}",
            f"--kubeconfig={self.layout.cluster.pki / f'{self.layout.name}.kubeconfig'}",
            f"--hostname-override={self.layout.name}",
            f"--node-ip={self.address}",
            f"--root-dir={mount_points.KUBELET}",
            f"--cert-dir={self.layout.state / 'kubelet-pki'}",
        ]
        self.daemons.start(self.kubelet, self._inside(command))

    def wait_for_kubelet(self) -> None:
        """Wait until it listens. Raise EnvironmentFailure with the end of its log if it ends instead."""
        configuration = json.loads(self._kubelet_settings.read_text())
        place = configuration["address"], configuration["port"]

        def listens() -> None:
            self.daemons.require_alive(self.kubelet)
            try:
                socket.create_connection(place, timeout=1).close()
            except OSError as error:
                raise NotYet(f"no answer on {place[0]}:{place[1]}: {error}") from None

        wait_for(f"{self.kubelet} to listen", listens, timeout=60)

    def _kubelet_configuration(self, *, gateway: str) -> dict[str, Any]:
        runtime = f"unix://{self.layout.containerd_socket}"
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": self.address,
            "port": free_ports(["kubelet"], address=self.address)["kubelet"],
            "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True}},
            "authorization": {"mode": "Webhook"},
            "containerRuntimeEndpoint": runtime,
            "imageServiceEndpoint": runtime,
            "podLogsDir": str(self.layout.state / "pod-logs"),
            "volumePluginDir": str(self.layout.state / "volume-plugins"),
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{self.layout.cgroup}",
            "enforceNodeAllocatable": [],
            "failSwapOn": False,
            "nodeLeaseDurationSeconds": timers(short=self.daemons.state.short_timers).lease_s,
            "maxPods": MOST_PODS,
            "makeIPTablesUtilChains": False,
            # A name server listens there only in a cluster with services: in others a lookup fails immediately, and
            # does not leave the host.
            "clusterDNS": [gateway],
            "clusterDomain": "cluster.local",
            # The disk is the host's: how full it is says nothing about this cluster. A kubelet that is short of disk
            # deletes images, which nothing here can pull again; kind turns that off with the same settings.
            "evictionHard": {
                "memory.available": "100Mi",
                "nodefs.available": "0%",
                "nodefs.inodesFree": "0%",
                "imagefs.available": "0%",
            },
            "imageGCHighThresholdPercent": 100,
            "imageGCLowThresholdPercent": 99,
            "kubeAPIQPS": 300,
            "kubeAPIBurst": 600,
            # A kubelet grows a file system in use at its next sync of the pod: after a minute, by default.
            **({"syncFrequency": "10s"} if CSI in self.daemons.state.parts else {}),
            "registryPullQPS": 0,
            "eventRecordQPS": 0,
            "serializeImagePulls": False,
            "shutdownGracePeriod": "0s",
        }

    def _inside(self, command: Sequence[str | Path]) -> list[str | Path]:
        """Return the command for the namespace where containerd and kubelet run, and mount the pods' volumes."""
        return mount_namespaces.namespace_of(self.daemons, self.mounts).inside(command)

    @property
    def _in_place_of(self) -> dict[Path, Path]:
        """The node's own folders for fixed places of programs, which the host or another node has, too."""
        return {
            mount_points.KUBELET: self.layout.state / "kubelet",
            mount_points.CNI_RESULTS: self.layout.state / "cni-results",
            mount_points.SHIM_SOCKETS: self.layout.run / "shims",
            mount_points.CONTAINER_LOGS: self.layout.state / "container-logs",
            **(longhorn_mounts.own_folders(self.layout) if self.longhorn else {}),
        }

    @property
    def _kubelet_settings(self) -> Path:
        return self.layout.state / "kubelet.json"

    @property
    def _cni(self) -> Path:
        return self.layout.state / "cni"

    def _network(self, subnet: str) -> dict[str, Any]:
        """Return the pods' network: the bridge and nothing else; a gateway would turn on the host's forwarding."""
        first, last = pod_range(subnet)
        ranges = [[{"subnet": subnet, "rangeStart": first, "rangeEnd": last}]]
        # One folder for all nodes: they hand out addresses of the same range.
        ipam = {"type": "host-local", "ranges": ranges, "dataDir": str(self.layout.cluster.state / "addresses")}
        bridge = {
            "type": "bridge",
            "bridge": self.layout.cluster.bridge,
            "isGateway": False,
            "ipMasq": False,
            "ipam": ipam,
        }
        return {"cniVersion": "0.4.0", "name": self.layout.cluster.cni_network, "plugins": [bridge]}
