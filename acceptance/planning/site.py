"""Where the run would be: what is known of it without creating anything, and what follows for its tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.api_requests import LOOK_RETRY_S
from acceptance.cluster.group_snapshots import GROUP as GROUPS
from acceptance.cluster.group_snapshots import group_kinds
from acceptance.cluster.node_room import usable_nodes
from acceptance.cluster.preflight import Preflight, run_preflight
from acceptance.cluster.snapshots import GROUP, VERSION, serves_snapshots
from acceptance.measuring.host_preflight import run_host_preflight
from acceptance.results.clusters import StorageClass
from acceptance.results.crashes import Failure
from acceptance.results.features import Capability
from acceptance.settings.run import Settings
from acceptance.settings.target_file import RebuildTarget
from acceptance.settings.target_plans import KubeletPlan, NodeFailurePlan
from acceptance.text.errors import AcceptanceError, Unsupported
from acceptance.trials.crashes.trials import lacks_plan
from acceptance.trials.features.trying import DECLARED
from acceptance.trials.rebuild.choice import choose_driver


@dataclass(frozen=True, kw_only=True)
class Site:
    """What is known of the cluster or the host. `classes` by the name asked for, None for the default class.

    `storage_classes`: all of the cluster; `nodes`: how many take ordinary pods; `snapshots`, `groups`: whether any are
    served, and groups of them; None where nobody knows. `trouble`: what a run would fail of before it began, or why the
    cluster could not be looked at; `reached`: whether it answered.
    """

    kind: str | None = None
    about: str = "not looked at"
    classes: Mapping[str | None, StorageClass] = field(default_factory=dict)
    storage_classes: Sequence[StorageClass] = ()
    nodes: int | None = None
    snapshots: bool | None = None
    groups: bool | None = None
    trouble: str | None = None
    reached: bool = True
    api: Api | None = None

    @property
    def retaining(self) -> frozenset[str]:
        """The classes whose volumes outlive their claims; a run has these removed when it is over."""
        return frozenset(
            storage_class.name for storage_class in self.storage_classes if storage_class.reclaim_policy != "Delete"
        )

    def name(self, asked: str | None) -> str:
        """The class's name; of the default class only where the cluster has told."""
        return self.classes[asked].name if asked in self.classes else asked or "the default class"


def look_at_cluster(api: Api, settings: Settings, *, kind: str, subjects: list[str]) -> Site:
    """What the cluster tells to who may only read; what a run would fail of is kept as its trouble."""
    try:
        api.version(timeout_s=LOOK_RETRY_S)
        return site_of(api, run_preflight(api, settings, kind=kind, subjects=subjects), settings)
    except AcceptanceError as error:
        return Site(kind=kind, about=kind, trouble=str(error), reached=not isinstance(error, ApiUnreachable))


def site_of(api: Api, preflight: Preflight, settings: Settings) -> Site:
    """What is known of a cluster that a run may begin on. Raises ApiError, ApiUnreachable."""
    cluster = preflight.cluster
    return Site(
        kind=cluster.kind,
        about=f"{cluster.kind}, Kubernetes {cluster.kubernetes_version}, {len(cluster.nodes)} nodes, "
        f"image {preflight.image}",
        classes=preflight.candidates,
        storage_classes=cluster.storage_classes,
        nodes=len(usable_nodes(api, settings.template)),
        snapshots=serves_snapshots(api),
        groups=group_kinds(api) is not None,
        api=api,
    )


def look_at_host(settings: Settings) -> Site:
    """What this host tells of the directories."""
    try:
        preflight = run_host_preflight(settings)
    except AcceptanceError as error:
        return Site(kind="host", about="this host", trouble=str(error))
    return Site(kind="host", about="this host, no cluster", classes=preflight.candidates)


def lacks_feature(site: Site, asked: str | None, capability: Capability) -> str | None:
    """Why the capability would be skipped, as far as that can be told without trying it."""
    known, needed = site.classes.get(asked), DECLARED[capability].needs or capability
    if needed == "expansion" and known is not None and not known.allow_expansion:
        return f"capability '{capability}': StorageClass {known.name} does not allow it"
    if needed == "snapshot" and site.snapshots is False:
        return f"capability '{capability}': the cluster serves no {GROUP}/{VERSION}"
    return None


def lacks_groups(site: Site) -> str | None:
    """Why a group snapshot would be skipped, as far as that can be told without trying it."""
    return f"capability 'group snapshot': the cluster serves no {GROUPS}" if site.groups is False else None


def lacks_node_failure(failure: Failure, plan: NodeFailurePlan | str, *, kubelet: KubeletPlan | str) -> str | None:
    """Why the crash would be skipped: no node may be made to fail."""
    return lacks_plan(failure, plan, kubelet=kubelet)


def lacks_driver(site: Site, asked: str | None, target: RebuildTarget | None, *, settings: Settings) -> str | None:
    """Why rebuilds of the class would be skipped: there is no driver for it."""
    if site.api is None or asked not in site.classes:
        return None
    try:
        choose_driver(
            site.api,
            site.classes[asked],
            target=target,
            timeout_s=settings.timeout,
            move_timeout_s=settings.rebuild_timeout,
        )
    except Unsupported as error:
        return str(error)
    return None
