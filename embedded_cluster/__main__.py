"""The command line: `storage-acceptance cluster up|down|status|kubeconfig|run|node-fail|node-restore|...`."""

import argparse
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from acceptance.text.errors import AcceptanceError, EnvironmentFailure, WrongUsage
from embedded_cluster import disks, lifecycle, machine, postgresql, preconditions, removal, simulation
from embedded_cluster.borrowing import run_on_cluster
from embedded_cluster.cluster import find, running_names
from embedded_cluster.kubelet_control import cut_off, let_rejoin, mounts_of, start_kubelet, stop_kubelet
from embedded_cluster.layout import Layout
from embedded_cluster.locking import cluster_lock
from embedded_cluster.longhorn.pool import used_by_replicas
from embedded_cluster.network import MOST_NODES
from embedded_cluster.node_control import shut_down_node, start_node, stop_node
from embedded_cluster.preconditions import Needs
from embedded_cluster.progress import say, step
from embedded_cluster.state import CSI, LONGHORN, PARTS
from embedded_cluster.status import status
from embedded_cluster.storage_control import interrupt_storage, restore_storage
from embedded_cluster.timers import SHORT_GRACE_S

NOT_RUNNING = 3
DAMAGED_STATUS = 1
POSTGRESQL = "postgresql"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}\n{self.format_usage().strip()}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="storage-acceptance cluster", description="A real multi-node Kubernetes as plain processes.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    texts = {
        "up": "start the cluster, or report that it is up",
        "down": "remove the cluster and everything it left on this host",
        "status": "show what runs; exit status 0: healthy, 1: damaged, 3: not running",
        "names": "print the names of the running clusters",
        "kubeconfig": "print the path of the administrator's kubeconfig",
        "node-fail": "kill all processes of one node as a power cut would, and remove its mounts",
        "node-shutdown": "end all pods of one node in order, and then stop the node",
        "node-cut": "cut one node off from the control plane; its pods live on",
        "node-rejoin": "let it rejoin",
        "node-restore": "restart a node that failed",
        "kubelet-stop": "kill the kubelet of one node; its pods keep running",
        "kubelet-start": "start the kubelet of a node again",
        "node-mounts": "print where a node has a volume mounted",
        "storage-interrupt": "stop the servers of class replicated, and the volumes of the lab's CSI driver",
        "storage-restore": "let the storage continue",
        "pool-used": "print the bytes that Longhorn's replicas use on this host's disk",
        "run": "run a command while the cluster is up; take it down afterwards unless it ran before",
    }
    for command, text in texts.items():
        sub = commands.add_parser(command, help=text, description=text)
        sub.add_argument("--name", default="default", help="the cluster's name (default: %(default)s)")
        if command.startswith(("node-", "kubelet-")):
            sub.add_argument("node", metavar="NODE", help="the node's name, as kubectl shows it")
        if command == "node-mounts":
            sub.add_argument("volume", metavar="VOLUME", help="the volume's name, as kubectl shows it")
        if command == "run":
            sub.add_argument(
                "--durable-writes",
                type=float,
                default=0,
                metavar="RATE",
                help="durable writes a second that class replicated must reach on this machine (default: any rate)",
            )
            sub.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the command to run")
        if command in ("up", "run"):
            sub.add_argument("--nodes", type=int, default=3, help="number of nodes (default: %(default)s)")
            sub.add_argument(
                "--simulated-nodes",
                type=int,
                metavar="COUNT",
                help="simulated nodes in addition to the real ones (default: as many as exist)",
            )
            sub.add_argument("--api-port", type=int, help="the API server's port on 127.0.0.1 (default: any free one)")
            sub.add_argument(
                "--min-free-disk",
                type=float,
                default=Needs.free_disk,
                help="GiB that must be free (default: %(default)s)",
            )
            sub.add_argument(
                "--disks",
                choices=disks.KINDS,
                help=f"medium of the volumes of the built-in classes (default: {disks.MEMORY}, if enough is free)",
            )
            sub.add_argument(
                "--with",
                dest="parts",
                action="append",
                choices=(*PARTS, POSTGRESQL),
                default=[],
                help=f"an additional part; repeatable; {POSTGRESQL}: its image, also if the cluster already runs",
            )
            sub.add_argument(
                "--short-timers",
                action="store_true",
                help=f"for tests: nodes count as lost after {SHORT_GRACE_S} s of silence (default: 50 s)",
            )
    return parser


