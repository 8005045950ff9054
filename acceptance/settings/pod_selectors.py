"""The pods of a storage system that may be killed: a namespace and labels, as in `--storage-kill-pods`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

_NAME = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL = r"[A-Za-z0-9./_-]+=[A-Za-z0-9._-]+"
_SELECTOR = re.compile(rf"(?P<namespace>{_NAME})/(?P<labels>{_LABEL}(,{_LABEL})*)")
OWN = "storage-acceptance"
"""The prefix of the namespaces of runs, and of the pod that the suite runs in."""


@dataclass(frozen=True, kw_only=True)
class PodSelector:
    """The pods of one namespace that have all of these labels."""

    namespace: str
    labels: str

    @classmethod
    def parse(cls, text: str) -> PodSelector:
        """Return the selector of `longhorn-system/app=longhorn-manager`. Raises ValueError for any other text."""
        match = _SELECTOR.fullmatch(text)
        if match is None:
            raise ValueError(
                f"expected NAMESPACE/LABEL=VALUE, such as longhorn-system/app=longhorn-manager, found {text!r}"
            )
        if match["namespace"].startswith(OWN):
            raise ValueError(f"expected pods of the storage system, found {text!r}: that namespace is the suite's own")
        return cls(namespace=match["namespace"], labels=match["labels"])

    def __str__(self) -> str:
        return f"{self.namespace}/{self.labels}"


def _selectors(value: Any) -> tuple[str, ...]:
    texts = tuple(map(str, value))
    selectors = [str(PodSelector.parse(text)) for text in texts]
    if len(set(selectors)) < len(selectors):
        raise ValueError(f"expected each selector once, found {', '.join(selectors)}")
    return texts


PodSelectors = Annotated[tuple[str, ...], BeforeValidator(_selectors)]
