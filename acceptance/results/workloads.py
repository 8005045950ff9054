"""Workloads that a class can be asked to carry, by name, and what was known of those that a run asked for."""

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
    """One that the run asked for. `about` says what it is; `profiles`: the loads that stand for it."""

    name: Workload
    about: str
    profiles: list[str] = Field(description="names of profiles; all limits on them are the workload's")
