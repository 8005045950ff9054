"""What each capability needs and takes, declared on the function that tries it. `trying.py` loads them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TypeVar

from acceptance.results.features import Capability
from acceptance.trials.features.bench import SIZE

Function = TypeVar("Function", bound=Callable[..., str])


@dataclass(frozen=True, kw_only=True)
class VolumesUsed:
    """Volumes of `size` bytes. `number`: at one time; `made`: in all (0: no more than that).

    `beside`: bytes that the storage keeps for snapshots of them.
    """

    number: int = 1
    size: int = SIZE
    made: int = 0
    beside: int = 0


ONE, TWO = (VolumesUsed(),), (VolumesUsed(number=2),)
RESTORED = (VolumesUsed(number=2, beside=SIZE),)
"""a volume, a snapshot of it, and what that is restored to"""


@dataclass(frozen=True)
class Tries:
    """Decorator: the function tries the capability, on a bench and with `arguments`, and returns how it was seen.

    `title`: what volumes can do, as plan and report say it; `e2e`: what the Kubernetes e2e calls it. For what is known
    without trying: a class that lacks the capability `needs` lacks this one, too; `of_devices`: it is about raw block
    volumes alone; `two_nodes`: it needs a second node; `fills_node`: it needs consent to fill one, with one volume
    more. For the plan: the `volumes`; how many `pods` use them, one after the other; how many volumes are `recreated`,
    one after the other; how many `snapshots` are deleted; bytes `copied`; `files` created; `waits_s`.
    """

    name: Capability
    title: str
    volumes: tuple[VolumesUsed, ...] = ONE
    _: KW_ONLY
    e2e: tuple[str, ...] = ()
    pods: int = 1
    needs: Capability | None = None
    of_devices: bool = False
    two_nodes: bool = False
    fills_node: bool = False
    recreated: int = 0
    snapshots: int = 0
    copied: int = 0
    files: int = 0
    waits_s: float = 0.0
    arguments: Mapping[str, object] = field(default_factory=dict)

    def __call__(self, function: Function) -> Function:
        """Raise ValueError for a name that is declared twice."""
        if self.name in DECLARED:
            raise ValueError(f"wanted one declaration of {self.name!r}, found a second one on {function.__name__}")
        DECLARED[self.name], TRIALS[self.name] = self, partial(function, **self.arguments)
        return function


DECLARED: dict[Capability, Tries] = {}
TRIALS: dict[Capability, Callable[..., str]] = {}


def require_known_needs(declared: Mapping[Capability, Tries]) -> None:
    """Raise ValueError where one needs a capability that is not declared."""
    if unknown := {each.needs for each in declared.values() if each.needs} - declared.keys():
        raise ValueError(f"wanted needs that are declared capabilities, found {', '.join(sorted(unknown))}")
