"""Mount namespaces: what a node or glusterd mounts, and the folders it has in place of the host's, are its alone."""

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

# What a namespace lives by, not by a mount of its own file: some kernels refuse that one at random (6.18, which numbers
# namespaces on each CPU for itself), and it would have to be unmounted.
HOLDER = ("unshare", "--mount", "--propagation=slave", "sleep", "infinity")
# Where others mount what they unmount again: other clusters, tests, whoever has network namespaces or containers.
_PASSING = (STATE_ROOT, RUN_ROOT, Path("/tmp"), Path("/run/netns"), Path("/run/docker"))
# For the kernel to unmount hundreds, each of which waits for all CPUs of a busy machine.
_LETTING_GO_S = 60.0


@dataclass(frozen=True)
class MountNamespace:
    """That of the process `holder`. It and its mounts go when that process and those that joined it have ended."""

    holder: int

    def inside(self, command: Sequence[str | Path]) -> list[str | Path]:
        """The command that runs `command` in it.

        Raises EnvironmentFailure where it is this process's own: what is meant for a node never happens to the host.
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
        """Put something else in the place of the host's folders: `in_place_of` has what, for each place.

        All else is as the host has it; what the host mounts later is seen as far as the host shares it. `seeing`:
        folders whose mounts stay where others that may be gone tomorrow do not.
        """
        wait_for(f"process {self.holder} to hold a mount namespace", self._begun, timeout=60, interval=0.01)
        wait_for(
            "the mounts of others to leave a new mount namespace",
            lambda: self._let_go_of_others(covered=in_place_of, seeing=seeing),
            timeout=2 * _LETTING_GO_S,
        )
        for place, own in in_place_of.items():
            # Shared within the namespace: a container may hand mounts on to others, as drivers of volumes do.
            run(self.inside(["mount", "--bind", "--make-shared", own, place]))

    def _begun(self) -> None:
        # Under its last name everything that comes before is done.
        with contextlib.suppress(OSError):
            if Path(f"/proc/{self.holder}/comm").read_text().strip() == HOLDER[-2]:
                return
        raise NotYet("it does not do so yet")

    def _let_go_of_others(self, *, covered: Collection[Path], seeing: Collection[Path]) -> None:
        there = mounts.targets(run(self.inside(["cat", "/proc/self/mountinfo"])))
        if not (strange := passing(there, covered=covered, seeing=seeing)):
            return
        with contextlib.suppress(EnvironmentFailure):  # one went meanwhile, with the host's
            run(self.inside(["umount", "--lazy", *strange[: mounts.MOST]]), timeout=_LETTING_GO_S)
        raise NotYet(f"{len(strange)} mounts, {strange[0]} among them")


def make(
    daemons: Daemons, component: str, *, in_place_of: Mapping[Path, Path], seeing: Collection[Path] = ()
) -> MountNamespace:
    """A new one, arranged as MountNamespace.arrange says, which the process `component` holds.

    Raises EnvironmentFailure; then there is none.
    """
    made = MountNamespace(daemons.start(component, HOLDER))
    try:
        made.arrange(in_place_of=in_place_of, seeing=seeing)
    except BaseException:
        processes.kill([made.holder])
        raise
    return made


def held(daemons: Daemons, component: str) -> MountNamespace:
    """The one that the process `component` holds. Raises EnvironmentFailure where that does not run."""
    holder = daemons.running(component)
    if holder is None:
        raise EnvironmentFailure(f"{component}, which holds a mount namespace, does not run")
    return MountNamespace(holder)


def holder_of_node(number: int) -> str:
    """The component that holds the namespace of a node's containerd and kubelet."""
    return f"mounts-{number}"


def passing(there: Sequence[Path], *, covered: Collection[Path], seeing: Collection[Path]) -> list[Path]:
    """The mounts of others that a copy must not hold on to, the deepest first.

    Where the host does not share its mounts, a copy stays when they go, and with it a disk, or whoever serves it.
    `there`: all of them; `covered`: the places that are covered anyway.
    """

    def strange(mount: Path) -> bool:
        if any(mount.is_relative_to(each) or each.is_relative_to(mount) for each in seeing):
            return False
        return any(place in mount.parents for place in (*_PASSING, *covered))

    return sorted(filter(strange, there), key=lambda mount: len(mount.parts), reverse=True)
