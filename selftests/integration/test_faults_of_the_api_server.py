"""The API server restarts, is slow, refuses, or breaks off what it streams: the measurement is borne all the same."""

import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.objects import run_of
from acceptance.cluster.resources import NAMESPACES
from acceptance.cluster.waiting import wait_for
from embedded_cluster import EmbeddedCluster
from embedded_cluster.layout import Layout
from selftests.bounds import HANGS_S
from selftests.integration.faults import PROFILE, assert_measured_well, steady_load
from selftests.integration.remains import files_below
from selftests.integration.suite import ROOT, finish, left_behind, own, run_suite, started_suite, wait_for_load
from selftests.integration.test_interruption import cleanup
from selftests.lab.accounts import applied, documents, token_kubeconfig
from selftests.lab.api_proxy import ApiProxy, api_proxy
from selftests.lab.components import API_SERVER, kubelet_of, restart, with_words

# Of a time in RFC 3339, to its second.
SECONDS = len("2026-11-23T06:00:00")


@pytest.fixture
def as_account(cluster: EmbeddedCluster, api: Api, tmp_path: Path) -> Iterator[tuple[str, ...]]:
    """The options of a run by an account that may do what it needs, and no more."""
    path = tmp_path / "account"
    with applied(api, documents("rbac.yaml")):
        token_kubeconfig(api, cluster.kubeconfig, path)
        yield f"--storage-kubeconfig={path}", f"--storage-image={cluster.image}"


