"""Group snapshots in a cluster with CSI drivers: their definitions, and the rights of who makes them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.csi import group_snapshots
from selftests.unit.test_embedded_csi import manifest


def test_the_rights_on_groups_are_those_of_the_sources() -> None:
    """deploy/kubernetes of external-snapshotter 8.3.0."""
    found = {
        role["metadata"]["name"]: {
            (resource, verb)
            for rule in role["rules"]
            if rule["apiGroups"] == ["groupsnapshot.storage.k8s.io"]
            for resource in rule["resources"]
            for verb in rule["verbs"]
        }
        for role in manifest("csi.yaml") + manifest("snapshot-controller.yaml")
        if "rules" in role
    }
    watched = ("get", "list", "watch")
    classes = {("volumegroupsnapshotclasses", verb) for verb in watched}
    kind = "volumegroupsnapshotcontents"
    assert found["storage-acceptance-csi"] == classes | {(kind, verb) for verb in (*watched, "update", "patch")} | {
        (f"{kind}/status", verb) for verb in ("update", "patch")
    }
    assert {verb for resource, verb in found["snapshot-controller"] if resource == "volumegroupsnapshots"} == {
        *watched,
        "update",
        "patch",
    }


def a_definition(folder: Path, kind: str, *versions: str) -> None:
    """As the module has them: the last version is stored, and a webhook converts the others."""
    spec = {
        "names": {"plural": kind},
        "conversion": {"strategy": "Webhook", "webhook": {}},
        "versions": [
            {"name": version, "served": True, "storage": version == versions[-1], "deprecated": version != versions[-1]}
            for version in versions
        ],
    }
    (folder / f"groupsnapshot.storage.k8s.io_{kind}.yaml").write_text(yaml.safe_dump({"spec": spec}))


def test_groups_are_stored_as_their_controllers_write_them(tmp_path: Path) -> None:
    """There is no webhook here that would convert them to what the module stores."""
    folder = tmp_path / "config" / "crd"
    folder.mkdir(parents=True)
    for kind in group_snapshots._KINDS:
        a_definition(folder, kind, "v1beta1", "v1beta2")
    (target := tmp_path / "target").mkdir()
    group_snapshots.write_definitions(target, module=tmp_path)
    found = [yaml.safe_load(path.read_text())["spec"] for path in sorted(target.iterdir())]
    assert [each["names"]["plural"] for each in found] == sorted(group_snapshots._KINDS)
    wanted = {"name": "v1beta1", "served": True, "storage": True, "deprecated": False}
    assert [each["versions"] for each in found] == [[wanted]] * 3
    assert not any("conversion" in each for each in found)
    a_definition(folder, "volumegroupsnapshots", "v1beta2")
    with pytest.raises(EnvironmentFailure, match=r"volumegroupsnapshots\.yaml defines v1beta2, but not v1beta1: set"):
        group_snapshots.write_definitions(target, module=tmp_path)
