"""The options of the command line, ini files and the environment: each option and default, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acceptance.settings.offered_trials import DURABILITY, LOAD, RAMP, REBUILD, SCALE, WITH
from acceptance.settings.option import Group, Option

TEST_SUBJECTS = (
    Option(
        name="class",
        setting="storage_class",
        metavar="NAME",
        kind="values",
        help="candidate StorageClass, or directory with --storage-cluster host; repeatable",
        otherwise="the cluster's default class",
    ),
    Option(
        name="baseline-class",
        metavar="NAME",
        help="local StorageClass or directory to compare with; without it comparison tests are skipped",
    ),
    Option(
        name="compare-with",
        metavar="NAME",
        help="StorageClass or directory to measure in turn with the candidate and to show, without a verdict",
    ),
    Option(
        name="for",
        setting="workloads",
        metavar="WORKLOAD",
        kind="values",
        help="also judge whether each class is fast enough for a workload: etcd, postgresql, mysql, kafka, prometheus, "
        "elasticsearch, registry, vm, ai-checkpoint or backup; repeatable (docs/workloads.md)",
    ),
    Option(
        name="target",
        metavar="NAME|FILE",
        help="known storage: a name from docs/targets.md, or a target file with its settings, how its replicas are "
        "rebuilt (docs/rebuild.md) and how nodes are made to fail (docs/durability.md)",
    ),
    Option(
        name="require-capability",
        formerly="expect",
        setting="expect",
        metavar="CAP,...",
        help="capabilities that every class must have, such as expansion, snapshot, clone: a missing one is a fail "
        "instead of a skip (docs/volume-features.md)",
    ),
    Option(
        name="declaration",
        metavar="FILE",
        help="your description of product, hardware and preconditions, for the first page of the report "
        "(docs/vendors.md)",
    ),
    Option(
        name="import",
        setting="imports",
        metavar="FILE[:NAME]",
        kind="values",
        help="JUnit file of the Kubernetes e2e, of csi-sanity or of another tool, whose results the report "
        "shows; repeatable (docs/importing.md)",
    ),
    Option(
        name="imported-failures",
        metavar="show|fail",
        help="effect of a failure in an imported file: the report shows it, or it fails the run too",
        default="show",
    ),
)
LIMITS = (
    Option(name="tier", metavar="NAME", help="tier of limits", default="baseline"),
    Option(
        name="thresholds",
        metavar="FILE[:FILE...]",
        help="limits file, or several that are merged",
        otherwise="thresholds.yaml",
    ),
    Option(
        name="limit",
        metavar="LIMIT",
        kind="values",
        help="one limit instead of the tier's own, such as 'sync-write-iops.write.iops>=1200'; repeatable",
    ),
    Option(name="profiles", metavar="DIR", help="folder of fio job files", otherwise="profiles/"),
)
CLUSTER = (
    Option(
        name="cluster",
        metavar="KIND",
        help="embedded, kubeconfig, kind, k3d or minikube; in-cluster: the cluster of the pod that the suite runs in, "
        "with its service account; host: no cluster, classes are directories of this host",
        otherwise="a running embedded cluster",
    ),
    Option(
        name="cluster-set",
        metavar="KEY=VALUE",
        kind="values",
        help="settings of a cluster that the run creates (kind, k3d, minikube): version=1.34.0, nodes=N (that take "
        "pods), config=FILE (of kind or k3d), load=auto|always|never (images of this machine's Docker), time=TIME (to "
        "create it); repeatable (docs/platforms.md)",
        otherwise="the program's own version, 1 node, load=auto, time=10min",
    ),
    Option(
        name="embedded-name",
        formerly="embedded",
        setting="embedded",
        metavar="NAME",
        help="name of the embedded cluster, if several run",
        otherwise="default",
    ),
    Option(
        name="cpu-latency",
        metavar="low|unchanged",
        help="embedded cluster: whether this host's CPUs are kept from sleeping during the run, as by tuned's "
        "profile latency-performance",
        otherwise="low, if the kernel allows it",
    ),
    Option(name="kubeconfig", metavar="FILE", help="kubeconfig of an existing cluster"),
    Option(name="context", metavar="NAME", help="context of the kubeconfig"),
)
PODS = Group(
    name="pods",
    help="all pods of the run",
    options=(
        Option(
            name="pod-user",
            part="user",
            metavar="ID|cluster",
            help="user and group that the pods run as; cluster: the pods request none, and the cluster assigns one",
            otherwise="cluster on OpenShift, else 65534",
        ),
        Option(
            name="pod-template",
            part="template",
            metavar="FILE",
            help="labels, annotations, tolerations, node selector and priority class of the pods, as in a pod template "
            "(docs/platforms.md)",
        ),
        Option(
            name="pull-secret",
            part="pull-secret",
            metavar="NAME",
            help="pull secret for the image, NAME or NAMESPACE/NAME",
        ),
    ),
)
IN_THE_CLUSTER = (
    Option(name="node", metavar="NAME", help="node that runs the load", otherwise="chosen, the same for both classes"),
    Option(name="image", metavar="REF", help="image with fio and a shell", otherwise="the one that the cluster offers"),
    PODS,
    Option(
        name="postgresql-image",
        metavar="REF",
        help="with --storage-for postgresql: image of the PostgreSQL that is killed and recovered",
        otherwise="the one that the cluster offers, else docker.io/library/postgres:17.6-bookworm",
    ),
    Option(name="volume-size", metavar="SIZE", help="size of each PVC", default="3Gi"),
    Option(name="test-size", metavar="SIZE", help="size of the file that fio loads", default="1Gi"),
    Option(
        name="volume-mode",
        metavar="MODE",
        help="filesystem, or block: raw block devices without a file system",
        default="filesystem",
    ),
    Option(
        name="access-mode",
        metavar="MODE",
        help="access mode of all PVCs: ReadWriteOnce (rwo), ReadWriteMany (rwx) or ReadWriteOncePod (rwop); a baseline "
        "class keeps ReadWriteOnce",
        default="ReadWriteOnce",
    ),
    Option(
        name="claim-at-most",
        metavar="SIZE",
        help="consent: maximum total size of the PVCs that the run has at one time, over all classes",
        default="100Gi",
    ),
    Option(
        name="pool-share",
        metavar="PERCENT",
        help="how much of a pool's free space the run may claim at one time, if that is known",
        default="50%",
    ),
)
TRIALS = (
    LOAD,
    WITH,
    SCALE,
    RAMP,
    DURABILITY,
    REBUILD,
    Option(name="destructive", kind="flag", help="allow tests that kill, rebuild or ramp to the limit"),
    Option(
        name="kill-pods",
        metavar="NAMESPACE/LABEL=VALUE",
        kind="values",
        help="pods of the storage system that may be killed, one at a time, while volumes are written; repeatable "
        "(docs/disruption.md)",
    ),
)
RUN = (
    Option(
        name="preset",
        metavar="NAME|FILE",
        help="job whose tests, options and time budget apply: gate, nightly, qualification, accept, or a file of your "
        "own; your options replace those of the preset (docs/presets.md)",
    ),
    Option(
        name="budget",
        metavar="TIME",
        help="time for the run: tests that no longer fit are left out, and named (docs/presets.md)",
        otherwise="that of the preset, else unlimited",
    ),
    Option(
        name="plan",
        kind="flag",
        help="show what the run would create and test, and how long that takes; create and run nothing",
    ),
    Option(
        name="timeout",
        metavar="TIME",
        help="how long a PVC may take to bind, a pod to start, an object to be deleted",
        default="5min",
    ),
    Option(name="report", metavar="DIR", help="folder in which each run creates its own", default="reports"),
    Option(
        name="history",
        metavar="PATH",
        help="file of earlier runs, or folder for history.jsonl: this run is compared with them, and then added "
        "(docs/history.md)",
    ),
    Option(
        name="pushgateway",
        metavar="URL",
        help="Pushgateway that receives the metrics at the end of the run; metrics.prom holds them in any case",
    ),
    Option(
        name="inconclusive",
        metavar="inconclusive|fail|pass",
        help="how the run ends if no verdict fails and one is inconclusive: exit status 6, 1 or 0; the verdict itself "
        "does not change",
        default="inconclusive",
    ),
    Option(
        name="partial",
        metavar="partial|fail|pass",
        help="how the run ends if nothing failed and the tier was judged in part, as after -k or -m: exit status 7, 1 "
        "or 0; report and results show it in any case",
        default="partial",
    ),
    Option(
        name="keep",
        kind="flag",
        help="if a test failed, keep namespace and volumes, the folders of a host, or the cluster that the run created",
    ),
)
HEADINGS: Mapping[str, tuple[Option | Group, ...]] = {
    "What is tested": TEST_SUBJECTS,
    "Limits": LIMITS,
    "The cluster": CLUSTER,
    "Pods and volumes": IN_THE_CLUSTER,
    "Loads and trials": TRIALS,
    "The run": RUN,
}


def _all() -> Iterator[Option]:
    for entries in HEADINGS.values():
        for entry in entries:
            yield from entry.options if isinstance(entry, Group) else (entry,)


GROUPS = tuple(entry for entries in HEADINGS.values() for entry in entries if isinstance(entry, Group))
OPTIONS = tuple(_all())
"""All options, including those in groups."""
BY_KEY = {option.key: option for option in OPTIONS}
"""The options by their names among the settings."""
