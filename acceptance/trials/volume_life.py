"""A volume under test: claimed, mounted by one pod after the other, written, read, deleted; every step is timed."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from acceptance.cluster.claims import (
    Claim,
    create_claim,
    remove_claim,
    wait_bound,
    wait_volume_gone,
    wait_volume_released,
)
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.objects import object_name
from acceptance.cluster.one_shot_pod import ended_pod
from acceptance.cluster.pod_manifest import PodPlan, volume_path
from acceptance.cluster.pods import create_pod, end_pod, wait_started
from acceptance.cluster.resources import VOLUMES
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.text.errors import StorageFailure

POD_DEADLINE_S = 600
BOUND = "claim bound"
"""The step from the request for a volume until its claim is bound."""
_READ = 'head -n 1 "$MARKED"'
_WRITE = f'echo "$MARKER" > "$MARKED" && sync "$MARKED" && {_READ}'

TimeStep = Callable[[str, float], None]
"""Takes the name of a step and its duration in s."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """The visit of one pod to the volume: the node that it ran on, and the content that it read there at its end."""

    node: str
    content: str


class TrialVolume:
    """One claim and the pods that visit it, one at a time. `marker` is the text that the writing pod leaves on the
    volume."""

    def __init__(self, workspace: Workspace, claim: Claim, *, time_step: TimeStep) -> None:
        self._workspace = workspace
        self._claim = claim
        self._time_step = time_step
        self._visits = 0
        self._asked_at = 0.0
        self._volume: str | None = None
        self.marker = secrets.token_hex(16)
        # At the beginning of a device, or in a file.
        self._marker_path = volume_path(0, block=True) if claim.block else f"{volume_path(0)}/marker"

    def claim(self) -> None:
        """Request the volume. Its time until it is bound counts from now: classes that wait for a pod get one next."""
        self._asked_at = create_claim(self._workspace.api, self._claim)

    def write(self) -> Visit:
        """Have a new pod write the marker, make it durable and read it back."""
        return self._visit("write", _WRITE)

    def read(self, *, node: str) -> Visit:
        """Have a new pod on the node read the marker."""
        return self._visit("read", _READ, node=node)

    @property
    def nodes(self) -> list[str]:
        """The nodes from which the bound volume may be used."""
        return nodes_for_volume(self._workspace.api, self._bound(), self._workspace.pods.template)

    def delete(self) -> None:
        """Delete the claim. Require that the volume is deleted too, or kept if its reclaim policy says so."""
        api, timeout_s, volume = self._workspace.api, self._workspace.timeout_s, self._bound()
        policy = api.get(VOLUMES, volume)["spec"].get("persistentVolumeReclaimPolicy")
        with self._timing("claim gone"):
            remove_claim(api, self._claim, timeout_s=timeout_s)
        if policy == "Delete":
            with self._timing("volume gone"):
                wait_volume_gone(api, volume, timeout_s=timeout_s)
        else:
            wait_volume_released(api, volume, timeout_s=timeout_s)

    def _visit(self, action: str, script: str, *, node: str | None = None) -> Visit:
        api, timeout_s = self._workspace.api, self._workspace.timeout_s
        self._visits += 1
        plan = PodPlan(
            name=object_name(self._claim.name, str(self._visits), action),
            claims=(self._claim,),
            image=self._workspace.image,
            command=["sh", "-c", script],
            environment={"MARKER": self.marker, "MARKED": self._marker_path},
            deadline_s=POD_DEADLINE_S,
            node=node,
            defaults=self._workspace.pods,
        )

        def end() -> None:
            with self._timing(f"pod gone after {action}"):
                end_pod(api, plan, timeout_s=timeout_s)

        with Undoing() as undoing:
            undoing.callback(end)
            with self._timing(f"pod started to {action}"):
                create_pod(api, plan, timeout_s=timeout_s)
                self._bound()
                wait_started(api, plan, timeout_s=timeout_s)
            outcome = ended_pod(self._workspace, plan, timeout_s=timeout_s)
            content = outcome.output.strip()
            if outcome.status:
                raise StorageFailure(
                    f"pod {plan.name} on StorageClass {self._claim.storage_class} could not {action}: {content} "
                    f"({outcome.state})"
                )
            return Visit(node=outcome.node, content=content)

    def _bound(self) -> str:
        if self._volume is None:
            self._volume = wait_bound(self._workspace.api, self._claim, timeout_s=self._workspace.timeout_s)
            self._time_step(BOUND, time.monotonic() - self._asked_at)
        return self._volume

    @contextmanager
    def _timing(self, step: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._time_step(step, time.monotonic() - began)
