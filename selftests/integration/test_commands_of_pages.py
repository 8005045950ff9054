"""The command lines of README and docs, as they stand: runs as far as their plan, all other commands to their end."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
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
OF_OTHER_TESTS = re.compile(rf"{PROGRAM} cluster |--storage-cluster=kind")
"""Commands that start and end clusters: other tests run them."""
ELSEWHERE = re.compile(r"--(storage-)?(cluster|kubeconfig|context)=| host | quick /")
"""Commands that name where they run; all others take the embedded cluster of this test."""
CONTEXTS = ("staging", "lab", "six", "openshift", "kind-kind", "CONTEXT")
CLASSES = ("fast", "standard", "silver", "gp3", "longhorn", "ocs-storagecluster-ceph-rbd")
RUNS = ("reports/latest", "reports/RUN1", "reports/RUN2", "reports/RUN3", "reports/BEFORE", "reports/AFTER")
RUNS += ("reports/20261121-203246-82b53d", "reports/20261121-221143-ffaa0f", "reports/20261121-221703-371c7f")
RUNS += ("RUN", "RUN...", "BEFORE", "AFTER", "vendor-a", "vendor-b", "vendor-c")
DIRECTORIES = ("/mnt/nvme", "/mnt/data", "/media/sd", "/media/pi/sd", "/var/tmp/first")
HISTORY, HISTORY_OF_PAGES = "HISTORY", "/var/lib/storage-acceptance"
PLANNED = frozenset({"run", "gate", "nightly", "qualification", "host", "quick"})


def commands(page: str) -> list[str]:
    """The command lines of a page's blocks of code, up to a pipe, without those that only show a beginning."""
    lines = (line for block in blocks(PAGES[page]) for line in block.replace("\\\n", " ").splitlines())
    found = [line for line in lines if re.match(rf"(\w+=\S+ )*{PROGRAM} ", line)]
    words = [shlex.split(line.partition(" | ")[0], comments=True) for line in found]
    joined = (shlex.join(each).replace("'$HOME/.kube/config'", "$HOME/.kube/config") for each in words)
    return [line for line in joined if not line.endswith(" ...") and not OF_OTHER_TESTS.search(f"{line} ")]


PAGES_WITH_COMMANDS = [page for page in PAGES if commands(page)]


@pytest.fixture(scope="module")
def classes(api: Api) -> Iterator[None]:
    """The StorageClasses that the pages name; each is the cluster's local one."""
    own = api.get(STORAGE_CLASSES, "local-path")
    same = {key: own[key] for key in ("provisioner", "reclaimPolicy", "volumeBindingMode")}
    with ExitStack() as undoing:
        for name in CLASSES:
            api.create(STORAGE_CLASSES, same | {"metadata": {"name": name}})
            undoing.callback(api.delete, STORAGE_CLASSES, name)
        yield


@pytest.fixture(scope="module")
def place(cluster: EmbeddedCluster, classes: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the pages name: contexts, runs, histories, and files of the user."""
    folder = tmp_path_factory.mktemp("pages")
    _write_contexts(cluster, folder)
    _write_runs(folder)
    for directory in DIRECTORIES:
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
    """Three runs on the cluster, under all names that the pages have for runs, and their history."""
    history = folder / HISTORY
    history.mkdir()
    (folder / HISTORY_OF_PAGES.lstrip("/")).parent.mkdir(parents=True)
    (folder / HISTORY_OF_PAGES.lstrip("/")).symlink_to(history)
    tests = "random-read-iops or test_two_nodes_share_a_volume"
    select = ("--storage-class=replicated", "-k", tests, "--storage-load=unjudged=4s")
    for number in range(3):
        run = run_suite(*select, f"--storage-history={history}", reports=folder / f"done-{number}")
        assert run.status in (0, 5, 7), run.output
    for place, name in enumerate(RUNS):
        link = folder / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to((folder / f"done-{place % 3}" / "latest").resolve())


def _write_files(folder: Path) -> None:
    """The files that the pages show: a profile, limits, a target, tests; and those that they only name."""
    profile, limits, *_ = blocks(PAGES["docs/tutorial.md"].partition("## 6. ")[2].partition("## 7. ")[0])
    (folder / "my-profiles").mkdir()
    (folder / "my-profiles" / "order-log.fio").write_text(profile, encoding="utf-8")
    (folder / "my-limits.yaml").write_text(limits, encoding="utf-8")
    target = next(block for block in blocks(PAGES["docs/durability.md"]) if block.startswith("node_failure:"))
    (folder / "target.yaml").write_text(f"about: a lab\n{target}", encoding="utf-8")
    declaration = next(block for block in blocks(PAGES["docs/vendors.md"]) if block.startswith("product:"))
    (folder / "declaration.yaml").write_text(declaration, encoding="utf-8")
    shutil.copy(ROOT / "docs" / "report.png", folder / "logo.png")
    example_of_own_tests(folder)
    for name in ("junit_01.xml", "sanity.xml"):
        case = '<testcase classname="CSI" name="[It] CSI creates a volume"/>'
        (folder / name).write_text(f"<testsuite name='x' tests='1'>{case}</testsuite>", encoding="utf-8")


def substituted(command: str, folder: Path) -> str:
    """The command with a run's ID and a node's name that exist, and the directories that it names in the folder."""
    for directory in (*DIRECTORIES, HISTORY_OF_PAGES):
        command = re.sub(rf"(?<![\w/]){directory}\b", f"{folder}{directory}", command)
    command = re.sub(r"--run \S+", f"--run {(folder / 'RUN').resolve().name}", command)
    command = command.replace("--storage-node=node-1", f"--storage-node={CLUSTER}-node-1")
    return Template(command).safe_substitute(HOME=folder)


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS)
def test_the_commands_of_a_page_run_as_they_stand(page: str, place: Path) -> None:
    """A run is planned on the cluster, and nothing that its plan knows of would end it before its tests."""
    variables = suite_environment() | {"HOME": str(place), "PYTHONPATH": str(ROOT)}
    problems = []
    for command in commands(page):
        _, *words = shlex.split(substituted(command, place))
        plans = words[0] in PLANNED
        named = bool(ELSEWHERE.search(f" {' '.join(words)}"))
        words += ["--embedded-name", CLUSTER] if words[0] == "discover" and not named else []
        more = {"STORAGE_PLAN": "true"} if plans else {}
        more |= {} if named else {"STORAGE_EMBEDDED_NAME": CLUSTER}
        done = run_module(
            "storage_acceptance",
            *words,
            folder=place,
            environment=variables | more,
            together=True,
        )
        if done.returncode != 0 or (
            plans and (ENDS_BEFORE in done.stdout or "The plan of this run" not in done.stdout)
        ):
            problems.append(f"{command}\nexit status {done.returncode}\n{done.stdout}")
    assert problems == [], "\n\n".join(problems)
