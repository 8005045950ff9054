"""What the embedded cluster asks of its host, and what it installs and builds there."""

import ipaddress
import json
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import builds, go_modules, golang, network, packages, preconditions, waiting
from embedded_cluster.__main__ import main
from embedded_cluster.preconditions import Needs
from selftests.bounds import HANGS_S


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "storage-acceptance"


# Waiting


def test_wait_returns_what_is_there_at_last() -> None:
    answers = iter([waiting.NotYet("one"), waiting.NotYet("two"), 3])

    def poll() -> int:
        answer = next(answers)
        if isinstance(answer, waiting.NotYet):
            raise answer
        return int(str(answer))

    assert waiting.wait_for("three", poll, timeout=HANGS_S, interval=0.01) == 3


def test_wait_names_what_and_the_last_state() -> None:
    def poll() -> None:
        raise waiting.NotYet("still raining")

    with pytest.raises(EnvironmentFailure, match=r"the sun: not within 0 s; last seen: still raining"):
        waiting.wait_for("the sun", poll, timeout=0.05, interval=0.01)


def test_wait_ends_at_once_for_what_will_never_be() -> None:
    def poll() -> None:
        raise EnvironmentFailure("dead")

    with pytest.raises(EnvironmentFailure, match=r"^dead$"):
        waiting.wait_for("it", poll, timeout=60)


# Network


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ([], "10.200.0.0/20"),
        ([{"dst": "default"}], "10.200.0.0/20"),
        ([{"dst": "10.200.0.0/20"}], "10.200.16.0/20"),
        ([{"dst": "10.200.5.7"}], "10.200.16.0/20"),
        ([{"dst": "10.200.0.0/16"}], "10.201.0.0/20"),
    ],
)
def test_subnet_avoids_the_hosts_routes(routes: list[Any], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "run", lambda _command: json.dumps(routes))
    assert str(network._free_subnet()) == expected


def test_no_free_subnet_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "run", lambda _command: json.dumps([{"dst": "10.0.0.0/8"}]))
    with pytest.raises(EnvironmentFailure, match="no free /20"):
        network._free_subnet()


def test_pods_never_get_a_nodes_address() -> None:
    first, last = map(ipaddress.IPv4Address, network.pod_range("10.200.16.0/20"))
    nodes = ipaddress.IPv4Network("10.200.16.0/20")[network._FIRST_NODE + network.MOST_NODES - 1]
    assert nodes < first < last < ipaddress.IPv4Address("10.200.31.255")


def test_services_have_addresses_of_their_own() -> None:
    """Those of the pods end before them, and none is outside of the bridge's network."""
    for subnet in ("10.200.16.0/20", "10.207.240.0/20"):
        services = ipaddress.IPv4Network(network.cluster_ip_range(subnet))
        _, last = map(ipaddress.IPv4Address, network.pod_range(subnet))
        assert services.subnet_of(ipaddress.IPv4Network(subnet))
        assert last < services[0]
        station = ipaddress.IPv4Interface(network.services_address(subnet))
        assert str(station.network) == subnet
        assert station.ip < ipaddress.IPv4Network(subnet)[network._FIRST_NODE]


def test_free_ports_differ() -> None:
    ports = network.free_ports([str(number) for number in range(50)])
    assert len(set(ports.values())) == 50


def test_no_outgoing_connection_is_given_a_port_that_a_daemon_will_listen_on() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    ports = network.free_ports([str(number) for number in range(200)])
    assert [port for port in ports.values() if first <= port <= last] == []


