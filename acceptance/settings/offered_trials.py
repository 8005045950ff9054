"""The options of single trials: long or destructive ones, many volumes, ramps, rebuilds, failures."""

from __future__ import annotations

from acceptance.settings.option import Group, Option

LOAD = Group(
    name="load",
    help="loads of profiles",
    options=(
        Option(
            name="load-time",
            part="time",
            metavar="TIME",
            help="minimum duration of each load, alone and in turn, such as 30s: longer loads show smaller changes "
            "between runs",
            otherwise="until its verdicts are decided, at least 4s",
        ),
        Option(
            name="longest",
            part="longest",
            metavar="TIME",
            help="maximum duration of a load whose verdicts are undecided after a minute, 60s to 30min",
            default="5min",
        ),
        Option(
            name="unjudged-time",
            part="unjudged",
            metavar="TIME",
            help="duration of a load whose profile has no limit",
            default="12s",
        ),
    ),
)

SCALE = Group(
    name="scale",
    help="many volumes at the same time",
    options=(
        Option(
            name="scale-steps",
            part="steps",
            metavar="N,N,...",
            help="number of loaded volumes in each step",
            default="1,3,6,9,12,15",
        ),
        Option(
            name="scale-profiles",
            part="profiles",
            metavar="NAME",
            kind="values",
            help="profile to run; repeatable",
            otherwise="the profiles with scaling limits in the tier",
        ),
        Option(
            name="scale-window",
            part="window",
            metavar="TIME",
            help="how long each step is measured at first",
            default="8s",
        ),
        Option(
            name="scale-rate-pods",
            part="rate-pods",
            metavar="N",
            help="number of volumes that are loaded at a set rate",
            otherwise="51; embedded: the last step",
        ),
        Option(
            name="scale-rate",
            part="rate",
            metavar="RATE",
            help="set rate of each volume",
            otherwise="an even share of the capacity, as the tier defines it",
        ),
    ),
)
RAMP = Group(
    name="ramp",
    help="pods with a volume each, created at a steady rate",
    options=(
        Option(
            name="ramp-pods",
            part="pods",
            metavar="N",
            help="number of pods",
            otherwise="the number that the tier requires",
        ),
        Option(
            name="ramp-rate",
            part="rate",
            metavar="RATE",
            help="pods that are requested per unit of time, such as 30/min",
            otherwise="the rate of the tier",
        ),
        Option(
            name="ramp-form",
            part="form",
            metavar="FORM",
            help="set: one StatefulSet for all pods; per-node: one for each node",
            default="set",
        ),
        Option(
            name="ramp-node-selector",
            part="node-selector",
            metavar="KEY=VALUE",
            help="use the nodes with this label, regardless of their taints",
            otherwise="the nodes that take ordinary pods",
        ),
    ),
)
REBUILD = Group(
    name="rebuild",
    help="rebuild of a lost replica",
    options=(
        Option(
            name="rebuild-size",
            part="size",
            metavar="SIZE",
            help="amount of data on the volume",
            otherwise="20Gi, or 5Gi of alternating data; embedded: 1Gi, 256Mi",
        ),
        Option(
            name="rebuild-smaller",
            part="smaller",
            metavar="PERCENT",
            help="a second size that is timed first, as a share of the size, to separate the time to begin from the "
            "rate",
            otherwise="a quarter; embedded: none",
        ),
        Option(
            name="rebuild-repeats",
            part="repeats",
            metavar="N",
            help="how often each rebuild is timed, 1 or at least 3",
            default="1",
        ),
        Option(
            name="rebuild-snapshots",
            part="snapshots",
            metavar="N",
            help="number of snapshots of a volume, including the head; the largest volume is divided by it",
            default="1",
        ),
        Option(
            name="rebuild-timeout",
            part="timeout",
            metavar="TIME",
            help="maximum duration of one rebuild",
            default="1h",
        ),
    ),
)
DURABILITY = Group(
    name="durability",
    help="acknowledged writes and crashes",
    options=(
        Option(
            name="durability-time",
            part="time",
            metavar="TIME",
            help="how long records are written before each crash",
            default="5s",
        ),
        Option(
            name="failover-timeout",
            part="failover-timeout",
            metavar="TIME",
            help="how long it may take until the volume of a failed node is used on another node",
            default="15min",
        ),
    ),
)
WITH = Group(
    name="with",
    help="tests that run only on request",
    options=(
        Option(
            name="sustained",
            part="sustained",
            kind="flag",
            help="load each class without a pause, and judge its speed at the end",
        ),
        Option(
            name="sustained-time",
            part="sustained",
            metavar="TIME",
            help="duration of the load, in whole minutes",
            default="40min",
        ),
        Option(
            name="latency-under-load",
            part="latency-under-load",
            kind="flag",
            help="measure the capacity of a volume, then latency at 10, 50, 80 and 90 % of it, and judge latency at "
            "the share that the tier names",
        ),
        Option(
            name="noisy-neighbours",
            part="noisy-neighbors",
            former_part="noisy-neighbours",
            metavar="N",
            help="measure latency at a share of a volume's capacity, alone and while N other volumes of its class are "
            "fully loaded, and judge rate and latency by the tier",
            default="0",
        ),
        Option(
            name="operations",
            part="operations",
            kind="flag",
            help="time control operations, many at the same time: PVCs bound, pods ready, snapshots, restores, "
            "clones, expansions, PVs deleted",
        ),
        Option(
            name="operations-at-once",
            part="operations",
            metavar="N",
            help="number of operations at the same time, in as many rounds as the tier's percentiles need",
            default="20",
        ),
        Option(
            name="many-files",
            part="many-files",
            kind="flag",
            help="time a volume with very many files: how fast files are created, listed, looked up and deleted, and "
            "how soon pods start on the volume",
        ),
        Option(
            name="many-files-count",
            part="many-files",
            metavar="N",
            help="number of files",
            otherwise="the number that the tier's limits are for, 100000",
        ),
        Option(
            name="price",
            part="resource-overhead",
            former_part="price",
            kind="flag",
            help="watch CPU and memory of the storage's own pods before, during and after a load, and judge them",
        ),
        Option(
            name="price-time",
            part="resource-overhead",
            former_part="price",
            metavar="TIME",
            help="duration of the load, in whole minutes; leaks are judged from 30min on",
            otherwise="5min, or the duration of a sustained load in the same run",
        ),
        Option(
            name="price-of",
            part="resource-overhead-of",
            former_part="price-of",
            metavar="NAMESPACE[/SELECTOR]",
            kind="values",
            help="the storage's pods; repeatable",
            otherwise="the pods that the target file names",
        ),
        Option(
            name="drained-pods",
            part="drained-pods",
            metavar="N",
            help="evict N pods of a node at the same time, each with a volume, and use the volumes on other nodes",
            default="0",
        ),
        Option(
            name="node-volumes",
            part="node-volumes",
            metavar="N",
            help="fill a node with volumes: with as many as its driver reports, if that is at most N, and with N, or "
            "until the node uses no more",
            default="0",
        ),
        Option(
            name="refused-size",
            part="refused-size",
            metavar="SIZE",
            help="request this size, which the storage must refuse to any volume, and verify that the volume recovers",
            otherwise="not tested",
        ),
        Option(
            name="large-volume",
            part="large-volume",
            metavar="SIZE",
            help="create and use one volume of this size, as large as in production; little is written to it",
            otherwise="none",
        ),
    ),
)
