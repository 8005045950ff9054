"""A cluster of one test file's own with a part that others have not: `python -m embedded_cluster` with its name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.waiting import wait_for
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.state import read_state
from selftests.integration.suite import ROOT
from selftests.integration.volume_pods import a_volume, shell


@dataclass(frozen=True, kw_only=True)
class OwnCluster:
    """`options`: of its `up`. `longest_s`: for one command; what it has may have to be built or installed first."""

    layout: Layout
    options: tuple[str, ...]
    longest_s: float

    def command(self, word: str, *options: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "embedded_cluster", word, "--name", self.layout.name, *options]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=self.longest_s, check=False)

    def up(self) -> str:
        """What it said."""
        result = self.command("up", *self.options)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def running(self) -> embedded_cluster.EmbeddedCluster:
        self.up()
        return self.found()

    def found(self) -> embedded_cluster.EmbeddedCluster:
        found = embedded_cluster.find(self.layout.name)
        assert found is not None
        return found

    def daemons(self) -> Daemons:
        """Its processes, as they are now."""
        state = read_state(self.layout)
        assert state is not None
        return Daemons(layout=self.layout, state=state)

    def down(self) -> None:
        result = self.command("down")
        assert result.returncode == 0, result.stdout + result.stderr

    def require_left_by_a_second_up(self) -> None:
        """Also by one that names no part."""
        before = read_state(self.layout)
        assert "already up" in self.up()
        assert "already up" in self.command("up").stdout
        assert read_state(self.layout) == before

    def wait_until_whole(self, *, seconds: float) -> None:
        wait_for(
            "the cluster to be whole again",
            look=lambda: self.command("status"),
            ready=lambda result: result.returncode == 0,
            state=lambda result: result.stdout,
            timeout_s=seconds,
        )

    def node_fails_under_volumes(
        self, api: Api, node: str, *, storage_class: str, seconds: float, meanwhile: Callable[[], None] = lambda: None
    ) -> tuple[str, str]:
        """Pods with a file system and a block device find on it what was synced; their names.

        `seconds`: for a node that comes back to be Ready, and to run its pods again.
        """
        image = self.found().image
        for name, block in (("survivor", False), ("survivor-block", True)):
            a_volume(api, name, storage_class=storage_class, image=image, node=node, block=block)
        shell(api, "survivor-block", "printf kept | dd of=/volume bs=512 conv=sync,fsync,notrunc 2>&1")
        shell(api, "survivor", "echo kept > /volume/file; sync /volume/file")
        embedded_cluster.stop_node(self.layout.name, node)
        meanwhile()
        embedded_cluster.start_node(self.layout.name, node)
        self.wait_until_whole(seconds=seconds)
        device = "dd if=/volume bs=512 count=1 2>/dev/null | head -c 4"
        wait_until_printed(api, "survivor", "cat /volume/file", wanted="kept\n", seconds=seconds)
        wait_until_printed(api, "survivor-block", device, wanted="kept", seconds=seconds)
        return "survivor", "survivor-block"


def write_and_read(api: Api, pod: str, *, block: bool) -> None:
    """On the volume of the pod, which is an XFS file system where it is no block device."""
    if block:
        shell(api, pod, "printf written | dd of=/volume bs=512 seek=2048 conv=sync,fsync,notrunc 2>&1")
        assert shell(api, pod, "dd if=/volume bs=512 skip=2048 count=1 2>/dev/null | head -c 7") == "written"
    else:
        shell(api, pod, "echo written > /volume/file; sync /volume/file")
        assert shell(api, pod, "cat /volume/file; stat -f -c %T /volume").split() == ["written", "xfs"]


def wait_until_printed(api: Api, pod: str, script: str, *, wanted: str, seconds: float) -> None:
    """By a script that may fail until then."""
    wait_for(
        f"{script} to print {wanted!r}",
        look=lambda: shell(api, pod, f"{script} 2>&1 || true"),
        ready=lambda text: text == wanted,
        state=str,
        timeout_s=seconds,
    )
