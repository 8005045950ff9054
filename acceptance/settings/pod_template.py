"""The pod template of a site for every pod of a run: a Kubernetes pod template, of which a few keys are accepted.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/#PodTemplateSpec
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from acceptance.results.model import Frozen
from acceptance.settings.strict_file import read_strict, say
from acceptance.text.errors import WrongUsage

# The keys that the suite writes itself, and by which it finds its own objects.
_OWN = re.compile(r"(.*\.)?storage-acceptance(\.[^/]*)?/.*|app\.kubernetes\.io/managed-by")


def _not_ours(keys: Mapping[str, str]) -> Mapping[str, str]:
    if own := [key for key in keys if _OWN.fullmatch(key)]:
        raise ValueError(f"expected your own keys, found {', '.join(own)}, which the suite sets itself; remove it")
    return keys


Own = Annotated[dict[str, str], AfterValidator(_not_ours)]


class _KubernetesModel(Frozen):
    """A model whose keys are spelled as in Kubernetes."""

    model_config = ConfigDict(alias_generator=to_camel)


class Toleration(_KubernetesModel):
    """One toleration. Without `key` and with `Exists` it applies to every taint, without `effect` to every effect."""

    key: str = ""
    operator: Literal["Equal", "Exists"] = "Equal"
    value: str = ""
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"] = ""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.operator == "Exists" and self.value:
            raise ValueError(f"expected no value with operator Exists, found {self.value!r}; remove it")
        if self.operator == "Equal" and not self.key:
            raise ValueError("expected a key with operator Equal, found none; add it, or set operator: Exists")
        return self

    def holds_for(self, taint: Mapping[str, Any]) -> bool:
        """Return whether it tolerates the taint of a node."""
        return (
            self.effect in ("", taint["effect"])
            and self.key in (("", taint["key"]) if self.operator == "Exists" else (taint["key"],))
            and (self.operator == "Exists" or self.value == (taint.get("value") or ""))
        )


class _Metadata(_KubernetesModel):
    labels: Own = Field(default_factory=dict)
    annotations: Own = Field(default_factory=dict)


class _Spec(_KubernetesModel):
    node_selector: dict[str, str] = Field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()
    priority_class_name: str | None = None


class PodTemplate(_KubernetesModel):
    """The additions to every pod of the run, besides its needs."""

    metadata: _Metadata = _Metadata()
    spec: _Spec = _Spec()

    def tolerates(self, taint: Mapping[str, Any]) -> bool:
        """Return whether the pods tolerate the taint of a node."""
        return any(toleration.holds_for(taint) for toleration in self.spec.tolerations)

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Return whether the pods may run on a node with these labels."""
        return all(labels.get(key) == value for key, value in self.spec.node_selector.items())

    @property
    def tolerations(self) -> list[dict[str, str]]:
        """The tolerations as the API server expects them."""
        return [
            toleration.model_dump(exclude_defaults=True) | {"operator": toleration.operator}
            for toleration in self.spec.tolerations
        ]


def read_pod_template(value: Any) -> Any:
    """Return the content of the file at that path. Raises ValueError with all its problems, each with its line."""
    if not isinstance(value, str | Path):
        return value
    try:
        return read_strict(
            Path(value).expanduser(),
            PodTemplate,
            expectation="expected a readable file with a pod template",
            describe=_say,
            title="expected a pod template, found",
        )
    except WrongUsage as error:
        raise ValueError(str(error)) from error


def _say(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return (
            "expected labels or annotations in metadata, or nodeSelector, tolerations or priorityClassName in spec, "
            "found this key; remove it"
        )
    return say(error)
