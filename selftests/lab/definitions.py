"""Kinds of objects that a test has the API server know: defined, served, and gone again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from acceptance.cluster.api import Api
from acceptance.cluster.resources import Object, Resource
from acceptance.cluster.waiting import wait_for

CRDS = Resource(prefix="apis/apiextensions.k8s.io/v1", plural="customresourcedefinitions", has_namespace=False)


@contextmanager
def defined(api: Api, definitions: Sequence[Object]) -> Iterator[None]:
    """The kinds are served until the block ends; then they are gone, and their objects with them."""
    names = [definition["metadata"]["name"] for definition in definitions]
    try:
        for definition in definitions:
            api.create(CRDS, definition)
        for name in names:
            _wait_served(api, name)
        yield
    finally:
        for name in names:
            api.delete(CRDS, name)
        wait_for(
            "kinds of the lab to be deleted",
            look=lambda: [name for name in names if api.find(CRDS, name) is not None],
            ready=lambda seen: not seen,
            state=lambda seen: f"still there: {', '.join(seen)}",
            timeout_s=180,
        )


def _wait_served(api: Api, name: str) -> None:
    wait_for(
        f"{name} to be served",
        look=lambda: api.get(CRDS, name).get("status", {}).get("conditions") or [],
        ready=lambda seen: any(each["type"] == "Established" and each["status"] == "True" for each in seen),
        state=str,
        timeout_s=120,
    )
