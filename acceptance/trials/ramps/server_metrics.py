"""What API server and kubelets say of themselves, before and after a ramp: where they let the account read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES
from acceptance.results.ramps import OperationTimes, RequestTimes
from acceptance.text.errors import AcceptanceError
from acceptance.trials.ramps.histograms import Histogram, Labels, read_histograms

_REQUESTS, _OPERATIONS = "apiserver_request_duration_seconds", "storage_operation_duration_seconds"
# They last until someone ends them: their time says nothing of the API server.
_ENDLESS = ("WATCH", "CONNECT")
_OF_AN_OPERATION = ("volume_plugin", "operation_name", "status")


@dataclass(frozen=True, kw_only=True)
class ServerMetrics:
    """Histograms by their labels; `..._missing`: why they could not be read, None where they could."""

    requests: Mapping[Labels, Histogram]
    requests_missing: str | None
    operations: Mapping[Labels, Histogram]
    operations_missing: str | None


def read_server_metrics(api: Api, nodes: Sequence[str]) -> ServerMetrics:
    """As they are now. One request for the API server, one for each node; what is refused is said, not raised."""
    requests: dict[Labels, Histogram] = {}
    requests_missing = operations_missing = None
    try:
        requests = read_histograms(
            api.lines("/metrics"), _REQUESTS, by=("verb",), wanted=lambda labels: labels.get("verb") not in _ENDLESS
        )
    except AcceptanceError as error:
        requests_missing = str(error)
    operations: dict[Labels, Histogram] = {}
    for node in nodes:
        path = NODES.path(namespace=None, name=node, subresource="proxy") + "/metrics"
        try:
            found = read_histograms(api.lines(path), _OPERATIONS, by=_OF_AN_OPERATION)
        except AcceptanceError as error:
            operations_missing = str(error)
            break
        operations |= {(node, *labels): histogram for labels, histogram in found.items()}
    return ServerMetrics(
        requests=requests,
        requests_missing=requests_missing,
        operations=operations,
        operations_missing=operations_missing,
    )


def request_times(before: ServerMetrics, after: ServerMetrics, *, seconds: float) -> list[RequestTimes]:
    """What the API server answered in between, by verb, most frequent first."""
    found = {labels: each.since(before.requests.get(labels)) for labels, each in after.requests.items()}
    return [
        RequestTimes(verb=verb, per_s=each.count / seconds, mean_s=each.mean_s, p99_at_most_s=each.at_most_s(0.99))
        for (verb,), each in sorted(found.items(), key=lambda item: -item[1].count)
        if each.count > 0
    ]


def operation_times(before: ServerMetrics, after: ServerMetrics) -> list[OperationTimes]:
    """What all kubelets did with volumes in between, by plugin, operation and status."""
    together: dict[Labels, Histogram] = {}
    for (node, *labels), each in after.operations.items():
        added = each.since(before.operations.get((node, *labels)))
        known = together.setdefault(tuple(labels), Histogram())
        known.count += added.count
        known.sum_s += added.sum_s
        for end, count in added.buckets.items():
            known.buckets[end] = known.buckets.get(end, 0.0) + count
    return [
        OperationTimes(
            plugin=plugin,
            operation=operation,
            status=status,
            count=round(each.count),
            mean_s=each.mean_s,
            p99_at_most_s=each.at_most_s(0.99),
        )
        for (plugin, operation, status), each in sorted(together.items())
        if each.count > 0
    ]
