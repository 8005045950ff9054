"""Brings a cluster up: from nothing, from a running one, or from the remains of one."""

import dataclasses
import functools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from acceptance.text.errors import EnvironmentFailure, WrongUsage
from embedded_cluster import (
    check,
    classes,
    disks,
    longhorn_mounts,
    loop_devices,
    mount_points,
    mounts,
    network,
    preconditions,
    removal,
    simulation,
    sysctls,
)
from embedded_cluster.ceph import part as ceph
from embedded_cluster.certificates import Authority
from embedded_cluster.control_plane import PORTS, ControlPlane
from embedded_cluster.csi import part as csi
from embedded_cluster.csi.on_node import NodeDriver
from embedded_cluster.glusterfs import GlusterFS
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.locking import cluster_lock
from embedded_cluster.longhorn import part as longhorn
from embedded_cluster.node import Node
from embedded_cluster.preconditions import Needs
from embedded_cluster.preparation import Prepared, prepare
from embedded_cluster.processes import Daemons
from embedded_cluster.progress import say, step
from embedded_cluster.state import CEPH, CSI, LONGHORN, ClusterState, boot_id, read_state, write_state
from embedded_cluster.status import repair, steady_status

T = TypeVar("T")


def up(
    layout: Layout,
    *,
    nodes: int,
    needs: Needs,
    simulated_nodes: int | None,
    short_timers: bool,
    parts: Sequence[str] = (),
) -> None:
    """Have the cluster running with `nodes` nodes and proven to store data; do nothing if it is healthy.

    `short_timers`: silent nodes are lost early (`embedded_cluster.timers`). `parts`: the parts that it has in
    addition to those of every cluster (`embedded_cluster.state.PARTS`).

    In addition to them there are then exactly `simulated_nodes`; None: those that exist. Remains of an earlier cluster
    are removed first. Raises EnvironmentFailure if it cannot run here; then nothing is left of it but its logs, in the
    cache. One that ran healthily is left as it is; WrongUsage if that lacks one of `parts`.
    """
    preconditions.require_root()
    with cluster_lock(layout):
        current = repair(layout, steady_status(layout))
        if current.running and not current.problems:
            _require_parts(layout, parts)
            say(f"cluster {layout.name} is already up")
            simulation.arrange(layout, nodes=simulated_nodes)
            say(f"kubeconfig: {layout.kubeconfig}")
            return
        if current.running:
            say(f"cluster {layout.name} is damaged and is started again: {'; '.join(current.problems)}")
        began_s = time.monotonic()
        if removal.leftovers(layout):
            with step("remove the remains of an earlier cluster"):
                removal.remove(layout)
        with step("check the host"):
            preconditions.check(needs)
        prepared = prepare(
            parts=parts, simulated_nodes=bool(simulated_nodes), after_packages=lambda: preconditions.check(needs)
        )
        cluster_disks = disks.choose(needs.disks, needs=needs)
        try:
            _Start(
                layout=layout,
                nodes=nodes,
                prepared=prepared,
                needs=needs,
                disks=cluster_disks,
                short_timers=short_timers,
                with_ceph=CEPH in parts,
            ).run()
            simulation.arrange(layout, nodes=simulated_nodes)
        except BaseException as error:
            logs = removal.keep_logs(layout)
            removal.remove(layout)
            if isinstance(error, EnvironmentFailure):
                raise EnvironmentFailure(f"{error}\nThe cluster was removed again; all logs: {logs}") from None
            raise
        say(f"cluster {layout.name} is up after {time.monotonic() - began_s:.1f} s")
        say(f"kubeconfig: {layout.kubeconfig}")


def _require_parts(layout: Layout, parts: Sequence[str]) -> None:
    state = read_state(layout)
    if state is not None and (missing := [part for part in parts if part not in state.parts]):
        raise WrongUsage(
            f"cluster {layout.name} runs without {', '.join(missing)}, which cannot be added to a running cluster: "
            f"take it down (`storage-acceptance cluster down --name {layout.name}`), or start another one with --name"
        )


