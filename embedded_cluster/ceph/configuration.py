"""The text of the files that configure Ceph's daemons and clients; pure, except for the keys."""

import base64
import os
import struct
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PORT = 3300
"""Ceph's own port of monitors; each cluster has it on an address of its own."""
OSDS = 4
"""For three copies: if one OSD is lost, all copies can be created again on the others."""
OSD_BYTES = 4 * 1024**3
"""The size of the file that an OSD stores in, which takes as much of the disk as was written to it."""
POOLS = {"cephfs.metadata": 8, "cephfs.data": 32}
"""The pools of the file system, with their placement groups."""
RBD_POOL, RBD_GROUPS = "rbd", 32
"""The pool of block devices, with its placement groups, if the cluster has one."""
FILE_SYSTEM = "cephfs"
MONITOR, MANAGER, METADATA = "mon.a", "mgr.a", "mds.a"
ADMIN, PODS, RBD = "client.admin", "client.pods", "client.rbd"

# The type of a key: AES.
_KEY_TYPE = 1
_KEY_BYTES = 16
_RBD_RIGHTS = {"mon": "", "mgr": f" pool={RBD_POOL}", "osd": f" pool={RBD_POOL}"}
_OSD_CACHE_BYTES = 64 * 1024**2


@dataclass(frozen=True)
class Places:
    """The paths of the daemons' data and sockets."""

    state: Path
    run: Path

    @property
    def configuration(self) -> Path:
        return self.state / "daemons.conf"

    @property
    def keyring(self) -> Path:
        return self.state / "daemons.keyring"

    @property
    def client(self) -> Path:
        """The folder that administrators have as /etc/ceph: a configuration and a key, and nothing of the daemons."""
        return self.state / "client"

    @property
    def pods_keyring(self) -> Path:
        """The key with which volumes are mounted."""
        return self.state / "pods.keyring"

    @property
    def rbd(self) -> Path:
        """The configuration with which block devices are used."""
        return self.state / "rbd.conf"

    @property
    def rbd_keyring(self) -> Path:
        """The key with which block devices are used."""
        return self.state / "rbd.keyring"

    def osd(self, number: int) -> Path:
        return self.state / f"osd-{number}"


def for_daemons(places: Places, *, fsid: str, address: str) -> str:
    """Return the configuration of all daemons. They listen on `address` alone, and log to the standard error stream.

    To Ceph, each OSD is on a host of its own: copies are on different hosts there, and so on different OSDs.
    """
    sections: dict[str, Mapping[str, object]] = {
        "global": {
            **_common(fsid=fsid, address=address),
            "public addr": address,
            # Otherwise OSDs would listen for each other on all addresses of the host.
            "cluster addr": address,
            "ms bind msgr1": "false",
            "keyring": places.keyring,
            "run dir": places.run,
            "crash dir": places.state / "crash",
            "log to stderr": "true",
            "err to stderr": "true",
            "log to file": "false",
            # Only clients older than this one would need it, and Ceph warns of it.
            "auth allow insecure global id reclaim": "false",
        },
        "mon": {
            "mon data": places.state / "mon",
            "mon cluster log to file": "false",
            # The disk is the host's: how full it is says nothing about this cluster, so only the last percents count.
            "mon data avail warn": 5,
            "mon data avail crit": 2,
            # Pools keep the number of groups that they are created with, so that each rebuild is the same.
            "osd pool default pg autoscale mode": "off",
        },
        # Without a module that listens for HTTP.
        "mgr": {"mgr data": places.state / "mgr", "mgr initial modules": "iostat"},
        "mds": {"mds data": places.state / "mds"},
        "osd": {
            "osd data": places.state / "osd-$id",
            "bluestore block create": "true",
            "bluestore block size": OSD_BYTES,
            # Otherwise each takes 4 GiB of memory.
            "bluestore cache autotune": "false",
            "bluestore cache size": _OSD_CACHE_BYTES,
        },
        **{f"osd.{number}": {"crush location": f"root=default host=store-{number}"} for number in range(OSDS)},
    }
    return _text(sections)


def for_clients(*, fsid: str, address: str, keyring: Path | None = None) -> str:
    """Return the configuration of clients: the monitors' address and, as a default, their key."""
    return _text({"global": _common(fsid=fsid, address=address) | ({"keyring": keyring} if keyring else {})})


def _common(*, fsid: str, address: str) -> dict[str, object]:
    return {"fsid": fsid, "mon host": f"[v2:{address}:{PORT}]"}


def _text(sections: Mapping[str, Mapping[str, object]]) -> str:
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items())
        for name, settings in sections.items()
    )


def rights() -> dict[str, dict[str, str]]:
    """Return the permissions of all identities. The one that mounts volumes has no others."""
    full_access = dict.fromkeys(("mon", "mgr", "osd", "mds"), "allow *")
    return {
        "mon.": {"mon": "allow *"},
        MANAGER: {"mon": "allow profile mgr", "osd": "allow *", "mds": "allow *"},
        METADATA: {"mon": "allow profile mds", "mgr": "allow profile mds", "osd": "allow rwx", "mds": "allow *"},
        **{
            f"osd.{number}": {"mon": "allow profile osd", "mgr": "allow profile osd", "osd": "allow *"}
            for number in range(OSDS)
        },
        ADMIN: full_access,
        RBD: {kind: f"profile rbd{pool}" for kind, pool in _RBD_RIGHTS.items()},
        PODS: {"mon": "allow r", "mgr": "allow r", "mds": "allow rw", "osd": f"allow rw tag cephfs data={FILE_SYSTEM}"},
    }


def keyring(keys: Mapping[str, str], *, of: Iterable[str]) -> str:
    """Return a file with the keys of these identities, and their permissions."""
    permissions = rights()
    sections: dict[str, Mapping[str, object]] = {
        name: {
            "key": keys[name],
            **{f"caps {kind}": f'"{capability}"' for kind, capability in permissions[name].items()},
        }
        for name in of
    }
    return _text(sections)


def new_key() -> str:
    """Return a key in Ceph's format: its type, its time of creation, its length and itself, in base64."""
    header = struct.pack("<HIIH", _KEY_TYPE, int(time.time()), 0, _KEY_BYTES)
    return base64.b64encode(header + os.urandom(_KEY_BYTES)).decode()
