"""What Ceph's daemons of an embedded cluster are told, when they are ready, and what runs are told of them."""

from __future__ import annotations

import base64
import configparser
import string
from pathlib import Path
from typing import Any

import pytest
import yaml

import embedded_cluster.ceph as folder
from acceptance.settings.target_file import CephTarget, read_target
from embedded_cluster import stand_ins
from embedded_cluster.ceph import configuration, part
from embedded_cluster.ceph.configuration import OSDS, Places
from embedded_cluster.ceph.readiness import health, lacking
from embedded_cluster.ceph.servers import components
from embedded_cluster.csi.driver import NAME, SOURCE
from embedded_cluster.kubectl import MANIFESTS
from embedded_cluster.layout import Layout

PLACES = Places(state=Path("/state/ceph"), run=Path("/run/ceph"))
ADDRESS = "10.200.0.1"
LAYOUT = Layout("unit-test")


def read(text: str) -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    found.read_string(text)
    return found


def test_all_listens_on_the_clusters_own_address_and_stores_below_its_folder() -> None:
    found = read(configuration.for_daemons(PLACES, fsid="f", address=ADDRESS))
    assert found["global"]["public addr"] == found["global"]["cluster addr"] == ADDRESS
    assert found["global"]["mon host"] == f"[v2:{ADDRESS}:3300]"
    places = {
        value
        for section in found.values()
        for key, value in section.items()
        if key.endswith((" data", " dir", "keyring"))
    }
    assert len(places) == 7
    assert all(value.startswith(("/state/ceph/", "/run/ceph")) for value in places)


def test_each_osd_is_on_a_host_of_its_own() -> None:
    """Or Ceph would find no place for a second copy, and nobody to tell that an OSD is down."""
    found = read(configuration.for_daemons(PLACES, fsid="f", address=ADDRESS))
    assert len({found[f"osd.{number}"]["crush location"] for number in range(OSDS)}) == OSDS == 4


def test_clients_are_told_nothing_of_the_daemons() -> None:
    found = read(configuration.for_clients(fsid="f", address=ADDRESS))
    assert found.sections() == ["global"] and set(found["global"]) == {"fsid", "mon host"}


def test_each_daemon_has_a_key_and_pods_may_nothing_but_files() -> None:
    rights = configuration.rights()
    assert set(rights) == {"mon.", "client.admin", "client.pods", "client.rbd", *components()} - {"mon.a"}
    assert "allow *" not in rights["client.pods"].values()
    keys = {name: configuration.new_key() for name in rights}
    assert len(set(keys.values())) == len(keys)
    text = configuration.keyring(keys, of=["client.pods"])
    assert read(text).sections() == ["client.pods"]
    assert 'caps mon = "allow r"\n' in text and f"key = {keys['client.pods']}\n" in text


def test_block_devices_are_used_by_who_may_use_nothing_else() -> None:
    assert configuration.rights()["client.rbd"] == {
        "mon": "profile rbd",
        "mgr": "profile rbd pool=rbd",
        "osd": "profile rbd pool=rbd",
    }
    found = read(configuration.for_clients(fsid="f", address=ADDRESS, keyring=PLACES.rbd_keyring))
    assert found["global"]["keyring"] == "/state/ceph/rbd.keyring"


def test_a_key_has_the_form_that_ceph_reads() -> None:
    """Kind (AES), when it was made, so many bytes, and these."""
    found = base64.b64decode(configuration.new_key())
    assert (found[:2], found[10:12], len(found)) == (b"\1\0", b"\x10\0", 28)


# Ready


def a_status(**other: Any) -> dict[str, Any]:
    whole = {
        "health": {"status": "HEALTH_OK", "checks": {}},
        "mgrmap": {"available": True},
        "osdmap": {"num_osds": 4, "num_up_osds": 4},
        "fsmap": {"by_rank": [{"status": "up:active"}]},
        "pgmap": {"pgs_by_state": [{"state_name": "active+clean", "count": 40}]},
    }
    return {**whole, **other}


def test_nothing_lacks_where_all_is_whole() -> None:
    assert lacking(a_status(), osds=4) == []
    scrubbed = {"pgs_by_state": [{"state_name": "active+clean+scrubbing", "count": 1}]}
    assert lacking(a_status(pgmap=scrubbed), osds=4) == []


