"""The custom resource definitions of Longhorn and of volume snapshots, as their modules have them."""

import re
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure

_LONGHORN = "k8s/crds.yaml"
_SNAPSHOTS = tuple(
    f"config/crd/snapshot.storage.k8s.io_{kind}.yaml"
    for kind in ("volumesnapshotclasses", "volumesnapshotcontents", "volumesnapshots")
)
RECIPE = f"{_LONGHORN}{_SNAPSHOTS}"

# Longhorn's file is one of a Helm chart: labels that the chart adds stand before one that the file has itself.
_CHART_LABELS = re.compile(r"^( +labels:) \{\{-? include \"longhorn\.labels\" \. \| nindent \d+ \}\}$", re.MULTILINE)


def write(folder: Path, *, manager: Path, snapshots: Path) -> None:
    """Write all definitions to `folder`, from the folders of longhorn-manager's and the snapshot client's modules.

    Raises EnvironmentFailure where Longhorn's still holds what only Helm understands.
    """
    folder.mkdir()
    (folder / "longhorn.yaml").write_text(without_chart(manager / _LONGHORN))
    for path in _SNAPSHOTS:
        name = Path(path).name.removeprefix("snapshot.storage.k8s.io_")
        (folder / f"snapshots-{name}").write_bytes((snapshots / path).read_bytes())


def without_chart(path: Path) -> str:
    """The definitions without what Helm would put in."""
    text = _CHART_LABELS.sub(r"\1", path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), start=1):
        if "{{" in line:
            raise EnvironmentFailure(
                f"{path}:{number} is for Helm, and it is not known what to make of it: {line.strip()}"
            )
    return text
