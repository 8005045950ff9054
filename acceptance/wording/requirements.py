"""What is said of a limit: what it is on, and what it wants. No other code has words for limits."""

from __future__ import annotations

from acceptance.results.bounds import words_of
from acceptance.results.many_files import DONE
from acceptance.results.operations import TITLES
from acceptance.results.ratio_words import share
from acceptance.results.requirement import Requirement
from acceptance.text.quantities import format_quantity

_BY_RULE = {
    "not_better_than_baseline_by": "{metric} {wanted} the baseline's",
    "not_worse_than_baseline_by": "{metric} {wanted} the baseline's",
    "not_worse_than_before_by": "{metric} not worse than the accepted level (of {runs} runs) by more than {margin} "
    "beyond noise",
    "at_least_sustained": "{metric} {wanted} at the end of a sustained load",
    "at_most_sustained": "{metric} {wanted} at the end of a sustained load",
    "at_most_under_load": "{metric} {wanted} at {part} of the capacity",
    "at_most_beside_neighbours": "{metric} {wanted} at {part} of the capacity, beside neighbours at full load",
    "growth_beside_neighbours": "{metric} {wanted} that alone at {part} of the capacity, beside neighbours at full "
    "load",
    "total_at_last_step": "total {metric} at the last step {wanted} of that of the plateau",
    "per_volume": "{metric} of each of {pods} volumes {wanted}",
    "latency_growth": "{metric}, mean over volumes, at the last step {wanted} that of the first",
    "rate_limited": "{metric} of every rate-limited volume {wanted} of its rate{together}",
    "node_scaling": "total {metric} on twice as many nodes {wanted}",
    "largest_volume": "largest volume that is rebuilt in {time_limit}, {profile}: {wanted}",
    "foreground_iops": "{metric} of synchronous writes during a rebuild, {profile}: {wanted} of that before it",
    "foreground_p99": "{metric} of synchronous writes during a rebuild, {profile}: {wanted} that before it",
    "writes_left_with_snapshots": "{metric} of a volume with many snapshots: {wanted} of one without",
}
_BY_METRIC: dict[str, str] = {
    "pods": "{wanted} with a volume each",
    "ramp-down": "PVCs and PVs deleted {wanted} after the last pod was told to end",
    "provisioning.bind_time": "PVC bound {wanted} after its creation",
    "failover.time": "time until the volume of a failed node is written on another: {wanted}",
    "failover.out_of_service_time": "time until the volume of a failed (out-of-service) node is written on another: "
    "{wanted}",
    "drain.time": "time until the volume of a drained node is written on another: {wanted}",
    "storage_pods.ready": "until a killed pod of the storage system is Ready again: {wanted}",
    "storage_pods.write_gap": "longest gap in durable writes while a pod of the storage system is killed: {wanted}",
    "storage_pods.new_volume": "until a new volume is in use once a killed pod of the storage system is Ready again: "
    "{wanted}",
    "cpu_per_1000_iops": "CPU of the storage's pods per 1,000 IOPS: {wanted}",
    "memory_growth": "memory that a pod of the storage gains in an hour of load: {wanted}",
    "restarts": "restarts of the storage's containers: {wanted}",
    **{operation: f"{{percentile}} until {title}, many at once: {{wanted}}" for operation, title in TITLES.items()},
    "failed": "failed control operations, many at once: {wanted}",
}
_OF_FILES: dict[str, str] = {
    **{operation: f"{{files:,}} files {done}: {{wanted}}" for operation, done in DONE.items()},
    "start": "{files:,} files, slowest pod ready on them: {wanted}",
    "start_growth": "{files:,} files, pod ready on them, beyond its time on an empty volume: {wanted}",
    "other_group": "{files:,} files, slowest pod with another fsGroup ready on them: {wanted}",
}


def described(asked: Requirement) -> str:
    """`write.iops at least 750 IOPS`; of a limit that this suite does not know, its metric and what it wants."""
    known = _OF_FILES if "files" in asked.at else _BY_METRIC
    name, _, percentile = str(asked.metric).partition(".")
    whole = known.get(str(asked.metric)) or (known.get(name) if percentile else None)
    said = _BY_RULE.get(asked.rule) or whole or "{metric} {wanted}"
    at = {name: each for name, each in asked.at.items() if name in ("files", "pods", "runs")}
    return said.format(
        metric=asked.metric, profile=asked.profile, percentile=percentile, wanted=wanted(asked), **_amounts(asked), **at
    )


def wanted(asked: Requirement) -> str:
    """`at least 750 IOPS`, `none`, `at most 16 MiB an hour`"""
    assert asked.bound is not None  # what is held against a limit has one
    if asked.metric in ("restarts", "failed"):
        amount = _percent(asked.bound) if asked.metric == "failed" else f"{asked.bound:g}"
        return f"at most {amount}" if asked.bound else "none"
    return f"{words_of(asked)} an hour" if asked.metric == "memory_growth" else str(words_of(asked))


def _amounts(asked: Requirement) -> dict[str, str]:
    """The conditions that have a unit."""
    at = {name: each for name, each in asked.at.items() if isinstance(each, int | float)}
    said = {"margin": _percent(at["margin"])} if "margin" in at else {}
    part = at.get("of_capacity")
    said["together"] = "" if part is None else f" at {share(part)} of what all surely do"
    if part is not None:
        said["part"] = _percent(part)
    if "time_limit_s" in at:
        said["time_limit"] = format_quantity(at["time_limit_s"], unit="s")
    return said


def _percent(part: float) -> str:
    return f"{part * 100:.4g} %"
