"""Profiles: fio job files found in a folder; what could not measure the volume is refused, all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.loads.fio.job_file import read_job_file
from acceptance.loads.profile_folder import find_profiles
from acceptance.text.errors import WrongUsage

GOOD = """# First line,
; second line.
[global]
filename=${FILE}
size=${SIZE}
runtime=${RUNTIME}
time_based
[writes]
rw=write
"""
SHIPPED = Path(__file__).parents[2] / "profiles"


def profile(folder: Path, text: str, *, name: str = "mine") -> Path:
    path = folder / f"{name}.fio"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_profile_has_the_name_of_its_file_its_comment_and_its_jobs(tmp_path: Path) -> None:
    found = read_job_file(profile(tmp_path, GOOD + "[reads]\nrw=read\n"))
    assert (found.name, found.about, found.jobs) == ("mine", "First line, second line.", ("writes", "reads"))
    assert found.text == GOOD + "[reads]\nrw=read\n"


def test_a_folder_gives_every_job_file_by_name_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b", "a", "c.d_e-1"):
        profile(tmp_path, GOOD, name=name)
    (tmp_path / "README.md").write_text("no profile", encoding="utf-8")
    assert list(find_profiles(tmp_path)) == ["a", "b", "c.d_e-1"]


def test_the_profiles_that_come_with_the_suite_can_be_used() -> None:
    found = find_profiles(SHIPPED)
    assert {"sync-write-iops", "etcd-fsync"} <= set(found)
    for name, each in found.items():
        beside = ("writes", "reads") if name == "etcd-fsync-busy" else ()
        assert each.jobs == ((name, *beside) if each.program == "fio" else ())
        assert each.about


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD + "size=${SIZ}\ndescription=${A}\n", "unset variables: A, SIZ; the suite sets ${FILE}"),
        (
            GOOD.replace("${FILE}", "/etc/passwd"),
            "option filename=/etc/passwd is not allowed: the suite prepares",
        ),
        (GOOD.replace("filename=${FILE}", "#"), "it does not use ${FILE}"),
        (GOOD.replace("${RUNTIME}", "60"), "it does not use ${RUNTIME}"),
        (GOOD.partition("[writes]")[0], "it holds no job section"),
        ("filename=${FILE}\nruntime=${RUNTIME}\n", "not a fio job file"),
        (GOOD + "[more]\ngroup_reporting\nrw=read\n", "group_reporting hides all sections but the first"),
        (GOOD + "[more]\ngroup_reporting=1\nrw=read\n", "group_reporting hides all sections but the first"),
    ],
)
def test_what_could_not_measure_the_volume_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = profile(tmp_path, text)
    with pytest.raises(WrongUsage) as raised:
        read_job_file(path)
    assert f"profile {path}: {problem}" in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1 or problem.startswith("not a")


# Each did harm with fio 3.33 on a host, as whoever ran the suite.
HARM = {
    "exec_prerun=touch /tmp/harm": "option exec_prerun is not allowed: it runs a command",
    "exec_postrun=touch /tmp/harm": "option exec_postrun is not allowed: it runs a command",
    "  exec_prerun = touch /tmp/harm": "option exec_prerun is not allowed: it runs a command",
    "filename=/tmp/harm": "option filename=/tmp/harm is not allowed",
    "filename=${FILE}:/dev/sdb": "option filename=${FILE}:/dev/sdb is not allowed",
    "filename=${FILE}/../../harm": "option filename=${FILE}/../../harm is not allowed",
    "filename_format=/tmp/harm": "option filename_format is not allowed",
    "directory=/tmp": "option directory is not allowed",
    "opendir=/tmp": "option opendir is not allowed",
    "ioengine=external:/tmp/harm.so": "option ioengine=external:/tmp/harm.so is not allowed: wanted one of the engines",
    "ioengine=rados": "option ioengine=rados is not allowed",
    "write_lat_log=/tmp/harm": "option write_lat_log is not allowed",
    "write_iolog=/tmp/harm": "option write_iolog is not allowed",
    "read_iolog=/etc/shadow": "option read_iolog is not allowed",
    "replay_redirect=/dev/sdb": "option replay_redirect is not allowed",
    "include /tmp/harm.fio": "not a fio job file: wanted a section, and options in it, found 'include /tmp/harm.fio'",
    "cgroup=harm": "option cgroup is not allowed",
    "unlink=1": "option unlink is not allowed",
    "mem=mmaphuge:/dev/hugepages/harm": "option mem is not allowed",
    "verify=md5": "option verify=md5 is not allowed",
    "uid=0": "option uid is not allowed",
    "buffer_pattern='/etc/shadow'": "option buffer_pattern is not allowed",
}


@pytest.mark.parametrize("line", HARM)
@pytest.mark.parametrize("where", ["at the end", "in a section of its own", "after what looks like a comment"])
def test_what_could_touch_more_than_the_test_file_is_refused(line: str, where: str, tmp_path: Path) -> None:
    before = {"at the end": "", "in a section of its own": "[more]\nrw=read\n"}.get(where, "bs=4k # no comment\n")
    with pytest.raises(WrongUsage) as raised:
        read_job_file(profile(tmp_path, f"{GOOD}{before}{line}\n"))
    assert HARM[line] in str(raised.value)


@pytest.mark.parametrize("text", [GOOD + "group_reporting\n", GOOD + "[more]\ngroup_reporting=0\nrw=read\n"])
def test_group_reporting_may_sum_up_the_processes_of_one_section(tmp_path: Path, text: str) -> None:
    assert read_job_file(profile(tmp_path, text)).jobs[0] == "writes"


@pytest.mark.parametrize("name", ["a b", "-a", "a;b", "$(a)", "é", "."])
def test_a_name_that_needs_quoting_somewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(WrongUsage, match="the name may hold letters"):
        read_job_file(profile(tmp_path, GOOD, name=name))


def test_a_file_that_is_no_text_is_refused_beside_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.fio").write_bytes(b"\xff\xfe")
    (tmp_path / "b.fio").mkdir()
    with pytest.raises(WrongUsage) as raised:
        find_profiles(tmp_path)
    assert [line.count("it cannot be read") for line in str(raised.value).splitlines()] == [1, 1]


def test_all_that_is_wrong_in_a_folder_is_said_at_once(tmp_path: Path) -> None:
    profile(tmp_path, "[a]\nfilename=${X}\n", name="first")
    profile(tmp_path, GOOD, name="good")
    profile(tmp_path, "", name="second")
    with pytest.raises(WrongUsage) as raised:
        find_profiles(tmp_path)
    lines = str(raised.value).splitlines()
    assert [line.partition(".fio: ")[0].rpartition("/")[2] for line in lines] == ["first"] * 4 + ["second"] * 3


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ramp_time=61", "its ramp_time is above 60 s"),
        ("ramp_time=10m", "its ramp_time is above 60 s"),
        ("continue_on_error=all", "would make a number of a measurement with errors"),
        ("time_based=0", "it lacks time_based"),
    ],
)
def test_a_profile_that_would_mislead_is_refused(tmp_path: Path, line: str, said: str) -> None:
    text = GOOD.replace("time_based", "") if line.startswith("time_based") else GOOD
    path = profile(tmp_path, f"{text}{line}\n", name="misleading")
    with pytest.raises(WrongUsage, match=said):
        read_job_file(path)


def test_the_name_of_the_suites_own_job_is_taken(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="the name is taken"):
        read_job_file(profile(tmp_path, GOOD, name="prefill"))


def test_a_folder_without_profiles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=r"holds no \.fio or \.sysbench file"):
        find_profiles(tmp_path)
    with pytest.raises(WrongUsage, match="does not exist; name a folder"):
        find_profiles(tmp_path / "nowhere")
