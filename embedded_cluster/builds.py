"""The binaries that are built here from pinned Go modules, kept in the cache and verified by go.sum."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.go_modules import build_once, compile_packages, module_folder, pinned_version
from embedded_cluster.layout import PACKAGE, cache_folder

KUBERNETES = PACKAGE / "go"
PROVISIONER = PACKAGE / "go-provisioner"
KWOK = PACKAGE / "go-kwok"

COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl")

# The provisioner's client is otherwise limited to 5 requests a second; a test of provisioning speed would measure that.
_CLIENT = "kubeClient, err := clientset.NewForConfig(config)"
_FASTER = "config.QPS, config.Burst = 300, 600"
# The changes in the provisioner, which has no options for them: file, line, and its replacement.
_CHANGES = (
    ("main.go", _CLIENT, f"{_FASTER}\n\t{_CLIENT}"),
    # The pause between two polls of a helper pod; each volume needs one pod for its creation and one for its deletion.
    ("provisioner.go", "time.Sleep(1 * time.Second)", "time.Sleep(time.Second / 5)"),
)
LOOKS = 5
"""Polls of a helper pod for each second of the provisioner's `cmdTimeoutSeconds`, which counts them."""

# KWOK's own files: the definition of its stages, and the stages of ordinary nodes and pods.
_KWOK_MANIFESTS = (
    "crd/bases/kwok.x-k8s.io_stages.yaml",
    "stage/node/fast/node-initialize.yaml",
    "stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
    "stage/pod/fast/pod-ready.yaml",
    "stage/pod/fast/pod-delete.yaml",
)


@dataclass(frozen=True)
class Binaries:
    """The folder with the Kubernetes components under their own names, and the provisioner."""

    kubernetes: Path
    provisioner: Path
    kubernetes_version: str

    def component(self, name: str) -> Path:
        return self.kubernetes / name


@dataclass(frozen=True)
class Kwok:
    """The program that simulates nodes, its custom resource definition, and the folder with its own stages."""

    program: Path
    definition: Path
    stages: Path


def ensure() -> Binaries:
    """Return the binaries, from the cache or built now (about 5 minutes on 2 cores the first time).

    Raises EnvironmentFailure if there is no Go toolchain or if a build fails.
    """
    version = pinned_version(KUBERNETES, "k8s.io/kubernetes")
    provisioner = pinned_version(PROVISIONER, "github.com/rancher/local-path-provisioner")
    changes = "\n".join(new for _, _, new in _CHANGES)
    title = f"local-path-provisioner-{provisioner}"
    return Binaries(
        kubernetes=build_once(f"kubernetes-{version}", sources=[KUBERNETES], recipe="", build=_build_kubernetes),
        provisioner=build_once(title, sources=[PROVISIONER], recipe=changes, build=_build_provisioner)
        / "local-path-provisioner",
        kubernetes_version=version,
    )


def ensure_kwok() -> Kwok:
    """Return KWOK, from the cache or built now (about 3 minutes on 2 cores); only clusters that need it call this.

    Raises EnvironmentFailure as `ensure` does.
    """
    version = pinned_version(KWOK, "sigs.k8s.io/kwok")
    recipe = " ".join(_KWOK_MANIFESTS)
    folder = build_once(f"kwok-{version}", sources=[KWOK], recipe=recipe, build=_build_kwok)
    return Kwok(program=folder / "kwok", definition=folder / Path(_KWOK_MANIFESTS[0]).name, stages=folder / "stages")


def _build_kubernetes(go: Path, target: Path) -> None:
    version = pinned_version(KUBERNETES, "k8s.io/kubernetes")
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    stamps = " ".join(f"-X {package}.gitVersion={version}" for package in packages)
    compile_packages(["."], go=go, source=KUBERNETES, output=target / "kubernetes", flags=f"-s -w {stamps}")
    for component in COMPONENTS:
        (target / component).symlink_to("kubernetes")


def _build_provisioner(go: Path, target: Path) -> None:
    """Build the module's own three files, with _CHANGES, against the modules that go.sum pins."""
    module = "github.com/rancher/local-path-provisioner"
    version = pinned_version(PROVISIONER, module)
    original = module_folder(module, go=go, source=PROVISIONER)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
        source = Path(folder)
        for path in [*original.glob("*.go"), PROVISIONER / "go.mod", PROVISIONER / "go.sum"]:
            (source / path.name).write_bytes(path.read_bytes())
        for file, old, new in _CHANGES:
            text = (source / file).read_text()
            if text.count(old) != 1:
                raise EnvironmentFailure(f"{file} of {module} {version} has no line `{old}`; see {__file__}")
            (source / file).write_text(text.replace(old, new))
        output = target / "local-path-provisioner"
        compile_packages(["."], go=go, source=source, output=output, flags=f"-s -w -X main.VERSION={version}")


def _build_kwok(go: Path, target: Path) -> None:
    module = "sigs.k8s.io/kwok"
    flags = f"-s -w -X {module}/pkg/consts.Version={pinned_version(KWOK, module)}"
    compile_packages([f"{module}/cmd/kwok"], go=go, source=KWOK, output=target / "kwok", flags=flags)
    (target / "stages").mkdir()
    for manifest in _KWOK_MANIFESTS:
        content = (module_folder(module, go=go, source=KWOK) / "kustomize" / manifest).read_bytes()
        folder = target / "stages" if manifest.startswith("stage/") else target
        (folder / Path(manifest).name).write_bytes(content)
