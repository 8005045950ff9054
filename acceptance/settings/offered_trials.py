"""The options of single trials: long or destructive ones, many volumes, ramps, rebuilds, failures."""

from __future__ import annotations

from acceptance.settings.option import Group, Option

SCALE = Group(
    name="scale",
    help="many volumes at once",
    options=(
        Option(
            name="scale-steps",
            part="steps",
            metavar="N,N,...",
            help="how many are loaded, step by step",
            default="1,3,6,9,12,15",
        ),
        Option(
            name="scale-profiles",
            part="profiles",
            metavar="NAME",
            kind="values",
            help="profile to run; repeatable",
            otherwise="those that the tier has scaling limits for",
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
            help="how many are loaded at a set rate",
            otherwise="51; embedded: the last step",
        ),
        Option(
            name="scale-rate",
            part="rate",
            metavar="RATE",
            help="that rate, of each volume",
            otherwise="an even share of the capacity, as the tier says",
        ),
    ),
)
RAMP = Group(
    name="ramp",
    help="pods with a volume each, at a rate",
    options=(
        Option(
            name="ramp-pods",
            part="pods",
            metavar="N",
            help="how many",
            otherwise="as many as the tier requires",
        ),
        Option(
            name="ramp-rate",
            part="rate",
            metavar="RATE",
            help="how many are requested in what time, such as 30/min",
            otherwise="the tier's",
        ),
        Option(
            name="ramp-form",
            part="form",
            metavar="FORM",
            help="set, one StatefulSet for all pods, or per-node, one for each node",
            default="set",
        ),
        Option(
            name="ramp-node-selector",
            part="node-selector",
            metavar="KEY=VALUE",
            help="use the nodes with this label, whatever their taints",
            otherwise="those that take ordinary pods",
        ),
    ),
)
REBUILD = Group(
    name="rebuild",
    help="a lost replica, rebuilt",
    options=(
        Option(
            name="rebuild-size",
            part="size",
            metavar="SIZE",
            help="data on the volume",
            otherwise="20Gi, of alternating data 5Gi; embedded: 1Gi, 256Mi",
        ),
        Option(
            name="rebuild-smaller",
            part="smaller",
            metavar="PERCENT",
            help="a second size that is timed first, as a share of the size, to tell the time to begin from the rate",
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
            help="snapshots that volumes have, the head included; divides the largest volume",
            default="1",
        ),
        Option(
            name="rebuild-timeout",
            part="timeout",
            metavar="TIME",
            help="how long one rebuild may take",
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
            help="how long it may take until a failed node's volume is used elsewhere",
            default="15min",
        ),
    ),
)
WITH = Group(
    name="with",
    help="tests that run only if they are asked for",
    options=(
        Option(
            name="sustained",
            part="sustained",
            kind="flag",
            help="load each class without a pause, and judge how fast it still is at the end",
        ),
        Option(
            name="sustained-time",
            part="sustained",
            metavar="TIME",
            help="for how long, in whole minutes",
            default="40min",
        ),
        Option(
            name="latency-under-load",
            part="latency-under-load",
            kind="flag",
            help="measure what a volume can do, then how long operations take at 10, 50, 80 and 90 % of it, and judge "
            "them at the share that the tier names",
        ),
        Option(
            name="noisy-neighbours",
            part="noisy-neighbours",
            metavar="N",
            help="measure how long operations take at a share of what a volume can do, alone and while N others of its "
            "class load at full, and judge rate and latency by the tier",
            default="0",
        ),
        Option(
            name="operations",
            part="operations",
            kind="flag",
            help="time control operations, many at once: PVCs bound, pods ready, snapshots, restores, clones, "
            "expansions, PVs deleted",
        ),
        Option(
            name="operations-at-once",
            part="operations",
            metavar="N",
            help="how many at once, in as many rounds as the tier's percentiles need",
            default="20",
        ),
        Option(
            name="many-files",
            part="many-files",
            kind="flag",
            help="time a volume of very many files: how soon they are created, listed, looked up and deleted, and how "
            "soon pods start on them",
        ),
        Option(
            name="many-files-count",
            part="many-files",
            metavar="N",
            help="how many",
            otherwise="as many as the tier's limits are about, 100000",
        ),
        Option(
            name="price",
            part="price",
            kind="flag",
            help="watch CPU and memory of the storage's own pods before, during and after a load, and judge them",
        ),
        Option(
            name="price-time",
            part="price",
            metavar="TIME",
            help="how long the load is, in whole minutes; leaks are judged from 30min on",
            otherwise="5min, or as long as a sustained load beside it",
        ),
        Option(
            name="price-of",
            part="price-of",
            metavar="NAMESPACE[/SELECTOR]",
            kind="values",
            help="the storage's pods; repeatable",
            otherwise="those that the target file names",
        ),
        Option(
            name="node-volumes",
            part="node-volumes",
            metavar="N",
            help="fill a node with as many volumes as its driver reports, if that takes at most N",
            default="0",
        ),
    ),
)
