"""What workloads ask for, by name: a folder each, with its profiles and the limits on them, beside those of a tier."""

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
"""The tier of a workload that counts where the tier of the run is none of its own, and extends none of them."""


@dataclass(frozen=True, kw_only=True)
class WorkloadLimits:
    """What one workload asks for in a tier. `profiles`: all of its folder; `text`: its file of limits."""

    name: Workload
    folder: Path
    about: str
    profiles: tuple[str, ...]
    limits: tuple[Limit, ...]
    sources: Mapping[str, Source]
    text: str

    @property
    def tested(self) -> CarriedWorkload:
        """As results tell of it."""
        return CarriedWorkload(name=self.name, about=self.about, profiles=list(self.profiles))


def workload_folder(name: Workload) -> Path:
    """Where the profiles and limits of a workload are."""
    return shipped_folder() / "workloads" / name


def load_workload(name: Workload, *, profiles: Collection[str], tiers: Sequence[str]) -> WorkloadLimits:
    """What a workload asks for in the first of `tiers` that its file has, else in the least.

    `profiles`: the names of those in its folder. Raises WrongUsage with all that is wrong with its file.
    """
    folder = workload_folder(name)
    file = load_limits(folder / LIMITS, profiles=profiles)
    tier = file.tier(next((each for each in tiers if each in file.tiers), LEAST))
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
    """The tier's name and those that it extends, the nearest first, by the names that the shipped ones have."""
    parents = {name: each.extends for name, each in file.tiers.items()}
    own = [tier.name, *ancestors(tier.name, parents)]
    last = parents.get(own[-1])  # of another file, where it is none of this one
    return [each.removeprefix(BUILTIN) for each in (*own, *filter(None, [last]))]


def with_workloads(tier: Tier, workloads: Sequence[WorkloadLimits]) -> Tier:
    """The tier with the limits of the workloads; what it says itself of the same profile, metric and side counts."""
    said = {same_limit(each) for each in tier.limits}
    added = [limit for workload in workloads for limit in workload.limits if same_limit(limit) not in said]
    return replace(tier, limits=(*tier.limits, *added))
