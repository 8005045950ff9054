"""Rebuilds on Longhorn itself, by the account of `deploy/`: the times that the suite tells are those of Longhorn's own
log, and the account may do what they take, and no more.

Needs root; takes about fifteen minutes once all is built. `SELFTEST_LONGHORN_REBUILDS` says how many are timed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.waiting import wait_for
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.longhorn_driver import LonghornDriver
from embedded_cluster.longhorn.part import NAMESPACE
from selftests.bounds import HANGS_S
from selftests.integration.longhorn_cluster import SIZES, WHOLE_S, longhorn_cluster, wait_forgotten
from selftests.integration.own_cluster import OwnCluster
from selftests.integration.rebuilds import FOREGROUND, LAX, REBUILD, limits
from selftests.integration.suite import SuiteRun, finish, left_behind, run_suite, started_suite
from selftests.lab.accounts import ACCOUNT, KINDS, Grant, applied, documents, granted, token_kubeconfig
from selftests.lab.audit import Asked, audited
from selftests.lab.longhorn_log import OwnRebuild, own_rebuilds

pytestmark = [
    pytest.mark.disrupts,
    pytest.mark.release,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root"),
]

FILES = ("rbac.yaml", "rbac-longhorn.yaml")
ROLE = f"{ACCOUNT}-rebuild"
# A replica of the first is deleted; the second has room for a further one.
CLASSES = {"longhorn": "deleted", "longhorn-2": "numberOfReplicas raised from 2 to 3"}
EACH = int(os.environ.get("SELFTEST_LONGHORN_REBUILDS", "6")) // len(CLASSES)
# For one rebuild, with the writes before it and the purge after it.
ONE_S = 300


@pytest.fixture(scope="module")
def own() -> Iterator[OwnCluster]:
    with longhorn_cluster("selftest-lh-times") as own:
        yield own


@pytest.fixture(scope="module")
def api(own: OwnCluster) -> Api:
    return Api.from_kubeconfig(own.found().kubeconfig)


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A run on each class, what Longhorn's log says of their rebuilds, and what the account asked for."""

    runs: dict[str, SuiteRun]
    own: list[OwnRebuild]
    asked: Asked


