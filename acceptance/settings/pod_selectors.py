"""Which pods of a storage system may be killed: a namespace and labels, as `--storage-kill-pods` names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

_NAME = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL = r"[A-Za-z0-9./_-]+=[A-Za-z0-9._-]+"
_SELECTOR = re.compile(rf"(?P<namespace>{_NAME})/(?P<labels>{_LABEL}(,{_LABEL})*)")
OWN = "storage-acceptance"
"""what the namespaces of runs, and of the pod that the suite runs in, begin with"""


@dataclass(frozen=True, kw_only=True)
class PodSelector:
    """The pods of one namespace that have all of these labels."""

    namespace: str
    labels: str

    @classmethod
    def parse(cls, text: str) -> PodSelector:
        """`longhorn-system/app=longhorn-manager`. Raises ValueError for anything else: there is no `all pods`."""
        found = _SELECTOR.fullmatch(text)
        if found is None:
            raise ValueError(
                f"wanted NAMESPACE/LABEL=VALUE, such as longhorn-system/app=longhorn-manager, found {text!r}"
            )
        if found["namespace"].startswith(OWN):
            raise ValueError(f"wanted pods of the storage system, found {text!r}: that namespace is the suite's own")
        return cls(namespace=found["namespace"], labels=found["labels"])

    def __str__(self) -> str:
        return f"{self.namespace}/{self.labels}"


def _selectors(value: Any) -> tuple[str, ...]:
    texts = tuple(map(str, value))
    found = [str(PodSelector.parse(text)) for text in texts]
    if len(set(found)) < len(found):
        raise ValueError(f"wanted each once, found {', '.join(found)}")
    return texts


PodSelectors = Annotated[tuple[str, ...], BeforeValidator(_selectors)]
