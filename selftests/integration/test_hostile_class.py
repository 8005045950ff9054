"""A StorageClass whose every field, and whose provisioner's every word, is an attack on whoever reads the report."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from markupsafe import Markup

from acceptance.cluster.api import Api
from acceptance.cluster.objects import RUN_LABEL
from acceptance.cluster.resources import CLAIMS, EVENTS, NAMESPACES, STORAGE_CLASSES, Object
from acceptance.cluster.waiting import wait_for
from acceptance.report.page import page
from acceptance.text.errors import AcceptanceError
from selftests.bounds import HANGS_S
from selftests.integration.suite import SuiteRun, finish, left_behind, own, started_suite
from selftests.lab.browser import document_after_scripts

CLASS = "lab-hostile"
RUNS = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
CANARY = "canary-4f3a9c71"
PARAMETERS = {
    "about": RUNS,
    f"key{RUNS}": "yes",
    "adminSecret": CANARY,
    "accessKey": CANARY,
    "resturl": f"https://me:{CANARY}@store",
    "csi.storage.k8s.io/node-stage-secret-name": "rook-csi",
}
# What a controller that is broken, or broken into, may say: it quotes a secret, clears the screen, fakes lines.
SAID = (
    f"{RUNS} \x1b[2J\x1b[1;1H login with password={CANARY} failed, Authorization: Bearer {CANARY}\n"
    "PASS         lab-hostile: all is well\n::error::all is lost\r\n##[error]lost"
)


@pytest.fixture(scope="module")
def hostile_class(api: Api) -> Iterator[str]:
    """The class, whose claims never bind and get that event."""
    body = {
        "metadata": {"name": CLASS, "annotations": {"lab/about": RUNS, "lab/token": CANARY}},
        "provisioner": "lab.storage-acceptance/hostile",
        "parameters": PARAMETERS,
    }
    api.create(STORAGE_CLASSES, body)
    ended = threading.Event()
    thread = threading.Thread(target=_complain, args=(api, ended), daemon=True)
    thread.start()
    yield CLASS
    ended.set()
    thread.join()
    api.delete(STORAGE_CLASSES, CLASS)


def _complain(api: Api, ended: threading.Event) -> None:
    told: set[str] = set()
    while not ended.wait(0.2):
        with suppress(AcceptanceError):  # its namespace goes already, or it is told at the next turn
            for claim in api.list(CLAIMS, labels=RUN_LABEL):
                about = claim["metadata"]
                if claim["spec"].get("storageClassName") == CLASS and about["uid"] not in told:
                    api.create(EVENTS, _event(about), namespace=about["namespace"])
                    told.add(about["uid"])


def _event(claim: Object) -> Object:
    return {
        "metadata": {"name": f"{claim['name']}.lab"},
        "involvedObject": {"kind": "PersistentVolumeClaim", "name": claim["name"], "namespace": claim["namespace"]},
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": SAID,
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
    }


@pytest.fixture(scope="module")
def seen(hostile_class: str, api: Api, tmp_path_factory: pytest.TempPathFactory) -> tuple[SuiteRun, list[Object]]:
    """A run on the class, and the namespaces of runs as they were meanwhile."""
    reports = tmp_path_factory.mktemp("hostile") / "reports"
    # Time for the event to come on a busy machine, and for the namespace to go.
    options = ["--storage-class", hostile_class, "--storage-timeout=40s", "-k", "binds_and_takes", "-vv"]
    with started_suite(*options, "--showlocals", reports=reports) as process:
        namespaces = wait_for(
            "the namespace of the run",
            look=lambda: own(api, NAMESPACES),
            ready=lambda seen: bool(seen) or process.poll() is not None,
            state=str,
            timeout_s=HANGS_S,
        )
        run = finish(process, reports=reports)
    return run, namespaces


def test_the_class_fails_with_what_its_provisioner_said_on_one_line(
    seen: tuple[SuiteRun, list[Object]], api: Api
) -> None:
    run, _ = seen
    assert run.status == 1, run.output
    reason = run.verdict("binds_and_takes")["reason"]
    (said,) = [line for line in reason.splitlines() if "ProvisioningFailed" in line]
    assert "\\x1b[2J" in said and "all is well" in said
    assert left_behind(api) == []


def test_no_line_of_the_output_is_the_provisioners(seen: tuple[SuiteRun, list[Object]]) -> None:
    run, _ = seen
    assert "\x1b" not in run.output and "\r" not in run.output
    assert not re.search(r"^\s*(PASS .*all is well|::)|##\w*\[", run.output, re.MULTILINE)


def test_no_credential_is_in_the_output_or_the_run_folder(seen: tuple[SuiteRun, list[Object]]) -> None:
    run, _ = seen
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert {"report.html", "results.json", "junit.xml"} <= {path.name for path in files}
    for text in (run.output, *(path.read_text() for path in files)):
        assert CANARY not in text
    parameters = next(
        storage_class for storage_class in run.results["cluster"]["storage_classes"] if storage_class["name"] == CLASS
    )["parameters"]
    assert parameters["adminSecret"] == parameters["accessKey"] == "(not shown)"
    assert parameters["resturl"] == "https://(not shown)@store"
    assert parameters["csi.storage.k8s.io/node-stage-secret-name"] == "rook-csi"


def test_the_namespace_enforces_the_restricted_standard(seen: tuple[SuiteRun, list[Object]]) -> None:
    _, namespaces = seen
    levels = [namespace["metadata"]["labels"].get("pod-security.kubernetes.io/enforce") for namespace in namespaces]
    assert levels == ["restricted"]


def test_nothing_of_it_runs_in_a_browser(seen: tuple[SuiteRun, list[Object]], tmp_path: Path) -> None:
    run, _ = seen
    document = document_after_scripts(run.folder / "latest" / "report.html", profile=tmp_path / "profile")
    assert "<title>Storage acceptance</title>" in document
    assert document.count("&lt;script&gt;document.title") >= 3  # the reason, twice, and a parameter
    assert not re.search(r"<img[^>]*onerror", document)


@pytest.mark.parametrize("guarded", [False, True])
def test_the_policy_is_a_wall_of_its_own(guarded: bool, tmp_path: Path) -> None:
    """What slips through the escaping runs in a page without the policy, and does not with it."""
    whole = page(title="as it was", body=Markup(RUNS))
    path = tmp_path / "page.html"
    path.write_text(whole if guarded else re.sub(r"<meta http-equiv=[^>]*>", "", whole))
    document = document_after_scripts(path, profile=tmp_path / "profile")
    assert f"<title>{'as it was' if guarded else 'ran'}</title>" in document
