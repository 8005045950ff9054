"""The custom resource definitions of Longhorn, from its module."""

import re
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure

_LONGHORN = "k8s/crds.yaml"
RECIPE = _LONGHORN

# Longhorn's file is part of a Helm chart: the chart inserts labels before one that the file has itself.
_CHART_LABELS = re.compile(r"^( +labels:) \{\{-? include \"longhorn\.labels\" \. \| nindent \d+ \}\}$", re.MULTILINE)


def write(folder: Path, *, manager: Path) -> None:
    """Write the definitions to `folder`, from the folder of longhorn-manager's module.

    Raises EnvironmentFailure if they still contain directives that only Helm understands.
    """
    folder.mkdir()
    (folder / "longhorn.yaml").write_text(without_chart(manager / _LONGHORN))


def without_chart(path: Path) -> str:
    """Return the definitions without the labels that Helm would insert."""
    text = _CHART_LABELS.sub(r"\1", path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), start=1):
        if "{{" in line:
            raise EnvironmentFailure(
                f"{path}:{number} is a directive for Helm that this cluster does not know: {line.strip()}"
            )
    return text
