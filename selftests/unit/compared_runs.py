"""Runs for tests of what stands several of them beside each other: small, and each part of them set by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from acceptance.report.comparing.model import NamedRun
from acceptance.results.clusters import Cluster, Image, Node, StorageClass
from acceptance.results.conditions import Conditions
from acceptance.results.document import Estimate, Measurement, RelativeEstimate, Results, Role, Run, Status, Verdict
from acceptance.results.metrics import Metric
from selftests.unit.flat_verdicts import flat_verdict

NOW = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)


def estimate(mean: float, *, by: float | None = 1.1, path: str = "write.iops", confidence: float = 0.95) -> Estimate:
    """The mean, known to a factor; without one it is not known how sure it is."""
    low, high = (None, None) if by is None else (mean / by, mean * by)
    return Estimate(mean=mean, low=low, high=high, unit=Metric.parse(path).unit, samples=12, confidence=confidence)


def measured(
    metrics: dict[str, Estimate | float],
    *,
    profile: str = "sync-write-iops",
    storage_class: str = "fast",
    role: Role = "candidate",
    beside: str | None = None,
    against: dict[str, RelativeEstimate] | None = None,
    node: str = "node-1",
) -> Measurement:
    """A measurement; a bare number is a mean that is known to 10 %."""
    return Measurement(
        id=f"{storage_class}/{profile}/{role}",
        profile=profile,
        storage_class=storage_class,
        role=role,
        node=node,
        pods=["p"],
        started=NOW,
        duration_s=12.0,
        fio_version="fio-3.33",
        metrics={
            path: each if isinstance(each, Estimate) else estimate(each, path=path) for path, each in metrics.items()
        },
        series={},
        warnings=[],
        compared_with=beside and f"{beside}/{profile}/baseline",
        against_baseline=against or {},
    )


def judged(status: Status = "pass", *, metric: str = "write.iops", storage_class: str = "fast", **more: Any) -> Verdict:
    """A verdict on a limit of at least 750 IOPS."""
    return flat_verdict(
        **{
            "id": f"{storage_class}/sync-write-iops/{metric}/at-least",
            "test": "t",
            "storage_class": storage_class,
            "profile": "sync-write-iops",
            "metric": metric,
            "rule": "at_least",
            "limit": f"{metric} at least 750 IOPS",
            "measured": 1000.0,
            "low": 900.0,
            "high": 1100.0,
            "unit": "1/s",
            "status": status,
            "reason": f"because {status}",
        }
        | more
    )


def cluster(*classes: StorageClass, nodes: Sequence[str] = ("node-1",), kind: str = "kubeconfig") -> Cluster:
    """A cluster of these nodes."""
    made = [
        Node(name=name, kubelet="v1", kernel="6.1", os_image="Debian", container_runtime="c", architecture="amd64")
        for name in nodes
    ]
    image = Image(reference="fio:3", digest="sha256:1")
    return Cluster(kind=kind, kubernetes_version="v1.34", nodes=made, storage_classes=list(classes), image=image)


def class_of(name: str = "fast", **parameters: str) -> StorageClass:
    """A StorageClass with these parameters."""
    return StorageClass(
        name=name,
        provisioner="example.com/fast",
        parameters=parameters,
        binding_mode="Immediate",
        reclaim_policy="Delete",
        allow_expansion=True,
        default=False,
    )


def run_of(
    *measurements: Measurement,
    verdicts: Sequence[Verdict] = (),
    settings: dict[str, Any] | None = None,
    where: Cluster | None = None,
    texts: dict[str, str] | None = None,
    run_id: str = "r1",
    started: datetime = NOW,
    complete: bool = True,
    errors: Sequence[str] = (),
    tests: Sequence[str] = (),
) -> Results:
    """The results of a run; `tests` are those that were selected, where that is known."""
    return Results(
        run=Run(
            id=run_id,
            started=started,
            finished=started if complete else None,
            complete=complete,
            suite_version="0.1.0",
            exit_status=0 if complete else None,
            tests=list(tests),
        ),
        cluster=where,
        settings={"tier": "baseline", "volume_size": 3 << 30, "test_size": 1 << 30, **(settings or {})},
        tested_with=None if texts is None else Conditions(profiles=texts, limits_file="tiers: {}", limits=[]),
        measurements=list(measurements),
        steps=[],
        verdicts=list(verdicts),
        tier_limits=len(verdicts),
        errors=list(errors),
        overall="pass" if complete and verdicts else "inconclusive",
    )


def named(results: Results, name: str = "a run") -> NamedRun:
    """The run under a name."""
    return NamedRun(name=name, results=results)
