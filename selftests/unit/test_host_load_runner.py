"""Load by processes of this host: followed while it runs, and over with all that it started when the block ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from acceptance.loads.fio.job_file import read_job_file
from acceptance.loads.fio.output import FioOutput
from acceptance.loads.profiles import Profile
from acceptance.measuring import process_load
from acceptance.measuring.host_load_runner import HostLoadRunner, HostVolume
from acceptance.measuring.host_workspace import HostWorkspace
from acceptance.measuring.load import Load, PreparedVolume
from acceptance.measuring.load_script import FIO, STOPPED_STATUS, load_script
from acceptance.measuring.process_load import ProcessLoad
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, WrongUsage
from selftests.bounds import HANGS_S

SIZE = 1024**2
RUNTIME_S = 3
WRITES = "[writes]\nfilename=${FILE}\nsize=${SIZE}\nbs=4k\nrw=write\nrate_iops=100\ntime_based\nruntime=${RUNTIME}\n"


def never(number: int, samples: Sequence[object]) -> bool:
    return False


def process(script: str, folder: Path, *, job: str = "a") -> ProcessLoad:
    command = ["sh", "-c", script, "load", str(folder / "file")]
    return ProcessLoad(
        command,
        label="the load",
        folder=folder,
        environment={"SIZE": str(SIZE), "RUNTIME": "30s"},
        new_output=lambda: FioOutput(jobs=[job]),
    )


def left_of(load: ProcessLoad) -> list[int]:
    return [each.pid for each in load._own_processes()]


def test_a_load_that_ends_by_itself_has_its_status_and_its_words(tmp_path: Path) -> None:
    with process(load_script('echo "loads $SIZE in $PWD"; exit 7'), tmp_path) as load:
        assert load.follow(never, within_s=HANGS_S) == ([[]], False)
    assert load.log.exit_status == 7
    assert load.log.segments[0].messages == f"loads {SIZE} in {tmp_path}"


def test_what_a_load_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    with process(load_script('setsid sleep 100 & echo > "$FILE"'), tmp_path) as load:
        load.follow(never, within_s=HANGS_S)
        assert len(left_of(load)) >= 1
    assert left_of(load) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_nothing_runs_after_an_error_or_an_interruption(error: type[BaseException], tmp_path: Path) -> None:
    with pytest.raises(error), process(load_script("sleep 100; :"), tmp_path) as load:
        raise error
    assert left_of(load) == []
    assert load.log.exit_status in (STOPPED_STATUS, None)  # None: ended before it had begun to listen


def test_a_load_that_does_not_end_when_asked_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_load, "ASKED_S", 0.3)
    with process("trap '' TERM; echo begun; while :; do sleep 1; done", tmp_path) as load:
        next(load._pieces(within_s=HANGS_S))
    assert left_of(load) == []


def test_a_load_that_takes_too_long_is_the_storages_failure(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageFailure, match="the load did not end within 1 s"),
        process(load_script("exec sleep 100"), tmp_path) as load,
    ):
        load.follow(never, within_s=1)
    assert left_of(load) == []


def test_a_load_that_somebody_else_killed_says_nothing_of_the_storage(tmp_path: Path) -> None:
    with (
        pytest.raises(EnvironmentFailure, match="ended by another process, with status -9"),
        process("kill -9 $$", tmp_path) as load,
    ):
        load.follow(never, within_s=HANGS_S)


def test_fio_is_stopped_when_it_is_enough(tmp_path: Path) -> None:
    (tmp_path / "a.fio").write_text(WRITES)
    with process(load_script(f"{FIO} a.fio"), tmp_path, job="writes") as load:
        (samples,), enough = load.follow(lambda number, samples: len(samples) == 2, within_s=HANGS_S)
    assert (len(samples), enough, load.log.exit_status) == (2, True, STOPPED_STATUS)
    assert left_of(load) == []


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    (tmp_path / "writes.fio").write_text(WRITES)
    return read_job_file(tmp_path / "writes.fio")


@pytest.fixture
def directories(tmp_path: Path) -> list[str]:
    made = [tmp_path / name for name in ("a b", "other")]
    for each in made:
        each.mkdir()
    return [str(each) for each in made]


Bench = Callable[..., HostLoadRunner]


@pytest.fixture
def kept() -> dict[str, Iterable[str]]:
    """The outputs that were kept, by name."""
    return {}


@pytest.fixture
def bench(directories: list[str], kept: dict[str, Iterable[str]]) -> Bench:
    workspace = HostWorkspace(directories, run_id="r1", keep_output=kept.__setitem__)
    workspace.make()
    return lambda *wanted, test_size=SIZE: HostLoadRunner(workspace, profiles=wanted, test_size=test_size)


def prepared(bench: HostLoadRunner, directories: list[str]) -> list[PreparedVolume | AcceptanceError]:
    return list(bench.prepare(directories, node=None, progress=lambda storage_class, written: None).values())


def load_of(profile: Profile, volumes: list[HostVolume], *, runtime_s: int = RUNTIME_S) -> Load:
    order = tuple(range(len(volumes)))
    names = tuple(f"segment-{number}" for number in order)
    return Load(
        name="it",
        profile=profile,
        volumes=tuple(volumes),
        order=order,
        names=names,
        runtimes_s=(runtime_s,) * len(order),
    )


def test_files_are_written_in_full_and_loaded_in_turn_and_nothing_is_beside_them(
    bench: Bench, profile: Profile, directories: list[str], kept: dict[str, Iterable[str]]
) -> None:
    made = bench(profile)
    volumes = [each for each in prepared(made, directories) if isinstance(each, HostVolume)]
    assert [volume.storage_class for volume in volumes] == directories
    for volume in volumes:
        assert Path(volume.test_file).stat().st_blocks * 512 >= SIZE == Path(volume.test_file).stat().st_size
        assert os.listdir(volume.storage_class) == ["storage-acceptance-r1"]
        assert volume.node == os.uname().nodename
    segments = made.run(load_of(profile, volumes), watch=never)
    for segment in segments:
        assert segment.fio_version.startswith("fio-")
        assert segment.pod.startswith("process ")
        # Of single seconds a busy machine makes more or less, and fio makes up for them.
        assert 0 < sum(sample.counts["write"].ios for sample in segment.samples) <= 120 * RUNTIME_S
    assert len(segments) == 2
    assert [name for name in kept if name.startswith("segment")] == ["segment-0", "segment-1"]
    assert len(kept) == 4 and all('"jobs"' in "".join(text) for text in kept.values())


def test_a_load_of_several_processes_is_not_longer_than_it_took(
    bench: Bench, directories: list[str], tmp_path: Path
) -> None:
    """However slow the machine is; a standstill that is invented is as long as all processes together."""
    path = tmp_path / "several.fio"
    path.write_text(WRITES + "numjobs=8\ngroup_reporting\n")
    several = read_job_file(path)
    made = bench(several)
    volumes = [each for each in prepared(made, directories) if isinstance(each, HostVolume)]
    begun_s = time.monotonic()
    segments = made.run(load_of(several, volumes, runtime_s=2), watch=never)
    took_s = time.monotonic() - begun_s
    loaded_s = sum(sample.duration_s for segment in segments for sample in segment.samples)
    assert len(segments) == len(volumes) == 2 and 0 < loaded_s < took_s


def test_a_directory_with_too_little_space_does_not_keep_the_other_from_being_written(
    bench: Bench, profile: Profile, directories: list[str]
) -> None:
    found = prepared(bench(profile, test_size=2**60), directories)
    for each, path in zip(found, directories, strict=True):
        assert isinstance(each, StorageFailure)
        assert str(each).startswith(f"{path} has too little space for test files of {2**60} bytes: free: ")


def test_a_profile_that_fio_rejects_is_told_before_anything_is_written(
    bench: Bench, tmp_path: Path, directories: list[str]
) -> None:
    (tmp_path / "wrong.fio").write_text(WRITES + "rate_process=often\n")
    (found, _) = prepared(bench(read_job_file(tmp_path / "wrong.fio")), directories)
    assert isinstance(found, WrongUsage)
    assert "fio: failed parsing rate_process=often" in str(found)
    assert not (Path(directories[0]) / "storage-acceptance-r1" / "storage-acceptance.data").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root runs fio as himself")
@pytest.mark.parametrize(("mode", "owner"), [(0o755, 65534), (0o700, 0)])
def test_root_has_directories_loaded_by_nobody_where_nobody_can_get_there(
    mode: int, owner: int, profile: Profile, kept: dict[str, Iterable[str]]
) -> None:
    with TemporaryDirectory(dir="/var/tmp") as made:
        Path(made).chmod(mode)
        workspace = HostWorkspace([made], run_id="r1", keep_output=kept.__setitem__)
        workspace.make()
        (volume,) = prepared(HostLoadRunner(workspace, profiles=[profile], test_size=SIZE), [made])
        assert isinstance(volume, HostVolume)
        assert Path(volume.test_file).stat().st_uid == owner


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root runs fio as himself")
@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_fio_reads_its_jobs_whatever_the_umask_and_nobody_else_does(
    umask: int, profile: Profile, kept: dict[str, Iterable[str]]
) -> None:
    with TemporaryDirectory(dir="/var/tmp") as made:
        Path(made).chmod(0o755)
        before = os.umask(umask)
        try:
            workspace = HostWorkspace([made], run_id="r1", keep_output=kept.__setitem__)
            workspace.make()
            (volume,) = prepared(HostLoadRunner(workspace, profiles=[profile], test_size=SIZE), [made])
        finally:
            os.umask(before)
        assert isinstance(volume, HostVolume)
        assert volume.folder.stat().st_mode & 0o077 == 0
        assert {path.stat().st_uid for path in volume.folder.iterdir()} == {65534}


def test_storage_that_fails_in_mid_run_fails_in_the_words_of_fio(
    bench: Bench, profile: Profile, directories: list[str]
) -> None:
    made = bench(profile)
    first, other = (each for each in prepared(made, directories) if isinstance(each, HostVolume))
    seen: set[int] = set()
    # From the start, since a busy machine may look when the first is over; it is loaded second.
    Path(other.test_file).unlink()
    Path(other.test_file).mkdir()
    with pytest.raises(StorageFailure, match=f"it on StorageClass {directories[1]} failed.*[Ii]s a directory"):
        made.run(load_of(profile, [first, other]), watch=lambda number, samples: bool(seen.add(number)))
    assert 0 in seen


def test_a_fio_that_is_killed_is_no_verdict_and_leaves_no_job_running(
    bench: Bench, profile: Profile, directories: list[str]
) -> None:
    made = bench(profile)
    (volume,) = (each for each in prepared(made, directories[:1]) if isinstance(each, HostVolume))

    def fios() -> list[psutil.Process]:
        there_are = psutil.process_iter(["name", "environ"])
        return [
            each
            for each in there_are
            if each.info["name"] == "fio" and (each.info["environ"] or {}).get("FILE") == volume.test_file
        ]

    killed: list[psutil.Process] = []

    def watch(number: int, samples: Sequence[object]) -> bool:
        there_are = fios()
        if len(there_are) > 1 and not killed:  # on a busy machine fio reports before its job has begun
            killed.append(next(each for each in there_are if "sh" in (each.parent() or each).name()))
            killed[0].send_signal(signal.SIGKILL)
        return False

    with pytest.raises(EnvironmentFailure, match="was killed"):
        made.run(load_of(profile, [volume], runtime_s=30), watch=watch)
    assert killed and fios() == []
