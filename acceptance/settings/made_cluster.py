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
# The version from which on nodeTaintsPolicy is respected:
# https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
LOWEST = (1, 26)
"""The oldest Kubernetes version that the suite supports."""
CREATION_S = 600.0
"""Time (s) to pull a node image of a GiB and to create the cluster, which took 30 s to 3 min in trials."""
OPTION = "--storage-cluster-set"


def _version(value: str) -> str:
    """Return `1.34.0`, or a node image. Only the maker knows whether that version exists."""
    if ":" in value:
        return value
    match = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)", value)
    if match is None:
        raise ValueError(f"expected a Kubernetes version such as 1.34.0, or a node image with its tag, found {value!r}")
    if (int(match[1]), int(match[2])) < LOWEST:
        raise ValueError(f"expected Kubernetes {LOWEST[0]}.{LOWEST[1]} or later, found {value}")
    return value.removeprefix("v")


class MadeCluster(Frozen):
    """The properties of the cluster. `time`: for creating it until its nodes and provisioner are ready, in s.

    `version`: None for the maker's default; `nodes`: the number of nodes that take pods; `config`: a configuration file
    of kind or k3d; `load`: whether images that the run needs are loaded from this machine's Docker into the nodes.
    """

    version: Annotated[str, BeforeValidator(_version)] | None = None
    nodes: Annotated[int, Field(ge=1, le=20)] | None = None
    config: ExistingFile | None = None
    load: Literal["auto", "always", "never"] = "auto"
    time: Duration = CREATION_S

    def problems(self, maker: str | None) -> Iterator[str]:
        """Yield the settings that contradict each other, in sentences."""
        settings_text = ", ".join(f"{key}={getattr(self, key)}" for key in self.model_fields_set)
        if settings_text and maker not in MAKERS:
            yield (
                f"{OPTION} {settings_text} applies to a cluster that the run creates; expected --storage-cluster "
                f"{', '.join(MAKERS)}, found {maker or 'none of them'}"
            )
        if self.config is not None and self.nodes is not None:
            yield f"{OPTION} config={self.config} lists the nodes itself; leave out nodes={self.nodes}"
        if maker == "minikube" and self.config is not None:
            yield f"{OPTION} config={self.config}: minikube has no configuration file for clusters; leave it out"
        if maker == "minikube" and ":" in (self.version or ""):
            yield f"{OPTION} version={self.version}: expected a Kubernetes version; minikube takes no node image"


def _read(value: Any) -> Any:
    """Return the cluster from words such as `version=1.34.0`. Raises ValueError with all problems."""
    if isinstance(value, MadeCluster):
        return value
    keys = tuple(MadeCluster.model_fields)
    values: dict[str, str] = {}
    for text in value:
        key, equals, word = str(text).partition("=")
        if key not in keys or not equals or not word:
            raise ValueError(f"expected KEY=VALUE, with a KEY of {', '.join(keys)}, found {text!r}")
        if key in values:
            raise ValueError(f"expected each KEY once, found {key}={values[key]} and {text}")
        values[key] = word
    try:
        return MadeCluster.model_validate(values)
    except ValidationError as error:
        messages = (f"{entry['loc'][0]}: {entry['msg'].removeprefix('Value error, ')}" for entry in error.errors())
        raise ValueError("; ".join(messages)) from None


GivenCluster = Annotated[MadeCluster, BeforeValidator(_read)]
