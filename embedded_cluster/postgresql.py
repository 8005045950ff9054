"""An image of PostgreSQL, built from Debian's packages as this host has them, for runs that start it on a volume."""

import hashlib
import json
import re
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import images, packages
from embedded_cluster.commands import run
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import PACKAGE, Layout, cache_folder
from embedded_cluster.locking import cluster_lock, preparation_lock
from embedded_cluster.oci_archive import add_image, add_layer, write_index
from embedded_cluster.progress import step
from embedded_cluster.stand_ins import CONFIG_MAP
from embedded_cluster.state import ClusterState, LoadedImages, read_state, write_state
from embedded_cluster.whole_file import written_whole

PACKAGES = {
    "busybox-static": "busybox",
    "libnss-wrapper": "/usr/lib/*/libnss_wrapper.so",
    "postgresql": "/usr/lib/postgresql/*/bin/pg_amcheck",
}
PROGRAMS = ("postgres", "initdb", "pg_ctl", "pgbench", "psql", "pg_amcheck", "pg_checksums")
_MODULES = ("amcheck", "dict_snowball", "plpgsql")
_LIBRARIES, _SHARE = Path("/usr/lib/postgresql"), Path("/usr/share/postgresql")


@dataclass(frozen=True)
class Image:
    """An archive with the image, and its reference."""

    archive: Path
    reference: str


def ensure() -> Image:
    """Return the image, from the cache or built now; install missing Debian packages, without starting their service.

    Raises EnvironmentFailure if they are not available.
    """
    packages.ensure(PACKAGES)
    version = re.findall(r"\d+(?:\.\d+)+", run([_newest() / "bin/postgres", "--version"]))[0]
    files = _files()
    inputs = hashlib.sha256(Path(__file__).read_bytes() + (PACKAGE / "images.py").read_bytes())
    for name, path in sorted(files.items()):
        inputs.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    image = Image(
        archive=cache_folder() / f"postgresql-{version}-{inputs.hexdigest()[:12]}.tar",
        reference=f"localhost/storage-acceptance/postgresql:{version}",
    )
    if not image.archive.exists():
        with step(f"make the image of PostgreSQL {version}"), written_whole(image.archive) as scratch:
            _write(scratch, image.reference, files)
    return image


def offer(layout: Layout) -> None:
    """Load the image on all nodes of a running cluster, and name it where runs look for images.

    Raises EnvironmentFailure if the image is not available or the cluster does not run.
    """
    _running(layout)
    with preparation_lock():
        image = ensure()
    with cluster_lock(layout):
        state = _running(layout)
        with step(f"PostgreSQL's image on {len(state.node_addresses)} nodes"):
            for number in range(1, len(state.node_addresses) + 1):
                images.load(image.archive, layout.node(number), snapshotter=state.snapshotter)
        write_state(layout, state.with_images(LoadedImages(archive=str(image.archive), images=(image.reference,))))
    change = json.dumps({"data": {"postgresqlImage": image.reference}})
    Kubectl.of(layout).run("patch", *CONFIG_MAP, "--type=merge", f"--patch={change}")


def _running(layout: Layout) -> ClusterState:
    """Return the state of a cluster that runs. Raise EnvironmentFailure if there is none."""
    state = read_state(layout)
    if state is None:
        raise EnvironmentFailure(f"cluster {layout.name} does not run; start it with `storage-acceptance cluster up`")
    return state


def _newest() -> Path:
    """Return the folder of the newest version on this host."""
    folders = [path for path in _LIBRARIES.glob("[0-9]*") if (path / "bin/pg_amcheck").exists()]
    if not folders:
        raise EnvironmentFailure(f"{_LIBRARIES} holds no PostgreSQL; Debian's package postgresql has one")
    return max(folders, key=lambda path: int(path.name))


def _files() -> dict[str, Path]:
    """Return the files of the image: path there -> file here. Without its just-in-time compiler, which is large."""
    folder = _newest()
    programs = [folder / "bin" / name for name in PROGRAMS]
    modules = [folder / "lib" / f"{name}.so" for name in _MODULES]
    (wrapper,) = list(Path("/usr/lib").glob("*/libnss_wrapper.so"))[:1]
    data_files = [path for path in (_SHARE / folder.name).rglob("*") if path.is_file() and "man" not in path.parts]
    own = {str(path.relative_to("/")): path for path in (*programs, *modules, *data_files, wrapper)}
    busybox = images.load_generators()["usr/bin/busybox"]
    return {**images.libraries_of(*programs, *modules, wrapper), **own, "usr/bin/busybox": busybox}


def _write(target: Path, reference: str, files: Mapping[str, Path]) -> None:
    with tarfile.open(target, "w") as archive:
        layer = add_layer(archive, images.layer(files))
        config = {"Env": ["PATH=/bin"], "User": f"{images.USER}:{images.USER}", "Cmd": ["/bin/sh"]}
        write_index(archive, [add_image(archive, reference, layers=[layer], config=config)])
