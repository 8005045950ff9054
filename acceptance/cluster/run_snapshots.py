"""The snapshots of a run that is removed, those of groups first: a member is deleted with its group alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from acceptance.cluster.api import Api
from acceptance.cluster.departing import Departing
from acceptance.cluster.going_contents import GoingContents, have_content_gone
from acceptance.cluster.group_snapshots import group_kinds, have_group_removed, let_settle
from acceptance.cluster.leftovers import contents_of, group_contents_of, group_snapshots_of, snapshots_of, was_taken
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS, Object, Resource


@dataclass(frozen=True, kw_only=True)
class RunSnapshots:
    """The snapshots of a run's namespace, with their contents, whatever the deletion policy of their class.

    `attempt` runs a step and notes its error; `empty` deletes all of a kind in the namespace, and waits; `see_gone`
    waits for contents.
    """

    api: Api
    namespace: str
    attempt: Callable[[Callable[[], object]], None]
    empty: Callable[[Resource, str], None]
    see_gone: Callable[[str, Departing[str], int], None]

    def delete(self) -> None:
        """Delete all of them."""
        self.attempt(self._delete_groups)
        self.attempt(self._delete_snapshots)

    def _delete_groups(self) -> None:
        kinds = group_kinds(self.api)
        if kinds is None:
            return
        self._set_policies(kinds.contents, contents := group_contents_of(self.api, self.namespace))
        if groups := group_snapshots_of(self.api, self.namespace):
            for group in groups:
                let_settle(self.api, name_of(group), namespace=self.namespace)
                if existing := self.api.find(kinds.snapshots, name_of(group), namespace=self.namespace):
                    self.attempt(partial(have_group_removed, self.api, kinds, existing))
            self.empty(kinds.snapshots, "VolumeGroupSnapshots")
        self._see_contents_gone(kinds.contents, contents, of=lambda: group_contents_of(self.api, self.namespace))

    def _delete_snapshots(self) -> None:
        self._set_policies(SNAPSHOT_CONTENTS, contents := contents_of(self.api, self.namespace))
        if snapshots_of(self.api, self.namespace):
            self.empty(VOLUME_SNAPSHOTS, "VolumeSnapshots")
        self._see_contents_gone(SNAPSHOT_CONTENTS, contents, of=lambda: contents_of(self.api, self.namespace))

    def _set_policies(self, kind: Resource, contents: Sequence[Object]) -> None:
        for content in contents:
            policy = "Delete" if was_taken(content) else "Retain"
            if content["spec"].get("deletionPolicy") != policy:
                self.attempt(partial(self.api.patch, kind, name_of(content), {"spec": {"deletionPolicy": policy}}))

    def _see_contents_gone(
        self, kind: Resource, contents: Sequence[Object], *, of: Callable[[], Sequence[Object]]
    ) -> None:
        # A controller that was notified too late of the new policy has kept a content, which none deletes then.
        for content in filter(was_taken, of()):
            self.attempt(partial(have_content_gone, self.api, kind, name_of(content)))
        going = Departing(
            map(name_of, filter(was_taken, contents)),
            find=GoingContents(self.api, kind=kind).find,
            search=lambda: map(name_of, filter(was_taken, of())),
        )
        goal = f"the {kind.plural} of namespace {self.namespace} to be deleted"
        self.see_gone(goal, going, len(contents))