def _up(layout: Layout, options: argparse.Namespace) -> int:
    if not 1 <= options.nodes <= MOST_NODES:
        raise WrongUsage(f"--nodes must be 1 to {MOST_NODES}, not {options.nodes}")
    if options.simulated_nodes is not None and not 0 <= options.simulated_nodes <= simulation.MOST_NODES:
        raise WrongUsage(f"--simulated-nodes must be 0 to {simulation.MOST_NODES}, not {options.simulated_nodes}")
    if options.api_port is not None and not 1 <= options.api_port <= 65535:
        raise WrongUsage(f"--api-port must be 1 to 65535, not {options.api_port}")
    if {CSI, LONGHORN} <= set(options.parts):
        raise WrongUsage("--with csi and --with longhorn cannot be combined: each starts the snapshot controller")
    needs = Needs(
        free_disk=options.min_free_disk,
        free_memory=preconditions.memory_for(options.parts),
        api_port=options.api_port,
        disks=options.disks,
        loop_devices=bool({CSI, LONGHORN} & set(options.parts)),
    )
    lifecycle.up(
        layout,
        nodes=options.nodes,
        needs=needs,
        simulated_nodes=options.simulated_nodes,
        short_timers=options.short_timers,
        parts=[part for part in options.parts if part != POSTGRESQL],
    )
    if POSTGRESQL in options.parts:
        postgresql.offer(layout)
    return 0


def _run(layout: Layout, options: argparse.Namespace) -> int:
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        raise WrongUsage("no command to run; give it after `--`")
    return run_on_cluster(
        layout,
        words,
        up=lambda: _up(layout, options),
        down=lambda: _down(layout),
        require=lambda: machine.require_speed(layout, durable_writes=options.durable_writes),
    )


def _down(layout: Layout) -> int:
    preconditions.require_root()
    with cluster_lock(layout):
        if not removal.leftovers(layout):
            say(f"cluster {layout.name} does not exist; nothing to do")
            return 0
        with step(f"remove cluster {layout.name}"):
            removal.remove(layout)
    return 0


def _node_fail(layout: Layout, options: argparse.Namespace) -> int:
    preconditions.require_root()
    stop_node(layout.name, options.node)
    say(f"node {options.node}: all processes were killed at the same time and the mounts removed")
    return 0


def _node_shutdown(layout: Layout, options: argparse.Namespace) -> int:
    preconditions.require_root()
    shut_down_node(layout.name, options.node)
    say(f"node {options.node} was shut down: its pods were asked to end, and then all its processes killed")
    return 0


def _node_restore(layout: Layout, options: argparse.Namespace) -> int:
    preconditions.require_root()
    start_node(layout.name, options.node)
    return 0


def _kubelet(layout: Layout, options: argparse.Namespace) -> int:
    preconditions.require_root()
    if options.command == "kubelet-stop":
        stop_kubelet(layout.name, options.node)
        say(f"the kubelet of node {options.node} was killed, and nothing else on the node")
    elif options.command == "node-cut":
        cut_off(layout.name, options.node)
        say(f"node {options.node} was cut off from the control plane, and not from the storage")
    elif options.command == "node-rejoin":
        let_rejoin(layout.name, options.node)
    elif options.command == "kubelet-start":
        start_kubelet(layout.name, options.node)
    else:
        for mount in mounts_of(layout.name, options.node, options.volume):
            say(mount)
    return 0


def _interrupt_storage(layout: Layout) -> int:
    preconditions.require_root()
    interrupt_storage(layout.name)
    say("the storage is interrupted: all bricks stopped, all volumes of the CSI driver stand still")
    return 0


def _restore_storage(layout: Layout) -> int:
    preconditions.require_root()
    restore_storage(layout.name)
    return 0


def _print_pool_use(layout: Layout) -> int:
    preconditions.require_root()
    say(str(used_by_replicas(layout.name)))
    return 0


def _status(layout: Layout) -> int:
    current = status(layout)
    for line in current.lines:
        say(line)
    for problem in current.problems:
        say(f"problem     {problem}")
    if not current.running:
        return NOT_RUNNING
    return DAMAGED_STATUS if current.problems else 0


def _kubeconfig(layout: Layout) -> int:
    cluster = find(layout.name)
    if cluster is None:
        raise WrongUsage(
            f"no embedded cluster {layout.name} runs, or it belongs to another user; start it with "
            f"`storage-acceptance cluster up --name {layout.name}` as root"
        )
    say(str(cluster.kubeconfig))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status, and print an expected error in words."""
    # SIGTERM, and a closed terminal, end with the same cleanup as Ctrl-C, unless nohup has SIGHUP ignored.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        options = _parser().parse_args(arguments)
        layout = Layout(options.name)
        if options.command == "names":
            for name in running_names():
                say(name)
            return 0
        if options.command == "up":
            return _up(layout, options)
        if options.command == "run":
            return _run(layout, options)
        if options.command == "node-fail":
            return _node_fail(layout, options)
        if options.command == "node-shutdown":
            return _node_shutdown(layout, options)
        if options.command == "node-restore":
            return _node_restore(layout, options)
        if options.command in ("kubelet-stop", "kubelet-start", "node-mounts", "node-cut", "node-rejoin"):
            return _kubelet(layout, options)
        actions = {
            "down": _down,
            "status": _status,
            "kubeconfig": _kubeconfig,
            "pool-used": _print_pool_use,
            "storage-interrupt": _interrupt_storage,
            "storage-restore": _restore_storage,
        }
        return actions[options.command](layout)
    except AcceptanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_status
    except OSError as error:  # A full disk, a read-only folder: an error of the host, not of the user or the program.
        print(f"error: the host refused something the embedded cluster needs: {error}", file=sys.stderr)
        return EnvironmentFailure.exit_status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
