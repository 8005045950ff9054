"""etcd, API server, controller manager and scheduler."""

import ipaddress
import sys
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.builds import Binaries
from embedded_cluster.certificates import Authority, KeyPair, write_kubeconfig, write_signing_keys
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import PACKAGE, Layout
from embedded_cluster.network import PodNetwork
from embedded_cluster.processes import Daemons
from embedded_cluster.timers import timers
from embedded_cluster.waiting import wait_for

# Without kube-proxy, services lead nowhere. The API server only needs a valid range.
_NO_SERVICES = "10.96.0.0/16"

API_RELAY = "api-relay"
PORTS = ("kube-apiserver", "etcd", "etcd-peer", "kube-controller-manager", "kube-scheduler")

# A scale test would measure the defaults of 20 a second and bursts of 30.
_RATE = ("--kube-api-qps=300", "--kube-api-burst=600")


@dataclass(frozen=True)
class ControlPlane:
    """The settings that the parts of the control plane share. `ports` are TCP ports on 127.0.0.1.

    `cluster_ips`: the range of the services' addresses if they lead somewhere (embedded_cluster.services).
    """

    layout: Layout
    binaries: Binaries
    daemons: Daemons
    network: PodNetwork
    ports: dict[str, int]
    authority: Authority
    cluster_ips: str | None = None

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self.ports['kube-apiserver']}"

    @property
    def cluster_ip(self) -> str | None:
        """The API server's own ClusterIP, if services lead somewhere: the first one."""
        return str(ipaddress.IPv4Network(self.cluster_ips)[1]) if self.cluster_ips else None

    def kubeconfig(self, file: str, *, common_name: str, organization: str | None = None) -> Path:
        """Write a kubeconfig with an identity of its own, in pki/<file>.kubeconfig; return its path."""
        client = self.authority.issue(file, common_name=common_name, organization=organization)
        path = self.layout.pki / f"{file}.kubeconfig"
        return write_kubeconfig(path, layout=self.layout, server=self.server, authority=self.authority, client=client)

    def start(self) -> Kubectl:
        """Start etcd and the API server and return an administrator's kubectl once they answer.

        Raises EnvironmentFailure with the end of the log of the one that failed.
        """
        self._start_apiserver(self._start_etcd())
        self._start_relay()
        admin = self.authority.issue("admin", common_name="storage-acceptance:admin", organization="system:masters")
        write_kubeconfig(
            self.layout.kubeconfig, layout=self.layout, server=self.server, authority=self.authority, client=admin
        )
        kubectl = Kubectl(program=self.binaries.component("kubectl"), kubeconfig=self.layout.kubeconfig)

        def ready() -> None:
            self.daemons.require_alive("etcd")
            self.daemons.require_alive("kube-apiserver")
            self.daemons.require_alive(API_RELAY)
            kubectl.require_ready()

        wait_for("the API server to be ready", ready, timeout=180)
        return kubectl

    def _start_etcd(self) -> Authority:
        # An authority of its own: etcd accepts every certificate of its authority, and must not accept a node's.
        authority = Authority(folder=self.layout.pki, common_name="etcd-ca")
        serving = authority.issue("etcd", common_name="etcd", addresses=["127.0.0.1"])
        client, peer = (f"https://127.0.0.1:{self.ports[port]}" for port in ("etcd", "etcd-peer"))
        tls = [f"--cert-file={serving.certificate}", f"--key-file={serving.key}", "--client-cert-auth"]
        peer_tls = [
            f"--peer-cert-file={serving.certificate}",
            f"--peer-key-file={serving.key}",
            "--peer-client-cert-auth",
        ]
        ca_files = [f"--trusted-ca-file={authority.certificate}", f"--peer-trusted-ca-file={authority.certificate}"]
        urls = [
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=embedded={peer}",
        ]
        data = ["--name=embedded", f"--data-dir={self.layout.disks / 'etcd'}", "--unsafe-no-fsync", "--logger=zap"]
        self.daemons.start("etcd", ["etcd", *data, *urls, *tls, *peer_tls, *ca_files])
        return authority

    def _start_apiserver(self, etcd_authority: Authority) -> None:
        names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]
        addresses = ["127.0.0.1", self.network.gateway]
        if self.cluster_ip:
            addresses.append(self.cluster_ip)
        serving = self.authority.issue("apiserver", common_name="kube-apiserver", addresses=addresses, names=names)
        etcd = etcd_authority.issue("apiserver-etcd", common_name="kube-apiserver")
        kubelet = self.authority.issue("apiserver-kubelet", common_name="storage-acceptance:apiserver")
        tokens = write_signing_keys(self.layout.pki)
        command: list[str | Path] = [
            self.binaries.component("kube-apiserver"),
            "--bind-address=127.0.0.1",
            f"--secure-port={self.ports['kube-apiserver']}",
            # A loopback address is not valid for endpoints; the relay listens on this one.
            f"--advertise-address={self.network.gateway}",
            f"--endpoint-reconciler-type={'lease' if self.cluster_ips else 'none'}",
            f"--service-cluster-ip-range={self.cluster_ips or _NO_SERVICES}",
            "--anonymous-auth=false",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            # Debian's etcd is too old for it. With the gate on, the server refuses every watch that begins with the
            # existing objects; KWOK watches so, would list again and again, and see everything many seconds late.
            "--feature-gates=WatchList=false",
            # csi-resizer 1.14 looks for these in the API version that they had before Kubernetes 1.34.
            "--runtime-config=storage.k8s.io/v1beta1/volumeattributesclasses=true",
            "--allow-privileged=true",
            "--profiling=false",
            f"--client-ca-file={self.authority.certificate}",
            *_pair("tls-cert-file", "tls-private-key-file", serving),
            f"--etcd-servers=https://127.0.0.1:{self.ports['etcd']}",
            f"--etcd-cafile={etcd_authority.certificate}",
            *_pair("etcd-certfile", "etcd-keyfile", etcd),
            f"--kubelet-certificate-authority={self.authority.certificate}",
            *_pair("kubelet-client-certificate", "kubelet-client-key", kubelet),
            "--kubelet-preferred-address-types=InternalIP",
            f"--service-account-issuer={self.server}",
            f"--service-account-signing-key-file={tokens.key}",
            f"--service-account-key-file={tokens.certificate}",
        ]
        self.daemons.start("kube-apiserver", command)

    def _start_relay(self) -> None:
        """Let pods reach the API server, which listens on one address alone: same port, the bridge's own address."""
        port = str(self.ports["kube-apiserver"])
        program = PACKAGE / "api_relay.py"
        self.daemons.start(API_RELAY, [sys.executable, "-IS", program, self.network.gateway, "127.0.0.1", port])

    def start_controllers(self) -> None:
        """Start controller manager and scheduler; they wait for the API server themselves."""
        manager = self.kubeconfig("kube-controller-manager", common_name="system:kube-controller-manager")
        self._start_controller(
            "kube-controller-manager",
            manager,
            f"--root-ca-file={self.authority.certificate}",
            f"--service-account-private-key-file={self.layout.pki / 'service-account.key'}",
            "--use-service-account-credentials=true",
            # Its default is a folder outside this cluster, which it creates.
            f"--flex-volume-plugin-dir={self.layout.state / 'volume-plugins'}",
            *timers(short=self.daemons.state.short_timers).of_controllers,
        )
        self._start_controller(
            "kube-scheduler",
            self.kubeconfig("kube-scheduler", common_name="system:kube-scheduler"),
            # Now and then (2 of about 25 fresh clusters) a pod was left unschedulable for minutes although its claim
            # was bound. Most likely this gate: the pod is tried again before the scheduler's cache knows of the claim.
            # It has not happened since the gate is off; if that is not the cause, such a pod is retried within seconds.
            "--feature-gates=SchedulerPopFromBackoffQ=false",
            "--pod-max-in-unschedulable-pods-duration=5s",
        )

    def _start_controller(self, component: str, kubeconfig: Path, *more: str) -> None:
        kubeconfigs = ("kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig")
        address = ("--bind-address=127.0.0.1", f"--secure-port={self.ports[component]}")
        serving = self.authority.issue(f"{component}-serving", common_name=component, addresses=["127.0.0.1"])
        self.daemons.start(
            component,
            [
                self.binaries.component(component),
                *(f"--{option}={kubeconfig}" for option in kubeconfigs),
                *address,
                *_pair("tls-cert-file", "tls-private-key-file", serving),
                "--leader-elect=false",
                "--profiling=false",
                *_RATE,
                *more,
            ],
        )


def _pair(certificate: str, key: str, pair: KeyPair) -> tuple[str, str]:
    return f"--{certificate}={pair.certificate}", f"--{key}={pair.key}"