@pytest.fixture(scope="module")
def account(own: OwnCluster, api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The account's kubeconfig."""
    path = tmp_path_factory.mktemp("account") / "kubeconfig"
    with applied(api, documents(*FILES)):
        yield token_kubeconfig(api, own.found().kubeconfig, path, seconds=600 + ONE_S * EACH)


@pytest.fixture(scope="module")
def as_account(own: OwnCluster, account: Path) -> tuple[str, ...]:
    """The options by which a run is the account's."""
    return (f"--storage-kubeconfig={account}", f"--storage-image={own.found().image}")


@pytest.fixture(scope="module")
def seen(own: OwnCluster, api: Api, as_account: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Both classes at a time: most of a rebuild is waiting."""
    folder = tmp_path_factory.mktemp("rebuilds")
    options = [
        *(*REBUILD, "-k", "full-data", "--storage-target=longhorn", *SIZES, *as_account),
        *("--storage-rebuild-size=384Mi", f"--storage-rebuild-repeats={EACH}", "--storage-rebuild-timeout=15min"),
        limits(folder, LAX + FOREGROUND),
    ]
    with audited(own.layout.name, f"system:serviceaccount:{ACCOUNT}:{ACCOUNT}", folder=folder) as asked:
        own.wait_until_whole(seconds=WHOLE_S)  # the API server was away for some seconds
        with ExitStack() as started:
            processes = {
                name: started.enter_context(
                    started_suite(*options, f"--storage-class={name}", reports=folder / f"reports-{name}")
                )
                for name in CLASSES
            }
            runs = {
                name: finish(process, reports=folder / f"reports-{name}", timeout=600 + ONE_S * EACH)
                for name, process in processes.items()
            }
        return Seen(runs=runs, own=own_rebuilds(api, namespace=NAMESPACE), asked=asked())


# Times


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The time of one rebuild as the suite told it, and as Longhorn's log has it (s)."""

    told_s: float
    uncertainty_s: float
    own_s: float
    begin_late_s: float
    end_late_s: float

    @property
    def is_within(self) -> bool:
        return abs(self.told_s - self.own_s) <= self.uncertainty_s

    def __str__(self) -> str:
        return (
            f"told {self.told_s:.1f} s to within {self.uncertainty_s:.1f} s; own log {self.own_s:.1f} s; begin seen "
            f"{self.begin_late_s:+.1f} s, end {self.end_late_s:+.1f} s after it"
        )


def compared(record: dict[str, Any], own: list[OwnRebuild]) -> list[Compared]:
    """Each rebuild of the record with that of Longhorn's log which ended between its trigger and its end."""
    found = []
    for told in record["rebuilds"]:
        triggered, started, finished = (
            datetime.fromisoformat(told[key]) for key in ("triggered", "started", "finished")
        )
        (log,) = [
            each for each in own if each.engine.startswith(record["volume"]) and triggered <= each.whole <= finished
        ]
        found.append(
            Compared(
                told_s=told["seconds"],
                uncertainty_s=told["uncertainty_s"],
                own_s=log.seconds,
                begin_late_s=(started - log.begun).total_seconds(),
                end_late_s=(finished - log.whole).total_seconds(),
            )
        )
    return found


def test_each_time_that_is_told_is_that_of_longhorns_own_log(seen: Seen) -> None:
    found: list[Compared] = []
    for name, run in seen.runs.items():
        assert run.status == 0, run.output
        (record,) = run.results["rebuilds"]
        assert all(CLASSES[name] in rebuild["trigger"] for rebuild in record["rebuilds"])
        assert [rebuild["failures"] for rebuild in record["rebuilds"]] == [[]] * EACH
        found += compared(record, seen.own)
    print(*found, sep="\n")
    assert len(found) == EACH * len(CLASSES)
    assert [str(each) for each in found if not each.is_within] == []


def test_nothing_of_the_runs_is_left(seen: Seen, api: Api) -> None:
    assert left_behind(api) == []
    wait_forgotten(api)


# Rights


def test_the_account_asks_for_all_that_it_may_and_for_nothing_else(seen: Seen) -> None:
    """Of what is granted in Longhorn's namespace; the rest is that of every run."""
    of_longhorn = {replace(each, namespace="") for each in granted(documents(*FILES))[ROLE]}
    assert of_longhorn - seen.asked.allowed == set()
    assert seen.asked.refused == set()


CASES = granted(documents("rbac-longhorn.yaml"))[ROLE]
STORAGE_CLASS = StorageClass(
    name="longhorn",
    provisioner="driver.longhorn.io",
    parameters={},
    binding_mode="Immediate",
    reclaim_policy="Delete",
    allow_expansion=True,
    default=False,
)


@pytest.fixture
def without(api: Api, account: Path) -> Iterator[Callable[[Grant], None]]:
    """Takes one right away from the account, until the test ends."""

    def grant(grants: Iterable[Grant]) -> None:
        rules = [{"apiGroups": [each.group], "resources": [each.resource], "verbs": [each.verb]} for each in grants]
        api.patch(KINDS["Role"], ROLE, {"rules": rules}, namespace=NAMESPACE)

    yield lambda missing: grant(case for case in CASES if case != missing)
    grant(CASES)


@pytest.mark.parametrize("right", CASES, ids=lambda each: f"{each.verb}-{each.resource}")
def test_a_right_that_is_taken_away_is_missed_by_name(
    right: Grant, without: Callable[[Grant], None], account: Path
) -> None:
    """By the driver, before anything is made."""
    without(right)
    driver = LonghornDriver(
        Api.from_kubeconfig(account),
        STORAGE_CLASS,
        namespace=NAMESPACE,
        trigger=None,
        timeout_s=60,
        move_timeout_s=60,
    )

    def missed() -> list[str]:
        try:
            driver.require_ready()
        except EnvironmentFailure as error:
            return str(error).splitlines()[1:]
        return []

    # The API server takes some milliseconds to know a changed role.
    lines = wait_for(
        "one right to be missed", look=missed, ready=lambda seen: len(seen) == 1, state=str, timeout_s=HANGS_S
    )
    assert lines == [f"  {right.verb} on {right.resource}.longhorn.io in namespace {NAMESPACE}"]


def test_a_run_without_one_of_them_makes_no_volume(
    api: Api, without: Callable[[Grant], None], as_account: tuple[str, ...], tmp_path: Path
) -> None:
    without(Grant(resource="replicas", verb="delete", group="longhorn.io", namespace=NAMESPACE))
    options = [*REBUILD, "-k", "full-data", "--storage-class=longhorn", *SIZES, *as_account, limits(tmp_path)]
    found = run_suite(*options, reports=tmp_path / "reports")
    assert found.status == 10, found.output
    assert f"delete on replicas.longhorn.io in namespace {NAMESPACE}" in found.output
    assert found.results["rebuilds"] == [] and found.results["verdicts"] == []
    assert left_behind(api) == []
