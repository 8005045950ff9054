"""Workloads that a class can be required to carry, by name, and descriptions of the workloads that a run requested."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from acceptance.results.model import Frozen

Workload = Literal[
    "etcd",
    "postgresql",
    "mysql",
    "kafka",
    "prometheus",
    "elasticsearch",
    "registry",
    "vm",
    "ai-checkpoint",
    "backup",
]
WORKLOADS: tuple[Workload, ...] = get_args(Workload)


class CarriedWorkload(Frozen):
    """A workload that the run requested. `about`: a description; `profiles`: the loads that represent it."""

    name: Workload
    about: str
    profiles: list[str] = Field(description="names of profiles; all limits on them are the workload's")
    operations: list[str] = Field(default=[], description="names of operations on files that the workload needs")
