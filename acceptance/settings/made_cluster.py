"""The cluster that a run creates with kind, k3d or minikube, as `--storage-cluster-set KEY=VALUE` describes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationError

from acceptance.results.model import Frozen
from acceptance.settings.values import Duration, ExistingFile

Maker = Literal["kind", "k3d", "minikube"]
MAKERS: tuple[Maker, ...] = get_args(Maker)
# Since when nodeTaintsPolicy is heeded:
# https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
LOWEST = (1, 26)
"""the oldest Kubernetes that the suite supports"""
CREATION_S = 600.0
"""A node image of a GiB comes from a registry first; creation itself took 30 s to 3 min where it was tried."""
OPTION = "--storage-cluster-set"


def _version(value: str) -> str:
    """`1.34.0`, or a node image. Whether that version exists only the maker knows."""
    if ":" in value:
        return value
    found = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)", value)
    if found is None:
        raise ValueError(f"wanted a Kubernetes version such as 1.34.0, or a node image with its tag, found {value!r}")
    if (int(found[1]), int(found[2])) < LOWEST:
        raise ValueError(f"wanted Kubernetes {LOWEST[0]}.{LOWEST[1]} or later, found {value}")
    return value.removeprefix("v")


class MadeCluster(Frozen):
    """What the cluster is to be like. `time`: for creating it, and for its nodes and provisioner to be ready, in s.

    `version`: None for what the maker takes by itself; `nodes`: how many take pods; `config`: a file of kind's or
    k3d's own; `load`: whether images that the run needs are loaded from Docker on this machine into the nodes.
    """

    version: Annotated[str, BeforeValidator(_version)] | None = None
    nodes: Annotated[int, Field(ge=1, le=20)] | None = None
    config: ExistingFile | None = None
    load: Literal["auto", "always", "never"] = "auto"
    time: Duration = CREATION_S

    def problems(self, maker: str | None) -> Iterator[str]:
        """What does not fit together, in sentences."""
        given = ", ".join(f"{key}={getattr(self, key)}" for key in self.model_fields_set)
        if given and maker not in MAKERS:
            yield (
                f"{OPTION} {given} is about a cluster that the run creates; wanted --storage-cluster "
                f"{', '.join(MAKERS)}, found {maker or 'none of them'}"
            )
        if self.config is not None and self.nodes is not None:
            yield f"{OPTION} config={self.config} lists the nodes itself; leave out nodes={self.nodes}"
        if maker == "minikube" and self.config is not None:
            yield f"{OPTION} config={self.config}: minikube has no file that describes a cluster; leave it out"
        if maker == "minikube" and ":" in (self.version or ""):
            yield f"{OPTION} version={self.version}: wanted a Kubernetes version, as minikube takes no node image"


def _read(value: Any) -> Any:
    """`version=1.34.0`, several of them. Raises ValueError with all that is wrong."""
    if isinstance(value, MadeCluster):
        return value
    keys = tuple(MadeCluster.model_fields)
    given: dict[str, str] = {}
    for text in value:
        key, equals, word = str(text).partition("=")
        if key not in keys or not equals or not word:
            raise ValueError(f"wanted KEY=VALUE, with a KEY of {', '.join(keys)}, found {text!r}")
        if key in given:
            raise ValueError(f"wanted each KEY once, found {key}={given[key]} and {text}")
        given[key] = word
    try:
        return MadeCluster.model_validate(given)
    except ValidationError as error:
        told = (f"{each['loc'][0]}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors())
        raise ValueError("; ".join(told)) from None


GivenCluster = Annotated[MadeCluster, BeforeValidator(_read)]
