"""The pod bridge of a cluster, its addresses, who may reach them, and free TCP ports."""

import contextlib
import errno
import ipaddress
import json
import random
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.commands import run, succeeds
from embedded_cluster.layout import Layout
from embedded_cluster.locking import host_lock
from embedded_cluster.progress import say

# Each cluster takes the first /20 of this range that the host has no route to.
_RANGE = ipaddress.IPv4Network("10.200.0.0/13")
# The host answers for its addresses on every interface, and may forward to pods; only the host may use either. Packets
# of the bridge itself may pass these hooks too.
_OWN_ALONE = """
table inet {table} {{
  chain own {{ type filter hook input priority -10; policy accept; ip daddr {subnet} jump strangers; }}
  chain pods {{ type filter hook forward priority -10; policy accept; ip daddr {subnet} jump strangers; }}
  chain strangers {{ iifname != {{ "lo", "{bridge}" }} drop; }}
}}
"""
# The address of the services' station; nodes get addresses from _FIRST_NODE on, pods from the second /24 on.
_SERVICES = 2
_FIRST_NODE = 11
# The last addresses of this prefix length are for services, if the cluster has any that lead somewhere.
_CLUSTER_IPS_PREFIX = 23
MOST_NODES = 200
# Lower ports belong to well-known services; those of Kubernetes' NodePort services may be taken without a listener.
_FIRST_PORT = 10_000
_NODE_PORTS = range(30_000, 32_768)
_EPHEMERAL_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")


@dataclass(frozen=True)
class PodNetwork:
    """The addresses of a cluster: `gateway` and those of the nodes are on the bridge itself."""

    subnet: str
    gateway: str
    node_addresses: tuple[str, ...]


def create(*, layout: Layout, nodes: int) -> PodNetwork:
    """Create the bridge with one address for the cluster and one for each node.

    Raises EnvironmentFailure if no subnet is free.
    """
    with host_lock("network"):
        subnet = _free_subnet()
        addresses = [str(subnet[1]), *(str(subnet[_FIRST_NODE + number]) for number in range(nodes))]
        # A fixed hardware address: a bridge otherwise takes that of a pod, and changes it when the pod is deleted.
        hardware = "02:00:" + ":".join(f"{byte:02x}" for byte in subnet[1].packed)
        run(["ip", "link", "add", layout.bridge, "address", hardware, "type", "bridge"])
        run(["ip", "address", "add", f"{addresses[0]}/{subnet.prefixlen}", "dev", layout.bridge])
        for address in addresses[1:]:
            run(["ip", "address", "add", f"{address}/32", "dev", layout.bridge])
        run(["ip", "link", "set", layout.bridge, "up"])
    _keep_others_out(layout, str(subnet))
    return PodNetwork(subnet=str(subnet), gateway=addresses[0], node_addresses=tuple(addresses[1:]))


def _keep_others_out(layout: Layout, subnet: str) -> None:
    """Drop packets for the cluster from elsewhere than this host; print a warning if its kernel cannot."""
    try:
        run(["nft", "-f", "-"], stdin=_OWN_ALONE.format(table=layout.bridge, bridge=layout.bridge, subnet=subnet))
    except EnvironmentFailure as error:
        say(f"warning: any host with a route to {subnet} reaches the ports of this cluster: {error}")


def _free_subnet() -> ipaddress.IPv4Network:
    routes = json.loads(run(["ip", "-json", "-4", "route", "show", "table", "all"]) or "[]")
    used_networks = [ipaddress.ip_network(route["dst"]) for route in routes if route["dst"] != "default"]
    for subnet in _RANGE.subnets(new_prefix=20):
        if not any(subnet.overlaps(network) for network in used_networks):
            return subnet
    raise EnvironmentFailure(f"no free /20 for pods in {_RANGE}: the host has routes to all of it (`ip route`)")


def pod_range(subnet: str) -> tuple[str, str]:
    """Return the first and last address for pods in `subnet`."""
    network = ipaddress.IPv4Network(subnet)
    return str(network[256]), str(_cluster_ips(network)[0] - 1)


def cluster_ip_range(subnet: str) -> str:
    """Return the addresses in `subnet` for services that lead somewhere: no two clusters of a host have the same."""
    return str(_cluster_ips(ipaddress.IPv4Network(subnet)))


def services_address(subnet: str) -> str:
    """Return the address that the traffic to services comes from and goes through, with the prefix length."""
    network = ipaddress.IPv4Network(subnet)
    return f"{network[_SERVICES]}/{network.prefixlen}"


def _cluster_ips(subnet: ipaddress.IPv4Network) -> ipaddress.IPv4Network:
    *_, last = subnet.subnets(new_prefix=_CLUSTER_IPS_PREFIX)
    return last


def remove(layout: Layout) -> None:
    """Remove the bridge, the host's ends of the pods' links, and the rules that keep others out."""
    succeeds(["nft", "delete", "table", "inet", layout.bridge])
    for link in links(layout):
        succeeds(["ip", "link", "delete", link])
    if exists(layout):
        run(["ip", "link", "delete", layout.bridge])


def exists(layout: Layout) -> bool:
    """Return whether the cluster's bridge exists."""
    return layout.bridge in psutil.net_if_stats()


def links(layout: Layout) -> list[str]:
    """Return the interfaces that are attached to the bridge."""
    if not exists(layout):
        return []
    return [
        link["ifname"]
        for link in json.loads(run(["ip", "-json", "link", "show", "master", layout.bridge]) or "[]")
        if link
    ]


def free_ports(names: Iterable[str], *, address: str = "127.0.0.1") -> dict[str, int]:
    """Return a free TCP port on `address` for each name; all are held until all are found, so they differ.

    None is of the range from which the kernel gives ports to outgoing connections: one of those could take it before
    its daemon listens. Raises EnvironmentFailure if none is free.
    """
    candidates = _ports_to_listen_on()
    with contextlib.ExitStack() as stack:
        return {name: _first_free_port(candidates, address, stack) for name in names}


def _first_free_port(candidates: Iterator[int], address: str, stack: contextlib.ExitStack) -> int:
    """Bind a socket of `stack` to the next candidate that is free, and return that port."""
    for port in candidates:
        probe = socket.socket()
        try:
            probe.bind((address, port))
        except OSError as error:
            probe.close()
            if error.errno != errno.EADDRINUSE:
                raise
            continue
        stack.enter_context(probe)
        return port
    raise EnvironmentFailure(
        f"no TCP port is free on {address} outside of the range of outgoing connections ({_EPHEMERAL_PORTS})"
    )


def _ports_to_listen_on() -> Iterator[int]:
    """Return ports outside of the kernel's range for outgoing connections, in random order: clusters start together."""
    first, last = map(int, _EPHEMERAL_PORTS.read_text().split())
    ports = [port for port in range(_FIRST_PORT, 2**16) if not first <= port <= last and port not in _NODE_PORTS]
    random.shuffle(ports)
    return iter(ports)


def port_problem(port: int, *, address: str) -> str | None:
    """Return which process holds `port` on `address`, in words; None if it is free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            return f"port {port} on {address} is not free ({error.strerror}): {_holder(port)}"
    return None


def _holder(port: int) -> str:
    for connection in psutil.net_connections(kind="tcp"):
        if (
            connection.status == psutil.CONN_LISTEN
            and connection.pid
            and getattr(connection.laddr, "port", None) == port
        ):
            with contextlib.suppress(psutil.Error):
                return f"held by {psutil.Process(connection.pid).name()}, process {connection.pid}"
    return "held by a process that is not visible from here"
