"""The replicated file system: a three-way GlusterFS volume with a brick on each node, mounted once on the host."""

import functools
import string
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import cgroups, disk_cpu, mount_namespaces, mount_points, mounts, priority, processes
from embedded_cluster.commands import run
from embedded_cluster.layout import PACKAGE, Layout
from embedded_cluster.processes import Daemons
from embedded_cluster.waiting import NotYet, wait_for

# GlusterFS's own port; each cluster has it on an address of its own.
PORT = 24007
VOLUME = "replicated"
REPLICAS = 3

# Options for a database volume: no caches between a write and its fdatasync, less bookkeeping for each write.
_OPTIONS = {
    "performance.write-behind": "off",
    "performance.open-behind": "off",
    "performance.quick-read": "off",
    "performance.io-cache": "off",
    "performance.read-ahead": "off",
    "performance.stat-prefetch": "off",
    "cluster.post-op-delay-secs": "5",
    # A write waits for the wake-ups on its way: each thread that hands it on adds one.
    "client.event-threads": "1",
    "server.event-threads": "1",
    "performance.io-thread-count": "1",
    "performance.iot-pass-through": "true",
    # Bricks write once, to their page cache and, before a write is durable, to their disk, instead of twice.
    "network.remote-dio": "enable",
    # One block at a time leaves a writer two fifths of its speed during a rebuild; eight at a time leave one fifth.
    "cluster.self-heal-window-size": "1",
    "features.ctime": "off",
}
_DAEMON, _HOLDER, _MOUNT, _HEALING = "glusterd", "mounts-glusterd", "replicated-mount", "glustershd"
_HELD_CPUS = 0.02
"""The share of a CPU for healing while it is throttled: on a current one enough for 17 MiB a second."""
# Paths in its namespace.
_FILES = [
    f"--log-file={mount_points.GLUSTER_LOGS / 'glusterd.log'}",
    f"--pid-file={mount_points.GLUSTER_SOCKETS / 'glusterd.pid'}",
    f"--socket-file={mount_points.GLUSTER_SOCKETS / 'glusterd.sock'}",
]


