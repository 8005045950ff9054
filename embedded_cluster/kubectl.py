"""The cluster's own kubectl, as its administrator."""

import json
import os
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.commands import run
from embedded_cluster.layout import PACKAGE, Layout
from embedded_cluster.waiting import NotYet, wait_for

MANIFESTS = PACKAGE / "manifests"
_DEFINED_S, _SERVED_S = 180, 60


@dataclass(frozen=True)
class Kubectl:
    """Runs `program` against the cluster of `kubeconfig`. Methods raise EnvironmentFailure with kubectl's output."""

    program: Path
    kubeconfig: Path

    @classmethod
    def of(cls, layout: Layout) -> "Kubectl":
        """Return the kubectl that belongs to a running cluster."""
        return cls(program=layout.state / "bin" / "kubectl", kubeconfig=layout.kubeconfig)

    def run(self, *arguments: str, stdin: str | None = None, timeout: float = 30) -> str:
        """Return the output of kubectl with `arguments`, within `timeout` seconds."""
        # Its discovery cache is in the cluster's folder, and is deleted with it.
        environment = {**os.environ, "KUBECACHEDIR": str(self.kubeconfig.parent / "kubectl")}
        options = [f"--kubeconfig={self.kubeconfig}", f"--request-timeout={timeout:.0f}s"]
        return run([self.program, *options, *arguments], stdin=stdin, timeout=timeout + 2, environment=environment)

    def require_ready(self) -> None:
        """Raise NotYet while the API server does not answer, or has not read the permissions yet."""
        try:
            self.run("get", "--raw=/readyz", timeout=5)
        except EnvironmentFailure as error:
            raise NotYet(str(error)[-300:]) from None

    def get(self, *arguments: str) -> list[dict[str, Any]]:
        """Return the objects that `kubectl get` finds; empty if there are none."""
        result: dict[str, Any] = json.loads(self.run("get", "--ignore-not-found", "--output=json", *arguments) or "{}")
        items: list[dict[str, Any]] = result.get("items", [result] if result else [])
        return items

    def define(self, definitions: Iterable[Path]) -> None:
        """Apply files with custom resource definitions, and wait a minute at most until all that exist are served."""
        files = [f"--filename={definition}" for definition in definitions]
        self.run("apply", "--server-side", "--force-conflicts", *files, timeout=_DEFINED_S)
        wait_for("the definitions of resources to be served", self._require_definitions, timeout=_SERVED_S)

    def _require_definitions(self) -> None:
        for definition in self.get("customresourcedefinitions"):
            conditions = definition.get("status", {}).get("conditions") or []
            if not any(
                condition["type"] == "Established" and condition["status"] == "True" for condition in conditions
            ):
                raise NotYet(f"{definition['metadata']['name']}: {conditions}")

    def apply(self, manifest: str, **values: str) -> None:
        """Apply manifests/<manifest> with its ${variables} filled in."""
        self.apply_each(manifest, [values])

    def apply_each(self, manifest: str, variants: Iterable[Mapping[str, str]]) -> None:
        """Apply manifests/<manifest> once for each set of values, all in one call."""
        template = string.Template((MANIFESTS / manifest).read_text())
        text = "\n---\n".join(template.substitute(values) for values in variants)
        self.run("apply", "--server-side", "--force-conflicts", "--filename=-", stdin=text, timeout=60)
