"""What tests could leave on this host and in a cluster, found without the suite's own code for removing it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.objects import run_namespace
from acceptance.cluster.resources import ATTACHMENTS, CLAIMS, NAMESPACES, PODS, VOLUMES, Object, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.process.private_folder import PREFIX
from acceptance.text.errors import AcceptanceError
from embedded_cluster.ceph.part import NAMESPACE as ROOK
from embedded_cluster.layout import RUN_ROOT, STATE_ROOT, Layout
from embedded_cluster.longhorn.part import NAMESPACE as LONGHORN
from selftests.bounds import HANGS_S
from selftests.integration.suite import runs_of_others

CNI_RESULTS = Path("/var/lib/cni/results")
CONTAINER_ID = "[0-9a-f]" * 64
FOLDERS = (
    "/opt",
    "/run",
    "/run/gluster",
    "/run/netns",
    "/sys/fs/cgroup",
    "/usr/libexec",
    "/var/lib",
    "/var/lib/cni",
    "/var/lib/cni/results",
    "/var/lib/glusterd",
    "/var/lib/kubelet",
    "/var/lib/storage-acceptance",
    "/var/log",
    "/var/log/glusterfs",
)
# Of all clusters together.
SHARED_FOLDERS = ("/run/containerd", "/run/storage-acceptance", "/var/log/containers")
_FILTERS = (["iptables-save"], ["nft", "list", "tables"])
KINDS: dict[str, Resource] = {
    "namespace": NAMESPACES,
    "pod": PODS,
    "claim": CLAIMS,
    "volume": VOLUMES,
    "attachment": ATTACHMENTS,
}
# Of a new embedded cluster; its provisioner takes volumes away in pods of its own.
OWN_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system", "local-path-storage")
# Of its parts, whose pods get other names when they are made anew, as after a fault.
PARTS = (LONGHORN, ROOK)


@dataclass(frozen=True, kw_only=True)
class Before:
    """What was there before the first test, and may be there after the last: not theirs."""

    clusters: frozenset[str]
    objects: frozenset[str]
    unowned: frozenset[str]


def look_before(cluster: str) -> Before:
    """What is there now; `cluster`: that of the tests, which may run already or not."""
    running = embedded_cluster.find(cluster)
    return Before(
        clusters=frozenset(cluster_names()),
        objects=frozenset() if running is None else frozenset(objects(Api.from_kubeconfig(running.kubeconfig))),
        unowned=frozenset(unowned()),
    )


def objects(api: Api) -> set[str]:
    """All that runs could leave in a cluster, whoever made it, by kind and name; not what belongs to runs that go on of
    other sessions of tests, which may have the cluster at the same time."""
    found: dict[str, str] = {}
    claimed: dict[str, str] = {}
    for kind, resource in KINDS.items():  # volumes before their attachments
        for item in api.list(resource):
            name, namespace = item["metadata"]["name"], item["metadata"].get("namespace", "")
            if kind == "volume":
                claimed[name] = (item["spec"].get("claimRef") or {}).get("namespace", "")
            place = _place(kind, item, claimed)
            own = (*OWN_NAMESPACES, *PARTS) if kind == "pod" else OWN_NAMESPACES if kind == "namespace" else ()
            if place not in own:
                found[f"{kind} {namespace}/{name}".replace(" /", " ")] = place
    going_on = {run_namespace(run) for run in runs_of_others()}
    return {each for each, place in found.items() if place not in going_on}


def _place(kind: str, item: Object, claimed: Mapping[str, str]) -> str:
    """The namespace that an object belongs to; `claimed`: those of volumes, by name."""
    if kind in ("namespace", "volume"):
        name = item["metadata"]["name"]
        return str(name if kind == "namespace" else claimed[name])
    if kind == "attachment":
        return claimed.get(item["spec"]["source"].get("persistentVolumeName", ""), "")
    return str(item["metadata"]["namespace"])


def objects_left(cluster: str, before: Before) -> set[str]:
    """What tests left in the cluster; nothing where none runs."""
    running = embedded_cluster.find(cluster)
    if running is None:
        return set()
    api = Api.from_kubeconfig(running.kubeconfig)
    return what_stays(lambda: objects(api) - before.objects)


def what_stays(look: Callable[[], set[str]]) -> set[str]:
    """What is still there once all that is going had three minutes to go."""
    try:
        wait_for(
            "all that goes to be gone",
            look=look,
            ready=lambda seen: not seen,
            state=lambda seen: ", ".join(sorted(seen)),
            timeout_s=HANGS_S,
        )
    except AcceptanceError:
        return look()
    return set()


def processes_of(name: str) -> set[int]:
    """Every process that mentions the cluster; but for those by which a new node of another lets go of its mounts."""
    found = mentioning([f"storage-acceptance/{name}/", f"STORAGE_ACCEPTANCE_CLUSTER={name}\0"])
    return {pid for pid in found if not _has_ended_or_lets_go_of_mounts(pid)}


def _has_ended_or_lets_go_of_mounts(pid: int) -> bool:
    """It was there a moment ago; one that has ended and is not yet waited for has no command line any more."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return True
    return words == [b""] or (words[:1] in ([b"umount"], [b"nsenter"]) and b"--lazy" in words)


