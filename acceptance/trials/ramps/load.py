"""The program of a pod of a ramp: it writes to its volume once and sleeps; a probe reads the volume as long as the pod
lives."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import volume_path
from acceptance.cluster.resources import Object

# Almost nothing: the cluster has to bear the number of pods, not their work.
REQUESTS = {"cpu": "10m", "memory": "16Mi"}
# The report's probe lists a directory every 5 s, from 5 s on, which the page cache may answer. This one reads past the
# cache, and has the time that a busy node takes to start a process. Three failures in a row restart the container.
PROBE = {"initialDelaySeconds": 5, "periodSeconds": 10, "timeoutSeconds": 10, "failureThreshold": 3}

_BLOCK = "bs=4096 count=1"
# A file system without O_DIRECT (tmpfs, before Linux 6.6) leaves no mark, and is read as it can be.
_FOLDER = """\
dd if=/dev/zero of="$FILE" {block} conv=fsync 2>&1 || exit 1
dd if="$FILE" of=/dev/null {block} iflag=direct 2>/dev/null && : > "$FILE.direct"
"""
_DEVICE = 'dd if=/dev/zero of="$FILE" {block} conv=notrunc,fsync 2>&1 || exit 1\n'
# The shell is the first process of its container, which no signal ends by default.
_SLEEP = "trap 'exit 0' TERM\nwhile :; do sleep 3600 & wait $!; done\n"
_READ = 'direct=; [ -e "$FILE.direct" ] && direct=iflag=direct; exec dd if="$FILE" of=/dev/null {block} $direct'


def command(claim: Claim) -> list[str]:
    """Return the command that writes one block, durably, and sleeps until it is ended."""
    script = (_DEVICE if claim.block else _FOLDER) + _SLEEP
    return ["sh", "-c", script.replace("{block}", _BLOCK)]


def environment(claim: Claim) -> dict[str, str]:
    """Return the place of the block: in a file, or on the device itself."""
    place = volume_path(0, block=claim.block)
    return {"FILE": place if claim.block else f"{place}/block"}


def probe(claim: Claim) -> Object:
    """Return the probe that reads that block from the volume itself."""
    read = 'exec dd if="$FILE" of=/dev/null {block} iflag=direct' if claim.block else _READ
    return {"exec": {"command": ["sh", "-c", read.replace("{block}", _BLOCK)]}, **PROBE}
