"""Two nodes on one volume: the program itself, as processes of this host, each node with a folder as its volume."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.text.errors import EnvironmentFailure, StorageFailure, Unsupported
from acceptance.trials.features import appends, entries, locks, rights, two_nodes, visibility, writers
from acceptance.trials.features.appends import try_appends
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.entries import try_entries
from acceptance.trials.features.locks import try_locks
from acceptance.trials.features.rights import try_rights
from acceptance.trials.features.visibility import try_visibility
from acceptance.trials.features.writers import try_writers
from selftests.bounds import HANGS_S


@dataclass
class HostBench:
    """A bench whose pods are processes. `folders`: the volume as each node sees it; `changed`: of the program, by node,
    what is something else there; `path`: where programs are looked for.
    """

    folders: Mapping[str, Path]
    changed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    path: str = os.environ["PATH"]
    kind: str = "csi"
    timeout_s: float = 30.0

    def __post_init__(self) -> None:
        self.node = "n1"
        self.storage_class = SimpleNamespace(name="fast", provisioner="a.driver")
        self.workspace = SimpleNamespace(image="fio:1", pods=SimpleNamespace(template=None, user=None))
        self.api = SimpleNamespace(get=lambda *_: {"spec": {self.kind: {}}})
        self.missing = self.not_tried = Unsupported
        self.pods: dict[str, tuple[subprocess.Popen[bytes], Path]] = {}

    def claim(self, part: str, *, size: int, access: str) -> str:
        assert access == "ReadWriteMany" and size >= 1024**3
        return part

    def volume_of(self, claim: str) -> str:
        return claim

    def start(self, claim: str, script: str, *, node: str | None = None, **variables: str) -> Any:
        return self.start_as(claim, script, user=None, groups=(), node=node, **variables)

    def start_as(
        self, claim: str, script: str, *, user: int | None, groups: tuple[int, ...], node: str | None, **variables: str
    ) -> Any:
        name, where = f"{claim}-{len(self.pods)}", node or self.node
        before, after = self.changed.get(where, ("", ""))
        script = script.replace(before, after) if before else script
        variables |= {"VOLUME": str(self.folders[where])}
        if "PROGRAM" in variables:
            variables["PROGRAM"] = variables["PROGRAM"].replace(before, after)
        own = user or self.workspace.pods.user
        output = self.folders[where].parent / f"{name}.log"
        with output.open("wb") as log:
            process = subprocess.Popen(
                ["sh", "-c", script],
                env=os.environ | variables | {"PATH": self.path},
                stdout=log,
                stderr=log,
                start_new_session=True,
                **({} if own is None else {"user": own, "group": own, "extra_groups": groups}),
            )
        self.pods[name] = process, output
        return SimpleNamespace(name=name)

    def output_of(self, plan: Any) -> str:
        return self.pods[plan.name][1].read_text()

    def wait_ended(self, _: Any, plan: Any, *, timeout_s: float) -> None:
        self.pods[plan.name][0].wait(timeout=HANGS_S)

    def end_pod(self, _: Any, plan: Any, *, timeout_s: float, grace_s: int) -> None:
        assert grace_s == 0
        self.kill(self.pods[plan.name][0])

    @staticmethod
    def kill(process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def bench(folder_in_memory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostBench]:
    """Both nodes see the same, until a test says otherwise."""
    folders = [folder_in_memory / each for each in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    made = HostBench({"n1": folders[0], "n2": folders[0]})
    monkeypatch.setattr(two_nodes, "nodes_for_volume", lambda *_: ["n1", "n2"])
    monkeypatch.setattr(two_nodes, "wait_ended", made.wait_ended)
    monkeypatch.setattr(locks, "end_pod", made.end_pod)
    monkeypatch.setattr(writers, "end_pod", made.end_pod)
    monkeypatch.setattr(locks, "HELD_S", 0.3)
    monkeypatch.setattr(visibility, "ROUNDS", 5)
    monkeypatch.setattr(appends, "RECORDS", 200)
    monkeypatch.setattr(entries, "wait_ended", made.wait_ended)
    monkeypatch.setattr(rights, "wait_ended", made.wait_ended)
    monkeypatch.setattr(entries, "ENTRIES", 3000)
    yield made
    for process, _ in made.pods.values():
        made.kill(process)


def tried(bench: HostBench) -> Bench:
    return cast(Bench, bench)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never shows is waited for in vain for 3 s; pods still have longer to start."""
    monkeypatch.setattr(two_nodes, "SEEN_WITHIN_S", 3)