def mentioning(traces: Collection[str]) -> set[int]:
    """Every process whose command line, environment or control group holds one of the texts."""
    found = set()
    for pid in psutil.pids():
        for file in ("cmdline", "environ", "cgroup"):
            try:
                content = Path(f"/proc/{pid}/{file}").read_bytes().replace(b"\n", b"/") + b"\0"
            except OSError:
                continue
            if any(trace.encode() in content for trace in traces):
                found.add(pid)
    return found


def on_host(clusters: Collection[str], *, folders: Collection[Path] = ()) -> set[str]:
    """All that is on this host of the clusters of these names, and of disks and loads below the folders."""
    return {f"{subject} {each}" for name in clusters for subject, each in _of_cluster(name)} | {
        f"{subject} {each}" for folder in folders for subject, each in _below(folder)
    }


def cluster_names() -> set[str]:
    """The names of all clusters that something on this host tells of, living or not."""
    groups = (Path(path) for path, _, _ in os.walk("/sys/fs/cgroup") if path.endswith("/storage-acceptance"))
    roots = [STATE_ROOT, RUN_ROOT, *groups]
    return {path.name for root in roots for path in _entries(root) if path.is_dir()}


def unowned() -> set[str]:
    """What bears no cluster's name: folders of dead runs, disks whose file is gone, networks of pods that are gone."""
    clusters = cluster_names()
    found = {f"network of a pod {path}" for path in _entries(CNI_RESULTS) if not clusters}
    bridges = {Layout(name).bridge for name in clusters}
    found |= {f"bridge {name}" for name in _links() if name.startswith("sab-") and name not in bridges}
    for folder in Path("/tmp").glob(f"{PREFIX}*"):
        if not mentioning([str(folder)]) and not _is_open_below(folder):
            found.add(f"folder {folder}")
    return found | {f"loop device {device}" for device, file in _loops() if file.endswith("(deleted)")}


def everything(*, without: Collection[str]) -> set[str]:
    """All of this host that a cluster could change, but for what is of those in `without`, and for tests' own disks."""
    others = [f"storage-acceptance/{name}" for name in without] + [f"storage-acceptance-{name}-" for name in without]
    others += ["cni-loopback-"] * bool(without)  # these bear no cluster's name
    bridges = {Layout(name).bridge for name in without}
    found = {f"mount {line}" for line in _mounts() if " /tmp/" not in line}
    found |= {f"link {link}" for link, master in _links().items() if {link, master}.isdisjoint(bridges)}
    found |= {f"cgroup {path}" for path, _, _ in os.walk("/sys/fs/cgroup")}
    for folder in (*FOLDERS, *(() if without else SHARED_FOLDERS)):
        found |= {f"file {entry}" for entry in _entries(Path(folder))}
    found |= {f"rule {rule}" for rule in _rules() if not any(bridge in rule for bridge in bridges)}
    return {each for each in found if not any(other in each for other in others)}


