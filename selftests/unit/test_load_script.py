"""The script of a load, run by the shells that images have, and the log that is cut into segments."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from acceptance.cluster.waiting import wait_for
from acceptance.loads.fio.output import FioOutput
from acceptance.loads.profiles import Profile
from acceptance.measuring.load_log import LoadLog, WatchedSamples
from acceptance.measuring.load_script import FIO, HOST_LOAD, STOPPED_STATUS, commands, load_environment, load_script
from acceptance.measuring.space_check import (
    NO_PROGRAM,
    REJECTED_PROFILE,
    SHARED_DISK,
    TOO_SMALL,
    check_environment,
    check_script,
    explain_refusal,
)
from acceptance.text.errors import EnvironmentFailure
from selftests.bounds import HANGS_S

SHELLS = [[path] for name in ("dash", "bash") if (path := shutil.which(name))]
SHELLS += [[path, "sh"] for path in [shutil.which("busybox")] if path]


def run(shell: list[str], script: str, *files: str, **environment: str) -> LoadLog:
    words = [*shell, "-c", script, "load", *files]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, check=False, timeout=HANGS_S, env={**os.environ, **environment}
    )
    return read(done.stdout)


def read(printed: bytes, *, piece: int = 7) -> LoadLog:
    log = LoadLog(new_output=lambda: FioOutput(jobs=["a"]))
    for start in range(0, len(printed), piece):
        log.feed(printed[start : start + piece])
    log.close()
    return log


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_each_file_is_loaded_in_its_own_segment(shell: list[str], tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("one", "two words", "one")]
    log = run(shell, load_script('echo "loads $FILE"; echo x >> "$FILE"'), *files)
    assert ["".join(segment.pieces()).strip() for segment in log.segments] == [f"loads {file}" for file in files]
    assert log.exit_status == 0
    assert Path(files[0]).read_text() == "x\nx\n"


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_on_a_host_what_a_dead_fio_leaves_is_ended_though_nobody_reads(shell: list[str], tmp_path: Path) -> None:
    """As after a run that was killed: fio dies as it prints, and its jobs wait for it for ever."""
    fio = f"setsid sleep {2 * HANGS_S:.0f} & echo $! > left; until [ -e closed ]; do sleep 0.1; done; kill -PIPE $$"
    words = [*shell, "-c", load_script(f"sh -c '{fio}'"), "load", str(tmp_path)]
    environment = {**os.environ, HOST_LOAD: tmp_path.name}
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=tmp_path, env=environment) as process:
        assert process.stdout is not None
        while not process.stdout.readline().endswith(b"segment 0\n"):
            pass
        process.stdout.close()
        (tmp_path / "closed").touch()
        process.wait(timeout=HANGS_S)
    left = int((tmp_path / "left").read_text())
    # What is killed ends when a busy machine lets it.
    wait_for("what it left to end", look=lambda: lives(left), ready=lambda seen: not seen, state=str, timeout_s=HANGS_S)


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
@pytest.mark.parametrize(("runtime", "each"), [("1s 3s 2s", ["1s", "3s", "2s"]), ("1s", ["1s"] * 3)])
def test_each_segment_has_its_own_runtime(shell: list[str], runtime: str, each: list[str], tmp_path: Path) -> None:
    log = run(shell, load_script("sh -c 'echo \"$RUNTIME\"'"), *[str(tmp_path)] * 3, RUNTIME=runtime)
    assert ["".join(segment.pieces()).strip() for segment in log.segments] == each
    assert log.exit_status == 0


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_the_first_load_that_fails_is_the_last(shell: list[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    log = run(
        shell,
        load_script('echo "no $FILE"; [ "${FILE##*/}" != bad ] || exit 7; echo > "$FILE"'),
        str(tmp_path / "a"),
        str(bad),
        str(tmp_path / "c"),
    )
    assert log.exit_status == 7
    assert len(log.segments) == 2
    assert log.segments[1].messages == f"no {bad}"


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_what_cannot_be_flushed_is_a_failure(shell: list[str], tmp_path: Path) -> None:
    log = run(shell, load_script(":"), str(tmp_path / "never written"))
    assert log.exit_status not in (0, None)


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_a_load_that_is_told_to_end_ends_with_all_that_it_began(shell: list[str], tmp_path: Path) -> None:
    script = load_script('echo "begun"; exec sleep 100')
    process = subprocess.Popen([*shell, "-c", script, "load", str(tmp_path / "a")], stdout=subprocess.PIPE)
    assert process.stdout is not None
    printed = b""
    while b"begun" not in printed:
        printed += os.read(process.stdout.fileno(), 4096)
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=HANGS_S)  # ends only when nobody holds the pipe any more
    assert read(printed + rest).exit_status == STOPPED_STATUS
    assert process.returncode == STOPPED_STATUS


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_without_the_space_nothing_is_loaded(shell: list[str], tmp_path: Path) -> None:
    check = check_script([], space=2**60, together=1, claim_size=None)
    log = run(shell, load_script("echo loaded", check=check), str(tmp_path / "a"))
    assert (log.check_status, log.exit_status, log.segments) == (TOO_SMALL, None, [])
    assert "free: " in log.before and log.over


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_with_the_space_the_load_begins(shell: list[str], tmp_path: Path) -> None:
    check = check_script([], space=4096, together=1, claim_size=None)
    log = run(shell, load_script('echo > "$FILE"', check=check), str(tmp_path / "a"))
    assert (log.check_status, log.exit_status) == (None, 0)


def test_a_disk_that_volumes_share_is_spared_by_all_of_them_together(tmp_path: Path) -> None:
    """What is free suffices for one volume with much to spare, not for very many that are written at the same time."""
    for together, refused in ((1, None), (2**40, SHARED_DISK)):
        check = check_script([], space=4096, together=together, claim_size=1)
        log = run(SHELLS[0], load_script('echo > "$FILE"', check=check), str(tmp_path / "a"))
        assert log.check_status == refused


def test_an_image_without_the_program_is_no_wrong_profile(tmp_path: Path) -> None:
    profile = Profile(name="a", path=Path("a.sysbench"), text="", about="", program="sysbench")
    check = check_script([profile], space=4096, together=1, claim_size=None)
    script = load_script("echo loaded", check=f"PATH=/nowhere\n{check}")
    log = run(SHELLS[0], script, str(tmp_path / "a"))
    assert (log.check_status, log.segments) == (NO_PROGRAM, [])
    error = explain_refusal(NO_PROGRAM, log.before, where="here", space=1)
    assert isinstance(error, EnvironmentFailure) and "no fio" in str(error) and "--storage-image" in str(error)


def test_a_log_that_was_cut_off_is_no_measurement() -> None:
    with pytest.raises(EnvironmentFailure, match="begins with segment 3"):
        read(b"\nstorage-acceptance: segment 3\n")


def test_a_profile_that_fio_rejects_is_refused_in_its_words(tmp_path: Path) -> None:
    job = tmp_path / "it's wrong.fio"
    job.write_text("[a]\nnonsense=1\n")
    profile = Profile(name=job.stem, path=job, text="", about="")
    check = check_script([profile], space=4096, together=1, claim_size=None)
    environment = check_environment([profile], folder=str(tmp_path))
    log = run(SHELLS[0], load_script("echo loaded", check=check), str(tmp_path / "a"), **environment)
    assert log.check_status == REJECTED_PROFILE and not log.segments


HOSTILE = [
    "$(touch ran)",
    "`touch ran`",
    "a'; touch ran; '",
    'a"; touch ran; "',
    "END_OF_JOBS",
    "${FILE}",
    "-rf",
    "a b*",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_no_name_is_taken_for_a_command(shell: list[str], name: str, tmp_path: Path) -> None:
    """Names of profiles are checked when they are read; what runs them does not rely on it."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / f"{name}.fio").write_text("[a]\nfilename=${FILE}\nsize=4k\nrw=write\n")
    profile = Profile(name=name, path=Path(f"{name}.fio"), text="", about="", jobs=("a",))
    check = check_script([profile], space=4096, together=1, claim_size=None)
    environment = check_environment([profile], folder=str(folder))
    environment |= load_environment(profile, job_file=str(folder / profile.path))
    # Where a command would leave its mark.
    script = f"cd {shlex.quote(str(tmp_path))} && {load_script(commands(profile), check=check)}"
    log = run(shell, script, str(tmp_path / "data"), SIZE="4k", RUNTIME="1s", **environment)
    assert (log.check_status, log.exit_status) == (None, 0), log.before
    assert (tmp_path / "data").stat().st_size == 4096
    assert not list(tmp_path.rglob("ran"))


