"""What is mounted where, and who sees it; tried in mount namespaces that end with the test, which needs root."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded_cluster import mounts
from embedded_cluster.layout import STATE_ROOT
from embedded_cluster.mount_namespaces import passing
from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]
OWN = STATE_ROOT / "one"

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
everywhere = pytest.mark.parametrize("propagation", ["private", "shared"])


def apart(program: str, folder: Path, *, propagation: str = "private") -> None:
    """Run a Python program in a mount namespace of its own, where all is mounted as with containers or systemd."""
    whole = f"{PREFACE}with undo:\n{indent(program, ' ')}"
    # In two steps: what the host shares is to be private before it is shared anew.
    command = ["unshare", "--mount", "--propagation=private", sys.executable, "-c", whole, folder, propagation]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert done.returncode == 0, done.stderr


PREFACE = """
import os, subprocess, sys, time
from contextlib import ExitStack
from pathlib import Path
from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import mounts
from embedded_cluster.commands import run
from embedded_cluster.mount_namespaces import HOLDER, MountNamespace

run(["mount", f"--make-r{sys.argv[2]}", "/"])
folder = Path(sys.argv[1])
state, place, own = (folder / name for name in ("state", "place", "state/own"))
for each in (state, place, own, state / "disk", folder / "passing"):
    each.mkdir()
(own / "mark").touch()

def mount(at, *inside):
    run([*inside, "mount", "-t", "tmpfs", "lab", at])

def seen(at, namespace=None):
    words = ["cat", "/proc/self/mountinfo"]
    text = run(namespace.inside(words) if namespace else words)
    return mounts.targets(text).count(at)

def made(in_place_of=None):
    holder = subprocess.Popen(HOLDER)
    undo.callback(holder.wait)
    undo.callback(holder.kill)
    namespace = MountNamespace(holder.pid)
    namespace.arrange(in_place_of=in_place_of or {place: own}, seeing=[state])
    return namespace

undo = ExitStack()
mounts.share(state)
"""


@needs_root
@everywhere
def test_what_is_mounted_within_is_seen_by_nobody_else(propagation: str, tmp_path: Path) -> None:
    program = """
one, other = made(), made()
mount(place, *one.inside([]))
mount(state / "disk", *one.inside([]))
assert (seen(place), seen(place, one), seen(place, other)) == (0, 2, 1)
assert (seen(state / "disk"), seen(state / "disk", one), seen(state / "disk", other)) == (0, 1, 0)
"""
    apart(program, tmp_path, propagation=propagation)


@needs_root
@everywhere
def test_what_is_mounted_below_a_shared_folder_comes_and_goes_within(propagation: str, tmp_path: Path) -> None:
    """And is mounted once: where all was shared, a folder that is bound on itself had each mount twice."""
    program = """
namespace = made()
mount(state / "disk")
assert (seen(state / "disk"), seen(state / "disk", namespace)) == (1, 1)
run(["umount", state / "disk"])
assert (seen(state / "disk"), seen(state / "disk", namespace)) == (0, 0)
"""
    apart(program, tmp_path, propagation=propagation)


@needs_root
@everywhere
def test_a_namespace_and_its_mounts_go_with_its_processes(propagation: str, tmp_path: Path) -> None:
    """A disk that was mounted there alone is free at once; another namespace that was made meanwhile has no copy."""
    program = """
disk = folder / "disk.img"
disk.write_bytes(bytes(1024**2))
run(["mkfs.ext4", "-q", disk])
namespace = made()
run(namespace.inside(["mount", "-o", "loop", disk, place]))
loops = ["losetup", "--list", "--noheadings", "--output", "NAME", "--associated", disk]
other = made()
assert run(loops)
run(["kill", str(namespace.holder)])
os.waitpid(namespace.holder, 0)
for _ in range(600):  # the kernel unmounts for it once it has ended
    if not run(loops):
        break
    time.sleep(0.1)
assert not run(loops)
try:
    namespace.inside(["true"])
except EnvironmentFailure:
    pass
else:
    raise SystemExit("a namespace that is gone")
"""
    apart(program, tmp_path, propagation=propagation)


@needs_root
@everywhere
def test_a_namespace_does_not_hold_what_others_mounted_for_a_while(propagation: str, tmp_path: Path) -> None:
    program = """
mount(folder / "passing")
mount(state / "disk")
mount(place)
(place / "volume").mkdir()
mount(place / "volume")
namespace = made()
assert not seen(folder / "passing", namespace)
assert not seen(place / "volume", namespace)
assert seen(state / "disk", namespace)
assert seen(folder / "passing") and seen(place / "volume")
"""
    apart(program, tmp_path, propagation=propagation)


@needs_root
def test_what_is_for_a_namespace_never_happens_to_the_host(tmp_path: Path) -> None:
    program = """
try:
    MountNamespace(os.getpid()).inside(["umount", "/"])
except EnvironmentFailure as error:
    assert "no mount namespace of its own" in str(error)
else:
    raise SystemExit("it would")
"""
    apart(program, tmp_path)


def test_the_kernels_way_of_writing_paths_is_read() -> None:
    line = "115 43 254:0 /a /my\\040disk\\134x rw,relatime shared:41 - ext4 /dev/vda rw\n"
    assert mounts.targets(line * 2) == [Path("/my disk\\x")] * 2


PATHS = st.lists(st.sampled_from("abc"), max_size=4).map(lambda parts: Path("/", *parts))
SEVERAL = st.lists(PATHS, max_size=8)


@given(there=SEVERAL, covered=SEVERAL, seeing=SEVERAL)
def test_what_is_needed_and_what_bears_it_is_never_let_go(
    there: list[Path], covered: list[Path], seeing: list[Path]
) -> None:
    found = passing(there, covered_places=covered, seeing=seeing)
    for mount in there:
        needed = any(mount.is_relative_to(each) or each.is_relative_to(mount) for each in seeing)
        below = any(place in mount.parents for place in covered)
        assert found.count(mount) == (0 if needed or not below else there.count(mount))
    assert [len(each.parts) for each in found] == sorted((len(each.parts) for each in found), reverse=True)


@pytest.mark.parametrize(
    ("mount", "goes"),
    [
        ("/", False),
        ("/proc", False),
        ("/sys/fs/cgroup/memory", False),
        ("/dev/shm", False),
        ("/tmp", False),
        ("/tmp/pytest-of-root/disk", True),
        (f"{STATE_ROOT}", False),
        (f"{OWN}", False),
        (f"{OWN}/replicated", False),
        (f"{STATE_ROOT}/other", True),
        (f"{STATE_ROOT}/one-more/replicated", True),
        ("/run/netns/neighbour", True),
        ("/var/lib/kubelet", False),
        ("/var/lib/kubelet/pods/1/volumes/x", True),
    ],
)
def test_what_comes_and_goes_is_known_by_its_place(mount: str, goes: bool) -> None:
    found = passing([Path(mount)], covered_places=[Path("/var/lib/kubelet")], seeing=[OWN])
    assert found == [Path(mount)] * goes
