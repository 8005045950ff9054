"""Longhorn's processes on the nodes of an embedded cluster, which are processes of this host: found, and killed as a
crash kills them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for

GONE_S = 20.0
"""For a process that was killed to be gone, on a busy machine."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """Processes of pods with those labels whose command lines have all the words."""

    labels: str
    words: tuple[str, ...]


MANAGER = Part(labels="app=longhorn-manager", words=("longhorn-manager", "daemon"))
PLUGIN = Part(labels="app=longhorn-csi-plugin", words=("longhorn-manager", "csi"))
_INSTANCES = "longhorn.io/component=instance-manager"
INSTANCE_MANAGER = Part(labels=_INSTANCES, words=("longhorn-instance-manager", "daemon"))


def engine_of(volume: str) -> Part:
    """The engine of a volume: the process that all of its reads and writes go through."""
    return Part(labels=_INSTANCES, words=("controller", volume))


def replica_of(volume: str, name: str = "") -> Part:
    """The replica of a volume that is so called, or all of them."""
    return Part(labels=_INSTANCES, words=("replica", "--volume-name", volume, *filter(None, [name])))


def kill(api: Api, part: Part, *, namespace: str, node: str | None = None) -> list[int]:
    """Kill its processes, on one node or on all, and wait until they are gone; their ids, one at least."""
    pids = processes(api, part, namespace=namespace, node=node)
    assert pids, f"no process of {part} runs on {node or 'any node'}"
    for pid in pids:
        with suppress(ProcessLookupError):  # it went with another one
            os.kill(pid, signal.SIGKILL)
    wait_for(
        "processes that were killed to be gone",
        look=lambda: [pid for pid in pids if psutil.pid_exists(pid) and _words(pid)],
        ready=lambda seen: not seen,
        state=str,
        timeout_s=GONE_S,
    )
    return pids


def processes(api: Api, part: Part, *, namespace: str, node: str | None = None) -> list[int]:
    """Their ids now; none where there is none."""
    pods = [
        each["metadata"]["uid"]
        for each in api.list(PODS, namespace=namespace, labels=part.labels)
        if node in (None, each["spec"].get("nodeName"))
    ]
    return [pid for pid in psutil.pids() if set(part.words) <= _words(pid) and _in_one_of(pid, pods)]


def _words(pid: int) -> set[str]:
    """Of its command line, the program by its bare name; empty of one that has ended."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").rstrip("\0").split("\0")
    except OSError:
        return set()
    return {Path(words[0]).name, *words[1:]} - {""}


def _in_one_of(pid: int, pods: list[str]) -> bool:
    try:
        groups = Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return False
    return any(f"pod{uid}" in groups for uid in pods)
