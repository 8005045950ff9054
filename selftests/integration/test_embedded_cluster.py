"""The embedded cluster as its user meets it: through its command line. Needs root; takes about four minutes."""

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

import embedded_cluster
from embedded_cluster.disks import DESCRIPTIONS, HOST, MEMORY
from embedded_cluster.layout import Layout
from embedded_cluster.processes import kill, with_argument
from selftests.bounds import HANGS_S
from selftests.integration.remains import files_below, on_host, processes_of

ROOT = Path(__file__).parents[2]
NAME = "selftest"
STATE = Path("/var/lib/storage-acceptance") / NAME
BRICKS = [Layout(NAME).node(number).brick for number in (1, 2, 3)]
# For a server on a busy machine to answer.
ANSWER_S = 60

pytestmark = [pytest.mark.disrupts, pytest.mark.skipif(os.geteuid() != 0, reason="the embedded cluster needs root")]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "embedded_cluster", *arguments]
    # On a new machine all that is built is built first, here or by the tests beside these.
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=2400, check=False)


def up() -> None:
    result = command("up", "--name", NAME)
    assert result.returncode == 0, result.stdout + result.stderr


def state() -> dict[str, Any]:
    return json.loads((STATE / "state.json").read_text())


def kubectl(*arguments: str, kubeconfig: Path = STATE / "admin.kubeconfig", stdin: str = "") -> Any:
    words = [str(STATE / "bin" / "kubectl"), f"--kubeconfig={kubeconfig}", *arguments]
    return subprocess.run(words, input=stdin, capture_output=True, text=True, timeout=HANGS_S, check=False)


def get(*arguments: str) -> Any:
    """What is there."""
    return json.loads(answer("get", "--output=json", *arguments))


def answer(*arguments: str) -> str:
    """What kubectl says; asked again where the API server, a kubelet or kubectl has no time for an answer."""
    answers: list[Any] = []

    def answered() -> bool:
        answers.append(kubectl(*arguments))
        return not answers[-1].returncode

    wait_until(answered, seconds=60)
    return str(answers[-1].stdout)


def wait_until(condition: Callable[[], bool], *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.2)


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    command("down", "--name", NAME)
    up()
    yield
    command("down", "--name", NAME)


RESTRICTED = """
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  restartPolicy: Never
  nodeName: {node}
  terminationGracePeriodSeconds: 0
  securityContext: {{runAsNonRoot: true, runAsUser: 65532, seccompProfile: {{type: RuntimeDefault}}}}
  containers:
    - name: main
      image: {image}
      command: [sh, -ec, {script}]
      securityContext: {{allowPrivilegeEscalation: false, capabilities: {{drop: [ALL]}}}}
      volumeMounts: [{mounts}]
  volumes: [{volumes}]
"""


def run_pod(*, name: str, namespace: str, script: str, node: int = 1, claim: str = "") -> str:
    """Run `script` in a restricted pod to its good end; returns its output."""
    manifest = RESTRICTED.format(
        name=name,
        namespace=namespace,
        node=f"{NAME}-node-{node}" if node else '""',
        image=state()["image"],
        script=json.dumps(script),
        mounts="{name: data, mountPath: /data}" if claim else "",
        volumes=f"{{name: data, persistentVolumeClaim: {{claimName: {claim}}}}}" if claim else "",
    )
    created = kubectl("apply", "--filename=-", stdin=manifest)
    assert created.returncode == 0, created.stderr

    def ended() -> bool:
        return get("pod", name, f"--namespace={namespace}")["status"].get("phase") in ("Succeeded", "Failed")

    wait_until(ended, seconds=180)
    output = answer("logs", name, f"--namespace={namespace}")
    assert get("pod", name, f"--namespace={namespace}")["status"]["phase"] == "Succeeded", output
    return output