def test_scripts_hold_no_name() -> None:
    profile = Profile(name="a-name", path=Path("a-name.fio"), text="", about="", jobs=("a",))
    options = "--file-total-size=${SIZE}\n--time=${RUNTIME}\n--file-test-mode=rndrw\n"
    other = Profile(name="a-name", path=Path("a-name.sysbench"), text=options, about="", program="sysbench")
    for each in (profile, other):
        check = check_script([each], space=1, together=1, claim_size=1)
        assert "a-name" not in load_script(commands(each), check=check)


def test_fio_is_read_segment_by_segment(tmp_path: Path) -> None:
    job = tmp_path / "a.fio"
    job.write_text("[a]\nfilename=${FILE}\nsize=1M\nrw=write\nbs=4k\nruntime=4\ntime_based\nrate_iops=100\n")
    log = run(SHELLS[0], load_script(f'{FIO} "{job}"'), str(tmp_path / "x"), str(tmp_path / "y"))
    assert log.exit_status == 0
    for segment in log.segments:
        assert segment.error is None
        # Of single seconds a busy machine makes more or less; were one counted again with the next, it would be 1,000.
        assert 0 < sum(sample.counts["write"].ios for sample in segment.samples) <= 480


def test_each_sample_is_shown_once_though_the_log_is_read_twice() -> None:
    class Sampled(FioOutput):
        def feed(self, piece: bytes) -> None:
            self.samples += [piece] * piece.count(b"s")  # type: ignore[list-item]

    seen: list[tuple[int, int]] = []
    watched = WatchedSamples(lambda number, samples: bool(seen.append((number, len(samples)))) or len(seen) == 4)

    def log(text: bytes) -> LoadLog:
        made = LoadLog(new_output=lambda: Sampled(jobs=[]))
        made.feed(text)
        return made

    first, second = b"\nstorage-acceptance: segment 0\n", b"\nstorage-acceptance: segment 1\n"
    assert not watched.enough(log(first + b"ss\n"))
    whole = log(first + b"ss\n" + second + b"sss\n")
    assert watched.enough(whole)
    assert seen == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert list(map(len, watched.samples(whole))) == [2, 2]
