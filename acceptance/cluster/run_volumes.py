"""The volumes of a run while it is removed: its own go with their claims, those of others outlive them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from acceptance.cluster.api import Api
from acceptance.cluster.attachments import attachments_of, find_attachment
from acceptance.cluster.departing import Departing
from acceptance.cluster.leftovers import belongings_in
from acceptance.cluster.objects import name_of, run_namespace
from acceptance.cluster.ownership import set_policy, why_kept
from acceptance.cluster.resources import ATTACHMENTS, VOLUMES, Object, Resource
from acceptance.cluster.volumes import claimed_names, volumes_named

Key = tuple[Resource, str]
"""A volume or an attachment, by its name"""


class RunVolumes:
    """`attempt` does a step of which the failure keeps no other from being done."""

    def __init__(self, api: Api, *, run_id: str, attempt: Callable[[Callable[[], object]], None]) -> None:
        self._api = api
        self._run_id = run_id
        self._namespace = run_namespace(run_id)
        self._attempt = attempt
        self._own: set[str] = set()
        self._kept: dict[str, tuple[Object, str]] = {}

    @property
    def count(self) -> int:
        """How many were proven to be the run's so far."""
        return len(self._own)

    @property
    def kept(self) -> list[str]:
        """The volumes that are not surely the run's, in words."""
        return [why_kept(volume, why) for volume, why in self._kept.values()]

    def settle(self) -> list[str]:
        """Have the run's volumes deleted, whatever their class's reclaim policy; the names of those there are now.

        One that was proven while its claim was there stays so. Volumes of others that claims of the run hold get policy
        Retain. Raises ApiError, ApiUnreachable.
        """
        names, there_are = claimed_names(self._api, self._is_ours)
        new = [name for name in names if name not in self._own]
        if new:
            seen = volumes_named(self._api, new, self._is_ours, there_are=there_are)
            found = belongings_in(self._api, seen, run_id=self._run_id)
            for volume in found.own:
                self._own.add(name_of(volume))
                self._attempt(partial(set_policy, self._api, volume, "Delete"))
            for volume, why in found.kept:
                self._kept[name_of(volume)] = volume, why
                if volume["status"]["phase"] == "Bound":
                    self._attempt(partial(set_policy, self._api, volume, "Retain"))
        return [name for name in names if name in self._own]

    def departing(self) -> Departing[Key]:
        """The run's volumes and their attachments, looked at until all are gone; one that comes late is settled."""
        return Departing([(VOLUMES, name) for name in sorted(self._own)], find=self._find, search=self._search)

    def are_attached(self) -> bool:
        """Whether a node has one. Raises ApiError, ApiUnreachable."""
        return bool(attachments_of(self._api, self._own))

    def _is_ours(self, namespace: str) -> bool:
        return namespace == self._namespace

    def _search(self) -> list[Key]:
        volumes = [(VOLUMES, name) for name in self.settle()]  # one may come when its PVC is gone already
        return volumes + [(ATTACHMENTS, name) for name in attachments_of(self._api, self._own)]

    def _find(self, key: Key) -> Object | None:
        resource, name = key
        return find_attachment(self._api, name) if resource == ATTACHMENTS else self._api.find(resource, name)
