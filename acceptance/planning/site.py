"""The site of a run: what is known of it without creating anything, and what follows for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.api_requests import LOOK_ANSWER_S, LOOK_RETRY_S
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
from acceptance.trials.crashes.trials import DisturbancePlans, lacks_plan
from acceptance.trials.features.trying import DECLARATIONS
from acceptance.trials.rebuild.choice import choose_driver


@dataclass(frozen=True, kw_only=True)
class Site:
    """The known facts of the cluster or the host. `classes` by the requested name, None for the default class.

    `storage_classes`: all classes of the cluster; `nodes`: the number of nodes that take ordinary pods; `snapshots`,
    `groups`: True if snapshots, or groups of them, are served, None if unknown. `lacking_mode`: see `Preflight`.
    `trouble`: the error that would end a run before it began, or why the cluster could not be examined; `is_reachable`:
    the cluster answered.
    """

    kind: str | None = None
    about: str = "not examined"
    classes: Mapping[str | None, StorageClass] = field(default_factory=dict)
    storage_classes: Sequence[StorageClass] = ()
    nodes: int | None = None
    snapshots: bool | None = None
    groups: bool | None = None
    lacking_mode: Mapping[str | None, str] = field(default_factory=dict)
    trouble: str | None = None
    is_reachable: bool = True
    api: Api | None = None

    @property
    def retaining(self) -> frozenset[str]:
        """The classes whose volumes outlive their claims; a run removes these volumes at its end."""
        return frozenset(
            storage_class.name for storage_class in self.storage_classes if storage_class.reclaim_policy != "Delete"
        )

    def name(self, key: str | None) -> str:
        """Return the class's name; that of the default class only if the cluster has reported it."""
        return self.classes[key].name if key in self.classes else key or "the default class"


def look_at_cluster(api: Api, settings: Settings, *, kind: str, subjects: list[str]) -> Site:
    """Return what the cluster reports to a reader; the error that would end a run is kept as the site's trouble."""
    try:
        api.within(LOOK_ANSWER_S).version(timeout_s=LOOK_RETRY_S)
        return site_of(api, run_preflight(api, settings, kind=kind, subjects=subjects), settings)
    except AcceptanceError as error:
        return Site(kind=kind, about=kind, trouble=str(error), is_reachable=not isinstance(error, ApiUnreachable))


def site_of(api: Api, preflight: Preflight, settings: Settings) -> Site:
    """Return the known facts of a cluster that a run may begin on. Raises ApiError, ApiUnreachable."""
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
        lacking_mode=preflight.lacking_mode,
        api=api,
    )


def look_at_host(settings: Settings) -> Site:
    """Return the known facts of this host and its directories."""
    try:
        preflight = run_host_preflight(settings)
    except AcceptanceError as error:
        return Site(kind="host", about="this host", trouble=str(error))
    return Site(kind="host", about="this host, no cluster", classes=preflight.candidates)


def lacks_feature(site: Site, key: str | None, capability: Capability) -> str | None:
    """Return why the capability would be skipped, as far as that is known without testing it."""
    storage_class, required_capability = site.classes.get(key), DECLARATIONS[capability].needs or capability
    if required_capability == "expansion" and storage_class is not None and not storage_class.allow_expansion:
        return f"capability '{capability}': StorageClass {storage_class.name} does not allow it"
    if required_capability == "snapshot" and site.snapshots is False:
        return f"capability '{capability}': the cluster serves no {GROUP}/{VERSION}"
    return None


def lacks_groups(site: Site) -> str | None:
    """Return why a group snapshot would be skipped, as far as that is known without testing it."""
    return f"capability 'group snapshot': the cluster serves no {GROUPS}" if site.groups is False else None


def lacks_node_failure(
    failure: Failure,
    plan: NodeFailurePlan | str,
    *,
    kubelet: KubeletPlan | str,
    disturbances: DisturbancePlans | None = None,
) -> str | None:
    """Return why the crash would be skipped: no plan allows a node to fail, or the storage to be disturbed."""
    return lacks_plan(failure, plan, kubelet=kubelet, disturbances=disturbances)


def lacks_driver(site: Site, key: str | None, target: RebuildTarget | None, *, settings: Settings) -> str | None:
    """Return why rebuilds of the class would be skipped: there is no driver for it."""
    if site.api is None or key not in site.classes:
        return None
    try:
        choose_driver(
            site.api,
            site.classes[key],
            target=target,
            timeout_s=settings.timeout,
            move_timeout_s=settings.rebuild_timeout,
        )
    except Unsupported as error:
        return str(error)
    return None