@pytest.fixture(scope="module")
def namespace(cluster: None) -> str:
    """A namespace that admits restricted pods only."""
    kubectl("create", "namespace", "restricted")
    kubectl("label", "namespace", "restricted", "pod-security.kubernetes.io/enforce=restricted")
    wait_until(lambda: not kubectl("get", "sa", "default", "--namespace=restricted").returncode, seconds=60)
    return "restricted"


def create_claim(*, name: str, namespace: str, storage_class: str, mode: str) -> None:
    spec = {"storageClassName": storage_class, "accessModes": [mode], "resources": {"requests": {"storage": "1Mi"}}}
    manifest = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": namespace}}
    assert not kubectl("apply", "--filename=-", stdin=json.dumps({**manifest, "spec": spec})).returncode


# While it runs


def test_up_again_says_so_and_starts_nothing() -> None:
    before = state()
    result = command("up", "--name", NAME)
    assert result.returncode == 0
    assert "already up" in result.stdout
    assert state() == before  # nothing was started for it


def test_status_is_healthy() -> None:
    result = command("status", "--name", NAME)
    assert result.returncode == 0, result.stdout
    assert result.stdout.count(": Ready") == 3


def test_kubeconfig_is_private() -> None:
    path = Path(command("kubeconfig", "--name", NAME).stdout.strip())
    assert path.stat().st_mode & 0o777 == 0o600
    assert STATE.stat().st_mode & 0o777 == 0o700
    assert all(file.stat().st_mode & 0o077 == 0 for file in (STATE / "pki").iterdir())


def test_find_gives_the_running_cluster() -> None:
    found = embedded_cluster.find(NAME)
    assert found is not None
    assert (found.name, found.image) == (NAME, state()["image"])
    assert found.kubeconfig.exists()
    assert embedded_cluster.find("no-such-cluster") is None


def test_versions_are_true() -> None:
    nodes = get("nodes")["items"]
    assert [node["status"]["nodeInfo"]["kubeletVersion"] for node in nodes] == ["v1.34.4"] * 3
    assert json.loads(kubectl("version", "--output=json").stdout)["serverVersion"]["gitVersion"] == "v1.34.4"


def test_cluster_tells_its_image() -> None:
    data = get("configmap", "storage-acceptance", "--namespace=kube-public")["data"]
    assert data == {"kind": "embedded", "image": state()["image"]}


def test_glusterd_does_not_set_up_what_is_not_used() -> None:
    """Geo-replication alone took 12 s of a start on a busy machine."""
    assert "geo-replication module not installed" in (STATE / "gluster" / "log" / "glusterd.log").read_text()


def replicated_processes() -> list[int]:
    """Each brick, and the mount."""
    parts = [*(f"{brick}/data" for brick in BRICKS), f"{STATE}/replicated"]
    pids = [pid for part in parts for pid in with_argument(part)]
    # Not who unmounts the same place in a new namespace: the node of another test's cluster.
    return [pid for pid in pids if b"gluster" in program(pid)]


def program(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    return b""


def session_priorities() -> list[int]:
    """What counts where CPUs are shared out by session."""
    return [int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1]) for pid in replicated_processes()]


def real_time_is_allowed() -> bool:
    return subprocess.run(["chrt", "--rr", "1", "true"], capture_output=True, check=False).returncode == 0


def groups_by_session() -> bool:
    setting = Path("/proc/sys/kernel/sched_autogroup_enabled")
    return setting.exists() and setting.read_text().strip() == "1"


@pytest.mark.skipif(not groups_by_session(), reason="the kernel does not group processes by session")
def test_the_replicated_file_system_goes_first() -> None:
    assert session_priorities() == [-10] * 4


@pytest.mark.skipif(not real_time_is_allowed(), reason="the kernel refuses real-time priority")
def test_the_replicated_file_system_runs_immediately_and_on_one_cpu() -> None:
    pids = replicated_processes()
    assert [os.sched_getscheduler(pid) for pid in pids] == [os.SCHED_RR] * 4
    assert len({tuple(os.sched_getaffinity(pid)) for pid in pids}) == 1
    assert len(os.sched_getaffinity(pids[0])) == 1


