"""What a cluster has in place of the real thing: it says so itself, and runs on it tell."""

from __future__ import annotations

from acceptance.cluster.description import OFFER, OFFER_NAMESPACE, describe_cluster, offered_image
from acceptance.cluster.resources import CONFIG_MAPS
from acceptance.report.comparing.facts import run_facts
from acceptance.report.summary import render_summary
from acceptance.results.document import Results
from embedded_cluster.longhorn.part import stand_ins
from selftests.unit.test_cluster_identity import api
from selftests.unit.test_report import full

SAID = ["<iscsi>: a loop device", "nothing else"]


def described(data: dict[str, str], *, kind: str = "embedded") -> list[str]:
    there = api(uid="0d1e")
    there.create(CONFIG_MAPS, {"metadata": {"name": OFFER}, "data": data}, namespace=OFFER_NAMESPACE)
    assert offered_image(there) == data.get("image")  # type: ignore[arg-type]
    return describe_cluster(there, kind=kind, image="i").stand_ins  # type: ignore[arg-type]


def on_a_cluster_with(said: list[str]) -> Results:
    found = full("fast")
    assert found.cluster is not None
    return found.model_copy(update={"cluster": found.cluster.model_copy(update={"stand_ins": said})})


def test_a_run_keeps_what_the_cluster_says() -> None:
    assert described({"image": "fio", "standIns": "\n".join(SAID)}) == SAID
    assert described({"image": "fio"}) == described({}) == []


def test_other_clusters_are_not_asked() -> None:
    """No account of a user's may read that ConfigMap, and none needs to."""
    assert described({"standIns": "\n".join(SAID)}, kind="kubeconfig") == []


def test_the_cluster_with_longhorn_names_each_of_its_own_programs() -> None:
    said = "\n".join(described({"standIns": "\n".join(stand_ins())}))
    assert "in place of iSCSI" in said
    for program in (
        "tgtd",
        "iscsiadm",
        "node-driver-registrar",
        "livenessprobe",
        "grpc_health_probe",
        "v2 data engine",
    ):
        assert program in said
    assert all(line.startswith("Longhorn, ") for line in said.splitlines())


def test_a_run_tells_of_them_in_its_report_and_beside_others() -> None:
    found = on_a_cluster_with(SAID)
    assert "&lt;iscsi&gt;: a loop device<br>nothing else" in render_summary(found)
    fact = run_facts(found, profiles=[])["substitutes"]
    assert (fact.value, fact.disturbs) == ("<iscsi>: a loop device; nothing else", True)


def test_one_that_has_none_is_told_as_before() -> None:
    found = on_a_cluster_with([])
    assert "Not the real thing" not in (page := render_summary(found)) and "Substitutes" not in page
    assert "substitutes" not in run_facts(found, profiles=[])
