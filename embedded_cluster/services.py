"""Services that lead somewhere, and their names: for parts of a cluster that find each other as in any other cluster.

kube-proxy changes the packets in a network namespace of its own: a station on the pod bridge that answers for all
ClusterIPs, and through which the packets return. So the host's tables, routes and settings stay as they are.
"""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import network
from embedded_cluster.commands import run
from embedded_cluster.control_plane import ControlPlane
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.processes import Daemons
from embedded_cluster.service_programs import ServicePrograms
from embedded_cluster.waiting import NotYet, wait_for

HOLDER, PROXY, NAMES = "services", "kube-proxy", "coredns"
_NAMES_USER = "storage-acceptance:coredns"
_LIVES_BY = ("unshare", "--net", "sleep", "infinity")
_LINK = "bridge0"
# Packets between pods enter and leave by the same link; no redirects must announce a shorter way.
_SETTINGS = {"ip_forward": "1", "conf/all/send_redirects": "0", "conf/default/send_redirects": "0"}
# kube-proxy must not set time-outs and limits of the kernel's table of connections: they are the host's.
_NO_LIMITS = ("max-per-core=0", "tcp-timeout-established=0s", "tcp-timeout-close-wait=0s")
# The kubelets name the gateway as the name server of all pods.
_COREFILE = """
cluster.local:53 {{
  bind {address}
  errors
  kubernetes {{
    kubeconfig {kubeconfig}
  }}
}}
"""
_NAMES_PORT = 53


@dataclass(frozen=True)
class _Station:
    """The network namespace that the process `holder` holds."""

    holder: int

    def inside(self, command: Sequence[str | Path]) -> list[str | Path]:
        """Return the command that runs `command` in it; its files and mounts are those of the host."""
        return ["nsenter", f"--net=/proc/{self.holder}/ns/net", "--", *command]

    def require_apart(self) -> None:
        """Raise NotYet while it is the host's."""
        here, there = (os.stat(f"/proc/{process}/ns/net").st_ino for process in ("self", self.holder))
        if here == there or Path(f"/proc/{self.holder}/comm").read_text().strip() != _LIVES_BY[-2]:
            raise NotYet("no network namespace yet")

    def join(self, *, bridge: str, link: str, address: str, cluster_ips: str) -> None:
        """Make it a station on the bridge that has `address` and answers for all of `cluster_ips`."""
        peer: list[str | Path] = ["peer", "name", _LINK, "netns", str(self.holder)]
        run(["ip", "link", "add", link, "master", bridge, "type", "veth", *peer])
        run(["ip", "link", "set", link, "up"])
        own = [
            "link set lo up",
            f"address add {address} dev {_LINK}",
            f"link set {_LINK} up",
            f"route add local {cluster_ips} dev lo",
        ]
        run(self.inside(["ip", "-batch", "-"]), stdin="\n".join(own) + "\n")
        for name, value in _SETTINGS.items():
            run(self.inside(["tee", f"/proc/sys/net/ipv4/{name}"]), stdin=value)


def start(control_plane: ControlPlane, *, programs: ServicePrograms, kubectl: Kubectl, node: str) -> None:
    """Have ClusterIPs and names of services lead to the services, for pods and for the API server.

    `node`: an existing node, whose name kube-proxy uses, because it needs one.
    Raises EnvironmentFailure with the end of the log of the one that failed.
    """
    layout, daemons, pods = control_plane.layout, control_plane.daemons, control_plane.network
    kubectl.apply("services.yaml")
    # Kubernetes predefines the permissions of the first.
    control_plane.kubeconfig(PROXY, common_name="system:kube-proxy")
    control_plane.kubeconfig(NAMES, common_name=_NAMES_USER)
    station = _Station(daemons.start(HOLDER, _LIVES_BY))
    wait_for(f"process {station.holder} to hold a network namespace", station.require_apart, timeout=20, interval=0.01)
    station.join(
        bridge=layout.bridge,
        link=layout.services_link,
        address=network.services_address(pods.subnet),
        cluster_ips=network.cluster_ip_range(pods.subnet),
    )
    _start_proxy(control_plane, station=station, program=programs.kube_proxy, node=node)
    corefile = layout.state / "Corefile"
    corefile.write_text(_COREFILE.format(address=pods.gateway, kubeconfig=layout.pki / f"{NAMES}.kubeconfig"))
    daemons.start(NAMES, [programs.coredns, "-conf", corefile])
    _wait(control_plane)


def require_alive(daemons: Daemons) -> None:
    """Raise EnvironmentFailure with the end of the log of a part that has died."""
    for component in (HOLDER, PROXY, NAMES):
        daemons.require_alive(component)


def _start_proxy(control_plane: ControlPlane, *, station: _Station, program: Path, node: str) -> None:
    server = f"https://{control_plane.network.gateway}:{control_plane.ports['kube-apiserver']}"
    command: list[str | Path] = [
        program,
        f"--kubeconfig={control_plane.layout.pki / f'{PROXY}.kubeconfig'}",
        # 127.0.0.1 is not the host's in its namespace.
        f"--master={server}",
        f"--hostname-override={node}",
        "--proxy-mode=nftables",
        # Otherwise a pod would answer its client directly, which expects the answer from a ClusterIP.
        "--masquerade-all",
        *(f"--conntrack-{limit}" for limit in _NO_LIMITS),
    ]
    control_plane.daemons.start(PROXY, station.inside(command))


def _wait(control_plane: ControlPlane) -> None:
    """Wait until the API server answers at its own ClusterIP, and the name server at the gateway."""
    first, gateway = str(control_plane.cluster_ip), control_plane.network.gateway

    def require_answers() -> None:
        require_alive(control_plane.daemons)
        for place in ((first, 443), (gateway, _NAMES_PORT)):
            try:
                socket.create_connection(place, timeout=1).close()
            except OSError as error:
                raise NotYet(f"no answer on {place[0]}:{place[1]}: {error}") from None

    try:
        wait_for("services to be reached", require_answers, timeout=60, interval=0.3)
    except EnvironmentFailure as error:
        raise EnvironmentFailure(f"{error}. {control_plane.daemons.last_words(PROXY)}") from None
