"""The command lines of README and docs, as they stand: runs as far as their plan, all other commands to their end."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from string import Template

import pytest
import yaml

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES
from acceptance.planning.table import ENDS_BEFORE
from embedded_cluster import EmbeddedCluster
from selftests.integration.suite import CLUSTER, run_suite, suite_environment
from selftests.unit.docs_pages import PAGES, ROOT, blocks, example_of_own_tests
from selftests.warm_start import run_module

PROGRAM = "storage-acceptance"
OF_OTHER_TESTS = frozenset({"cluster"})
"""Commands that other integration tests run, each as its users do: they start and end clusters."""
CONTEXTS = ("staging", "lab", "six", "openshift", "kind-kind", "CONTEXT")
CLASSES = ("fast", "standard", "silver", "gp3", "longhorn", "ocs-storagecluster-ceph-rbd")
RUNS = ("reports/latest", "reports/RUN1", "reports/RUN2", "reports/RUN3", "reports/BEFORE", "reports/AFTER")
RUNS += ("reports/20261121-203246-82b53d", "reports/20261121-221143-ffaa0f", "reports/20261121-221703-371c7f")
RUNS += ("RUN", "RUN...", "BEFORE", "AFTER", "vendor-a", "vendor-b", "vendor-c")
DIRECTORIES = ("/mnt/nvme", "/mnt/data", "/media/sd", "/media/pi/sd", "/var/tmp/first")
HISTORIES = ("/var/lib/storage-acceptance", "HISTORY")
PLANNED = frozenset({"run", "host", "quick"})


def commands(page: str) -> list[str]:
    """The command lines of a page's blocks of code, up to a pipe, without those that only show a beginning."""
    lines = (line for block in blocks(PAGES[page]) for line in block.replace("\\\n", " ").splitlines())
    found = [line for line in lines if re.match(rf"(\w+=\S+ )*{PROGRAM} ", line)]
    words = [shlex.split(line.partition(" | ")[0], comments=True) for line in found]
    return [shlex.join(each) for each in words if each[-1] != "..." and each[1] not in OF_OTHER_TESTS]


PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]


@pytest.fixture(scope="module")
def classes(api: Api) -> Iterator[None]:
    """The StorageClasses that the pages name; each is the cluster's local one."""
    own = api.get(STORAGE_CLASSES, "local-path")
    same = {key: own[key] for key in ("provisioner", "reclaimPolicy", "volumeBindingMode")}
    for name in CLASSES:
        api.create(STORAGE_CLASSES, same | {"metadata": {"name": name}})
    try:
        yield
    finally:
        for name in CLASSES:
            api.delete(STORAGE_CLASSES, name)


@pytest.fixture(scope="module")
def place(cluster: EmbeddedCluster, classes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the pages name: contexts, runs, histories, and files of the user."""
    folder = tmp_path_factory.mktemp("pages")
    _write_contexts(cluster, folder)
    _write_runs(folder)
    for directory in (*DIRECTORIES, *HISTORIES):
        (folder / directory.lstrip("/")).mkdir(parents=True, exist_ok=True)
    _write_files(folder)
    return folder


def _write_contexts(cluster: EmbeddedCluster, folder: Path) -> None:
    config = yaml.safe_load(cluster.kubeconfig.read_text(encoding="utf-8"))
    (context,) = config["contexts"]
    config["contexts"] += [{**context, "name": name} for name in CONTEXTS]
    (folder / ".kube").mkdir()
    for path in (folder / ".kube" / "config", folder / "staging.kubeconfig"):
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        path.chmod(0o600)


def _write_runs(folder: Path) -> None:
    (folder / "disk").mkdir()
    host = ("--storage-cluster=host", f"--storage-class={folder / 'disk'}", "-k", "random-read-iops")
    history = folder / "HISTORY"
    history.mkdir()
    for number in (1, 2):
        reports = folder / f"done-{number}"
        run = run_suite(*host, "--storage-load=unjudged=4s", f"--storage-history={history}", reports=reports)
        assert run.status in (0, 5, 7), run.output
    for place, name in enumerate(RUNS):
        link = folder / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to((folder / f"done-{place % 2 + 1}" / "latest").resolve())


def _write_files(folder: Path) -> None:
    """The files that the pages show: a profile, limits, a target, tests; and those that they only name."""
    profile, limits, *_ = blocks(PAGES["docs/tutorial.md"].partition("## 6. ")[2].partition("## 7. ")[0])
    (folder / "my-profiles").mkdir()
    (folder / "my-profiles" / "order-log.fio").write_text(profile, encoding="utf-8")
    (folder / "my-limits.yaml").write_text(limits, encoding="utf-8")
    target = next(block for block in blocks(PAGES["docs/durability.md"]) if block.startswith("node_failure:"))
    (folder / "target.yaml").write_text(f"about: a lab\n{target}", encoding="utf-8")
    example_of_own_tests(folder)
    for name in ("junit_01.xml", "sanity.xml"):
        case = '<testcase classname="CSI" name="[It] CSI creates a volume"/>'
        (folder / name).write_text(f"<testsuite name='x' tests='1'>{case}</testsuite>", encoding="utf-8")


def substituted(command: str, folder: Path) -> str:
    """The command with the directories of this machine that it names in the folder, and the ID of a run."""
    for directory in (*DIRECTORIES, HISTORIES[0]):
        command = re.sub(rf"(?<![\w/]){directory}\b", f"{folder}{directory}", command)
    run_id = (folder / "RUN").resolve().name
    return Template(command.replace("--run ID", f"--run {run_id}")).safe_substitute(HOME=folder)


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS)
def test_the_commands_of_a_page_run_as_they_stand(page: str, place: Path) -> None:
    """A run is planned on the cluster, and nothing that its plan knows of would end it before its tests."""
    variables = suite_environment() | {"HOME": str(place), "PYTHONPATH": str(ROOT), "STORAGE_EMBEDDED_NAME": CLUSTER}
    problems = []
    for command in commands(page):
        _, *words = shlex.split(substituted(command, place))
        plans = words[0] in PLANNED
        done = run_module(
            "storage_acceptance",
            *words,
            folder=place,
            environment=variables | ({"STORAGE_PLAN": "true"} if plans else {}),
            together=True,
        )
        if done.returncode != 0 or (
            plans and (ENDS_BEFORE in done.stdout or "The plan of this run" not in done.stdout)
        ):
            problems.append(f"{command}\nexit status {done.returncode}\n{done.stdout}")
    assert problems == [], "\n\n".join(problems)