@dataclass(frozen=True)
class GlusterFS:
    """The replicated file system of one cluster; all of it listens on `address`, on the pod bridge."""

    layout: Layout
    daemons: Daemons
    address: str

    def start(self) -> None:
        """Start the daemon, create the volume of the nodes' bricks and mount it.

        Raises EnvironmentFailure with the output of GlusterFS.
        """
        folders = [self.layout.node(number).brick for number in range(1, REPLICAS + 1)]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        self._start_daemon()
        bricks = [f"{self.address}:{folder}/data" for folder in folders]
        # `force`: GlusterFS warns of bricks on the root disk and of replicas that share a host; both are intended here.
        self.command("volume", "create", VOLUME, "replica", str(REPLICAS), *bricks, "force")
        # Pods reach the address too, and must not reach the data.
        options = {"auth.allow": self.address, **_OPTIONS}
        self.command("volume", "set", VOLUME, *(word for option in options.items() for word in option))
        self.command("volume", "start", VOLUME)
        self._mount()
        self.go_first()

    def start_bricks(self) -> None:
        """Start the bricks that do not run, and give them their priority.

        Raises EnvironmentFailure with the output of GlusterFS, or if a brick does not come up.
        """

        def run() -> None:
            # Repeated, because glusterd may not have noticed yet that a brick has ended.
            if missing := self.start_missing_bricks():
                raise NotYet(f"no process for {', '.join(missing)}")

        wait_for("the bricks to run", run, timeout=60, interval=0.3)
        self.go_first()

    def start_missing_bricks(self) -> list[str]:
        """Start once the bricks that have no process; return their folders.

        Raises EnvironmentFailure with the output of GlusterFS.
        """
        folders = [self.layout.node(number).brick for number in range(1, REPLICAS + 1)]
        missing = [str(folder) for folder in folders if not processes.with_argument(f"{folder}/data")]
        for folder in missing:
            self._forget_process(folder)
        if missing:
            self.command("volume", "start", VOLUME, "force")
        return missing

    def _forget_process(self, brick: str) -> None:
        """Remove the file with the id of a brick's process that has ended.

        To glusterd the brick runs while any process has that id, and a new one may have been given it.
        """
        name = f"{self.address}{brick}/data".replace("/", "-")
        (self.layout.gluster_socket.parent / "vols" / VOLUME / f"{name}.pid").unlink(missing_ok=True)

    def go_first(self) -> None:
        """Give all of it its priority: each brick creates a session of its own."""
        priority.go_first(self.layout, (_DAEMON, _MOUNT))

    def hold_healing(self) -> None:
        """Throttle healing until `release_healing`: in memory, bricks would be healed before the first poll."""
        healers = self._healers()
        for pid in healers:
            priority.go_with_others(pid)  # The kernel throttles nothing that has real-time priority.
        cgroups.limit_cpu(self._healing_cgroup, cpus=_HELD_CPUS, pids=healers)

    def release_healing(self) -> None:
        """Let bricks be healed as fast as the machine can."""
        healers = self._healers()
        for member in list(cgroups.members(f"{self.layout.cgroup}/daemons/{_DAEMON}") - healers)[:1]:
            cgroups.unlimit_cpu(self._healing_cgroup, like=member)
        for pid in healers:
            priority.go_immediately(pid)

    def _healers(self) -> set[int]:
        return processes.with_argument(f"shd/{VOLUME}") & processes.with_argument(self.address)

    @property
    def _healing_cgroup(self) -> str:
        return f"{self.layout.cgroup}/daemons/{_HEALING}"

    def command(self, *words: str) -> str:
        """Return the output of one command of the gluster command line, run in the namespace of the daemon."""
        options = [
            f"--glusterd-sock={self.layout.gluster_socket}",
            f"--log-file={self.layout.gluster / 'log' / 'cli.log'}",
        ]
        namespace = mount_namespaces.namespace_of(self.daemons, _HOLDER)
        return run(namespace.inside(["gluster", *options, "--mode=script", *words]), timeout=60)

    def _start_daemon(self) -> None:
        state, sockets = self.layout.gluster, self.layout.gluster_socket.parent
        own = {
            mount_points.GLUSTER_STATE: state / "lib",
            mount_points.GLUSTER_LOGS: state / "log",
            mount_points.GLUSTER_SOCKETS: sockets,
        }
        for folder in own.values():
            folder.mkdir(parents=True, exist_ok=True)
        # Geo-replication is not used, and its setup starts Python a dozen times, for seconds. To glusterd, a script
        # whose interpreter does not exist is a program that is not installed.
        no_gsyncd = state / "no-gsyncd"
        no_gsyncd.write_text("#!/nonexistent\n")
        no_gsyncd.chmod(0o755)
        instead = own | dict.fromkeys(_gsyncd(), no_gsyncd)
        namespace = mount_namespaces.make(self.daemons, _HOLDER, in_place_of=instead, seeing=(self.layout.disks,))
        volfile = state / "glusterd.vol"
        template = string.Template((PACKAGE / "templates" / "glusterd.vol").read_text())
        volfile.write_text(template.substitute(socket=self.layout.gluster_socket, address=self.address))
        command: list[str | Path] = ["glusterd", "--no-daemon", "--volfile", volfile, *_FILES]
        self.daemons.start(_DAEMON, [*self._where_and_when, *namespace.inside(command)])

        def answers() -> None:
            self.daemons.require_alive(_DAEMON)
            try:
                if not self.layout.gluster_socket.exists():
                    raise NotYet(f"no socket {self.layout.gluster_socket}")
                self.command("volume", "list")
            except EnvironmentFailure as error:
                raise NotYet(str(error)) from None

        wait_for("glusterd to answer", answers, timeout=60)

    @functools.cached_property
    def _where_and_when(self) -> tuple[str, ...]:
        """The words before each daemon: all of them on one CPU, and immediately."""
        return (*priority.immediate(), *disk_cpu.prefix_on_it(self.layout.disks))

    def _mount(self) -> None:
        self.layout.replicated_mount.mkdir(exist_ok=True)
        source = [f"--volfile-server={self.address}", f"--volfile-server-port={PORT}", f"--volfile-id={VOLUME}"]
        log = self.layout.gluster / "log" / "mount.log"
        mount: list[str | Path] = [
            "glusterfs",
            "--no-daemon",
            *source,
            f"--log-file={log}",
            self.layout.replicated_mount,
        ]
        self.daemons.start(_MOUNT, [*self._where_and_when, *mount])

        def check_mount() -> None:
            self.daemons.require_alive(_MOUNT)
            if self.layout.replicated_mount not in mounts.below(self.layout.replicated_mount):
                raise NotYet(f"nothing is mounted on {self.layout.replicated_mount}; see {log}")

        wait_for("the replicated volume to be mounted", check_mount, timeout=60)


def _gsyncd() -> list[Path]:
    """Return the paths of GlusterFS's program for geo-replication."""
    patterns = ("lib/*/glusterfs/gsyncd", "libexec/glusterfs/gsyncd")
    return [path for pattern in patterns for path in Path("/usr").glob(pattern)]
