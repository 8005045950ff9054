"""What a plan says: times from the profiles' own, storage at one time, skips; and that it is said without a cluster."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.api_requests import CONNECT_S, LITTLE_RETRY_S, LOOK_RETRY_S
from acceptance.limits.file import load_limits
from acceptance.loads.profile_folder import find_profiles
from acceptance.planning.assumed_throughput import ELSEWHERE, EMBEDDED_CLUSTER, HOST, assumed_throughput_of
from acceptance.planning.failures import plan_crash, plan_rebuild
from acceptance.planning.loads import plan_measurement, plan_preparation
from acceptance.planning.many_volumes import plan_ramp, plan_scale_run
from acceptance.planning.records import Plan, PlannedStep, Volumes
from acceptance.planning.rough_time import rough_time
from acceptance.planning.site import Site, look_at_cluster, look_at_host
from acceptance.planning.table import ENDS_BEFORE, NOT_ASKED, plan_text
from acceptance.settings.run import Settings, read_settings
from acceptance.trials.crashes.trial import CrashSettings
from acceptance.trials.ramps.runner import RampSettings
from acceptance.trials.rebuild.runner import RebuildSettings
from acceptance.trials.scaling.runner import ScaleSettings

ROOT = Path(__file__).parents[2]
GIB = 1024**3
PROFILES = find_profiles(ROOT / "profiles")
TIER = load_limits(ROOT / "thresholds.yaml", profiles=set(PROFILES)).tier("baseline")
NO_CLUSTER = "--storage-embedded-name=no-such-cluster"


def settings() -> Settings:
    return Settings(thresholds=ROOT / "thresholds.yaml", profiles=ROOT / "profiles")


def a_profile(name: str, *, baseline: str | None = "local-path", judged: bool = True) -> PlannedStep:
    asked = (*TIER.of("limits", profile=name), *TIER.of("comparison", profile=name)) if judged else ()
    return plan_measurement(
        PROFILES[name],
        "replicated",
        baseline=baseline,
        limits_and_rules=asked,
        test_size=GIB,
        speeds=EMBEDDED_CLUSTER,
    )


def close(found: float, *, to: float) -> bool:
    """Within the factor that a plan is to be good for."""
    return to / 1.5 <= found <= to * 1.5


def test_a_profile_takes_as_long_as_its_first_look_and_at_most_as_its_last() -> None:
    """Two visits, and then 30 rounds of two segments of 2 s, each with a second that does not count."""
    step = a_profile("random-write-iops")
    assert step.about_s == (4 + 1 + 2) + (2 * 2 * 3 + 2)
    assert step.most_s - step.goes_on_s == (60 + 2 * (1 + 2)) + (30 * 2 * 3 + 2)
    assert step.goes_on_s == 240 + 6 * (1 + 2) + 48 * 2 * 6


def test_synchronous_writes_take_longer_for_their_looks_are_later_and_they_ramp() -> None:
    """40 s in two visits for the longest stall, and in turn two rounds of 5 s each, all with 2 s of ramp."""
    assert a_profile("sync-write-iops").about_s == pytest.approx(40 + 2 * 6 + 38, abs=2)


def test_a_limit_on_what_is_rare_is_not_decided_early() -> None:
    """The longest stall, the 99th percentile: nothing is clear before 40 s."""
    for name in ("sync-write-iops", "etcd-fsync"):
        assert 40 <= a_profile(name, baseline=None).about_s < 55


def test_what_nobody_judges_is_measured_as_long_whatever_it_shows() -> None:
    step = a_profile("random-write-iops", judged=False)
    assert step.about_s == step.most_s == (12 + 1 + 2) + (6 * 2 * 3 + 2)
    assert step.goes_on_s == 0


def test_each_visit_takes_its_own_time_to_begin_and_to_end() -> None:
    step = a_profile("random-write-iops", baseline=None)
    assert (step.about_s, step.most_s, step.goes_on_s) == (4 + 1 + 2, 300 + 8 * (1 + 2), 240 + 6 * (1 + 2))


def test_a_profile_with_files_of_its_own_writes_them_first() -> None:
    assert a_profile("sysbench-random-mixed").about_s > a_profile("random-write-iops").about_s + 8


def test_what_the_main_job_did_takes_about_as_long_as_it_took() -> None:
    """By its JUnit file, in s, on the embedded cluster: volumes made ready, ramp, scale run, rebuild, crash."""
    assert close(plan_preparation(settings(), ("local-path", "replicated"), speeds=EMBEDDED_CLUSTER).about_s, to=13.2)
    ramp = RampSettings(goal=60, required_pods=60, volume_size=GIB, timeout_s=300, down_s=300)
    assert close(plan_ramp("replicated", ramp, rate_per_s=1.0, nodes=3, speeds=EMBEDDED_CLUSTER).about_s, to=127.0)
    scale = ScaleSettings(steps=(1, 2, 3), window_s=6.0, rate_pods=3, rate=None, volume_size=3 * GIB, test_size=GIB)
    only = [PROFILES["random-write-iops"]]
    assert close(
        plan_scale_run(
            "replicated", profiles=only, limits=[], settings=scale, nodes=3, speeds=EMBEDDED_CLUSTER
        ).about_s,
        to=83.0,
    )
    rebuild = RebuildSettings(
        sizes={"full-data": GIB, "alternating-4k": GIB // 4}, repeats=1, snapshots=1, time_limit_s=1, begin_s=1, end_s=1
    )
    assert close(plan_rebuild("replicated", "full-data", rebuild, speeds=EMBEDDED_CLUSTER).about_s, to=53.9)
    assert close(plan_rebuild("replicated", "alternating-4k", rebuild, speeds=EMBEDDED_CLUSTER).about_s, to=55.0)
    of_two = plan_rebuild("replicated", "full-data", replace(rebuild, smaller=0.25), speeds=EMBEDDED_CLUSTER)
    assert of_two.about_s > plan_rebuild("replicated", "full-data", rebuild, speeds=EMBEDDED_CLUSTER).about_s + 18
    assert of_two.description.endswith("lost and rebuilt, and one of 256 MiB")
    crash = CrashSettings(write_s=5.0, failover_s=900.0)
    assert close(plan_crash("replicated", "pod-killed", crash, speeds=EMBEDDED_CLUSTER).about_s, to=21.1)


def test_a_run_at_a_set_rate_adds_volumes_and_time() -> None:
    few = ScaleSettings(steps=(1, 3), window_s=6.0, rate_pods=51, rate=None, volume_size=GIB, test_size=GIB)
    only = [PROFILES["random-write-iops"]]
    limits = load_limits(ROOT / "thresholds.yaml", profiles=set(PROFILES)).tier("baseline").of("scaling")
    with_rate = plan_scale_run("fast", profiles=only, limits=limits, settings=few, nodes=3, speeds=ELSEWHERE)
    without = plan_scale_run("fast", profiles=only, limits=[], settings=few, nodes=3, speeds=ELSEWHERE)
    assert (with_rate.pods, without.pods) == (51, 3)
    assert with_rate.about_s > without.about_s + 48 * GIB / ELSEWHERE.bandwidth


def step(what: str, file: str, *volumes: Volumes, **more: float) -> PlannedStep:
    times = {"about_s": 10.0, "longer_s": 10.0} | more
    return PlannedStep(description=what, payer=f"{file}::test", volumes=volumes, **times)  # type: ignore[arg-type]


def claimed(number: int, size: int, lasts: str) -> Volumes:
    return Volumes(storage_class="fast", number=number, size=size, lasts=lasts)  # type: ignore[arg-type]


def test_storage_at_one_time_counts_what_stays_and_not_what_is_gone() -> None:
    """3 stay for the run; 5 stay for their file; 10 are gone with their step, and so are 4 later on."""
    plan = Plan(
        steps=(
            step("a", "one.py", claimed(1, 3, "run")),
            step("b", "one.py", claimed(1, 5, "file")),
            step("c", "one.py", claimed(2, 5, "step")),
            step("d", "two.py", claimed(1, 4, "step")),
        )
    )
    assert (plan.most_storage, plan.most_volumes) == (3 + 5 + 10, 4)
    assert Plan(steps=plan.steps[:1] + plan.steps[3:]).most_storage == 7
    assert (plan.about_s, plan.most_s) == (40.0, 80.0)


def test_a_plan_of_nothing_says_so() -> None:
    text = plan_text(Plan(steps=()), site=Site(kind="host", about="this host"), speeds=HOST)
    assert "Nothing would run." in text and "Time:" not in text


def test_the_table_is_aligned_and_names_what_is_destructive_skipped_and_unknown() -> None:
    plan = Plan(
        steps=(
            step("a name " * 30, "one.py", claimed(3, GIB, "step")),
            PlannedStep(description="a ramp", about_s=130, sets=1, pods=60, destructive=True),
        ),
        skips=(("nobody allowed it", 2),),
        unknown=("mine.py::test_mine",),
    )
    text = plan_text(plan, site=Site(kind="embedded", about="embedded"), speeds=EMBEDDED_CLUSTER)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120
    row = next(line for line in lines if line.startswith("a ramp (destructive)"))
    head = next(line for line in lines if line.startswith("step"))
    assert row.index("2:10") + 4 == head.index("min:s") + 5
    assert "  2 tests: nobody allowed it" in lines
    assert lines[-1].endswith("mine.py::test_mine")
    assert "at most 3 GiB in 3 volumes at one time" in text


@pytest.mark.parametrize(("reached", "said"), [(True, ENDS_BEFORE), (False, NOT_ASKED)])
def test_a_plan_without_a_cluster_says_so_and_not_that_something_failed(reached: bool, said: str) -> None:
    site = Site(trouble="no cluster named", is_reachable=reached)
    text = plan_text(Plan(steps=()), site=site, speeds=ELSEWHERE)
    (line,) = (each for each in text.splitlines() if "no cluster named" in each)
    assert line == f"{said}: no cluster named"
    assert "preflight" not in text.lower() and "failed" not in text


def test_a_cluster_that_does_not_answer_is_one_that_could_not_be_asked_and_is_given_up_soon() -> None:
    """A run waits longer for it; whoever asks for a plan sits in front of it."""
    tried_s: list[float] = []

    class Gone:
        def within(self, seconds: float) -> Gone:
            return self

        def version(self, *, timeout_s: float = LITTLE_RETRY_S) -> str:
            tried_s.append(timeout_s)
            raise ApiUnreachable("connection refused")

        def __getattr__(self, name: str) -> Any:
            raise ApiUnreachable("connection refused")

    site = look_at_cluster(cast(Api, Gone()), settings(), kind="kubeconfig", subjects=[])
    assert (site.is_reachable, site.trouble) == (False, "connection refused")
    assert tried_s == [LOOK_RETRY_S] and LOOK_RETRY_S <= CONNECT_S


def test_what_nobody_should_see_on_a_terminal_is_not_shown() -> None:
    site = Site(about="a\x1b[31mb", trouble="no\x1b[2J")
    assert "\x1b" not in plan_text(Plan(steps=()), site=site, speeds=ELSEWHERE)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "less than a minute"),
        (59.9, "less than a minute"),
        (60, "about 1 min"),
        (545, "about 9 min"),
        (3560, "about 59 min"),
        (3590, "about 1 h"),
        (7800, "about 2 h 10 min"),
        (86399, "about 24 h"),
    ],
)
def test_rough_times(seconds: float, said: str) -> None:
    assert rough_time(seconds) == said


def test_a_cluster_that_nobody_knows_is_taken_for_a_usual_one() -> None:
    assert assumed_throughput_of(None) is assumed_throughput_of("kubeconfig") is ELSEWHERE
    assert assumed_throughput_of("embedded") is EMBEDDED_CLUSTER and assumed_throughput_of("host") is HOST


def test_without_a_cluster_all_that_the_options_tell_is_said(planned: Callable[..., tuple[int, str]]) -> None:
    """Each test that comes with the suite is known to the plan, and none runs."""
    options = (NO_CLUSTER, "--storage-class=fast", "--storage-baseline-class=local", "--storage-destructive")
    status, output = planned(*options)
    assert status == 0, output
    assert "no cluster is named and no embedded cluster is running" in " ".join(output.split())
    assert "are unknown: " not in output
    assert "random-read-iops on fast, then in turn with local" in output
    assert "ramp to 60 pods with a volume of fast each, 30 a minute" in output
    assert "no tests ran" in output


@pytest.mark.full
def test_a_sustained_load_is_planned_where_it_is_asked_for(planned: Callable[..., tuple[int, str]]) -> None:
    options = (NO_CLUSTER, "-m", "sustained", "--storage-class=fast")
    status, output = planned(*options)
    assert status == 0, output
    said = "1 test: a sustained load (40 min per class) was not requested; request it with"
    assert said in " ".join(output.split())
    assert "without a pause" not in output
    _, output = planned(*options, "--storage-sustained")
    assert re.search(r"sync-write-iops on fast without a pause, 40 min .* 40:0\d", output), output
    _, output = planned(*options, "--storage-sustained", "--storage-sustained-time=10min")
    assert re.search(r"without a pause, 10 min .* 10:0\d", output), output


@pytest.mark.full
def test_latency_under_load_is_planned_where_it_is_asked_for(planned: Callable[..., tuple[int, str]]) -> None:
    """A capacity and a judged share of a minute each, and three others of 12 s; what is open until 5 min."""
    options = (NO_CLUSTER, "-m", "under_load", "--storage-class=fast", "--storage-tier=production")
    status, output = planned(*options)
    assert status == 0, output
    assert "2 tests: latency under load (some minutes of load per class) was not requested;" in " ".join(output.split())
    assert "2 tests: noisy neighbors (some minutes of load per class) were not requested;" in " ".join(output.split())
    _, output = planned(*options, "--storage-latency-under-load")
    assert re.search(r"random-read-iops on fast, latency at 4 shares of the capacity .* 2:51 .* 10:51", output), output


@pytest.mark.full
def test_noisy_neighbours_are_planned_where_they_are_asked_for(planned: Callable[..., tuple[int, str]]) -> None:
    """20 s at full load, and 20 s or up to 5 min of each share, alone and beside them."""
    options = (NO_CLUSTER, "-m", "under_load", "--storage-class=fast", "--storage-tier=production")
    status, output = planned(*options, "--storage-noisy-neighbours=2")
    assert status == 0, output
    assert re.search(
        r"random-read-iops on fast alone, and next to 2 volumes at full load .* 1:\d\d .* 1\d:\d\d", output
    ), output
    assert "latency at 4 shares" not in output


def test_a_profile_that_cannot_be_held_to_a_rate_is_told_at_once(
    planned: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    limits = tmp_path / "limits.yaml"
    limit = "{read.latency.p99: {at_most: 1s, of_capacity: 10%, because: others wait}}"
    limits.write_text(
        f"version: 1\ntiers: {{baseline: {{noisy_neighbors: {{lesson-mixed-buffered: {limit}}}}}}}\n", encoding="utf-8"
    )
    options = (NO_CLUSTER, "-m", "under_load", "--storage-class=fast", f"--storage-thresholds={limits}")
    assert planned(*options)[0] == 0
    status, output = planned(*options, "--storage-noisy-neighbours=2")
    assert status == 4 and "remove its limits under noisy_neighbors:" in output, output


def test_a_plan_is_of_the_selected_tests_alone(planned: Callable[..., tuple[int, str]]) -> None:
    status, output = planned(NO_CLUSTER, "-m", "smoke", "-k", "binds_in_time", "--storage-class=fast")
    assert status == 0
    assert "fast: claim binds in time" in output
    assert "random" not in output and "Skipped" not in output


@pytest.mark.full
def test_no_measurement_waits_for_a_limit_that_nobody_asks_for(planned: Callable[..., tuple[int, str]]) -> None:
    """Synchronous writes alone are looked at after 4 s; with the limit on the longest stall, in a second visit."""
    took = {}
    for selected in ("sync-write-iops-write", "sync-write-iops"):
        _, output = planned(NO_CLUSTER, "-k", selected, "--storage-class=fast")
        (took[selected],) = re.findall(r"sync-write-iops on fast .* 0:(\d\d) ", output)
    assert int(took["sync-write-iops"]) - int(took["sync-write-iops-write"]) == 36 + 6


def test_nothing_selected_is_still_status_5(planned: Callable[..., tuple[int, str]]) -> None:
    assert planned(NO_CLUSTER, "-k", "no_such_test")[0] == 5


def test_directories_of_a_host_are_left_alone(planned: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    storage.mkdir()
    selected = ("-k", "iops or provisioning or killed")
    status, output = planned("--storage-cluster=host", f"--storage-class={storage}", *selected)
    assert status == 0, output
    assert "Storage: at most 1 GiB in 1 folder at one time" in output
    assert re.search(r"\d+ tests: needs a cluster", output)
    assert "--storage-kill-pods" not in output and "--storage-destructive" not in output, "which would not help here"
    assert list(storage.iterdir()) == []


def test_a_directory_that_is_not_there_is_said(planned: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    status, output = planned("--storage-cluster=host", f"--storage-class={tmp_path}/none", "-k", "iops")
    assert status == 4
    assert f"expected a directory of this host (--storage-cluster host), found '{tmp_path}/none'" in output


def test_what_the_host_lacks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    here = read_settings({"cluster": "host", "storage_class": [str(tmp_path)], "thresholds": "a", "profiles": "b"})
    site = look_at_host(here)
    assert "apt-get install fio" in plan_text(Plan(steps=()), site=site, speeds=HOST).replace("\n", " ")


def test_no_cluster_is_made_to_plan_on_it(planned: Callable[..., tuple[int, str]]) -> None:
    status, output = planned("--storage-cluster=kind", "--storage-class=fast", "-m", "smoke")
    assert status == 0, output
    assert "created by kind for the run" in output
    assert "fast: claim binds in time" in output


def test_many_snapshots_are_planned_where_operations_are_asked_for(planned: Callable[..., tuple[int, str]]) -> None:
    """5 s for each, then at least two rounds of short turns, and up to five minutes of each volume."""
    options = (NO_CLUSTER, "tests/test_many_snapshots.py", "--storage-class=fast")
    status, output = planned(*options, "--storage-operations", "--storage-operations-at-once=30")
    assert status == 0, output
    assert re.search(
        r"30 snapshots of a volume of fast, sync-write-iops on it in turn .* \d:\d\d .* 1\d:\d\d",
        output,
    ), output
    status, output = planned(*options)
    assert "20 snapshots of one volume under load were not requested; request them with" in " ".join(output.split())