def test_a_new_cluster_lacks_everything() -> None:
    assert len(lacking({}, osds=4)) == 4


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({"mgrmap": {"available": False}}, "no manager is available"),
        ({"osdmap": {"num_osds": 4, "num_up_osds": 3}}, "3 of 4 OSDs are up"),
        ({"fsmap": {"by_rank": [{"status": "up:replay"}]}}, "no metadata server is active"),
        ({"pgmap": {}}, "there are no placement groups"),
        ({"pgmap": {"pgs_by_state": [{"state_name": "peering", "count": 3}]}}, "3 placement groups are peering"),
    ],
)
def test_what_lacks_is_named(other: dict[str, Any], expected: str) -> None:
    assert lacking(a_status(**other), osds=4) == [expected]


def test_its_own_word_for_how_it_is_is_told() -> None:
    assert health(a_status()) == "HEALTH_OK"
    checks = {"OSD_DOWN": {"severity": "HEALTH_WARN", "summary": {"message": "1 osds down", "count": 1}}}
    assert health(a_status(health={"status": "HEALTH_WARN", "checks": checks})) == "HEALTH_WARN: 1 osds down"


# What runs are told


class Told:
    """A kubectl whose cluster has one ConfigMap."""

    def __init__(self, *lines: str) -> None:
        self.data = {"standIns": "\n".join(lines)} if lines else {}
        self.patched = ""

    def get(self, *words: str) -> list[dict[str, Any]]:
        return [{"data": self.data}]

    def run(self, *words: str) -> None:
        self.patched = words[-1]


def test_what_another_part_said_stays_said() -> None:
    kubectl = Told("Longhorn, tgtd", "Ceph, no Rook")
    stand_ins.tell(kubectl, ["Ceph, no Rook", "Ceph, no ceph-csi"])  # type: ignore[arg-type]
    assert '"Longhorn, tgtd\\nCeph, no Rook\\nCeph, no ceph-csi"' in kubectl.patched
    first = Told()
    stand_ins.tell(first, part.stand_ins(rbd=False))  # type: ignore[arg-type]
    assert "no Rook" in first.patched and "no ceph-csi" in first.patched
    assert "RBD" not in first.patched and any("RBD is one client" in line for line in part.stand_ins(rbd=True))


def test_block_devices_come_with_the_driver_that_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its class is that driver's, and names nothing that the driver does not know."""
    applied: dict[str, dict[str, Any]] = {}

    class Applies(Told):
        def apply(self, name: str, **values: Any) -> None:
            applied[name] = values

    monkeypatch.setattr(part, "run", lambda _words: "ceph version 16")
    without = part.install(Applies(), layout=LAYOUT, image="i", rbd_driver=None)  # type: ignore[arg-type]
    assert without == part.CLASSES and "ceph/rbd.yaml" not in applied
    both = part.install(Applies(), layout=LAYOUT, image="i", rbd_driver=NAME)  # type: ignore[arg-type]
    text = string.Template((MANIFESTS / "ceph" / "rbd.yaml").read_text()).substitute(applied["ceph/rbd.yaml"])
    found = yaml.safe_load(text)
    assert {found["metadata"]["name"]} == set(both) - set(without)
    assert (found["provisioner"], found["parameters"]) == (NAME, {"on": "rbd"})


def test_the_drivers_controller_is_told_where_ceph_and_the_exporter_are() -> None:
    conf, socket = part.driver_options(LAYOUT)
    assert conf == f"--ceph={LAYOUT.ceph}/rbd.conf" and socket == f"--rbd-exporter={LAYOUT.rbd_socket}"
    source = (SOURCE / "main.go").read_text()
    assert all(f'flag.String("{word}"' in source for word in ("ceph", "rbd-exporter"))
    assert len(str(Layout("a" * 20).rbd_socket)) <= 107


def test_the_target_file_names_the_toolbox_that_there_is() -> None:
    target = read_target(Path(folder.__file__).parent / "target.yaml").rebuild
    assert isinstance(target, CephTarget)
    assert (target.namespace, target.toolbox, target.osd) == (part.NAMESPACE, part.TOOLBOX, OSDS - 1)
    label = part.TOOLBOX.replace("=", ": ")
    text = (MANIFESTS / "ceph" / "toolbox.yaml").read_text()
    assert f"labels: {{{label}}}" in text and f"namespace: {part.NAMESPACE}" in text
