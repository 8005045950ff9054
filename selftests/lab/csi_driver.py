"""The lab's CSI driver as a process of this host, and csi-sanity, which asks whether it does what CSI demands."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.commands import run
from embedded_cluster.csi import driver
from embedded_cluster.go_modules import build_once, compile_packages, pinned_version
from embedded_cluster.waiting import NotYet, wait_for

SANITY_SOURCE = Path(__file__).parent / "go-csi-sanity"
SANITY_MODULE = "github.com/kubernetes-csi/csi-test/v5"
SANITY_PACKAGE = f"{SANITY_MODULE}/cmd/csi-sanity"
GIBIBYTE = 1024**3
# A test that waits for a snapshot to be readyToUse waits for ever by itself. A busy machine takes minutes for all.
SANITY_S = 400


@dataclass(frozen=True, kw_only=True)
class CsiDriver:
    """A driver that serves, and its folder."""

    socket: Path
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def endpoint(self) -> str:
        return f"unix://{self.socket}"

    def have_faults(self, *faults: str) -> None:
        """Behave wrongly in these ways from now on, in no others."""
        (self.folder / "faults").write_text("".join(f"{fault}\n" for fault in faults))

    def left(self) -> set[str]:
        """What of the driver there is on this host: mounts, loop devices, files of volumes and snapshots."""
        mounts = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
        devices = run(["losetup", "--all", "--noheadings", "--output", "BACK-FILE"]).splitlines()
        files = [path for path in self.folder.rglob("*") if path.is_file() and path.name != "faults"]
        return {path for path in [*mounts, *devices, *map(str, files)] if path.startswith(f"{self.folder.parent}/")}


@contextmanager
def csi_driver(folder: Path) -> Iterator[CsiDriver]:
    """The driver, with all its services, until the block ends; what it keeps is below `folder`, and stays."""
    found = CsiDriver(socket=folder / "csi.sock", folder=folder / "pool", process=_start(folder))
    try:
        wait_for("the CSI driver to serve", lambda: _serves(found), timeout=120, interval=0.1)
        yield found
    finally:
        found.process.terminate()
        found.process.wait(timeout=120)


def _start(folder: Path) -> subprocess.Popen[bytes]:
    words = [driver.ensure(), f"--endpoint=unix://{folder}/csi.sock", f"--folder={folder}/pool", "--node=here"]
    with (folder / "csi-driver.log").open("ab") as log:
        return subprocess.Popen(words, stdout=log, stderr=log)


def _serves(found: CsiDriver) -> None:
    if found.process.poll() is not None:
        raise AssertionError((found.socket.parent / "csi-driver.log").read_text())
    if not found.socket.is_socket():
        raise NotYet("no socket")


def ensure_sanity() -> Path:
    """csi-sanity, from the cache or built now (some minutes on 2 cores)."""
    title = f"csi-sanity-{pinned_version(SANITY_SOURCE, SANITY_MODULE)}"
    return build_once(title, sources=[SANITY_SOURCE], recipe=SANITY_PACKAGE, build=_build_sanity) / "csi-sanity"


def _build_sanity(go: Path, target: Path) -> None:
    compile_packages([SANITY_PACKAGE], go=go, source=SANITY_SOURCE, output=target / "csi-sanity", flags="-s -w")


def sanity(served: CsiDriver, *more: str) -> subprocess.CompletedProcess[str]:
    """Ask csi-sanity, with 1 GiB a volume; `more`: words of its own, such as `--ginkgo.focus`."""
    words: Sequence[str | Path] = [
        ensure_sanity(),
        f"--csi.endpoint={served.endpoint}",
        f"--csi.mountdir={served.folder.parent}/mounted",
        f"--csi.stagingdir={served.folder.parent}/staged",
        f"--csi.testvolumesize={GIBIBYTE}",
        f"--csi.testvolumeexpandsize={2 * GIBIBYTE}",
        "--ginkgo.no-color",
        f"--ginkgo.timeout={SANITY_S}s",
        *more,
    ]
    return subprocess.run(words, capture_output=True, text=True, timeout=2 * SANITY_S, check=False)