def mounted() -> dict[str, str]:
    """The file systems of the cluster's disks: the kind of each, by its place below the state folder."""
    words = ["findmnt", "--json", "--list", "--output=target,fstype"]
    rows = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["filesystems"]
    places = {str(STATE / name): name for name in ("disks", "local", "local-disk")}
    return {places[row["target"]]: row["fstype"] for row in rows if row["target"] in places}


def test_disks_are_in_memory_if_enough_is_free_and_status_reports_it() -> None:
    kind = state()["disks"]
    assert f"disks       {kind}\n" in command("status", "--name", NAME).stdout
    assert mounted() == ({"disks": "tmpfs", "local": "ext4", "local-disk": "tmpfs"} if kind == MEMORY else {})
    parameters = {item["metadata"]["name"]: item["parameters"] for item in get("storageclasses")["items"]}
    described = {"local": parameters["local-path"]["disk"], "replicated": parameters["replicated"]["disk"]}
    assert described == DESCRIPTIONS[kind]
    assert (STATE / "disks" / "etcd").is_dir()


@pytest.mark.full
def test_disks_of_the_host_mount_nothing() -> None:
    command("down", "--name", NAME)
    result = command("up", "--name", NAME, "--disks", HOST)
    assert result.returncode == 0, result.stderr
    assert (state()["disks"], mounted()) == (HOST, {})
    command("down", "--name", NAME)
    up()


def test_classes_tell_what_they_are() -> None:
    classes = {item["metadata"]["name"]: item for item in get("storageclasses")["items"]}
    assert set(classes) == {"local-path", "replicated"}
    default = "storageclass.kubernetes.io/is-default-class"
    assert classes["local-path"]["metadata"]["annotations"][default] == "true"
    assert default not in classes["replicated"]["metadata"]["annotations"]
    assert classes["replicated"]["parameters"]["replicas"] == "3"


def listening() -> set[Any]:
    """Where processes of the cluster listen: addresses with their ports."""
    found = set()
    for pid in processes_of(NAME):
        with suppress(psutil.Error):  # it has ended: that of a pod, or of a probe
            connections = psutil.Process(pid).net_connections(kind="inet")
            found |= {connection.laddr for connection in connections if connection.status == psutil.CONN_LISTEN}
    return found


def test_nothing_listens_beyond_loopback_and_bridge() -> None:
    own = {"127.0.0.1", state()["gateway"], *state()["node_addresses"]}
    assert {place.ip for place in listening()} == own


@contextmanager
def neighbour() -> Iterator[None]:
    """A host next to this one, whose route to the cluster's network leads here."""
    ours, theirs, name = "selftest-ours", "selftest-theirs", "selftest-neighbour"
    inside = ["ip", "-netns", name]
    for words in (
        ["ip", "netns", "add", name],
        ["ip", "link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", name],
        ["ip", "address", "add", "198.51.100.1/30", "dev", ours],
        ["ip", "link", "set", ours, "up"],
        [*inside, "address", "add", "198.51.100.2/30", "dev", theirs],
        [*inside, "link", "set", theirs, "up"],
        [*inside, "route", "add", "default", "via", "198.51.100.1"],
    ):
        subprocess.run(words, check=True)
    try:
        yield
    finally:
        subprocess.run(["ip", "link", "delete", ours], check=False)
        subprocess.run(["ip", "netns", "delete", name], check=True)


def test_what_comes_from_elsewhere_reaches_nothing() -> None:
    """A host answers on all interfaces for the addresses of one, and glusterd there knows no passwords."""
    reach = (
        "import socket, sys\n"
        "try: socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=1).close()\n"
        "except TimeoutError: sys.exit(7)"
    )
    places = {place for place in listening() if place.ip != "127.0.0.1"}
    assert {place.ip for place in places} == {state()["gateway"], *state()["node_addresses"]}
    with neighbour():
        for place in places:
            words = [sys.executable, "-c", reach, place.ip, str(place.port)]
            assert subprocess.run(words, check=False).returncode == 0
            there = subprocess.run(["ip", "netns", "exec", "selftest-neighbour", *words], check=False)
            assert there.returncode == 7, place


