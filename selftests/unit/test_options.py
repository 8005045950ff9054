"""The options as whoever types them meets them: where values come from, what is listed, what ends with status 4."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from acceptance.settings.offered import GROUPS, HEADINGS, OPTIONS
from selftests.pytest_command import PYTEST_MODULE
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
PROFILE = "[job]\nfilename=${FILE}\nruntime=${RUNTIME}\ntime_based\nrw=read\n"
LIMITS = """version: 1
tiers:
  mine:
    description: mine
    limits:
      %s:
        write.iops: {at_least: 1, because: it is asked for}
"""


@dataclass(frozen=True)
class Listing:
    status: int
    output: str

    def classes(self) -> list[str]:
        """The classes that provisioning is listed for."""
        wanted = "test_claim_binds_and_takes_a_write["
        return [line.partition("[")[2].rstrip("]") for line in self.output.splitlines() if wanted in line]


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


@pytest.fixture
def listing(empty: Path) -> Callable[..., Listing]:
    """Lists the tests in a process of its own, with no cluster, no kubeconfig and no proxy to be had."""

    def run(*options: str, **environment: str) -> Listing:
        surroundings = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("STORAGE_", "PYTEST_", "KUBE")) and "proxy" not in name.lower()
        } | {"HOME": str(empty), "XDG_RUNTIME_DIR": str(empty), "PYTHONDONTWRITEBYTECODE": "1"}
        words = (*PYTEST_MODULE, "--collect-only", "-q", *options)
        done = run_module(*words, folder=ROOT, environment=surroundings | environment)
        return Listing(done.returncode, done.stdout + done.stderr)

    return run


def limits(folder: Path, *, profile: str = "sync-write-iops") -> str:
    path = folder / "limits.yaml"
    path.write_text(LIMITS % profile, encoding="utf-8")
    return f"--storage-thresholds={path}"


def profiles(folder: Path, **more: str) -> str:
    """A folder with the suite's own profiles and more."""
    for path in (ROOT / "profiles").iterdir():
        (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    for name, text in more.items():
        (folder / f"{name}.fio").write_text(text, encoding="utf-8")
    return f"--storage-profiles={folder}"


Run = Callable[..., Listing]
ORDERS = "# Orders.\n[o]\nrw=randwrite\nbs=4k\ntime_based\nruntime=${RUNTIME}\nfilename=${FILE}\nsize=${SIZE}\n"
"""a load of one's own"""


def test_tests_are_listed_without_a_cluster_and_nothing_is_written(listing: Run, tmp_path: Path) -> None:
    found = listing(f"--storage-report={tmp_path / 'reports'}")
    assert found.status == 0, found.output
    assert found.classes() == ["default-class"]
    assert "test_synchronous_writes_meet_the_limit[default-class-sync-write-iops-write.iops-at_least]" in found.output
    assert not (tmp_path / "reports").exists()


def test_help_describes_each_option(listing: Run) -> None:
    told = " ".join(listing("--help").output.split())
    assert "%%" not in told
    for option in OPTIONS:
        assert option.group or option.words[0] in told
        assert told.count(" ".join(option.help.split()[:4])) >= 2, "on the command line, and among the ini keys"
        assert option.default in told and option.otherwise in told
    assert all(group.words[0] in told for group in GROUPS) and "--storage-scale-steps" not in told


def test_they_are_about_forty_each_with_one_default() -> None:
    assert sum(map(len, HEADINGS.values())) < 48
    assert [each.name for each in OPTIONS if each.default and each.otherwise] == []
    for option in OPTIONS:
        assert not re.search(r"\bdefault\b", option.help), option.name


@pytest.mark.parametrize("where", ["line", "environment", "ini"])
def test_parts_of_a_group_are_their_options(listing: Run, where: str) -> None:
    """Beside the names that these had alone."""
    parts = "rate-pods=7 profiles=one profiles=two rate=5"
    words, environment = [*(f"--storage-scale={each}" for each in parts.split())], {}
    if where == "environment":
        words, environment = [], {"STORAGE_SCALE": parts}
    if where == "ini":
        words = ["-o", f"storage_scale={parts}"]
    found = listing(*words, "--storage-scale-window=9s", "-m", "scale", "--storage-plan", **environment)
    assert found.status == 4 and "found ['one', 'two']" in found.output
    assert listing("--storage-with=sustained", "--storage-with=operations=3").status == 0


def test_former_names_of_parts_set_the_same_options(listing: Run) -> None:
    present = ("resource-overhead=2s", "noisy-neighbors=100", "resource-overhead-of=Storage")
    former = ("price=2s", "noisy-neighbours=100", "price-of=Storage")
    refusals = [listing(*(f"--storage-with={part}" for part in parts)) for parts in (present, former)]
    assert [refusal.status for refusal in refusals] == [4, 4]
    problems = [set(refusal.output.splitlines()) for refusal in refusals]
    assert problems[0] == problems[1]
    assert sum("--storage-with" in line for line in problems[0]) == 3


@pytest.mark.parametrize(
    "asked",
    ["scale=step=1", "scale=steps", "scale=steps=", "with=latency-under-load=3", "with=all", "load=", "rebuild=size=x"],
)
def test_parts_that_a_group_has_not_are_refused_with_those_it_has(listing: Run, asked: str) -> None:
    found = listing(f"--storage-{asked}")
    assert found.status == 4 and f"--storage-{asked.partition('=')[0]}" in found.output, found.output
    assert "expected" in found.output and "Traceback" not in found.output


@pytest.mark.parametrize(
    ("options", "environment", "classes"),
    [
        (("-o", "storage_class=ini also"), {}, ["ini", "also"]),
        (("-o", "storage_class=ini"), {"STORAGE_CLASS": "environment"}, ["environment"]),
        ((), {"STORAGE_CLASS": "one 'two' three"}, ["one", "two", "three"]),
        (
            ("-o", "storage_class=ini", "--storage-class=line", "--storage-class=again"),
            {"STORAGE_CLASS": "environment"},
            ["line", "again"],
        ),
    ],
)
def test_the_command_line_comes_before_the_environment_and_that_before_the_ini_file(
    listing: Run, options: tuple[str, ...], environment: dict[str, str], classes: list[str]
) -> None:
    """None of these classes exists: that is no error before a cluster is asked."""
    found = listing("-k", "claim_binds", *options, **environment)
    assert found.status == 0, found.output
    assert found.classes() == classes


def test_a_capability_that_a_target_requires_and_nobody_knows_is_told_with_those_there_are(
    listing: Run, tmp_path: Path
) -> None:
    target = tmp_path / "target.yaml"
    target.write_text("settings: {require_capability: [clone, flying]}")
    found = listing("--storage-context=a", f"--storage-target={target}")
    assert found.status == 4, found.output
    assert f"target {target}: settings.require_capability: expected capabilities from appends" in found.output
    assert "found 'flying'" in found.output


@pytest.mark.parametrize("names", [("embedded-name", "require-capability"), ("embedded", "expect")])
@pytest.mark.parametrize("where", ["line", "environment", "ini"])
def test_options_are_known_by_the_names_that_they_had_too(listing: Run, where: str, names: tuple[str, str]) -> None:
    asked = dict(zip((f"storage-{name}" for name in names), ("lab", "cloning"), strict=True))
    keys = {name.replace("-", "_"): value for name, value in asked.items()}
    options: list[str] = []
    if where == "line":
        options = [f"--{name}={value}" for name, value in asked.items()]
    if where == "ini":
        options = [word for key, value in keys.items() for word in ("-o", f"{key}={value}")]
    environment = {key.upper(): value for key, value in keys.items()} if where == "environment" else {}
    found = listing("--storage-context=a", *options, **environment)
    assert found.status == 4, found.output
    assert "--storage-require-capability: expected capabilities from appends" in found.output
    assert "found 'cloning'" in found.output
    assert "--storage-embedded-name lab selects an embedded cluster" in found.output


def test_of_two_names_in_the_environment_the_present_one_counts(listing: Run) -> None:
    found = listing(STORAGE_EXPECT="cloning", STORAGE_REQUIRE_CAPABILITY="clone")
    assert found.status == 0, found.output


def test_directories_that_read_alike_are_listed_apart(listing: Run, tmp_path: Path) -> None:
    directories = [tmp_path / "mnt" / "a", tmp_path / "mnt-a"]
    for directory in directories:
        directory.mkdir(parents=True)
    found = listing(
        "--storage-cluster=host", "-k", "claim_binds", *(f"--storage-class={directory}" for directory in directories)
    )
    assert found.status == 0, found.output
    assert found.classes() == list(map(str, directories))


def test_a_profile_that_is_dropped_into_a_folder_is_listed(listing: Run, tmp_path: Path) -> None:
    found = listing("-k", "profile", profiles(tmp_path, **{"random-read": PROFILE}))
    assert found.status == 0, found.output
    assert "test_profile_meets_the_limit[default-class-random-read]" in found.output


def test_another_tier_brings_its_own_limits(listing: Run, tmp_path: Path) -> None:
    found = listing("-k", "synchronous", limits(tmp_path), "--storage-tier=mine")
    assert found.status == 0, found.output
    assert "sync-write-iops-write.iops-at_least" in found.output
    assert "sync.latency.p99" not in found.output


def test_a_value_from_the_environment_is_checked_like_any_other(listing: Run) -> None:
    found = listing(STORAGE_TEST_SIZE="much", STORAGE_KEEP="perhaps")
    assert found.status == 4
    assert "--storage-test-size: expected a size above zero such as 10Gi, found 'much'" in found.output
    assert "--storage-keep: " in found.output


def test_a_test_file_larger_than_the_volume_is_wrong_usage(listing: Run) -> None:
    found = listing("--storage-volume-size=1Gi", "--storage-test-size=2Gi")
    assert found.status == 4
    assert "--storage-test-size (2147483648 bytes) is above --storage-volume-size" in found.output


def test_a_tier_that_does_not_exist_is_wrong_usage(listing: Run) -> None:
    found = listing("--storage-tier=platinum")
    assert found.status == 4
    assert "expected one of the tiers baseline, production, found 'platinum'" in found.output


def test_a_limit_for_a_profile_that_does_not_exist_is_wrong_usage(listing: Run, tmp_path: Path) -> None:
    found = listing(limits(tmp_path, profile="no-such"), "--storage-tier=mine")
    assert found.status == 4
    assert "expected a profile that exists (available: " in found.output
    assert "sync-write-iops, sysbench-random-mixed), found 'no-such'" in found.output


def test_a_variable_that_nobody_sets_is_wrong_usage(listing: Run, tmp_path: Path) -> None:
    found = listing(profiles(tmp_path, mine=PROFILE + "size=${HOW_MUCH}\n"))
    assert found.status == 4
    assert "mine.fio:6: unset variables: HOW_MUCH" in found.output


def test_what_a_profile_can_never_do_is_wrong_usage_with_all_else_at_once(listing: Run, tmp_path: Path) -> None:
    """A load beyond the test file, and a limit on writes of a profile that only reads; a share of the file is fine."""
    own = {"large": "size=10G\n", "share": "size=50%\n", "sync-write-iops": "", "trims": "rw=trim\n"}
    found = listing(profiles(tmp_path, **{name: PROFILE + line for name, line in own.items()}), limits(tmp_path))
    told = [line.removeprefix("ERROR: ") for line in found.output.splitlines() if line]
    assert found.status == 4 and len(told) == 3, found.output
    assert told[0].startswith(f"profile {tmp_path}/trims.fio:6: option rw=trim is not allowed")
    assert told[1].startswith(
        f"{tmp_path}/limits.yaml:7: tiers.mine.limits.sync-write-iops.write.iops: expected a metric"
    )
    assert told[2].startswith(f"profile {tmp_path}/large.fio: expected a load within the test file (1 GiB), found")
    assert "raise --storage-test-size to at least 10Gi" in told[2]


def test_wrong_settings_limits_and_profiles_are_all_said_at_once(listing: Run, tmp_path: Path) -> None:
    found = listing(
        "--storage-class=Fast",
        "--storage-volume-size=1Gi",
        "--storage-test-size=2Gi",
        limits(tmp_path, profile="no-such"),
        profiles(tmp_path, mine=PROFILE + "size=${HOW_MUCH}\n"),
    )
    assert found.status == 4
    for problem in (
        "--storage-class: expected a Kubernetes object name",
        "--storage-test-size (2147483648 bytes) is above",
        "found 'no-such'",
        "unset variables: HOW_MUCH",
    ):
        assert problem in found.output


def test_wrong_settings_and_limits_are_said_at_once_and_without_a_traceback(listing: Run, tmp_path: Path) -> None:
    found = listing("--storage-class=Fast", "--storage-timeout=5", limits(tmp_path, profile="no-such"))
    assert found.status == 4
    assert "--storage-class: expected a Kubernetes object name" in found.output
    assert "--storage-timeout: expected a time with its unit" in found.output
    assert "found 'no-such'" in found.output
    assert "Traceback" not in found.output


def test_loads_of_ones_own_are_beside_the_shipped_ones_that_the_limits_are_on(listing: Run, tmp_path: Path) -> None:
    (tmp_path / "order-log.fio").write_text(ORDERS, encoding="utf-8")
    beside = listing(f"--storage-profiles={tmp_path}", "-m", "data_plane")
    assert beside.status == 0, beside.output
    assert "[default-class-order-log]" in beside.output and "sync-write-iops-write.iops-at_least" in beside.output
    mine = (limits(tmp_path, profile="order-log"), "--storage-tier=mine")
    alone = listing(f"--storage-profiles={tmp_path}", *mine, "-m", "data_plane")
    assert alone.status == 0, alone.output
    assert "order-log-write.iops" in alone.output and "sync-write-iops" not in alone.output
