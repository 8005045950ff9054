"""Histograms of Kubernetes' components: only what is asked for, added up, and the difference between two looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.trials.ramps.histograms import Histogram, read_histograms
from acceptance.trials.ramps.server_metrics import operation_times, read_server_metrics, request_times

NAME = "apiserver_request_duration_seconds"
TEXT = """\
# HELP apiserver_request_duration_seconds [STABLE] Response latency distribution in seconds
# TYPE apiserver_request_duration_seconds histogram
apiserver_request_duration_seconds_bucket{resource="pods",verb="GET",le="0.1"} 8
apiserver_request_duration_seconds_bucket{resource="pods",verb="GET",le="1"} 10
apiserver_request_duration_seconds_bucket{resource="pods",verb="GET",le="+Inf"} 10
apiserver_request_duration_seconds_sum{resource="pods",verb="GET"} 1.5
apiserver_request_duration_seconds_count{resource="pods",verb="GET"} 10
apiserver_request_duration_seconds_bucket{resource="nodes",verb="GET",le="0.1"} 90
apiserver_request_duration_seconds_bucket{resource="nodes",verb="GET",le="1"} 90
apiserver_request_duration_seconds_bucket{resource="nodes",verb="GET",le="+Inf"} 90
apiserver_request_duration_seconds_sum{resource="nodes",verb="GET"} 4.5
apiserver_request_duration_seconds_count{resource="nodes",verb="GET"} 90
apiserver_request_duration_seconds_sum{resource="pods",verb="WATCH"} 9000
apiserver_request_duration_seconds_count{resource="pods",verb="WATCH"} 3
apiserver_request_total{resource="pods",verb="GET"} 10
"""
_LABELS = 'migrated="false",operation_name="volume_mount",status="success",volume_plugin="csi"'
KUBELET = f"""\
storage_operation_duration_seconds_bucket{{{_LABELS},le="0.5"}} %d
storage_operation_duration_seconds_bucket{{{_LABELS},le="+Inf"}} %d
storage_operation_duration_seconds_sum{{{_LABELS}}} %d
storage_operation_duration_seconds_count{{{_LABELS}}} %d
"""


def test_a_histogram_is_added_up_over_the_labels_that_are_not_asked_for() -> None:
    found = read_histograms(TEXT.splitlines(), NAME, by=("verb",))
    assert set(found) == {("GET",), ("WATCH",)}
    get = found["GET",]
    assert (get.count, get.sum_s, get.mean_s) == (100, 6.0, 0.06)
    assert (get.at_most_s(0.5), get.at_most_s(0.98), get.at_most_s(0.99)) == (0.1, 0.1, 1.0)


def test_beyond_the_last_bucket_there_is_no_bound() -> None:
    assert Histogram(count=2, sum_s=9, buckets={0.1: 1, float("inf"): 2}).at_most_s(0.99) is None


def test_the_difference_of_two_looks_and_of_a_component_that_was_started_again() -> None:
    before = Histogram(count=10, sum_s=1.0, buckets={0.1: 10})
    after = Histogram(count=15, sum_s=3.0, buckets={0.1: 12, 1.0: 3})
    assert after.since(before) == Histogram(count=5, sum_s=2.0, buckets={0.1: 2, 1.0: 3})
    assert after.since(None) == after
    assert before.since(after) == before


class Metrics:
    """Shows what it was given, by path; the error that it was given is raised."""

    def __init__(self, **texts: Any) -> None:
        self.texts = texts

    def lines(self, path: str) -> Iterator[str]:
        text = self.texts["server" if path == "/metrics" else path.split("/")[4]]
        if isinstance(text, Exception):
            raise text
        return iter(text.splitlines())


def looked(**texts: Any) -> Any:
    return read_server_metrics(cast(Api, Metrics(**texts)), ["n0", "n1"])


def test_what_happened_between_two_looks() -> None:
    before = looked(server="", n0=KUBELET % (1, 1, 1, 1), n1="")
    after = looked(server=TEXT, n0=KUBELET % (3, 5, 11, 5), n1=KUBELET % (4, 4, 1, 4))
    (get,) = request_times(before, after, seconds=50.0)
    assert (get.verb, get.per_s, get.mean_s, get.p99_at_most_s) == ("GET", 2.0, 0.06, 1.0)
    (mount,) = operation_times(before, after)
    assert (mount.plugin, mount.operation, mount.status) == ("csi", "volume_mount", "success")
    assert (mount.count, mount.mean_s, mount.p99_at_most_s) == (8, pytest.approx(11 / 8), None)


def test_what_may_not_be_read_is_not_there_with_the_reason() -> None:
    forbidden = ApiError(status=403, request="GET /metrics", message="forbidden")
    found = looked(server=forbidden, n0=forbidden, n1="")
    assert (found.requests, found.operations) == ({}, {})
    assert "403: forbidden" in found.requests_missing and "403: forbidden" in found.operations_missing