def test_anonymous_is_refused() -> None:
    context = ssl.create_default_context(cafile=str(STATE / "pki" / "ca.crt"))
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(
            f"https://127.0.0.1:{state()['ports']['kube-apiserver']}/api", context=context, timeout=ANSWER_S
        )
    assert refused.value.code == 401


def test_kubelet_refuses_anonymous() -> None:
    configuration = json.loads((STATE / "nodes" / "1" / "kubelet.json").read_text())
    context = ssl.create_default_context(cafile=str(STATE / "pki" / "ca.crt"))
    with pytest.raises(urllib.error.HTTPError) as refused:
        url = f"https://{configuration['address']}:{configuration['port']}/pods"
        urllib.request.urlopen(url, context=context, timeout=ANSWER_S)
    assert refused.value.code == 401


def test_node_cannot_read_what_is_not_its_own() -> None:
    kubectl("create", "secret", "generic", "private", "--from-literal=key=value")
    node = STATE / "pki" / f"{NAME}-node-1.kubeconfig"
    assert kubectl("get", "node", f"{NAME}-node-1", kubeconfig=node).returncode == 0
    for forbidden in (["get", "secret", "private"], ["label", "node", f"{NAME}-node-2", "a=b"]):
        assert "forbidden" in kubectl(*forbidden, kubeconfig=node).stderr


def test_provisioner_has_only_its_rights() -> None:
    provisioner = STATE / "pki" / "local-path-provisioner.kubeconfig"
    assert kubectl("get", "storageclasses", kubeconfig=provisioner).returncode == 0
    for forbidden in (["get", "secrets"], ["get", "pods"], ["delete", "storageclass", "replicated"]):
        assert "forbidden" in kubectl(*forbidden, kubeconfig=provisioner).stderr


def test_etcd_trusts_only_the_api_server() -> None:
    def version(client: str) -> bytes:
        context = ssl.create_default_context(cafile=str(STATE / "pki" / "etcd-ca.crt"))
        context.load_cert_chain(STATE / "pki" / f"{client}.crt", STATE / "pki" / f"{client}.key")
        url = f"https://127.0.0.1:{state()['ports']['etcd']}/version"
        return urllib.request.urlopen(url, context=context, timeout=ANSWER_S).read()

    assert b"etcdserver" in version("apiserver-etcd")
    with pytest.raises((OSError, ssl.SSLError)):
        version("admin")


def test_image_has_fio_and_the_tools(namespace: str) -> None:
    tools = "sh df cat sleep dd sha256sum sync mkdir rm stat touch true false ls mv cp chmod kill uname tee head tail"
    tools += " od test [ echo printf expr date wc cmp"
    script = f"fio --version; id -u; for tool in {tools}; do ls /bin/$tool; done"
    output = run_pod(name="tools", namespace=namespace, script=script).splitlines()
    assert output[0] == "fio-" + state()["image"].rpartition(":")[2]
    assert output[1] == "65532"
    assert len(output) == 2 + len(tools.split())


def test_unrestricted_pods_are_refused_where_that_is_asked(namespace: str) -> None:
    result = kubectl("run", "root", f"--namespace={namespace}", f"--image={state()['image']}", "--", "true")
    assert "violates PodSecurity" in result.stderr