def apart(bench: HostBench) -> HostBench:
    """Each node sees its own."""
    bench.folders = {"n1": bench.folders["n1"], "n2": bench.folders["n1"].parent / "two"}
    return bench


def test_locks_hold_until_their_holder_is_killed(bench: HostBench) -> None:
    assert "a pod on n2 was refused the locks (flock and fcntl) that a pod on n1 held" in try_locks(tried(bench))


@pytest.mark.parametrize("kind", locks.KINDS)
def test_a_lock_that_both_nodes_have_is_told(kind: str, bench: HostBench) -> None:
    """Files with the same names on each: as where locks are each node's own."""
    for each in {*locks.KINDS} - {kind}:
        (bench.folders["n1"].parent / "two" / each).symlink_to(bench.folders["n1"] / each)
    (bench.folders["n1"].parent / "two" / kind).touch()
    with pytest.raises(StorageFailure, match=f"held the same lock at the same time: {kind};"):
        try_locks(tried(apart(bench)))


def test_locked_files_that_do_not_show_are_told(bench: HostBench, impatient: None) -> None:
    with pytest.raises(StorageFailure, match="do not appear on n2 within 3 s: flock, fcntl"):
        try_locks(tried(apart(bench)))


def test_a_lock_that_is_never_released_is_told(bench: HostBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "end_pod", lambda *_, **__: None)
    monkeypatch.setattr(locks, "within_s", lambda _: 1)
    with pytest.raises(StorageFailure, match="the locks of a killed pod on n1 to pass to a pod on n2"):
        try_locks(tried(bench))


def test_storage_that_says_that_it_has_no_locks_is_not_blamed(bench: HostBench) -> None:
    refused = ("return C.flock(file, 6)", "ffi.errno(95); return -1")
    bench.changed = {"n1": refused}
    with pytest.raises(Unsupported, match=r"refuse locks: flock \(Operation not supported\)"):
        try_locks(tried(bench))


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOLCK])
def test_storage_whose_locks_fail_is_blamed(number: int, bench: HostBench) -> None:
    bench.changed = {"n1": ("return C.flock(file, 6)", f"ffi.errno({number}); return -1")}
    with pytest.raises(StorageFailure, match=os.strerror(number)) as found:
        try_locks(tried(bench))
    assert not isinstance(found.value, Unsupported)


def test_all_records_of_both_nodes_are_found(bench: HostBench) -> None:
    assert "the file held each record intact and once" in try_appends(tried(bench))


@pytest.mark.parametrize(("kind", "error"), [("csi", StorageFailure), ("nfs", Unsupported)])
def test_records_that_overwrite_each_other_are_counted(kind: str, error: type[Exception], bench: HostBench) -> None:
    """One node writes where it takes the end to be; NFS does no more, and says so."""
    bench.kind = kind
    bench.changed = {"n2": ("WRITE + APPEND + CREATE", "WRITE + CREATE")}
    with pytest.raises(error, match=r"records, [1-9]\d* of n1 and 0 of n2 are missing, and 0 are torn"):
        try_appends(tried(bench))


def test_nodes_that_do_not_see_each_other_append_to_nothing_in_common(bench: HostBench) -> None:
    bench.timeout_s = 3.0  # in vain
    with pytest.raises(StorageFailure, match=r"neither saw the other's file within 3 s \(last output: alone\)"):
        try_appends(tried(apart(bench)))


def test_records_that_both_nodes_write_are_kept_on_both(bench: HostBench) -> None:
    said = try_writers(tried(bench))
    counts = re.match(r"pods on n1 and n2 wrote (\d+) and (\d+) durable records", said)
    assert counts and all(int(count) >= writers.LEAST_RECORDS for count in counts.groups())
    assert len(bench.pods) == 4


def test_a_lost_record_fails_on_each_node(bench: HostBench) -> None:
    """One node acknowledges a record that it never writes."""
    write = 'put(file, own_record(who, number), nil, "write")'
    bench.changed = {"n2": (write, f"if number ~= 30 then {write} end")}
    bench.timeout_s = 3.0
    with pytest.raises(StorageFailure, match=r"on n1 a new pod finds only 29 of \d+ records that a pod on n2 wrote$"):
        try_writers(tried(bench))


def test_nodes_that_each_have_their_own_files_lack_those_of_the_other(bench: HostBench) -> None:
    bench.timeout_s = 3.0
    with pytest.raises(StorageFailure, match=r"on n1 a new pod finds only 0 of \d+ records that a pod on n2 wrote$"):
        try_writers(tried(apart(bench)))