def _of_cluster(name: str) -> Iterator[tuple[str, str]]:
    layout = Layout(name)
    for pid in processes_of(name):
        yield "process", _describe(pid)
    part = f"/storage-acceptance/{name}"
    yield from (("mount", line) for line in _mounts() if f"{part}/" in f"{line}/".replace(" ", "/"))
    yield from (("loop device", f"{device} on {file}") for device, file in _loops() if f"{part}/" in file)
    yield from (("cgroup", path) for path, _, _ in os.walk("/sys/fs/cgroup") if f"{part}/" in f"{path}/")
    yield from (("folder", str(path)) for path in (layout.state, layout.run) if path.exists())
    links = _links()
    yield from (("link", link) for link, master in links.items() if layout.bridge in (link, master))
    of_pod = f"{layout.cni_network}-{CONTAINER_ID}-*"
    yield from (("network of a pod", str(path)) for path in _entries(CNI_RESULTS) if path.match(of_pod))
    yield from (("rule", rule) for rule in _rules() if layout.bridge in rule)


def _below(folder: Path) -> Iterator[tuple[str, str]]:
    inside = f"{folder}/"
    for pid in mentioning([inside]) - _own_family():
        yield "process", _describe(pid)
    yield from (("mount", line) for line in _mounts() if inside in line)
    yield from (("loop device", f"{device} on {file}") for device, file in _loops() if inside in file)


def _own_family() -> set[int]:
    me = psutil.Process()
    return {me.pid, *(parent.pid for parent in me.parents())}


def _mounts() -> list[str]:
    """Of each mount its root, its place and its source."""
    lines = (line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines())
    return [f"{words[3]} {words[4]} {words[words.index('-') + 2]}" for words in lines]


def _links() -> dict[str, str]:
    """The network interfaces, each with the bridge that it is a part of."""
    shown = subprocess.run(["ip", "-json", "link"], capture_output=True, text=True, check=True).stdout
    return {link["ifname"]: link.get("master", "") for link in json.loads(shown)}


def _rules() -> list[str]:
    """Of the packet filters: the rules that iptables shows, and the tables of nftables."""
    shown = [subprocess.run(words, capture_output=True, text=True, check=False).stdout for words in _FILTERS]
    return [line for text in shown for line in text.splitlines() if not line.startswith(("#", ":"))]


def _loops() -> list[tuple[str, str]]:
    found = []
    for file in Path("/sys/block").glob("loop*/loop/backing_file"):
        with suppress(OSError):  # it was let go of meanwhile
            found.append((file.parts[3], file.read_text().strip()))
    return found


def _is_open_below(folder: Path) -> bool:
    """Whether a process holds a file there open, as one does that uses a private folder."""
    return any(path.is_relative_to(folder) for pid in psutil.pids() for path in open_files(pid))


def open_files(pid: int) -> list[Path]:
    """What a process has open just now; nothing of one that has ended."""
    found = []
    for link in _entries(Path(f"/proc/{pid}/fd")):
        with suppress(OSError):  # it was closed meanwhile
            found.append(link.readlink())
    return found


def files_below(folder: Path, pattern: str) -> list[Path]:
    """The files whose paths end as the pattern says.

    Others may make and remove folders there meanwhile, which `Path.rglob` does not bear.
    """
    paths = (Path(here, name) for here, _, names in os.walk(folder) for name in names)
    return [path for path in paths if path.match(pattern)]


def _entries(folder: Path) -> list[Path]:
    """What is in the folder; nothing where it is not there, or no longer."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _describe(pid: int) -> str:
    try:
        return f"{pid} {' '.join(psutil.Process(pid).cmdline())[:120]}"
    except psutil.Error:
        return str(pid)
