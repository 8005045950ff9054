"""Mount namespaces: a node's or glusterd's mounts, and its folders in place of the host's, are its alone."""

import contextlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import mounts, processes
from embedded_cluster.commands import run
from embedded_cluster.layout import RUN_ROOT, STATE_ROOT
from embedded_cluster.processes import Daemons
from embedded_cluster.waiting import NotYet, wait_for

# The process that keeps a namespace, instead of a mount of its file: some kernels refuse that at random (6.18, which
# numbers namespaces on each CPU separately), and it would have to be unmounted.
HOLDER = ("unshare", "--mount", "--propagation=slave", "sleep", "infinity")
# The places of others' temporary mounts: other clusters, tests, owners of network namespaces or containers.
_PASSING = (STATE_ROOT, RUN_ROOT, Path("/tmp"), Path("/run/netns"), Path("/run/docker"))
# Time for the kernel to unmount hundreds, each of which waits for all CPUs of a busy machine.
_LETTING_GO_S = 60.0


@dataclass(frozen=True)
class MountNamespace:
    """The namespace of the process `holder`. It ends, with its mounts, when that process and those that joined have."""

    holder: int

    def inside(self, command: Sequence[str | Path]) -> list[str | Path]:
        """Return the command that runs `command` in it.

        Raises EnvironmentFailure if it is this process's own: commands for a node must never run on the host.
        """
        place = f"/proc/{self.holder}/ns/mnt"
        try:
            apart = os.stat(place).st_ino != os.stat("/proc/self/ns/mnt").st_ino
        except OSError:
            apart = False
        if not apart:
            raise EnvironmentFailure(f"process {self.holder} holds no mount namespace of its own")
        return ["nsenter", f"--mount={place}", "--", *command]

    def arrange(self, *, in_place_of: Mapping[Path, Path], seeing: Collection[Path] = ()) -> None:
        """Replace the host's folders: `in_place_of` has the replacement for each place.

        All else is as the host has it; what the host mounts later is seen as far as the host shares it. `seeing`:
        folders whose mounts stay, while others that may vanish tomorrow do not.
        """
        wait_for(f"process {self.holder} to hold a mount namespace", self._check_start, timeout=60, interval=0.01)
        wait_for(
            "other programs' mounts to leave a new mount namespace",
            lambda: self._let_go_of_others(covered_places=in_place_of, seeing=seeing),
            timeout=2 * _LETTING_GO_S,
        )
        for place, own in in_place_of.items():
            # Shared within the namespace: a container may propagate mounts to others, as drivers of volumes do.
            run(self.inside(["mount", "--bind", "--make-shared", own, place]))

    def _check_start(self) -> None:
        # Once the process has the name of its last program, the steps before that are done.
        with contextlib.suppress(OSError):
            if Path(f"/proc/{self.holder}/comm").read_text().strip() == HOLDER[-2]:
                return
        raise NotYet("no mount namespace yet")

    def _let_go_of_others(self, *, covered_places: Collection[Path], seeing: Collection[Path]) -> None:
        there = mounts.targets(run(self.inside(["cat", "/proc/self/mountinfo"])))
        if not (strange := passing(there, covered_places=covered_places, seeing=seeing)):
            return
        with contextlib.suppress(EnvironmentFailure):  # one was unmounted meanwhile, with the host's
            run(self.inside(["umount", "--lazy", *strange[: mounts.MOST]]), timeout=_LETTING_GO_S)
        raise NotYet(f"{len(strange)} mounts remain, such as {strange[0]}")


def make(
    daemons: Daemons, component: str, *, in_place_of: Mapping[Path, Path], seeing: Collection[Path] = ()
) -> MountNamespace:
    """Create a namespace, arranged by MountNamespace.arrange, which the process `component` holds.

    Raises EnvironmentFailure; then there is none.
    """
    namespace = MountNamespace(daemons.start(component, HOLDER))
    try:
        namespace.arrange(in_place_of=in_place_of, seeing=seeing)
    except BaseException:
        processes.kill([namespace.holder])
        raise
    return namespace


def namespace_of(daemons: Daemons, component: str) -> MountNamespace:
    """Return the namespace that the process `component` holds. Raise EnvironmentFailure if that does not run."""
    holder = daemons.running(component)
    if holder is None:
        raise EnvironmentFailure(f"{component}, which holds a mount namespace, does not run")
    return MountNamespace(holder)


def holder_of_node(number: int) -> str:
    """Return the component that holds the namespace of a node's containerd and kubelet."""
    return f"mounts-{number}"


def passing(there: Sequence[Path], *, covered_places: Collection[Path], seeing: Collection[Path]) -> list[Path]:
    """Return the mounts of others that a copy must not hold on to, the deepest first.

    If the host does not share its mounts, a copy stays when they go, and with it a disk, or the server behind it.
    `there`: all of them; `covered_places`: the places that are covered anyway.
    """

    def strange(mount: Path) -> bool:
        if any(mount.is_relative_to(folder) or folder.is_relative_to(mount) for folder in seeing):
            return False
        return any(place in mount.parents for place in (*_PASSING, *covered_places))

    return sorted(filter(strange, there), key=lambda mount: len(mount.parts), reverse=True)