@pytest.mark.parametrize(
    ("storage_class", "folder"), [("local-path", STATE / "local"), ("replicated", STATE / "replicated")]
)
def test_volume_is_made_written_and_deleted(storage_class: str, folder: Path, namespace: str) -> None:
    def data() -> list[Path]:
        return files_below(folder, f"*_{namespace}_data-{storage_class}/file")

    claim = f"data-{storage_class}"
    create_claim(name=claim, namespace=namespace, storage_class=storage_class, mode="ReadWriteOnce")
    run_pod(name=claim, namespace=namespace, script="echo written > /data/file", node=0, claim=claim)
    assert get("persistentvolumeclaim", claim, f"--namespace={namespace}")["status"]["phase"] == "Bound"
    assert [path.read_text() for path in data()] == ["written\n"]
    kubectl("delete", "pod,persistentvolumeclaim", claim, f"--namespace={namespace}", "--wait=false")
    wait_until(lambda: not data() and not get("persistentvolumes")["items"], seconds=120)


def test_replicated_volume_is_the_same_on_every_node_and_brick(namespace: str) -> None:
    create_claim(name="shared", namespace=namespace, storage_class="replicated", mode="ReadWriteMany")
    # A pod that names its node passes by the scheduler, which would wait for the claim.
    bound = ["persistentvolumeclaim", "shared", f"--namespace={namespace}"]
    wait_until(lambda: get(*bound)["status"].get("phase") == "Bound", seconds=120)
    run_pod(name="writer", namespace=namespace, script="echo shared > /data/file", node=1, claim="shared")
    read = run_pod(name="reader", namespace=namespace, script="cat /data/file", node=3, claim="shared")
    assert read == "shared\n"
    assert all(len(list(brick.glob(f"data/*_{namespace}_shared/file"))) == 1 for brick in BRICKS)


def test_stopped_node_misses_a_write_and_catches_up(namespace: str) -> None:
    def replicas() -> list[bool]:
        return [bool(list(brick.glob(f"data/*_{namespace}_shared/while-down"))) for brick in BRICKS]

    embedded_cluster.stop_node(NAME, f"{NAME}-node-2")
    assert command("status", "--name", NAME).returncode == 1
    run_pod(name="down", namespace=namespace, script="echo x > /data/while-down; sync", node=1, claim="shared")
    assert replicas() == [True, False, True]
    embedded_cluster.start_node(NAME, f"{NAME}-node-2")
    wait_until(lambda: command("status", "--name", NAME).returncode == 0, seconds=180)
    wait_until(lambda: all(replicas()), seconds=180)
    assert not groups_by_session() or session_priorities() == [-10] * 4  # the new brick's too


# What is refused


@pytest.mark.parametrize(
    "arguments", [["up", "--name", "No_Name"], ["up", "--nodes", "0"], ["fly"], ["up", "--api-port", "0"], []]
)
def test_wrong_usage(arguments: list[str]) -> None:
    result = command(*arguments)
    assert result.returncode == 4
    assert "Traceback" not in result.stderr


def test_not_root_names_the_alternatives() -> None:
    program = "import os, sys; from embedded_cluster.__main__ import main; os.setuid(65534); sys.exit(main(['up']))"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 10
    assert "root" in result.stderr
    assert "--storage-kubeconfig" in result.stderr
    assert "--storage-cluster kind" in result.stderr


def test_taken_port_and_full_disk_are_told_together() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        result = command("up", "--name", "refused", "--api-port", str(port), "--min-free-disk", "1000000")
    assert result.returncode == 10
    assert f"port {port}" in result.stderr
    assert f"process {os.getpid()}" in result.stderr
    assert "1000000.0 GiB are needed" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (STATE.parent / "refused").exists()


def test_not_running() -> None:
    assert command("status", "--name", "no-such-cluster").returncode == 3
    assert command("kubeconfig", "--name", "no-such-cluster").returncode == 4
    result = command("down", "--name", "no-such-cluster")
    assert result.returncode == 0
    assert "nothing to do" in result.stdout


# Damage and end; each leaves the cluster as the next expects it


