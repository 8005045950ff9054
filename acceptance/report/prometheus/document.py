"""The samples of each candidate class, from the results, and the text of `metrics.prom`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.openmetrics.exposition import generate_latest

from acceptance.report.gauges import PREFIX, Gauge, Labels, Samples
from acceptance.report.prometheus.judged import add_run, add_verdicts
from acceptance.report.prometheus.measured import add_measurements, add_steps
from acceptance.report.prometheus.records import add_records
from acceptance.results.clusters import Cluster
from acceptance.results.completeness import classes_under_test
from acceptance.results.document import Results

MARK = 8
"""Characters of an identity: enough to tell the clusters of an organization apart."""


@dataclass(frozen=True)
class Families:
    """The samples of all candidates as prometheus_client collects them: each metric once."""

    samples: tuple[Samples, ...]

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield each gauge with the samples of all candidates."""
        together: dict[Gauge, dict[Labels, float]] = {}
        for sample in self.samples:
            for gauge, values in sample:
                together.setdefault(gauge, {}).update(values)
        for gauge, values in together.items():
            family = GaugeMetricFamily(PREFIX + gauge.name, gauge.help, unit=gauge.unit)
            for labels, value in values.items():
                family.add_sample(family.name, dict(labels), value)
            yield family


def metrics_text(results: Results) -> str:
    """Return all metrics of a run as OpenMetrics that the textfile collector of node_exporter reads as well."""
    families = Families(tuple(samples_of(results, candidate) for candidate in candidates(results)))
    text: bytes = generate_latest(families)  # type: ignore[no-untyped-call]
    return text.decode()


def candidates(results: Results) -> list[str]:
    """Return the classes under test.

    If the cluster's default class was requested and never found, this is one class without a name.
    """
    return classes_under_test(results) or [""]


def samples_of(results: Results, candidate: str) -> Samples:
    """Return all samples of one candidate class; every sample names it, with cluster and tier."""
    labels = {"cluster": cluster_name(results), "candidate": candidate, "tier": str(results.settings.get("tier", ""))}
    samples = Samples(labels)
    add_verdicts(samples, results, candidate)
    add_run(samples, results, candidate)
    add_measurements(samples, results, candidate)
    add_steps(samples, results, candidate)
    add_records(samples, results, candidate)
    return samples


def cluster_name(results: Results) -> str:
    """Return the cluster by its name and a mark of its identity: `kubeconfig/staging/0d1e4f3a`, `host/name-of-host`.

    Contexts of one name may be of several clusters, and the current context of a kubeconfig has no name here.
    """
    cluster, settings = results.cluster, results.settings
    if cluster is None:
        return ""
    name = settings.get("context")
    if cluster.kind == "embedded":
        name = settings.get("embedded") or "default"
    elif cluster.kind == "host" and cluster.nodes:
        name = cluster.nodes[0].name
    return "/".join(filter(None, (cluster.kind, str(name or ""), "" if cluster.kind == "host" else _mark(cluster))))


def _mark(cluster: Cluster) -> str:
    """Return the beginning of the UID of kube-system; for a cluster that each run creates, the digest of its place."""
    if cluster.kind in ("kubeconfig", "in-cluster"):
        return cluster.identity[:MARK]
    return sha256(cluster.identity.encode()).hexdigest()[:MARK] if cluster.identity else ""
