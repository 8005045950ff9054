"""The API server restarts, is slow, refuses, or breaks off what it streams: the measurement is borne all the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.embedded import EmbeddedCluster
from selftests.integration.faults import PROFILE, assert_measured_well, steady_load
from selftests.integration.suite import finish, run_suite, started_suite, wait_for_load
from selftests.lab.api_proxy import ApiProxy, api_proxy
from selftests.lab.components import API_SERVER, restart


@pytest.mark.disrupts
@pytest.mark.parametrize("down_s", [pytest.param(4, marks=pytest.mark.full), 32])
def test_a_restart_in_mid_measurement_is_borne(
    down_s: float, cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Also one that takes longer than the load, and than one request waits for its answer."""
    with started_suite(*steady_load(tmp_path), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        restart(cluster.name, API_SERVER, down_s=down_s)
        run = finish(process, reports=reports)
    assert_measured_well(run)


@pytest.fixture
def proxy(cluster: EmbeddedCluster, tmp_path: Path) -> Iterator[ApiProxy]:
    """A proxy in front of the API server, and a kubeconfig in `tmp_path` that leads through it."""
    with api_proxy(cluster.kubeconfig) as made:
        made.write_kubeconfig(tmp_path / "kubeconfig")
        yield made


def through(proxy: ApiProxy, folder: Path) -> list[str]:
    """The options of a measurement that speaks to the API server through the proxy."""
    return [*steady_load(folder), f"--storage-kubeconfig={folder / 'kubeconfig'}"]


def test_an_answer_that_takes_seconds_is_waited_for(proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path) -> None:
    with started_suite(*through(proxy, tmp_path), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        proxy.delay_s = 2
        run = finish(process, reports=reports)
    assert_measured_well(run)


def test_what_is_refused_for_now_is_asked_again_when_the_server_says(
    proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Each request is answered 429 once, and not before the second of its Retry-After is over."""
    with started_suite(*through(proxy, tmp_path), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        proxy.refuses = True
        run = finish(process, reports=reports)
    assert_measured_well(run)
    assert proxy.refused > 5 and proxy.impatient == []


def test_a_log_that_breaks_off_is_read_again(proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path) -> None:
    """Every three seconds, without a word."""
    proxy.drops_after_s = 3
    run = run_suite(*through(proxy, tmp_path), reports=reports)
    assert_measured_well(run)
    assert proxy.dropped >= 2


def test_no_pod_is_lost_or_counted_twice_when_watches_break_off(
    proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path
) -> None:
    limits = tmp_path / "ramp.yaml"
    limits.write_text(
        "version: 1\ntiers:\n  baseline:\n    description: for a test of the suite\n    control_plane:\n"
        "      ramp:\n        rate: 120/min\n        stop_when:\n"
        "          crashes: {more_than: 3, because: not stable}\n"
        "      pods: {at_least: 10, because: the test wants it so}\n"
    )
    proxy.drops_after_s = 5
    ramp = ["-m", "control_plane", "--storage-destructive", "--storage-class", "local-path"]
    where = [f"--storage-kubeconfig={tmp_path / 'kubeconfig'}", f"--storage-thresholds={limits}"]
    run = run_suite(*ramp, *where, reports=reports)
    assert run.status == 0, run.output
    record = run.results["control_plane"][0]
    assert (record["pods"], record["volumes"], len(record["starts"])) == (10, 10, 10)
    assert proxy.dropped >= 5
