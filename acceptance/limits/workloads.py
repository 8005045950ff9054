"""The requirements of workloads, by name: a folder each, with profiles, limits on them, and operations on files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from acceptance.limits.file import BUILTIN, load_limits
from acceptance.limits.limit import Limit, same_limit
from acceptance.limits.references import ancestors
from acceptance.limits.shipped import shipped_folder
from acceptance.limits.tiers import LimitsFile, Source, Tier
from acceptance.results.file_operations import FILE_OPERATIONS
from acceptance.results.workloads import CarriedWorkload, Workload
from acceptance.text.errors import WrongUsage
from acceptance.text.strict_yaml import load

LIMITS = "limits.yaml"
OPERATIONS = "operations.yaml"
LEAST = "baseline"
"""The tier of a workload that counts if it has neither the run's tier nor one that this extends."""


@dataclass(frozen=True, kw_only=True)
class WorkloadLimits:
    """The limits of one workload in a tier.

    `profiles`: all of its folder; `operations`: the operations on files that it needs, each with the reason; `texts`:
    its limits and operations, by the names of their files.
    """

    name: Workload
    folder: Path
    about: str
    profiles: tuple[str, ...]
    limits: tuple[Limit, ...]
    sources: Mapping[str, Source]
    operations: Mapping[str, str]
    texts: Mapping[str, str]

    @property
    def record(self) -> CarriedWorkload:
        """Return the workload's record in results."""
        return CarriedWorkload(
            name=self.name, about=self.about, profiles=list(self.profiles), operations=list(self.operations)
        )


def workload_folder(name: Workload) -> Path:
    """Return the folder of a workload's profiles and limits."""
    return shipped_folder() / "workloads" / name


def load_workload(name: Workload, *, profiles: Collection[str], tiers: Sequence[str]) -> WorkloadLimits:
    """Return the limits of a workload in the first of `tiers` that its file has, else in the least tier.

    `profiles`: the names of those in its folder. Raise WrongUsage with all errors of its file.
    """
    folder = workload_folder(name)
    file, operations_file = load_limits(folder / LIMITS, profiles=profiles), folder / OPERATIONS
    tier = file.tier(next((tier_name for tier_name in tiers if tier_name in file.tiers), LEAST))
    return WorkloadLimits(
        name=name,
        folder=folder,
        about=tier.description,
        profiles=tuple(profiles),
        limits=tier.of("limits"),
        sources=file.sources,
        operations=load_operations(operations_file) if operations_file.is_file() else {},
        texts={
            path.name: path.read_text(encoding="utf-8") for path in (folder / LIMITS, operations_file) if path.is_file()
        },
    )


def load_operations(path: Path) -> dict[str, str]:
    """Return the operations on files that a workload needs, each with the reason. Raise WrongUsage with all errors."""
    document = load(path.read_text(encoding="utf-8"))
    entries = document.data if isinstance(document.data, dict) else {}
    errors = [f"{path}, line {problem.line}: {problem.text}" for problem in document.problems]
    errors += [
        f"{path}, line {document.line_of((name,))}: expected an operation of {', '.join(FILE_OPERATIONS)} with a "
        f"reason, found {name!r}"
        for name, reason in entries.items()
        if name not in FILE_OPERATIONS or not isinstance(reason, str) or not reason
    ]
    if errors or not entries:
        raise WrongUsage("\n".join(errors) or f"{path}: expected operations, found none")
    return {name: str(reason) for name, reason in entries.items()}


def family_of(tier: Tier, file: LimitsFile) -> list[str]:
    """Return the names of the tier and of those that it extends, nearest first, without the prefix of shipped ones."""
    parents = {name: file_tier.extends for name, file_tier in file.tiers.items()}
    own = [tier.name, *ancestors(tier.name, parents)]
    last = parents.get(own[-1])  # of another file, where it is none of this one
    return [name.removeprefix(BUILTIN) for name in (*own, *filter(None, [last]))]


def with_workloads(tier: Tier, workloads: Sequence[WorkloadLimits]) -> Tier:
    """Return the tier with the limits of the workloads; its own on the same profile, metric and side precede."""
    own_keys = {same_limit(limit) for limit in tier.limits}
    additions = [limit for workload in workloads for limit in workload.limits if same_limit(limit) not in own_keys]
    return replace(tier, limits=(*tier.limits, *additions))
