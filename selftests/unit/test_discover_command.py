"""`discover` shows names as they are typed next, and proposes commands that run as they stand."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_requests import LOOK_ANSWER_S, LOOK_RETRY_S
from acceptance.commands.named_cluster import connect
from selftests.unit.loopback_server import Loopback, kubeconfig, loopback
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
NAMES = ("ocs-storagecluster-ceph-rbd", "ocs-storagecluster-ceph-rbd-virtualization", "ocs-storagecluster-cephfs")
PROVISIONER = "openshift-storage.rbd.csi.ceph.com"
OFFER = "/api/v1/namespaces/kube-public/configmaps/storage-acceptance"
# An embedded cluster of another name than the default, asked as the program that it is.
EMBEDDED = """
import sys
answers = {{"names": "mine", "kubeconfig --name mine": {kubeconfig!r}}}
words = " ".join(sys.argv[1:])
if words not in answers:
    sys.exit(4)
print(answers[words])
"""


@pytest.fixture
def server() -> Iterator[Loopback]:
    classes = [{"metadata": {"name": name, "uid": name}, "provisioner": PROVISIONER} for name in NAMES]
    found = Loopback(answers={"/apis/storage.k8s.io/v1/storageclasses": {"metadata": {}, "items": classes}})
    with loopback(found):
        yield found


def called(folder: Path, *words: str, **variables: str) -> tuple[int, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
    given = {**kept, "HOME": str(folder), "PYTHONPATH": str(ROOT), **variables}
    done = run_module("storage_acceptance", *words, folder=folder, environment=given)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("columns", ["40", "120", "200"])
def test_names_are_shown_in_full_at_any_width(columns: str, server: Loopback, tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "mine", cluster={"server": server.url})
    status, output = called(
        tmp_path, "discover", f"--kubeconfig={path}", COLUMNS=columns, FORCE_COLOR="1", TERM="xterm"
    )
    assert status == 0, output
    table = re.sub(r"\x1b\[[\d;]*m", "", output.partition("Next commands:")[0])
    assert [name for name in NAMES if not re.search(rf"(?m)^ *{name} .*{re.escape(PROVISIONER)} ", table)] == []


@pytest.mark.parametrize(("offer", "named"), [({"data": {"image": "registry/fio:3"}}, 0), ({}, 2)])
def test_what_is_proposed_names_an_image_where_the_cluster_does_not(
    offer: dict[str, Any], named: int, server: Loopback, tmp_path: Path
) -> None:
    server.answers[OFFER] = offer
    path = kubeconfig(tmp_path / "mine", cluster={"server": server.url})
    status, output = called(tmp_path, "discover", f"--kubeconfig={path}")
    assert status == 0, output
    proposed = re.findall(r"(?m)^ *storage-acceptance (?:quick|run) .*$", output)
    assert len(proposed) == 2
    assert sum("--storage-image=" in command for command in proposed) == named
    assert all(f"--storage-kubeconfig={path}" in command for command in proposed)


@pytest.mark.parametrize(("only_reads", "given_up"), [(True, (LOOK_ANSWER_S, LOOK_RETRY_S)), (False, (None, None))])
def test_a_server_that_does_not_answer_is_given_up_soon_by_who_only_reads(
    only_reads: bool, given_up: tuple[float | None, float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[tuple[float | None, float | None]] = []

    def server_within(seconds: float | None) -> SimpleNamespace:
        return SimpleNamespace(
            version=lambda *, timeout_s=None: limits.append((seconds, timeout_s)), within=server_within
        )

    monkeypatch.setattr(Api, "from_kubeconfig", lambda *_, **__: server_within(None))
    chosen = argparse.Namespace(in_cluster=False, kubeconfig=Path("mine"), context=None, embedded_name=None)
    with connect(chosen, only_reads=only_reads):
        assert limits == [given_up]


def test_a_command_reads_the_variables_that_a_run_reads(server: Loopback, tmp_path: Path) -> None:
    """The command line overrides them."""
    path = kubeconfig(tmp_path / "mine", cluster={"server": server.url})
    status, output = called(tmp_path, "discover", STORAGE_KUBECONFIG=str(path))
    assert status == 0 and f"--storage-kubeconfig={path}" in output, output
    status, output = called(tmp_path, "cleanup", STORAGE_KUBECONFIG=str(path), STORAGE_CONTEXT="strange")
    assert status == 4 and "strange" in output, output
    status, output = called(tmp_path, "discover", STORAGE_EMBEDDED="another")
    assert status == 4 and "no embedded cluster another is running" in output, output
    status, output = called(tmp_path, "discover", f"--kubeconfig={path}", STORAGE_KUBECONFIG=str(tmp_path / "none"))
    assert status == 0, output


@pytest.mark.parametrize(("command", "status"), [("discover", 0), ("cleanup", 4)])
def test_an_embedded_cluster_of_another_name_is_looked_at_and_never_changed(
    command: str, status: int, server: Loopback, tmp_path: Path
) -> None:
    path = kubeconfig(tmp_path / "mine", cluster={"server": server.url})
    program = tmp_path / "embedded_cluster" / "__main__.py"
    program.parent.mkdir()
    (program.parent / "__init__.py").touch()
    program.write_text(EMBEDDED.format(kubeconfig=str(path)))
    found, output = called(tmp_path, command)
    assert found == status, output
    assert ("--storage-embedded-name=mine" in output) == (command == "discover")
    assert (server.asked == []) == (command == "cleanup")


def test_figures_that_there_are_not_have_no_table(server: Loopback, tmp_path: Path) -> None:
    """It is the command line that lacks an image."""
    server.answers[OFFER] = {}
    path = kubeconfig(tmp_path / "mine", cluster={"server": server.url})
    options = (f"--storage-kubeconfig={path}", f"--storage-report={tmp_path / 'reports'}", "-p", "no:cacheprovider")
    status, output = called(tmp_path, "quick", NAMES[0], *options)
    assert status == 4 and "--storage-image" in output, output
    assert [word for word in ("quick figures", "report: ", "bandwidth") if word in output] == []
