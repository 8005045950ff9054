"""Ceph's daemons and the mount of its file system: started in order, because each needs the one before."""

import json
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import mounts, priority
from embedded_cluster.ceph import configuration, readiness
from embedded_cluster.ceph.configuration import ADMIN, FILE_SYSTEM, MANAGER, METADATA, MONITOR, OSDS, PODS, POOLS, RBD
from embedded_cluster.commands import run
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.waiting import NotYet, wait_for

MOUNT = "cephfs-mount"
# Time for one of Ceph's commands, which is a program in Python, on a busy machine.
_COMMAND_S = 60.0
_ANSWERS_S = 90.0
_READY_S = 240.0


@dataclass(frozen=True)
class Ceph:
    """Ceph of one cluster."""

    daemons: Daemons

    @property
    def layout(self) -> Layout:
        return self.daemons.layout

    @property
    def address(self) -> str:
        """The address on the pod bridge on which all of it listens."""
        return self.daemons.state.gateway

    @property
    def places(self) -> configuration.Places:
        return places_of(self.layout)

    def start(self) -> None:
        """Create a new Ceph cluster with a file system, mount that, and wait until all copies are complete.

        Raises EnvironmentFailure with the output of Ceph.
        """
        fsid = str(uuid.uuid4())
        self._configure(fsid)
        self._start_monitor(fsid)
        self._start(MANAGER, "ceph-mgr")
        stores = {number: str(uuid.uuid4()) for number in range(OSDS)}
        with ThreadPoolExecutor(max_workers=2) as pool:
            tasks = [pool.submit(self._make_store, number, store) for number, store in stores.items()]
            for number, store in stores.items():
                self.command("osd", "new", store, str(number))
            for task in tasks:
                task.result()
        for number in stores:
            self.start_osd(number)
        self._make_file_system()
        self._start(METADATA, "ceph-mds")
        self.wait_until_whole()
        self._mount()
        self.go_first()

    def start_osd(self, number: int) -> None:
        """Start one OSD, with the data that it had."""
        self._start(f"osd.{number}", "ceph-osd")

    def go_first(self) -> None:
        """Give all of it its priority; without it OSDs on a busy machine count as lost."""
        priority.go_first(self.layout, (*components(), MOUNT))

    def command(self, *words: str) -> str:
        """Return the output of one `ceph` command, as its administrator. Raise EnvironmentFailure with its output."""
        client = self.places.client
        options: list[str | Path] = ["--conf", client / "ceph.conf", "--keyring", _admin_keyring(client)]
        return run(["ceph", *options, "--connect-timeout", "20", *words], timeout=_COMMAND_S)

    def status(self) -> dict[str, Any]:
        """Return the output of `ceph status`."""
        status: dict[str, Any] = json.loads(self.command("status", "--format=json"))
        return status

    def require_alive(self) -> None:
        """Raise EnvironmentFailure with the end of the log of a daemon that was started and has died."""
        for component in components():
            if self.daemons.has(component):
                self.daemons.require_alive(component)

    def _configure(self, fsid: str) -> None:
        places = self.places
        folders = (places.state, places.run, places.client, *(places.osd(number) for number in range(OSDS)))
        for folder in (*folders, *(places.state / name for name in ("mon", "mgr", "mds", "crash"))):
            folder.mkdir(mode=0o700, parents=True)
        keys = {name: configuration.new_key() for name in configuration.rights()}
        places.configuration.write_text(configuration.for_daemons(places, fsid=fsid, address=self.address))
        _write_keys(places.keyring, keys, of=[name for name in keys if name not in (PODS, RBD)])
        _write_keys(places.pods_keyring, keys, of=[PODS])
        _write_keys(places.rbd_keyring, keys, of=[RBD])
        places.rbd.write_text(configuration.for_clients(fsid=fsid, address=self.address, keyring=places.rbd_keyring))
        _write_keys(places.state / "all.keyring", keys, of=keys)
        (places.client / "ceph.conf").write_text(configuration.for_clients(fsid=fsid, address=self.address))
        _write_keys(_admin_keyring(places.client), keys, of=[ADMIN])

    def _start_monitor(self, fsid: str) -> None:
        places, name = self.places, MONITOR.partition(".")[2]
        map_file = places.state / "monmap"
        place = f"[v2:{self.address}:{configuration.PORT}]"
        run(["monmaptool", "--create", "--fsid", fsid, "--enable-all-features", "--addv", name, place, map_file])
        keys: list[str | Path] = ["--keyring", places.state / "all.keyring"]
        mkfs: list[str | Path] = ["--mkfs", "--id", name, "--monmap", map_file, *keys]
        run(["ceph-mon", "--conf", places.configuration, *mkfs], timeout=_COMMAND_S)
        (places.state / "all.keyring").unlink()
        self._start(MONITOR, "ceph-mon")
        self._wait("Ceph's monitor to answer", self.status, timeout=_ANSWERS_S)

    def _make_store(self, number: int, store: str) -> None:
        command: list[str | Path] = ["ceph-osd", "--conf", self.places.configuration, "--id", str(number)]
        run([*command, "--mkfs", "--osd-uuid", store], timeout=_ANSWERS_S)

    def _start(self, component: str, program: str) -> None:
        name = component.partition(".")[2]
        command: list[str | Path] = [program, "--foreground", "--conf", self.places.configuration, "--id", name]
        self.daemons.start(component, [*priority.FIRST, *command])

    def _make_file_system(self) -> None:
        for pool, groups in POOLS.items():
            self.command("osd", "pool", "create", pool, str(groups))
        self.command("fs", "new", FILE_SYSTEM, *POOLS)

    def wait_until_whole(self) -> None:
        """Wait until all copies are complete. Raise EnvironmentFailure with what is missing."""

        def whole() -> None:
            if problems := readiness.lacking(self.status(), osds=OSDS):
                raise NotYet("; ".join(problems))

        self._wait("Ceph to be ready", whole, timeout=_READY_S)

    def _mount(self) -> None:
        self.layout.cephfs.mkdir(exist_ok=True)
        places = self.places
        options: list[str | Path] = ["--conf", places.client / "ceph.conf", "--keyring", places.pods_keyring]
        options += ["--name", PODS, f"--admin-socket={places.run / 'mount.asok'}"]
        command = ["ceph-fuse", "-f", *options, self.layout.cephfs]
        self.daemons.start(MOUNT, [*priority.FIRST, *command])

        def check_mount() -> None:
            self.daemons.require_alive(MOUNT)
            if self.layout.cephfs not in mounts.below(self.layout.cephfs):
                raise NotYet(f"nothing is mounted on {self.layout.cephfs}")

        wait_for("Ceph's file system to be mounted", check_mount, timeout=_ANSWERS_S)

    def _wait(self, title: str, poll: Callable[[], object], *, timeout: float) -> None:
        """Wait while Ceph's command line fails, but not for a daemon that has ended."""

        def poll_once() -> None:
            self.require_alive()
            try:
                poll()
            except (EnvironmentFailure, ValueError) as error:
                raise NotYet(str(error)) from None

        wait_for(title, poll_once, timeout=timeout, interval=0.5)


def places_of(layout: Layout) -> configuration.Places:
    """Return the paths of the files of a cluster's Ceph."""
    return configuration.Places(state=layout.ceph, run=layout.run / "ceph")


def components() -> list[str]:
    """Return all daemons, by Ceph's names for them."""
    return [MONITOR, MANAGER, METADATA, *(f"osd.{number}" for number in range(OSDS))]


def _admin_keyring(client: Path) -> Path:
    """Return the path at which a client looks for it, if `client` is its /etc/ceph."""
    return client / f"ceph.{ADMIN}.keyring"


def _write_keys(path: Path, keys: dict[str, str], *, of: Iterable[str]) -> None:
    path.touch(mode=0o600)
    path.write_text(configuration.keyring(keys, of=of))
