"""A few columns of the objects of a whole cluster, as the API server prints them for `kubectl get`.

A cluster may hold tens of thousands of volumes of others. A whole one takes 2 KiB, a printed one a tenth of that, so
that many fit on a page. Kubernetes does not promise to keep its columns: if a server prints others, whole objects are
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from acceptance.cluster.resources import Object, Resource

# 50,000 volumes are three pages, one of which takes some 30 MB while it is read. The API server reads from etcd as many
# as a page requests in one step, or 10,000 by itself (maxLimit in apiserver/pkg/storage/etcd3/store.go).
ROWS = 20_000
# https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
BEING_DELETED = "Terminating"
"""The text that is printed instead of the state of an object that is being deleted."""

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class Columns(Generic[Row]):
    """Some columns of a kind of objects that is not in namespaces, by the `names` that are printed above them.

    `row` makes a row of the cells, in the order of `names`; `of` makes the same row of a whole object.
    """

    resource: Resource
    names: tuple[str, ...]
    row: Callable[[Iterable[str]], Row]
    of: Callable[[Object], Row]

    def rows(self, page: Object) -> Iterator[Row] | None:
        """Return the rows of a page of a list, a table or whole objects; None for a table that lacks a column."""
        if page.get("kind") != "Table":
            return map(self.of, page.get("items") or [])
        headers = [column_definition.get("name") for column_definition in page.get("columnDefinitions") or []]
        if not set(self.names) <= set(headers):
            return None
        places = [headers.index(name) for name in self.names]
        return (self.row(row["cells"][place] for place in places) for row in page.get("rows") or [])
