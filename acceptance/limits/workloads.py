"""The requirements of workloads, by name: a folder each, with its profiles and the limits on them, besides a tier's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from acceptance.limits.file import BUILTIN, load_limits
from acceptance.limits.limit import Limit, same_limit
from acceptance.limits.references import ancestors
from acceptance.limits.shipped import shipped_folder
from acceptance.limits.tiers import LimitsFile, Source, Tier
from acceptance.results.workloads import CarriedWorkload, Workload

LIMITS = "limits.yaml"
LEAST = "baseline"
"""The tier of a workload that counts if it has neither the run's tier nor one that this extends."""


@dataclass(frozen=True, kw_only=True)
class WorkloadLimits:
    """The limits of one workload in a tier. `profiles`: all of its folder; `text`: its file of limits."""

    name: Workload
    folder: Path
    about: str
    profiles: tuple[str, ...]
    limits: tuple[Limit, ...]
    sources: Mapping[str, Source]
    text: str

    @property
    def record(self) -> CarriedWorkload:
        """Return the workload's record in results."""
        return CarriedWorkload(name=self.name, about=self.about, profiles=list(self.profiles))


def workload_folder(name: Workload) -> Path:
    """Return the folder of a workload's profiles and limits."""
    return shipped_folder() / "workloads" / name


def load_workload(name: Workload, *, profiles: Collection[str], tiers: Sequence[str]) -> WorkloadLimits:
    """Return the limits of a workload in the first of `tiers` that its file has, else in the least tier.

    `profiles`: the names of those in its folder. Raise WrongUsage with all errors of its file.
    """
    folder = workload_folder(name)
    file = load_limits(folder / LIMITS, profiles=profiles)
    tier = file.tier(next((tier_name for tier_name in tiers if tier_name in file.tiers), LEAST))
    return WorkloadLimits(
        name=name,
        folder=folder,
        about=tier.description,
        profiles=tuple(profiles),
        limits=tier.of("limits"),
        sources=file.sources,
        text=(folder / LIMITS).read_text(encoding="utf-8"),
    )


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
