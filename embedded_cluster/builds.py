"""The binaries that are built here from pinned Go modules, kept in the cache and verified by go.sum."""

import hashlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import golang
from embedded_cluster.commands import run
from embedded_cluster.layout import PACKAGE, cache_folder
from embedded_cluster.progress import say, step

KUBERNETES = PACKAGE / "go"
PROVISIONER = PACKAGE / "go-provisioner"
KWOK = PACKAGE / "go-kwok"

COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl")

# The provisioner's client otherwise keeps to 5 requests a second, which a test of provisioning speed would measure.
_CLIENT = "kubeClient, err := clientset.NewForConfig(config)"
_FASTER = "config.QPS, config.Burst = 300, 600"
# What is changed in the provisioner, which has no options for it: file, line, and what it is made to be.
_CHANGES = (
    ("main.go", _CLIENT, f"{_FASTER}\n\t{_CLIENT}"),
    # Between two looks at a helper pod, of which a volume needs one to be made and one to go.
    ("provisioner.go", "time.Sleep(1 * time.Second)", "time.Sleep(time.Second / 5)"),
)
LOOKS = 5
"""looks at a helper pod for each second of the provisioner's `cmdTimeoutSeconds`, which counts them"""

# Of KWOK's own files: the definition of its stages, and the stages of ordinary nodes and pods.
_KWOK_MANIFESTS = (
    "crd/bases/kwok.x-k8s.io_stages.yaml",
    "stage/node/fast/node-initialize.yaml",
    "stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
    "stage/pod/fast/pod-ready.yaml",
    "stage/pod/fast/pod-delete.yaml",
)

_BUILD_SECONDS = 3600


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
    """The program that plays nodes, its custom resource definition, and the folder with its own stages."""

    program: Path
    definition: Path
    stages: Path


class _Build(Protocol):
    def __call__(self, *, go: Path, target: Path, version: str) -> None: ...


def ensure() -> Binaries:
    """The built binaries, from the cache or built now (about 5 minutes on 2 cores the first time).

    Raises EnvironmentFailure where there is no Go to be had or where a build fails.
    """
    version = _pinned(KUBERNETES, "k8s.io/kubernetes")
    provisioner = _pinned(PROVISIONER, "github.com/rancher/local-path-provisioner")
    changes = "\n".join(new for _, _, new in _CHANGES)
    return Binaries(
        kubernetes=_cached(f"kubernetes-{version}", source=KUBERNETES, build=_build_kubernetes, version=version),
        provisioner=_cached(
            f"local-path-provisioner-{provisioner}",
            source=PROVISIONER,
            build=_build_provisioner,
            version=provisioner,
            recipe=changes,
        )
        / "local-path-provisioner",
        kubernetes_version=version,
    )


def ensure_kwok() -> Kwok:
    """What plays nodes, from the cache or built now (about 3 minutes on 2 cores); only clusters that want it ask.

    Raises EnvironmentFailure as `ensure` does.
    """
    version = _pinned(KWOK, "sigs.k8s.io/kwok")
    recipe = " ".join(_KWOK_MANIFESTS)
    folder = _cached(f"kwok-{version}", source=KWOK, build=_build_kwok, version=version, recipe=recipe)
    return Kwok(program=folder / "kwok", definition=folder / Path(_KWOK_MANIFESTS[0]).name, stages=folder / "stages")


def _pinned(source: Path, module: str) -> str:
    match = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", (source / "go.mod").read_text(), re.MULTILINE)
    if match is None:
        raise EnvironmentFailure(f"{source / 'go.mod'} does not pin {module}")
    return match[1]


def _cached(title: str, *, source: Path, build: _Build, version: str, recipe: str = _FASTER) -> Path:
    """The folder in the cache with what `build` makes of `source`; made under another name, so never half there.

    `recipe` is what the outcome depends on beside `source`.
    """
    inputs = b"".join(path.read_bytes() for path in sorted(source.iterdir())) + recipe.encode()
    folder = cache_folder() / f"{title}-{hashlib.sha256(inputs).hexdigest()[:12]}"
    if folder.exists():
        return folder
    say(f"building {title}; this is done once, and takes minutes")
    go = golang.find_go(wanted=golang.wanted_by(source))
    cache_folder().mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix="build-", dir=cache_folder()))
    try:
        with step(f"build {title}"):
            build(go=go, target=temporary, version=version)
        temporary.chmod(0o755)
        temporary.rename(folder)
    except OSError:
        if not folder.exists():  # Else another `up` was faster, and its build is as good.
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _build_kubernetes(*, go: Path, target: Path, version: str) -> None:
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    stamps = " ".join(f"-X {package}.gitVersion={version}" for package in packages)
    _go_build(go=go, source=KUBERNETES, output=target / "kubernetes", flags=f"-s -w {stamps}")
    for component in COMPONENTS:
        (target / component).symlink_to("kubernetes")


def _build_provisioner(*, go: Path, target: Path, version: str) -> None:
    """Build the module's own three files, with _CHANGES, against the modules that go.sum pins."""
    module = "github.com/rancher/local-path-provisioner"
    original = _module(module, go=go, source=PROVISIONER)
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
        _go_build(go=go, source=source, output=output, flags=f"-s -w -X main.VERSION={version}")


def _build_kwok(*, go: Path, target: Path, version: str) -> None:
    module = "sigs.k8s.io/kwok"
    flags = f"-s -w -X {module}/pkg/consts.Version={version}"
    _go_build(go=go, source=KWOK, output=target / "kwok", flags=flags, package=f"{module}/cmd/kwok")
    (target / "stages").mkdir()
    for manifest in _KWOK_MANIFESTS:
        content = (_module(module, go=go, source=KWOK) / "kustomize" / manifest).read_bytes()
        folder = target / "stages" if manifest.startswith("stage/") else target
        (folder / Path(manifest).name).write_bytes(content)


def _module(module: str, *, go: Path, source: Path) -> Path:
    """The folder with the sources of a module that `source` pins; downloaded and verified where it is not there."""
    run([go, "mod", "download", module], cwd=source, environment=_environment(), timeout=_BUILD_SECONDS)
    return Path(run([go, "list", "-m", "-f", "{{.Dir}}", module], cwd=source, environment=_environment()).strip())


def _go_build(*, go: Path, source: Path, output: Path, flags: str, package: str = ".") -> None:
    command: list[str | Path] = [
        go,
        "build",
        "-mod=readonly",
        "-buildvcs=false",
        "-trimpath",
        "-ldflags",
        flags,
        "-o",
        output,
        package,
    ]
    run(command, cwd=source, environment=_environment(), timeout=_BUILD_SECONDS)


def _environment() -> dict[str, str]:
    return {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}