def test_up_loads_images_that_are_gone_and_starts_nothing_anew(namespace: str) -> None:
    """As a kubelet deletes them that is short of disk; pods that use them run on."""
    before = state()["processes"]
    socket_of_it = Layout(NAME).node(2).containerd_socket
    ctr = ["ctr", f"--address={socket_of_it}", "--namespace=k8s.io", "images"]
    for name in (state()["image"], state()["pause_image"]):
        subprocess.run([*ctr, "remove", "--sync", name], check=True, capture_output=True, timeout=60)
    damaged = command("status", "--name", NAME)
    assert (damaged.returncode, f"{NAME}-node-2 lacks images" in damaged.stdout) == (1, True), damaged.stdout
    up()
    assert command("status", "--name", NAME).returncode == 0
    assert state()["processes"] == before
    assert run_pod(name="again", namespace=namespace, script="echo here", node=2) == "here\n"


@pytest.mark.full
def test_up_mends_a_cluster_with_a_dead_part() -> None:
    etcd = next(record["pid"] for record in state()["processes"] if record["component"] == "etcd")
    os.kill(etcd, signal.SIGKILL)
    wait_until(lambda: command("status", "--name", NAME).returncode == 1, seconds=60)
    result = command("up", "--name", NAME)
    assert result.returncode == 0, result.stderr
    assert "etcd is dead" in result.stdout
    assert command("status", "--name", NAME).returncode == 0


def test_up_after_all_was_killed() -> None:
    kill([record["pid"] for record in state()["processes"]])  # one may end because another has
    wait_until(lambda: command("status", "--name", NAME).returncode == 3, seconds=60)
    up()
    assert command("status", "--name", NAME).returncode == 0


@pytest.mark.full
def test_simulated_nodes_are_added_left_alone_and_removed() -> None:
    def told(*options: str) -> str:
        result = command("up", "--name", NAME, *options)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def kwok() -> list[int]:
        return [record["pid"] for record in state()["processes"] if record["component"] == "kwok"]

    told("--simulated-nodes=3")
    assert "3 of 3 simulated nodes are Ready" in command("status", "--name", NAME).stdout
    (pid,) = kwok()
    assert "simulated nodes: 3" in told()
    told("--simulated-nodes=1")
    assert "1 of 1 simulated nodes are Ready" in command("status", "--name", NAME).stdout
    told("--simulated-nodes=0")
    assert "simulated" not in told()
    told("--simulated-nodes=2")
    names = {f"{NAME}-node-{number}" for number in (1, 2, 3)} | {f"{NAME}-simulated-{number}" for number in (1, 2)}
    assert {node["metadata"]["name"] for node in get("nodes")["items"]} == names
    assert kwok() == [pid]  # And `down`, tested next, ends it.
    assert not [
        net_connection
        for net_connection in psutil.Process(pid).net_connections(kind="inet")
        if net_connection.status == psutil.CONN_LISTEN
    ]


def test_down_leaves_nothing() -> None:
    assert on_host([NAME])
    result = command("down", "--name", NAME)
    assert result.returncode == 0, result.stderr
    assert on_host([NAME]) == set()


def test_down_again_has_nothing_to_do() -> None:
    result = command("down", "--name", NAME)
    assert result.returncode == 0
    assert "nothing to do" in result.stdout


@pytest.mark.full
def test_two_ups_at_once_make_one_cluster() -> None:
    command("down", "--name", NAME)
    words = [sys.executable, "-m", "embedded_cluster", "up", "--name", NAME]
    both = [subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = sorted(process.communicate(timeout=240)[0] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert sum("is up after" in output for output in outputs) == 1
    assert sum("waiting" in output and "already up" in output for output in outputs) == 1


@pytest.mark.full
def test_terminated_up_leaves_nothing() -> None:
    command("down", "--name", NAME)
    words = [sys.executable, "-m", "embedded_cluster", "up", "--name", NAME]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: any("etcd" in str(path) for path in STATE.glob("logs/*")), seconds=60)
    process.terminate()
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert on_host([NAME]) == set()