def test_a_node_that_cannot_write_durably_fails(bench: HostBench) -> None:
    bench.changed = {"n2": ("if C.fsync(file) ~= 0 then", "ffi.errno(5); if true then")}
    with pytest.raises(StorageFailure, match=r"could not fsync records-2: Input/output error"):
        try_writers(tried(bench))


def test_a_node_that_stops_when_the_other_is_lost_fails(bench: HostBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def end_all(*_: Any, **__: Any) -> None:
        for process, _ in bench.pods.values():
            bench.kill(process)

    monkeypatch.setattr(writers, "end_pod", end_all)
    bench.timeout_s = 2.0
    with pytest.raises(StorageFailure, match="a pod on n2 to write on after the pod on n1 was killed"):
        try_writers(tried(bench))


def test_changes_are_timed_there_and_back(bench: HostBench) -> None:
    assert "n2 renamed 5 files, and n1 saw each of them complete" in try_visibility(tried(bench))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"n2": ("durable(file, \"ping.new\")", "if number == 2 then os.remove(path('ping')) os.exit(0) end")},
         r"\(change 2 of 5\); on n1 it was missing for a moment"),
        ({"n2": ("put(file, page(number), 0, \"write ping.new\")", "put(file, 'half', 0, '')")},
         r"\(change 1 of 5\); on n1 it was neither the old file nor the new one"),
        ({"n1": ("put(file, string.format(\"%07d\\n\", number), 0, \"write pong\")", "")},
         r"written in place and fsynced on n1 \(change 1 of 5\) did not appear on n2"),
    ],
    ids=["gone in between", "in part", "in place"],
)  # fmt: skip
def test_changes_that_show_in_part_or_not_at_all_are_told(
    changed: dict[str, tuple[str, str]], said: str, bench: HostBench, impatient: None
) -> None:
    bench.changed = changed
    with pytest.raises(StorageFailure, match=said):
        try_visibility(tried(bench))


def test_changes_that_never_show_are_told(bench: HostBench) -> None:
    bench.changed = {"n2": ('C.rename(path("ping.new"), path("ping"))', "0")}
    bench.timeout_s = 3.0  # in vain
    with pytest.raises(StorageFailure, match="did not appear within 3 s"):
        try_visibility(tried(bench))


@pytest.fixture
def users(bench: HostBench, folder_in_memory: Path) -> HostBench:
    """Pods are processes of other users, on a folder that all may enter; only root can have them so."""
    if os.geteuid() != 0:
        pytest.skip("only root starts processes of other users")
    for each in (folder_in_memory, bench.folders["n1"]):
        each.chmod(0o777)
    bench.workspace.pods.user = 65534
    return bench


def test_rights_hold_and_new_ones_show(users: HostBench) -> None:
    assert "only members of its group could read a file of mode 0640" in try_rights(tried(users))


@pytest.mark.parametrize(
    ("node", "changed", "said"),
    [
        ("n1", ("chmod 600 private", "chmod 644 private"), "on n2, a user in the group .* reads the file of mode 0600"),
        (
            "n1",
            ("chmod 640 shared", "chmod 600 shared"),
            "on n2, a user in the group .* and may not read the file of mode",
        ),
        ("n1", ("chmod 640 shared", "chmod 644 shared"), "on n2, a user outside .* and reads the file of mode 0640"),
        (
            "n1",
            ("chmod 644 private", "true"),
            r"waited \d+ s for the new permissions of files on n1 \(0644 and 0600",
        ),
        ("n2", ('cd "$VOLUME"', "cd /proc"), "does not see the file of mode 0600 and does not see"),
    ],
    ids=["private", "group refused", "group open", "change", "unseen"],
)
def test_rights_that_do_not_hold_are_told(
    node: str, changed: tuple[str, str], said: str, users: HostBench, impatient: None
) -> None:
    users.changed = {node: changed}
    with pytest.raises(StorageFailure, match=said):
        try_rights(tried(users))


def test_storage_that_keeps_no_owners_is_not_blamed(users: HostBench) -> None:
    """As SMB shares and file systems over object stores."""
    users.changed = {"n1": ("ls -ln private shared", "ls -ln private shared | sed 's/ 65534 / 0 /'")}
    with pytest.raises(Unsupported, match="the storage keeps no owners"):
        try_rights(tried(users))


def test_storage_that_refuses_chmod_is_not_blamed(users: HostBench) -> None:
    users.changed = {"n1": ("chmod 600 private", "chmod 600 /proc/1/maps")}
    with pytest.raises(Unsupported, match="file permissions cannot be set: chmod: "):
        try_rights(tried(users))


