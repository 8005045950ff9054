"""Profiles: fio job files found in a folder; what could not measure the volume is refused, all of it at once."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.loads.extents import extent_problem
from acceptance.loads.fio.job_file import read_job_file
from acceptance.loads.fio.job_options import ALLOWED_OPTIONS
from acceptance.loads.fio.job_sections import read_sections
from acceptance.loads.fio.option_values import READ
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
    assert len(set(found.values())) == len(found), "a campaign keeps its visits by profile"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD + "size=${SIZ}\ndescription=${A}\n", ":10: unset variables: A, SIZ; the suite sets ${FILE}"),
        (GOOD.replace("${FILE}", "/etc/passwd"), ":4: option filename=/etc/passwd is not allowed: the suite prepares"),
        (GOOD.replace("filename=${FILE}", "#"), "it does not use ${FILE}"),
        (GOOD.replace("${RUNTIME}", "60"), "it does not use ${RUNTIME}"),
        (GOOD.partition("[writes]")[0], "it holds no job section"),
        ("filename=${FILE}\nruntime=${RUNTIME}\n", ":1: not a fio job file"),
        (GOOD + "[more\nrw=read\n", ":10: not a fio job file"),
        (GOOD + "rw=re\0ad\n", ":10: not a fio job file"),
        (GOOD + f"#{'x' * 5000}\n", ":10: expected lines of at most 4000 bytes"),
        (GOOD.replace("${RUNTIME}", "${RUNTIME}s"), "it does not use ${RUNTIME}"),
        (GOOD + "[more]\nrw=read\nruntime=5\n", "section [more]: it does not use ${RUNTIME}"),
        (GOOD + "[more]\nrw=read\ntime_based=0\n", "section [more]: it lacks time_based"),
        (GOOD.replace("[global]", "[first]"), "section [writes]: it does not use ${FILE}"),
        (GOOD + "[more]\ngroup_reporting\nrw=read\n", "group_reporting hides all sections but the first"),
        (GOOD + "[more]\ngroup_reporting=1\nrw=read\n", "group_reporting hides all sections but the first"),
    ],
)
def test_what_could_not_measure_the_volume_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = profile(tmp_path, text)
    with pytest.raises(WrongUsage) as raised:
        read_job_file(path)
    told = str(raised.value).splitlines()
    assert told[0].removeprefix(f"profile {path}").removeprefix(": ").startswith(problem)
    assert len(told) == 1 or "not a fio job file" in told[0] or "section" in told[0]


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
    "ioengine=external:/tmp/harm.so": "option ioengine=external:/tmp/harm.so is not allowed: expected one",
    "ioengine=rados": "option ioengine=rados is not allowed",
    "write_lat_log=/tmp/harm": "option write_lat_log is not allowed",
    "write_iolog=/tmp/harm": "option write_iolog is not allowed",
    "read_iolog=/etc/shadow": "option read_iolog is not allowed",
    "replay_redirect=/dev/sdb": "option replay_redirect is not allowed",
    "include /tmp/harm.fio": "found include, which is not supported",
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
    assert [line.partition(".fio")[0].rpartition("/")[2] for line in lines] == ["first"] * 3 + ["second"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ramp_time=61", "its ramp_time is above 60 s"),
        ("ramp_time=10m", "its ramp_time is above 60 s"),
        ("continue_on_error=all", "would turn a measurement with errors into a figure"),
        ("time_based=0", "it lacks time_based"),
        *((f"unified_rw_reporting={value}", "expected 0, none, 2 or both") for value in ("1", "mixed")),
        ("unified_rw_reporting", "expected 0, none, 2 or both"),
        *((f"thinktime={value}", "expected less than 200 ms") for value in ("200000", "1s", "200ms", "200000us", "5m")),
        *((f"rate_iops={value}", "expected at least 5") for value in ("1", "4", "100,2", "1,,100")),
        ("startdelay=2\n[second]\nrw=read", "the same startdelay"),
        ("[second]\nrw=read\nstartdelay=2", "the same startdelay"),
        ("startdelay=1-4", "expected a whole number of s"),
    ],
)
def test_a_profile_that_would_mislead_is_refused(tmp_path: Path, line: str, said: str) -> None:
    text = GOOD.replace("time_based", "") if line.startswith("time_based") else GOOD
    path = profile(tmp_path, f"{text}{line}\n", name="misleading")
    with pytest.raises(WrongUsage, match=said):
        read_job_file(path)


@pytest.mark.parametrize("mode", ["trim", "randtrim", "trimwrite", "randtrimwrite", "Read", "rw,write", ""])
@pytest.mark.parametrize("option", ["rw", "readwrite"])
def test_what_is_neither_read_nor_written_is_refused(mode: str, option: str, tmp_path: Path) -> None:
    with pytest.raises(
        WrongUsage, match=r"mine.fio:10: option (rw|readwrite)=.* is not allowed: expected one of read,"
    ):
        read_job_file(profile(tmp_path, f"{GOOD}{option}={mode}\n"))


@pytest.mark.parametrize("line", ["nice=-5", "prioclass=1", "zonemode=zbd"])
def test_values_with_which_fio_could_not_load_are_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=r"mine.fio:10: option .* is not allowed"):
        read_job_file(profile(tmp_path, f"{GOOD}{line}\n"))


@pytest.mark.parametrize(
    "line",
    [
        "ramp_time=1.5",
        "ramp_time=1 m",
        "ramp_time=-1",
        "startdelay=2-4",
        "size=2 m",
        "size=10.5m",
        "size=1m,2m",
        "size=150%",
        "size=-5",
        "offset=25.5%",
        "offset=${SIZE}k",
        "numjobs=0",
        "numjobs=$ncpus",
        "numjobs=2,3",
        "fsync=-1",
        "fdatasync=1k",
        "direct=true",
        "direct=1,0",
        "direct",
        "sync=yes",
        "group_reporting=2",
        "gtod_reduce=",
    ],
)
def test_values_that_fio_refuses_or_takes_for_something_else_are_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(
        WrongUsage, match=rf"mine.fio:10: option {line.partition('=')[0]}: expected .*, found .*; correct it"
    ):
        read_job_file(profile(tmp_path, f"{GOOD}{line}\n"))


@pytest.mark.parametrize("line", ["rw=randread:8", "rw=write:8k", "readwrite=randrw", "nice=5", "prioclass=3", "rw=rw"])
def test_values_that_fio_knows_and_the_suite_can_measure_are_taken(line: str, tmp_path: Path) -> None:
    assert read_job_file(profile(tmp_path, f"{GOOD}{line}\n")).jobs == ("writes",)


@pytest.mark.parametrize(
    "option",
    ["ramp_time", "startdelay", "runtime", "size", "numjobs", "iodepth", "bs", "offset", "direct", "rw", "sync"],
)
def test_a_variable_that_no_one_sets_is_named(option: str, tmp_path: Path) -> None:
    path = profile(tmp_path, f"{GOOD}{option}=${{RAMP}}\n")
    with pytest.raises(WrongUsage) as raised:
        read_job_file(path)
    assert f"profile {path}:10: unset variables: RAMP; the suite sets ${{FILE}}" in str(raised.value)


def test_a_variable_in_a_comment_is_none(tmp_path: Path) -> None:
    assert read_job_file(profile(tmp_path, f"# by hand: ${{X}}\n{GOOD}bs=4k # ${{Y}}\n")).jobs == ("writes",)


@pytest.mark.parametrize(
    ("options", "durable", "buffered"),
    [
        ("", False, True),
        ("direct=1", False, False),
        ("direct=1 # no cache", False, False),
        ("buffered=0", False, False),
        ("buffered=0;direct", False, False),
        ("direct=1\nbuffered=1", False, True),
        ("buffered=1\ndirect=1", False, False),
        ("direct = 1", False, False),
        ("fdatasync=1 ; each", True, True),
        ("fsync=1#each", True, True),
        ("fsync=32", False, True),
        ("fsync=1\nfsync=0", False, True),
        ("sync=1", True, True),
        ("sync=sync", True, True),
        ("sync=dsync # log", True, True),
        ("sync=0", False, True),
        ("sync=none", False, True),
    ],
)
def test_durable_and_buffered_are_what_fio_makes_of_the_options(
    options: str, durable: bool, buffered: bool, tmp_path: Path
) -> None:
    found = read_job_file(profile(tmp_path, f"{GOOD}{options}\n"))
    assert (found.durable, found.is_buffered) == (durable, buffered)


def test_defaults_hold_for_the_sections_after_them(tmp_path: Path) -> None:
    text = GOOD + "[global]\ndirect=1\n[log] # behind\nrw=write\nfdatasync=1\n"
    found = read_job_file(profile(tmp_path, text))
    assert found.jobs == ("writes", "log") and found.durable and found.is_buffered


def test_comments_end_a_line_where_fio_ends_it(tmp_path: Path) -> None:
    """fio prints what it read of each line: it strips from the first # or ; on, and knows no quotes or escapes."""
    lines = ["ioengine=sync # one by one", "bs=8k;16k", 'description="a # b"', "description=a\\;b"]
    path = profile(tmp_path, GOOD + "\n".join(lines))
    environment = {"FILE": str(tmp_path / "file"), "SIZE": "1m", "RUNTIME": "1s", "PATH": os.environ["PATH"]}
    shown = subprocess.run(
        ["fio", "--parse-only", "--showcmd", path], env=environment, capture_output=True, text=True, check=True
    ).stdout
    sections, problems = read_sections(path.read_text(encoding="utf-8"))
    assert not problems
    for option in (option for section in sections for option in section.options if "$" not in (option.value or "")):
        value = f'"{option.value}"' if option.name == "description" else option.value
        assert f"--{option.name}{'' if value is None else f'={value}'} " in shown
    assert [option.value for option in sections[1].options] == ["write", "sync", "8k", '"a', "a\\"]


