"""The kinds of volume snapshots and of groups of them, for tests that need no more than that they are served."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from acceptance.cluster.api import Api
from acceptance.cluster.resources import VOLUME_SNAPSHOTS
from selftests.lab.definitions import defined

DEFINITIONS = Path(__file__).parent / "snapshot_crds.yaml"


@contextmanager
def snapshot_kinds(api: Api) -> Iterator[None]:
    """The cluster knows snapshots until the block ends; one with the CSI driver does anyway."""
    if api.group_versions(VOLUME_SNAPSHOTS.group):
        yield
        return
    with defined(api, list(yaml.safe_load_all(DEFINITIONS.read_text(encoding="utf-8")))):
        yield
