"""The settings of a run, validated together: every error is reported, not the first one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from acceptance.errors import WrongUsage
from acceptance.quantities import parse_quantity, parse_size

SIZES = {"volume_size", "test_size"}
ClusterKind = Literal["embedded", "kubeconfig", "kind", "k3d", "minikube"]


def _object_name(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?", value):
        raise ValueError(f"wanted a Kubernetes object name (lower-case letters, digits, '-', '.'), found {value!r}")
    return value


def _existing_file(value: Path) -> Path:
    if not value.is_file():
        raise ValueError(f"file {value} does not exist")
    return value


def _duration_s(value: Any) -> float:
    return parse_quantity(value, unit="s")


def _size_bytes(value: Any) -> int:
    return parse_size(value)


def _secret_name(value: str) -> str:
    namespace, _, name = value.rpartition("/")
    return f"{_object_name(namespace or 'default')}/{_object_name(name)}"


SecretName = Annotated[str, BeforeValidator(_secret_name)]
ObjectName = Annotated[str, BeforeValidator(_object_name)]
Size = Annotated[int, BeforeValidator(_size_bytes)]
Duration = Annotated[float, BeforeValidator(_duration_s)]
ExistingFile = Annotated[Path, BeforeValidator(lambda value: _existing_file(Path(value).expanduser()))]


class Settings(BaseModel):
    """What a run was asked to do. Sizes in bytes, times in s.

    Empty `storage_class`: the cluster's default class. `pull_secret` is NAMESPACE/NAME.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    storage_class: tuple[ObjectName, ...] = ()
    baseline_class: ObjectName | None = None
    tier: str = "baseline"
    thresholds: Path
    profiles: Path
    cluster: ClusterKind | None = None
    kubeconfig: ExistingFile | None = None
    context: str | None = None
    node: ObjectName | None = None
    image: str | None = None
    pull_secret: SecretName | None = None
    volume_size: Size = 2 * 1024**3
    test_size: Size = 1024**3
    timeout: Duration = 300.0
    report: Path = Path("reports")
    keep: bool = False
    destructive: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> Settings:
        problems = []
        if self.test_size > self.volume_size:
            problems.append(
                f"--storage-test-size ({self.test_size} bytes) is above --storage-volume-size ({self.volume_size} "
                "bytes): the test file would not fit on the volume; make the volume larger or the file smaller"
            )
        elif self.test_size < 64 * 1024**2:
            problems.append(f"--storage-test-size is {self.test_size} bytes; wanted at least 64Mi to measure anything")
        if (self.kubeconfig or self.context) and self.cluster not in (None, "kubeconfig"):
            problems.append(
                f"--storage-kubeconfig or --storage-context mean an existing cluster, --storage-cluster {self.cluster} "
                "another one; give one of them"
            )
        if len(set(self.storage_class)) < len(self.storage_class):
            problems.append(f"--storage-class: wanted each class once, found {', '.join(self.storage_class)}")
        if self.baseline_class in self.storage_class:
            problems.append(
                f"--storage-baseline-class {self.baseline_class} is also a --storage-class: a class cannot be compared "
                "with itself; name the local class that it is to be compared with"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self

    @property
    def cluster_kind(self) -> ClusterKind | None:
        """The kind of cluster that was named, None where none was."""
        return "kubeconfig" if self.kubeconfig or self.context else self.cluster

    @property
    def classes(self) -> tuple[str | None, ...]:
        """The candidate classes; None stands for the cluster's default class."""
        return self.storage_class or (None,)


def read_settings(values: Mapping[str, Any]) -> Settings:
    """Settings from option values, without those that nobody gave. Raises WrongUsage with every error at once."""
    try:
        return Settings(**values)
    except ValidationError as error:
        found = error.errors()
    wrong = {str(each["loc"][0]) for each in found if each["loc"]}
    if wrong:
        # What is right by itself may still not fit together. Of two sizes neither is judged without the other.
        wrong |= SIZES if wrong & SIZES else set()
        try:
            Settings(**{name: value for name, value in values.items() if name not in wrong})
        except ValidationError as error:
            found += [each for each in error.errors() if not each["loc"]]
    raise WrongUsage("\n".join(_line(each) for each in found))


def _line(error: Any) -> str:
    message = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:
        return message
    option = "--storage-" + str(error["loc"][0]).removeprefix("storage_").replace("_", "-")
    return f"{option}: {message}"
