"""Needs and costs of each capability, declared on the function that tests it. `trying.py` loads them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TypeVar

from acceptance.results.features import Capability
from acceptance.trials.features.bench import SIZE

Function = TypeVar("Function", bound=Callable[..., str])


@dataclass(frozen=True, kw_only=True)
class VolumeUse:
    """Volumes of `size` bytes. `number`: at the same time; `total`: created in all (0: no more than `number`).

    `beside`: bytes that the storage keeps for snapshots of them. The fields are those of `Volumes` in
    acceptance.planning.
    """

    number: int = 1
    size: int = SIZE
    total: int = 0
    beside: int = 0


ONE_VOLUME, TWO_VOLUMES = (VolumeUse(),), (VolumeUse(number=2),)
RESTORED_COPY = (VolumeUse(number=2, beside=SIZE),)
"""A volume, a snapshot of it, and the volume that it is restored to."""


@dataclass(frozen=True)
class Tries:
    """Decorator: the function tests the capability in a fixture setup with `arguments`, and returns what it observed.

    `title`: what volumes can do, as plan and report print it; `e2e`: its names in the Kubernetes e2e tests. For what is
    known without a test: a class that lacks the capability `needs` lacks this one, too; `of_devices`: it concerns raw
    block volumes only; `two_nodes`: it needs a second node; `fills_node`: it needs consent to fill a node, with one
    volume more; `large`: it needs the size of a large volume. For the plan: the `volumes`; how many `pods` use them,
    one after the other; `recreations`: how many volumes are recreated, one after the other; how many `snapshots` are
    deleted; `copied_bytes`; `files` created; `waits_s`.
    """

    name: Capability
    title: str
    volumes: tuple[VolumeUse, ...] = ONE_VOLUME
    _: KW_ONLY
    e2e: tuple[str, ...] = ()
    pods: int = 1
    needs: Capability | None = None
    of_devices: bool = False
    two_nodes: bool = False
    fills_node: bool = False
    large: bool = False
    recreations: int = 0
    snapshots: int = 0
    copied_bytes: int = 0
    files: int = 0
    waits_s: float = 0.0
    arguments: Mapping[str, object] = field(default_factory=dict)

    def __call__(self, function: Function) -> Function:
        """Register the function. Raises ValueError for a name that is declared twice."""
        if self.name in DECLARATIONS:
            raise ValueError(f"expected one declaration of {self.name!r}, found a second one on {function.__name__}")
        DECLARATIONS[self.name], TRIALS[self.name] = self, partial(function, **self.arguments)
        return function


DECLARATIONS: dict[Capability, Tries] = {}
TRIALS: dict[Capability, partial[str]] = {}


def require_known_needs(declarations: Mapping[Capability, Tries]) -> None:
    """Raise ValueError if a capability needs one that is not declared."""
    if unknown := {entry.needs for entry in declarations.values() if entry.needs} - declarations.keys():
        raise ValueError(f"expected needs that are declared capabilities, found {', '.join(sorted(unknown))}")
