"""What Longhorn is built of: programs, definitions and images, without a compiler."""

import json
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import go_modules, golang
from embedded_cluster.csi import sidecars
from embedded_cluster.longhorn import definitions, images, programs
from embedded_cluster.longhorn.programs import Programs

CHART = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.17.1
  labels: {{- include "longhorn.labels" . | nindent 4 }}
    longhorn-manager: ""
  name: volumes.longhorn.io
"""


def test_definitions_come_without_what_is_for_helm(tmp_path: Path) -> None:
    path = tmp_path / "crds.yaml"
    path.write_text(f"{CHART}---\n{CHART}")
    documents = list(yaml.safe_load_all(definitions.without_chart(path)))
    assert [document["metadata"]["labels"] for document in documents] == [{"longhorn-manager": ""}] * 2


def test_another_template_in_the_definitions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crds.yaml"
    path.write_text(CHART + "{{- if .Values.crds }}\n")
    with pytest.raises(EnvironmentFailure, match=r"crds\.yaml:9 is a directive for Helm.*if \.Values"):
        definitions.without_chart(path)


def test_all_definitions_are_written(tmp_path: Path) -> None:
    manager, snapshots = tmp_path / "manager", tmp_path / "snapshots"
    for folder in (manager / "k8s", snapshots / "config" / "crd"):
        folder.mkdir(parents=True)
    (manager / "k8s" / "crds.yaml").write_text(CHART)
    for kind in ("classes", "contents", "s"):
        (snapshots / f"config/crd/snapshot.storage.k8s.io_volumesnapshot{kind}.yaml").write_text(kind)
    definitions.write(tmp_path / "longhorn", manager=manager)
    sidecars.write_definitions(tmp_path / "crds", module=snapshots)
    assert "{{" not in (tmp_path / "longhorn" / "longhorn.yaml").read_text()
    written = {path.name: path.read_text() for path in (tmp_path / "crds").iterdir()}
    assert written == {f"snapshots-volumesnapshot{kind}.yaml": kind for kind in ("classes", "contents", "s")}


class Compiler:
    """Plays `go`: notes what is compiled, and writes a file for each program."""

    def __init__(self) -> None:
        self.calls: list[dict[str, object]] = []

    def __call__(self, packages: list[str], *, output: Path, **others: object) -> None:
        self.calls.append({"packages": packages, **others})
        names = [package.rpartition("/")[2] for package in packages]
        files = [output / name for name in names] if output.is_dir() else [output]
        for file in files:
            file.write_text(f"#!{file.name}")


def written(folder: Path, name: str) -> None:
    folder.mkdir()
    (folder / name).touch()


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    played = Compiler()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for module in (programs, go_modules):
        monkeypatch.setattr(module, "compile_packages", played)
    monkeypatch.setattr(golang, "find_go", lambda **_: Path("go"))
    monkeypatch.setattr(programs.packages, "ensure", lambda _packages: False)
    monkeypatch.setattr(go_modules, "run", lambda *_, **__: "")
    for module in (programs, sidecars):
        monkeypatch.setattr(module, "module_folder", lambda module, **_: tmp_path / module)
    monkeypatch.setattr(programs.definitions, "write", lambda folder, **_: written(folder, "longhorn.yaml"))
    monkeypatch.setattr(sidecars, "write_definitions", lambda folder, **_: written(folder, "snapshots.yaml"))
    for module, script in programs._SCRIPTS:
        (tmp_path / module / script).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module / script).write_text("#!/bin/bash\n")
    return played


def test_every_program_is_where_it_is_said_to_be(compiler: Compiler) -> None:
    found = programs.ensure()
    assert found.version == "v1.10.0"
    assert {name for name, path in found.paths.items() if not path.is_file()} == set()
    assert found.path("longhorn-adaptor").read_text() == "#!longhorn-adaptor"
    assert found.path("launch-manager").stat().st_mode & 0o777 == 0o755
    assert set(images._PLACES.values()) <= set(found.paths)
    assert {entrypoint for entrypoint in images._ENTRYPOINTS.values() if entrypoint} <= set(found.paths)
    assert [path.name for path in found.crds] == ["longhorn.yaml", "snapshots.yaml"]


def test_the_sidecars_are_built_without_longhorn(compiler: Compiler) -> None:
    """A cluster with another CSI driver has them alone, and Longhorn takes the same from the cache."""
    found = sidecars.ensure()
    assert {name for name, path in found.paths.items() if not path.is_file()} == set()
    assert [call["packages"] for call in compiler.calls] == [list(sidecars.PROGRAMS.values())]
    assert not any("longhorn" in str(package) for package in sidecars.PROGRAMS.values())
    assert dict(found.paths).items() <= dict(programs.ensure().paths).items()


def test_only_the_engine_and_its_manager_are_linked_with_c(compiler: Compiler) -> None:
    programs.ensure()
    with_c = [call for call in compiler.calls if call.get("cgo")]
    assert [call["packages"] for call in with_c] == [[programs._ENGINE, programs._INSTANCES]]
    assert "-extldflags -static" in str(with_c[0]["flags"])


def test_what_was_built_is_taken_from_the_cache(compiler: Compiler) -> None:
    first = programs.ensure()
    calls = len(compiler.calls)
    assert programs.ensure() == first
    assert len(compiler.calls) == calls


def test_a_module_that_is_not_served_is_told_with_where_it_was_looked_for(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(command: list[object], **_: object) -> str:
        if "GOPROXY" in command:
            return "https://proxy.example\n"
        raise EnvironmentFailure("`go list` ended with 1:\ngithub.com/longhorn/types: 404 Not Found")

    monkeypatch.setattr(go_modules, "run", play)
    with pytest.raises(EnvironmentFailure, match=r"proxy\.example(?s:.*)404 Not Found\n.*without Longhorn"):
        programs.ensure()
    assert compiler.calls == []


@pytest.mark.parametrize("name", ["programs", "attacher", "adaptor"])
def test_modules_are_pinned_with_their_sums(name: str) -> None:
    """Every module of a go.mod has its checksum, that of another's local stand-in aside."""
    folder = programs._GO / name
    required = re.findall(r"^\s(?:require )?(\S+\.\S+/\S+ v\S+)", (folder / "go.mod").read_text(), re.MULTILINE)
    sums = (folder / "go.sum").read_text()
    replaced = {"github.com/longhorn/longhorn-spdk-engine"}
    missing = [each for each in required if f"{each}/go.mod h1:" not in sums and each.split()[0] not in replaced]
    assert [each for each in missing if not each.startswith("k8s.io/")] == []


