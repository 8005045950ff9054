"""The metrics of API server and kubelets, before and after a ramp: if they let the account read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES
from acceptance.results.ramps import OperationTimes, RequestTimes
from acceptance.text.errors import AcceptanceError
from acceptance.trials.ramps.histograms import Histogram, Labels, read_histograms

_REQUESTS, _OPERATIONS = "apiserver_request_duration_seconds", "storage_operation_duration_seconds"
# They last until a client ends them: their time says nothing about the API server.
_ENDLESS = ("WATCH", "CONNECT")
_OF_AN_OPERATION = ("volume_plugin", "operation_name", "status")


@dataclass(frozen=True, kw_only=True)
class ServerMetrics:
    """Histograms by their labels; `..._missing`: why they could not be read, None if they could."""

    requests: Mapping[Labels, Histogram]
    requests_missing: str | None
    operations: Mapping[Labels, Histogram]
    operations_missing: str | None


def read_server_metrics(api: Api, nodes: Sequence[str]) -> ServerMetrics:
    """Return the metrics as they are now. One request for the API server, one for each node; a refusal is reported, not
    raised."""
    requests: dict[Labels, Histogram] = {}
    requests_missing = operations_missing = None
    try:
        requests = read_histograms(
            api.lines("/metrics"), _REQUESTS, by=("verb",), select=lambda labels: labels.get("verb") not in _ENDLESS
        )
    except AcceptanceError as error:
        requests_missing = str(error)
    operations: dict[Labels, Histogram] = {}
    for node in nodes:
        path = NODES.path(namespace=None, name=node, subresource="proxy") + "/metrics"
        try:
            histograms = read_histograms(api.lines(path), _OPERATIONS, by=_OF_AN_OPERATION)
        except AcceptanceError as error:
            operations_missing = str(error)
            break
        operations |= {(node, *labels): histogram for labels, histogram in histograms.items()}
    return ServerMetrics(
        requests=requests,
        requests_missing=requests_missing,
        operations=operations,
        operations_missing=operations_missing,
    )


def request_times(before: ServerMetrics, after: ServerMetrics, *, seconds: float) -> list[RequestTimes]:
    """Return the times of the API server's answers in between, by verb, most frequent first."""
    deltas = {labels: histogram.since(before.requests.get(labels)) for labels, histogram in after.requests.items()}
    return [
        RequestTimes(verb=verb, per_s=delta.count / seconds, mean_s=delta.mean_s, p99_at_most_s=delta.at_most_s(0.99))
        for (verb,), delta in sorted(deltas.items(), key=lambda item: -item[1].count)
        if delta.count > 0
    ]


def operation_times(before: ServerMetrics, after: ServerMetrics) -> list[OperationTimes]:
    """Return the operations of all kubelets on volumes in between, by plugin, operation and status."""
    together: dict[Labels, Histogram] = {}
    for (node, *labels), histogram in after.operations.items():
        increase = histogram.since(before.operations.get((node, *labels)))
        total = together.setdefault(tuple(labels), Histogram())
        total.count += increase.count
        total.sum_s += increase.sum_s
        for end, count in increase.buckets.items():
            total.buckets[end] = total.buckets.get(end, 0.0) + count
    return [
        OperationTimes(
            plugin=plugin,
            operation=operation,
            status=status,
            count=round(histogram.count),
            mean_s=histogram.mean_s,
            p99_at_most_s=histogram.at_most_s(0.99),
        )
        for (plugin, operation, status), histogram in sorted(together.items())
        if histogram.count > 0
    ]