@pytest.mark.disrupts
@pytest.mark.parametrize("down_s", [pytest.param(4, marks=pytest.mark.full), 32])
def test_a_restart_in_mid_measurement_is_borne(
    down_s: float, cluster: EmbeddedCluster, as_account: tuple[str, ...], clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Also one that takes longer than the load, and than one request waits for its answer.

    The server answers again before it has read its roles: it refuses the account then.
    """
    with started_suite(*steady_load(tmp_path), *as_account, reports=reports) as process:
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


def through(proxy: ApiProxy, folder: Path, *, writes: bool = False) -> list[str]:
    """The options of a measurement that speaks to the API server through the proxy."""
    return [*steady_load(folder, writes=writes), f"--storage-kubeconfig={folder / 'kubeconfig'}"]


def test_answers_that_take_a_second_are_waited_for(proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path) -> None:
    with started_suite(*through(proxy, tmp_path), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        proxy.delay_s = 1
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


@pytest.mark.full
def test_a_login_page_now_and_then_is_borne(proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path) -> None:
    """Each request is answered by one, once: also those by which the run's lease is renewed and all is removed."""
    with started_suite(*through(proxy, tmp_path), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        proxy.login_page = "once"
        run = finish(process, reports=reports)
    assert_measured_well(run)
    assert proxy.logins > 5


def test_a_login_page_from_then_on_is_no_verdict_and_what_stays_can_be_removed(
    proxy: ApiProxy, cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Interrupted twice, it waits no longer for what does not answer."""
    with started_suite(*through(proxy, tmp_path), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        proxy.login_page = "always"
        time.sleep(2)
        before = len(proxy.asked)
        process.send_signal(signal.SIGTERM)
        # Of a process that a busy machine lets wait, two signals may be one: the second comes once the first was heard.
        wait_for(
            "the run to begin to clean up",
            look=lambda: proxy.asked[before:],
            ready=lambda seen: any(each.startswith("DELETE ") for each in seen),
            state=str,
            timeout_s=HANGS_S,
        )
        process.send_signal(signal.SIGTERM)
        # Half of what it would take to ask for two minutes twice.
        run = finish(process, reports=reports, timeout=120)
    assert run.status == 2, run.output
    assert "Traceback" not in run.output and "INTERNALERROR" not in run.output
    (by_hand,) = re.findall(r"remove it later with `storage-acceptance cleanup .* --run (\S+)`", run.output)
    done = cleanup(cluster, "--run", by_hand)
    assert done.returncode == 0 and f"run {by_hand}: removed" in done.stdout, done.stdout + done.stderr


@pytest.mark.full
def test_a_login_page_that_nobody_ends_is_no_verdict_and_the_printed_command_removes_the_run(
    proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Not interrupted, the run asks for two minutes, then for half a minute for each thing that it has to end, and for
    two minutes once more to be removed."""
    with started_suite(*through(proxy, tmp_path), reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        proxy.login_page = "always"
        run = finish(process, reports=reports)
    assert run.status == 10, run.output
    assert "Traceback" not in run.output and "INTERNALERROR" not in run.output
    assert run.results["verdicts"] == [] and run.results["errors"], run.output
    for error in run.results["errors"]:
        assert "expected a Kubernetes object, found a response (200, text/html" in error
        assert len(error.splitlines()) == 1
    (by_hand,) = re.findall(r"remove it later with `python (-m acceptance cleanup .*)`", run.output)
    (left,) = own(clean, NAMESPACES)
    assert f"--run {run_of(left['metadata']['name'])}" in by_hand
    proxy.login_page = None
    words = [sys.executable, *shlex.split(by_hand)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0 and ": removed" in done.stdout, done.stdout + done.stderr
    assert left_behind(clean) == []


def test_a_login_page_at_the_door_is_one_sentence(proxy: ApiProxy, reports: Path, tmp_path: Path) -> None:
    proxy.login_page = "always"
    run = run_suite(*through(proxy, tmp_path), reports=reports)
    assert run.status == 10, run.output
    assert "Traceback" not in run.output and "INTERNALERROR" not in run.output
    assert "expected a Kubernetes object, found a response (200, text/html" in run.output
    assert "a proxy, a load balancer or a login page" in run.output


def test_a_proxy_of_the_environment_is_not_asked_for_loopback(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """Nothing listens where HTTPS_PROXY says."""
    nowhere = dict.fromkeys(("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"), "http://127.0.0.1:9")
    run = run_suite("-k", "takes_a_write", "--storage-class=local-path", reports=reports, environment=nowhere)
    assert run.status == 0, run.output


def test_a_log_that_breaks_off_is_read_on(proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path) -> None:
    """Every three seconds, without a word."""
    proxy.drops_after_s = 3
    run = run_suite(*through(proxy, tmp_path), reports=reports)
    assert_measured_well(run)
    assert proxy.dropped >= 2


@pytest.mark.full
@pytest.mark.disrupts
@pytest.mark.parametrize("load", ["alone", "many"])
def test_a_log_of_which_the_node_keeps_only_the_end_is_read_on_where_it_was_left(
    load: str, proxy: ApiProxy, cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    """The node cuts it whenever it has seen, every 10 s, that it is longer than a second of fio's.

    It is broken off after each of two cuts, once what came after the cut is being read: the load outlasts both.
    """
    logs = Layout(cluster.name).node(1).state / "pod-logs"
    options = [*through(proxy, tmp_path, writes=load == "alone"), f"--storage-node={cluster.name}-node-1"]
    part = PROFILE if load == "alone" else "scale"
    if load == "many":
        limit = "at_least: 1%, because: the test wants it so"
        (tmp_path / "limits.yaml").write_text(
            "version: 1\ntiers:\n  baseline:\n    description: for a test of the suite\n    scaling:\n"
            f"      {PROFILE}:\n        metric: read.iops\n        total_at_last_step: {{{limit}}}\n"
        )
        options += ["-m", "scale", "--storage-scale-steps", "1,3", "--storage-scale-window", "30s"]  # one on each node
    with (
        with_words(cluster.name, kubelet_of(f"{cluster.name}-node-1"), "--container-log-max-size=10Ki"),
        started_suite(*options, reports=reports) as process,
    ):
        cuts: set[Path] = set()
        for _ in range(2):
            log = wait_for_cut(logs, part, cuts)
            wait_for_reading(proxy, log, past=lambda log=log: first_stamp(log))
            dropped = proxy.dropped
            proxy.drop_now()
            wait_for(
                "the log to break off", look=lambda: proxy.dropped, ready=dropped.__lt__, state=str, timeout_s=HANGS_S
            )
            last = read_to(proxy, log)
            wait_for_reading(proxy, log, past=lambda last=last: last)
        run = finish(process, reports=reports)
    assert proxy.dropped >= 2
    if load == "many":
        assert (run.status, run.results["errors"]) == (0, []), run.output
        assert [step["pods"] for step in run.results["scaling"][0]["steps"]] == [1, 3]
    else:
        assert_measured_well(run, metric="write.iops")


def wait_for_cut(logs: Path, part: str, known: set[Path]) -> Path:
    """Wait until the node has cut a log of a load once more than is `known`; the log, in which it goes on."""
    found = wait_for(
        "a log of a load to be cut",
        look=lambda: cuts_of(logs, part) - known,
        ready=bool,
        state=str,
        timeout_s=HANGS_S,
    )
    known |= found
    return min(found).with_name("0.log")


def cuts_of(logs: Path, part: str) -> set[Path]:
    """What the node has cut off so far; it is packed later, under the same name and more."""
    found = files_below(logs, f"storage-acceptance-*{part}*/load/0.log.*")
    return {path.with_name(path.name[: len("0.log.20261123-060000")]) for path in found}


def wait_for_reading(proxy: ApiProxy, log: Path, *, past: Callable[[], str]) -> None:
    """Wait until more of the log has been read than to that second: a kubelet follows to a new file some time later."""
    wait_for(
        f"{log} to be read",
        look=lambda: (past(), read_to(proxy, log)),
        ready=lambda seen: "" < seen[0] < seen[1],
        state=lambda seen: f"to {seen[1] or 'no time'}, expected past {seen[0] or 'no time'}",
        timeout_s=HANGS_S,
    )


def first_stamp(log: Path) -> str:
    """The second at which a log of a node begins."""
    return log.read_text().partition(" ")[0][:SECONDS] if log.exists() else ""


def read_to(proxy: ApiProxy, log: Path) -> str:
    """The second to which a log of a node has been read through the proxy."""
    _, pod, _ = log.parents[1].name.split("_")
    return next((stamp[:SECONDS] for path, stamp in proxy.read_to.items() if path.endswith(f"/pods/{pod}/log")), "")


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