def test_images_are_named_as_longhorn_names_them() -> None:
    version = go_modules.pinned_version(programs._LONGHORN, programs._MANAGER)
    assert images.NAMES["longhorn-engine"] == f"docker.io/longhornio/longhorn-engine:{version}"
    assert {reference.rpartition(":")[2] for reference in images.NAMES.values()} == {version}


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(images.packages, "ensure", lambda _packages: False)
    monkeypatch.setattr(images.images, "libraries_of", lambda *_: {})
    monkeypatch.setattr(images.images, "run", lambda _command: "sh\ncat\nnc\nbusybox\n")
    host: Callable[[str], Path] = lambda name: tmp_path / "host" / name  # noqa: E731
    monkeypatch.setattr(images, "_of_host", host)
    host("").mkdir()
    for name in (*images._DEBIAN, "busybox"):
        host(name).write_text(name)
    names = [*programs._PURE, *programs._WITH_C, *programs._OF_ATTACHER, *programs._OF_ADAPTOR, *sidecars.PROGRAMS]
    names += [Path(script).name for _, script in programs._SCRIPTS]
    for name in names:
        (tmp_path / name).write_text(name)
    return Programs(version="v1.10.0", paths={name: tmp_path / name for name in names}, crds=())


def test_all_images_share_one_layer(shipped: Programs) -> None:
    with tarfile.open(images.archive(shipped)) as tar:
        names = tar.getnames()
        assert len(names) == len(set(names))
        read: Callable[[str], bytes] = lambda name: (tar.extractfile(name) or pytest.fail(name)).read()  # noqa: E731
        index = json.loads(read("index.json"))
        layers, entrypoints = set(), {}
        for entry in index["manifests"]:
            manifest = json.loads(read(f"blobs/sha256/{entry['digest'].removeprefix('sha256:')}"))
            config = json.loads(read(f"blobs/sha256/{manifest['config']['digest'].removeprefix('sha256:')}"))
            layers |= {each["digest"] for each in manifest["layers"]}
            entrypoints[entry["annotations"]["io.containerd.image.name"]] = config["config"].get("Entrypoint")
        (layer,) = layers
        with tarfile.open(fileobj=tar.extractfile(f"blobs/sha256/{layer.removeprefix('sha256:')}")) as content:
            inside = {member.name: member for member in content.getmembers()}
            shell = content.extractfile("usr/bin/sh")
            assert shell is not None and shell.read() == b"bash"
    assert set(entrypoints) == set(images.NAMES.values())
    assert entrypoints[images.NAMES["livenessprobe"]] == ["/usr/bin/livenessprobe"]
    assert entrypoints[images.NAMES["longhorn-manager"]] is None
    assert {"usr/local/bin/longhorn", "usr/local/bin/grpc_health_probe", "usr/bin/tgtd"} <= set(inside)
    folders = {name.rpartition("/")[0] for name in inside}
    assert {"run", "var/log", "var/run", "usr/lib/modules"} <= folders  # sockets, logs, and what is mounted there
    assert inside["usr/bin/cat"].linkname == "busybox" and inside["usr/bin/nc"].isreg()


def test_images_of_another_version_are_refused(shipped: Programs) -> None:
    with pytest.raises(EnvironmentFailure, match=r"named for Longhorn v1\.10\.0, and the programs are v1\.11\.0"):
        images.archive(Programs(version="v1.11.0", paths=shipped.paths, crds=()))
