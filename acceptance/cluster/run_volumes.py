"""The volumes of a run while it is removed: its own are deleted with their claims, those of others outlive them."""

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
from acceptance.cluster.volumes import claimed_names, read_volumes

Key = tuple[Resource, str]
"""A volume or an attachment, by its name."""


class RunVolumes:
    """The volumes of a run. `attempt` runs a step whose failure keeps no other from being run."""

    def __init__(self, api: Api, *, run_id: str, attempt: Callable[[Callable[[], object]], None]) -> None:
        self._api = api
        self._run_id = run_id
        self._namespace = run_namespace(run_id)
        self._attempt = attempt
        self._own: set[str] = set()
        self._kept_volumes: dict[str, tuple[Object, str]] = {}

    @property
    def count(self) -> int:
        """Return how many were proven to be the run's so far."""
        return len(self._own)

    @property
    def kept_volumes(self) -> list[str]:
        """Return the volumes that are not surely the run's, in words."""
        return [why_kept(volume, why) for volume, why in self._kept_volumes.values()]

    def settle(self) -> list[str]:
        """Have the run's volumes deleted, whatever their class's reclaim policy; return the names of the existing ones.

        A volume that was proven while its claim existed stays so. Volumes of others that claims of the run hold get
        policy Retain. Raises ApiError, ApiUnreachable.
        """
        names, there_are = claimed_names(self._api, self._is_ours)
        new = [name for name in names if name not in self._own]
        if new:
            new_volumes = read_volumes(self._api, new, self._is_ours, there_are=there_are)
            belonging = belongings_in(self._api, new_volumes, run_id=self._run_id)
            for volume in belonging.own:
                self._own.add(name_of(volume))
                self._attempt(partial(set_policy, self._api, volume, "Delete"))
            for volume, why in belonging.kept_volumes:
                self._kept_volumes[name_of(volume)] = volume, why
                if volume["status"]["phase"] == "Bound":
                    self._attempt(partial(set_policy, self._api, volume, "Retain"))
        return [name for name in names if name in self._own]

    def departing(self) -> Departing[Key]:
        """Return the run's volumes and their attachments, to be polled until none exists; late ones are settled too."""
        return Departing([(VOLUMES, name) for name in sorted(self._own)], find=self._find, search=self._search)

    def are_attached(self) -> bool:
        """Return whether a node has one of the volumes attached. Raises ApiError, ApiUnreachable."""
        return bool(attachments_of(self._api, self._own))

    def _is_ours(self, namespace: str) -> bool:
        return namespace == self._namespace

    def _search(self) -> list[Key]:
        volumes = [(VOLUMES, name) for name in self.settle()]  # one may appear after its PVC is deleted
        return volumes + [(ATTACHMENTS, name) for name in attachments_of(self._api, self._own)]

    def _find(self, key: Key) -> Object | None:
        resource, name = key
        return find_attachment(self._api, name) if resource == ATTACHMENTS else self._api.find(resource, name)