LINES = st.one_of(
    st.text(max_size=30),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(sorted(ALLOWED_OPTIONS)),
        st.sampled_from(["=", " = ", ""]),
        st.text(max_size=12),
    ),
    st.builds(
        "{}={}".format,
        st.sampled_from(sorted(READ)),
        st.from_regex(r"-?\d{0,20}(\.\d)?[kmgs%]?(i?b)?[,:-]?\d?", fullmatch=True),
    ),
)


@given(st.lists(LINES, max_size=6))
def test_whatever_a_file_holds_it_is_a_profile_or_refused_in_words(lines: list[str]) -> None:
    with TemporaryDirectory() as folder, suppress(WrongUsage):
        found = read_job_file(profile(Path(folder), GOOD + "\n".join(lines)))
        assert found.jobs
        extent_problem(found.extents, test_size=2**30)


@pytest.mark.parametrize(
    "line",
    [
        *(f"unified_rw_reporting={value}" for value in ("0", "none", "2", "both")),
        *(f"thinktime={value}" for value in ("0", "1000", "199999", "100us", "5ms", "199msec")),
        *(f"rate_iops={value}" for value in ("5", "10", "1k", "100,200", "50,", ",500", "0")),
        "startdelay=2",
        "startdelay=2\n[second]\nrw=read\nstartdelay=2000ms",
    ],
)
def test_values_that_can_be_measured_are_taken(tmp_path: Path, line: str) -> None:
    assert read_job_file(profile(tmp_path, f"{GOOD}{line}\n", name="measurable")).jobs


def test_the_name_of_the_suites_own_job_is_taken(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="the name is taken"):
        read_job_file(profile(tmp_path, GOOD, name="prefill"))


def test_a_folder_without_profiles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=r"holds no \.fio or \.sysbench file"):
        find_profiles(tmp_path)
    with pytest.raises(WrongUsage, match="does not exist; name a folder"):
        find_profiles(tmp_path / "nowhere")
