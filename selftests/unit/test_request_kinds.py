"""Requests are counted by what they ask for, without whose it is."""

from __future__ import annotations

import pytest

from acceptance.cluster.api_requests import request_kind


@pytest.mark.parametrize(
    ("method", "path", "query", "kind"),
    [
        ("GET", "/api/v1/namespaces/ns/pods", {}, "LIST pods"),
        ("GET", "/api/v1/namespaces/ns/pods", {"watch": "true"}, "WATCH pods"),
        ("GET", "/api/v1/namespaces/ns/pods/a", {}, "GET pods"),
        ("GET", "/api/v1/namespaces/ns/pods/a/log", {}, "GET pods/log"),
        ("DELETE", "/api/v1/namespaces/ns/persistentvolumeclaims/c", {}, "DELETE persistentvolumeclaims"),
        ("PATCH", "/apis/apps/v1/namespaces/ns/statefulsets/s", {}, "PATCH statefulsets"),
        ("GET", "/api/v1/namespaces", {}, "LIST namespaces"),
        ("GET", "/api/v1/namespaces/ns", {}, "GET namespaces"),
        ("GET", "/apis/storage.k8s.io/v1/volumeattachments", {}, "LIST volumeattachments"),
        ("GET", "/api/v1/nodes/n1/proxy/metrics", {}, "GET nodes/proxy"),
        ("GET", "/metrics", {}, "GET metrics"),
        ("GET", "/version", {}, "GET version"),
    ],
)
def test_kinds(method: str, path: str, query: dict[str, str], kind: str) -> None:
    assert request_kind(method, path, query) == kind
