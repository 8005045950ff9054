"""kube-proxy and CoreDNS, compiled from pinned Go modules: only clusters whose services lead somewhere have them."""

from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.go_modules import build_once, compile_packages, pinned_version
from embedded_cluster.layout import PACKAGE

_SOURCE = PACKAGE / "go-services"
_PROGRAMS = ("kube-proxy", "coredns")


@dataclass(frozen=True)
class ServicePrograms:
    """Both programs; one file under two names."""

    kube_proxy: Path
    coredns: Path


def ensure() -> ServicePrograms:
    """Return both programs, from the cache or built now (about 3 minutes on 2 cores, if Kubernetes is compiled).

    Raises EnvironmentFailure if there is no Go toolchain or if the build fails.
    """
    version = pinned_version(_SOURCE, "k8s.io/kubernetes")
    folder = build_once(f"services-{version}", sources=[_SOURCE], recipe=" ".join(_PROGRAMS), build=_build)
    return ServicePrograms(kube_proxy=folder / "kube-proxy", coredns=folder / "coredns")


def _build(go: Path, target: Path) -> None:
    stamp = f"-X k8s.io/component-base/version.gitVersion={pinned_version(_SOURCE, 'k8s.io/kubernetes')}"
    compile_packages(["."], go=go, source=_SOURCE, output=target / "services", flags=f"-s -w {stamp}")
    for program in _PROGRAMS:
        (target / program).symlink_to("services")