@pytest.mark.parametrize(
    "fails",
    [
        ('echo "$MARK" > private', "echo 'Operation not permitted'; false"),
        ("chmod 600 private", "{ echo 'chmod: private: Input/output error'; false; }"),
    ],
    ids=["written", "given rights"],
)
def test_storage_whose_files_fail_is_blamed(fails: tuple[str, str], users: HostBench) -> None:
    users.changed = {"n1": fails}
    with pytest.raises(StorageFailure, match="file permissions cannot be set: ") as found:
        try_rights(tried(users))
    assert not isinstance(found.value, Unsupported)


def test_rights_are_not_tried_where_the_cluster_gives_users(bench: HostBench) -> None:
    with pytest.raises(Unsupported, match="the cluster assigns the users of pods"):
        try_rights(tried(bench))


# A folder is listed while it grows: every thousand entries, who fills it waits until it has been listed, and looked at.
# A listing of the folder while it is empty counts for neither.
FILLED = (
    "    made = made + 1\n",
    "    made = made + 1\n"
    "    local lists = made % 1000 == 0 and made / 1000 + 1 or 0\n"
    f"    wait_for(function() return (number_in('lists') or 0) >= lists end, {HANGS_S})\n",
)
LISTED = (
    "  C.closedir(opened)\n",
    "  C.closedir(opened)\n  if #names > 0 then lists = (lists or 0) + 1 put('lists', lists .. '\\n') end\n",
)


def test_a_folder_that_grows_is_listed_on_another_node(bench: HostBench) -> None:
    bench.changed = {"n1": FILLED, "n2": LISTED}
    found = re.fullmatch(
        r"a directory got 3,000 entries on n1 in .* n2 listed it (\d+) times .*", try_entries(tried(bench))
    )
    assert found and int(found[1]) > 3


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ("if #names == 500 then names[#names + 1] = name end", r"on n2 e\d+ was listed twice among \d+ entries"),
        ("if #names == 500 then names[#names] = 'x' end", "x was listed, although no pod created it"),
        (
            # Of the first of two listings one is left out, so that it is not the last; of the second, many.
            "if #names == 400 and before then names = {} end "
            "if #names == 500 and not before then before = true names[#names] = nil end",
            r"e\d+ disappeared from the listing",
        ),
        ("if name == 'e0000007' then names[#names] = nil end", "2999 of 3000 entries were listed 3 s after the last"),
    ],
    ids=["twice", "strange", "omitted", "never"],
)
def test_entries_that_are_not_listed_as_they_are_fail_for_that(
    lists: str, said: str, bench: HostBench, impatient: None
) -> None:
    listing = 'if name ~= "." and name ~= ".." then names[#names + 1] = name end'
    bench.changed = {"n2": (listing, f"{listing} {lists}")}
    with pytest.raises(StorageFailure, match=said):
        try_entries(tried(bench))


def test_nodes_that_do_not_see_each_other_fill_no_folder(bench: HostBench) -> None:
    bench.timeout_s = 3.0  # in vain
    with pytest.raises(StorageFailure, match="a file that was fsynced on n2 did not appear on n1"):
        try_entries(tried(apart(bench)))


def test_few_entries_say_nothing_of_a_large_folder(bench: HostBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "FILL_S", 0)
    with pytest.raises(Unsupported, match="only 0 files could be created in 0 s"):
        try_entries(tried(bench))


def test_a_volume_without_room_for_a_large_folder_is_not_blamed(bench: HostBench) -> None:
    bench.changed = {"n1": ('if file < 0 then fail("create") end\n    C.close', 'ffi.errno(28) fail("create") C.close')}
    with pytest.raises(Unsupported, match="has no room for 3,000 empty files: create: No space left on device"):
        try_entries(tried(bench))


def test_an_image_without_the_program_is_no_verdict(bench: HostBench, tmp_path: Path) -> None:
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "sh").symlink_to("/bin/sh")
    bench.path = str(tmp_path / "programs")
    with pytest.raises(EnvironmentFailure, match="image 'fio:1' lacks sysbench"):
        try_visibility(tried(bench))


def test_a_volume_that_refuses_a_file_is_told_in_the_system_s_words(bench: HostBench) -> None:
    bench.changed = {"n1": ('path .. "', ""), "n2": ("return volume", 'return "/nowhere" .. volume')}
    with pytest.raises(StorageFailure, match=r"could not open ping\.new: No such file or directory"):
        try_visibility(tried(bench))
