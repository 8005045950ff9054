"""The custom resource definitions of Longhorn, as its module has them."""

import re
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure

_LONGHORN = "k8s/crds.yaml"
RECIPE = _LONGHORN

# Longhorn's file is one of a Helm chart: labels that the chart adds stand before one that the file has itself.
_CHART_LABELS = re.compile(r"^( +labels:) \{\{-? include \"longhorn\.labels\" \. \| nindent \d+ \}\}$", re.MULTILINE)


def write(folder: Path, *, manager: Path) -> None:
    """Write the definitions to `folder`, from the folder of longhorn-manager's module.

    Raises EnvironmentFailure where they still hold what only Helm understands.
    """
    folder.mkdir()
    (folder / "longhorn.yaml").write_text(without_chart(manager / _LONGHORN))


def without_chart(path: Path) -> str:
    """The definitions without what Helm would put in."""
    text = _CHART_LABELS.sub(r"\1", path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), start=1):
        if "{{" in line:
            raise EnvironmentFailure(
                f"{path}:{number} is a directive for Helm that this cluster does not know: {line.strip()}"
            )
    return text
