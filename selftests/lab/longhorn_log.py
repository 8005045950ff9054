"""When Longhorn rebuilt a replica, by its own log: what its instance managers print, engines and replicas included.

Source: longhorn-engine 1.10, `AddReplica` in pkg/sync/sync.go, which the instance manager of the engine's node runs,
and `VerifyRebuildReplica` in pkg/controller/rebuild.go, which the engine runs. Between the two all data is copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from acceptance.cluster.api import Api
from acceptance.cluster.resources import PODS

_OF_PART = re.compile(r"^\[(?P<part>[^\]\s]+)\] ")
_ENTRY = re.compile(r'time="(?P<time>[^"]+)" level=\w+ msg="(?P<said>[^"]*)"')
_BEGUN = re.compile(r"Adding replica (?P<address>\S+) in WO mode")
_WHOLE = re.compile(r"WO replica (?P<address>\S+)'s chain verified, update mode to RW")


@dataclass(frozen=True, kw_only=True)
class OwnRebuild:
    """One rebuild that ended well. `engine`: that of the volume, whose name begins with the volume's."""

    engine: str
    address: str
    begun: datetime
    whole: datetime

    @property
    def seconds(self) -> float:
        """From its begin to its end (s)."""
        return (self.whole - self.begun).total_seconds()


def rebuilds_in(lines: Iterable[str]) -> list[OwnRebuild]:
    """Those whose begin and end are in the log of one instance manager.

    A try that failed leaves a begin without an end; the next one at that address counts.
    """
    begun: dict[str, datetime] = {}
    found = []
    for part, at, said in _entries(lines):
        if match := _BEGUN.search(said):
            begun[match["address"]] = at
        elif (match := _WHOLE.search(said)) and match["address"] in begun:
            address = match["address"]
            found.append(OwnRebuild(engine=part, address=address, begun=begun.pop(address), whole=at))
    return found


def _entries(lines: Iterable[str]) -> Iterator[tuple[str, datetime, str]]:
    """Who said what, and when. A part's name stands before the first of several lines that it said at once."""
    part = ""
    for line in lines:
        if match := _OF_PART.match(line):
            part = match["part"]
        if match := _ENTRY.search(line):
            yield part, datetime.fromisoformat(match["time"]), match["said"]


def own_rebuilds(api: Api, *, namespace: str) -> list[OwnRebuild]:
    """Those that the instance managers of all nodes tell of, each by its own log so far."""
    found = []
    for pod in api.list(PODS, namespace=namespace, labels="longhorn.io/component=instance-manager"):
        log = api.log(pod["metadata"]["name"], namespace=namespace, container="instance-manager")
        found += rebuilds_in(log.splitlines())
    return found