def test_a_host_without_a_free_port_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All but one port of such a host are for outgoing connections, and that one is in use."""
    with socket.create_server(("127.0.0.1", network.free_ports(["used"])["used"])) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(network, "_FIRST_PORT", port)
        monkeypatch.setattr(network, "_EPHEMERAL_PORTS", tmp_path / "range")
        (tmp_path / "range").write_text(f"{port + 1}\t65535\n")
        with pytest.raises(EnvironmentFailure, match=r"no TCP port is free on 127\.0\.0\.1"):
            network.free_ports(["kubelet"])


def test_holder_of_a_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        problem = network.port_problem(port, address="127.0.0.1")
        assert problem is not None
        assert f"port {port}" in problem
    assert network.port_problem(port, address="127.0.0.1") is None


# Preconditions


def test_all_problems_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_mounting", "_links", "_fuse", "_kernel_messages", "_controllers"):
        monkeypatch.setattr(preconditions, name, lambda name=name: f"problem {name}")
    with pytest.raises(EnvironmentFailure) as refused:
        preconditions.check(Needs(free_disk=1e9, free_memory=1e9))
    for word in ("_mounting", "_links", "_fuse", "_kernel_messages", "_controllers", "for /var/lib", "of memory"):
        assert word in str(refused.value)
    assert "--storage-kubeconfig" in str(refused.value)


def test_unprivileged_user_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(EnvironmentFailure, match="needs root"):
        preconditions.require_root()


def test_missing_controllers_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io\n")
    monkeypatch.setattr("embedded_cluster.cgroups.ROOT", tmp_path)
    problem = preconditions._controllers()
    assert problem is not None
    assert "memory, pids" in problem


# Packages


def test_nothing_is_installed_where_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "missing", lambda _programs: [])
    monkeypatch.setattr(packages.subprocess, "run", lambda *_, **__: pytest.fail("ran apt-get"))
    assert packages.ensure() is False


def test_a_file_may_be_in_a_folder_called_after_the_architecture(tmp_path: Path) -> None:
    wanted = {"one": f"{tmp_path}/*/a.so", "two": f"{tmp_path}/*/b.so"}
    (tmp_path / "x86_64-linux-gnu").mkdir()
    (tmp_path / "x86_64-linux-gnu" / "a.so").touch()
    assert packages.missing(wanted) == ["two"]


def test_failed_installation_tells_why_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = tmp_path / "policy-rc.d"
    seen = []

    def fail(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        seen.append(policy.exists() and policy.stat().st_mode & 0o111)
        return subprocess.CompletedProcess(words, 100, stdout="E: Unable to locate package fio\n")

    monkeypatch.setattr(packages, "_POLICY", policy)
    monkeypatch.setattr(packages, "missing", lambda _programs: ["fio"])
    monkeypatch.setattr(packages.shutil, "which", lambda _name: "/usr/bin/apt-get")
    monkeypatch.setattr(packages.subprocess, "run", fail)
    with pytest.raises(EnvironmentFailure, match=r"(?s)Unable to locate package fio.*Install them yourself.*: fio"):
        packages.ensure()
    assert seen == [0o111]
    assert not policy.exists()


def test_an_installation_that_hangs_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(words: list[str], *, timeout: float, **_: Any) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(words, timeout)

    monkeypatch.setattr(packages, "_POLICY", tmp_path / "policy-rc.d")
    monkeypatch.setattr(packages, "missing", lambda _programs: ["fio"])
    monkeypatch.setattr(packages.shutil, "which", lambda _name: "/usr/bin/apt-get")
    monkeypatch.setattr(packages.subprocess, "run", hang)
    with pytest.raises(EnvironmentFailure, match=r"(?s)update` did not end within 1200 s.*mirror.*Install them.*: fio"):
        packages.ensure()


def test_policy_of_the_host_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = tmp_path / "policy-rc.d"
    policy.write_text("theirs")
    monkeypatch.setattr(packages, "_POLICY", policy)
    with packages.no_service_starts():
        assert policy.read_text() == "theirs"
    assert policy.read_text() == "theirs"


def test_a_policy_that_a_killed_install_left_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else no service of the host would start on its installation any more."""
    policy = tmp_path / "policy-rc.d"
    monkeypatch.setattr(packages, "_POLICY", policy)
    with packages.no_service_starts():
        left = policy.read_text()
    policy.write_text(left)
    with packages.no_service_starts():
        assert policy.read_text() == left
    assert not policy.exists()


def test_installing_removes_nothing_and_leaves_no_service_to_start_with_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []
    there: list[list[str]] = [["etcd-server", "fio"], ["etcd-server", "fio"], []]

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        ran.append(words)
        return subprocess.CompletedProcess(words, 0, stdout="")

    monkeypatch.setattr(packages, "_POLICY", tmp_path / "policy-rc.d")
    monkeypatch.setattr(packages, "missing", lambda _programs: there.pop(0))
    monkeypatch.setattr(packages.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(packages.subprocess, "run", run)
    assert packages.ensure() is True
    (install,) = [words for words in ran if "install" in words]
    assert "--no-remove" in install
    assert ["systemctl", "--quiet", "disable", "etcd"] in ran and ["update-rc.d", "etcd", "disable"] in ran


def test_no_apt_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "missing", lambda _programs: ["fio"])
    monkeypatch.setattr(packages.shutil, "which", lambda _name: None)
    with pytest.raises(EnvironmentFailure, match="no apt-get"):
        packages.ensure()


# Builds


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "go.mod").write_text("module x\n\ngo 1.24.0\n\nrequire a/b v1.2.3\n")
    monkeypatch.setattr(golang, "find_go", lambda **_: Path("/go"))
    return folder


def test_a_build_has_a_go_as_new_as_its_source_asks_for(
    cache: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(golang, "find_go", lambda *, minimum: (asked.append(minimum), Path("/go"))[1])

    def build(go: Path, target: Path) -> None:
        (target / "program").write_text(str(go))

    first = go_modules.build_once("x-v1", sources=[source], recipe="", build=build)
    assert (first / "program").read_text() == "/go" and asked == [(1, 24)]
    assert go_modules.build_once("x-v1", sources=[source], recipe="", build=build) == first
    assert asked == [(1, 24)]


def test_pins_are_read_from_go_mod(source: Path) -> None:
    assert go_modules.pinned_version(source, "a/b") == "v1.2.3"
    assert go_modules.pinned_version(builds.KUBERNETES, "k8s.io/kubernetes").startswith("v1.")
    assert golang.required_version(source) == (1, 24)


@pytest.mark.parametrize("own", ["go version go1.24.1 linux/amd64", "go version go1.26 linux/amd64"])
def test_own_go_is_used_where_it_is_new_enough(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang.shutil, "which", lambda _name: "/usr/bin/go")
    monkeypatch.setattr(golang, "run", lambda *_, **__: own)
    assert golang.find_go(minimum=(1, 24)) == Path("/usr/bin/go")


def test_old_go_gives_way_to_the_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang.shutil, "which", lambda _name: "/usr/bin/go")
    monkeypatch.setattr(golang, "run", lambda *_, **__: "go version go1.19.8 linux/amd64")
    monkeypatch.setattr(golang, "_from_wheel", lambda: Path("/wheel/go"))
    assert golang.find_go(minimum=(1, 24)) == Path("/wheel/go")


# Command line


@pytest.mark.parametrize(
    "arguments", [[], ["fly"], ["up", "--name", "No"], ["up", "--nodes", "0"], ["up", "--nodes", "x"], ["down", "more"]]
)
def test_wrong_usage_is_4(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 4
    assert capsys.readouterr().err.startswith("error: ")


def test_not_running_is_3_and_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--name", "no-such-cluster"]) == 3
    assert main(["kubeconfig", "--name", "no-such-cluster"]) == 4
    assert "up --name no-such-cluster" in capsys.readouterr().err