@dataclass(frozen=True)
class _Start:
    """One start of a cluster on a host without remains of it."""

    layout: Layout
    nodes: int
    prepared: Prepared
    needs: Needs
    disks: disks.Disks
    short_timers: bool
    with_ceph: bool

    def run(self) -> None:
        """Start everything; parts that do not wait for each other start side by side."""
        sysctls.prepare()
        self._make_folders()
        pods = network.create(layout=self.layout, nodes=self.nodes)
        ports = network.free_ports(PORTS)
        if self.needs.api_port:
            ports["kube-apiserver"] = self.needs.api_port
        daemons = Daemons(layout=self.layout, state=self._state(pods, ports))
        authority = Authority(folder=self.layout.pki, common_name="ca")
        control_plane = ControlPlane(
            layout=self.layout,
            binaries=self.prepared.binaries,
            daemons=daemons,
            network=pods,
            ports=ports,
            authority=authority,
            cluster_ips=network.cluster_ip_range(pods.subnet) if self.prepared.longhorn else None,
        )
        # Now, because nothing can be issued later, when simulated nodes may be requested.
        control_plane.kubeconfig(simulation.COMPONENT, common_name=simulation.COMMON_NAME)
        self._start(control_plane, self._cluster_nodes(daemons, pods))
        daemons.finish()

    def _make_folders(self) -> None:
        for folder in (self.layout.state, self.layout.run):
            folder.parent.mkdir(mode=0o755, exist_ok=True)
            folder.mkdir(mode=0o700)
        mount_points.prepare()
        if self.needs.loop_devices:
            loop_devices.remember()
        if self.prepared.longhorn:
            mount_points.prepare(longhorn_mounts.PLACES)
            adaptor = self.prepared.longhorn.programs.path("longhorn-adaptor")
            for number in range(1, self.nodes + 1):
                longhorn_mounts.prepare(self.layout.node(number), iscsiadm=adaptor)
        # So that the nodes see mounts there: the replicated volume, and those that a user of the cluster adds.
        mounts.share(self.layout.state)
        disks.prepare(self.layout, self.disks)
        self.layout.logs.mkdir()
        # A link in the cluster's folder shows the build that it runs, even after the checkout has changed.
        (self.layout.state / "bin").symlink_to(self.prepared.binaries.kubernetes)

    def _state(self, pods: network.PodNetwork, ports: dict[str, int]) -> ClusterState:
        state = ClusterState(
            name=self.layout.name,
            boot_id=boot_id(),
            kubernetes_version=self.prepared.binaries.kubernetes_version,
            image=self.prepared.images.fio,
            pause_image=self.prepared.images.pause,
            snapshotter=preconditions.snapshotter(),
            ports=ports,
            short_timers=self.short_timers,
            disks=self.disks.kind,
            parts=self._parts,
            **dataclasses.asdict(pods),
        )
        write_state(self.layout, state)
        return state

    def _cluster_nodes(self, daemons: Daemons, pods: network.PodNetwork) -> list[Node]:
        return [
            Node(
                layout=self.layout.node(number),
                daemons=daemons,
                address=address,
                snapshotter=daemons.state.snapshotter,
                longhorn=self.prepared.longhorn is not None,
            )
            for number, address in enumerate(pods.node_addresses, start=1)
        ]

    def _start(self, control_plane: ControlPlane, nodes: list[Node]) -> None:
        daemons, subnet = control_plane.daemons, control_plane.network.subnet
        files = GlusterFS(layout=self.layout, daemons=daemons, address=control_plane.network.gateway)
        with ThreadPoolExecutor(max_workers=len(nodes) + 4) as pool:
            answering = pool.submit(_run_step, "etcd and API server", control_plane.start)
            gluster = pool.submit(_run_step, "GlusterFS", files.start)
            ceph_files = pool.submit(self._start_ceph, control_plane)
            runtimes = [
                pool.submit(
                    _run_step,
                    node.containerd,
                    functools.partial(node.start_runtime, images=self.prepared.images, subnet=subnet),
                )
                for node in nodes
            ]
            kubectl = answering.result()
            control_plane.start_controllers()
            classes.create(kubectl=kubectl, image=self.prepared.images.fio, disks=disks.DESCRIPTIONS[self.disks.kind])
            for node, runtime in zip(nodes, runtimes, strict=True):
                runtime.result()
                node.configure_kubelet(control_plane)
                node.start_kubelet(self.prepared.binaries.component("kubelet"))
            csi_start = pool.submit(self._start_csi, control_plane, kubectl, nodes)
            classes.start_provisioner(
                control_plane=control_plane,
                nodes=len(nodes),
                image=self.prepared.images.fio,
                file_systems={ceph.CLASS: self.layout.cephfs} if self.with_ceph else {},
            )
            with step(f"{len(nodes)} nodes ready"):
                check.wait_for_nodes(kubectl, nodes=len(nodes), alive=lambda: _require_kubelets(daemons, nodes))
            for part in (gluster, ceph_files, csi_start):
                part.result()
        self._prove(control_plane, kubectl, nodes)

    def _prove(self, control_plane: ControlPlane, kubectl: Kubectl, nodes: list[Node]) -> None:
        """Have a pod write to a volume of each class, and start what comes after that."""
        sizes = classes.SIZES | (csi.CLASSES if self.prepared.csi else {})
        if self.with_ceph:
            sizes |= ceph.install(
                kubectl, layout=self.layout, image=self.prepared.images.fio, rbd_driver=self._rbd_driver
            )
        with step("a pod writes to a volume of each class"):
            check.prove_storage(kubectl, image=self.prepared.images.fio, classes=sizes)
        if self.with_ceph:
            ceph.wait_for_toolbox(kubectl)
        if self.prepared.longhorn:
            longhorn.start(
                self.prepared.longhorn,
                control_plane=control_plane,
                kubectl=kubectl,
                nodes=nodes,
                image=self.prepared.images.fio,
            )

    @property
    def _parts(self) -> tuple[str, ...]:
        """The parts that it has in addition to those of every cluster."""
        parts = {CEPH: self.with_ceph, CSI: self.prepared.csi, LONGHORN: self.prepared.longhorn}
        return tuple(name for name, there in parts.items() if there)

    @property
    def _rbd_driver(self) -> str | None:
        """The CSI driver of Ceph's block devices, if there are any."""
        return csi.NAME if self.with_ceph and self.prepared.csi else None

    def _start_csi(self, control_plane: ControlPlane, kubectl: Kubectl, nodes: list[Node]) -> None:
        if self.prepared.csi is None:
            return
        drivers = [NodeDriver(layout=node.layout, daemons=node.daemons) for node in nodes]
        with step("the CSI driver and its sidecars"):
            options = ceph.driver_options(self.layout) if self._rbd_driver else ()
            csi.start(self.prepared.csi, control_plane=control_plane, kubectl=kubectl, nodes=drivers, options=options)

    def _start_ceph(self, control_plane: ControlPlane) -> None:
        if self.with_ceph:
            _run_step("Ceph", lambda: ceph.start(control_plane.daemons, rbd=self._rbd_driver is not None))


def _require_kubelets(daemons: Daemons, nodes: list[Node]) -> None:
    for node in nodes:
        daemons.require_alive(node.kubelet)


def _run_step(title: str, work: Callable[[], T]) -> T:
    with step(title):
        return work()
