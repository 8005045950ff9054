"""The objects of a whole cluster by a few of their columns, as the API server prints them for `kubectl get`.

A cluster may hold tens of thousands of volumes of others. Whole, one takes 2 KiB; printed, a tenth of that, so that
many go on a page. Kubernetes does not promise to keep its columns: of a server that prints others, whole objects are
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from acceptance.cluster.resources import Object, Resource

# 50,000 volumes are three pages, one of which takes some 30 MB while it is read. The API server reads as many of etcd
# at once as it is asked for, and 10,000 of its own accord (maxLimit in apiserver/pkg/storage/etcd3/store.go).
ROWS = 20_000
# https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
BEING_DELETED = "Terminating"
"""What is printed in place of the state of an object that is being deleted"""

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class Columns(Generic[Row]):
    """Some columns of a kind of objects that is not in namespaces, by the `names` that are printed above them.

    `row` makes one of their cells, in the order of `names`; `of` makes the same of a whole object.
    """

    resource: Resource
    names: tuple[str, ...]
    row: Callable[[Iterable[str]], Row]
    of: Callable[[Object], Row]

    def rows(self, page: Object) -> Iterator[Row] | None:
        """What a page of a list holds, a table or whole objects; None for a table that lacks a column."""
        if page.get("kind") != "Table":
            return map(self.of, page.get("items") or [])
        printed = [column_definition.get("name") for column_definition in page.get("columnDefinitions") or []]
        if not set(self.names) <= set(printed):
            return None
        places = [printed.index(name) for name in self.names]
        return (self.row(row["cells"][place] for place in places) for row in page.get("rows") or [])
