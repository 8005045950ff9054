"""Settings: validated together, every error said at once and under the name of its option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acceptance.settings.run import Settings, read_settings
from acceptance.text.errors import WrongUsage

ROOT = Path(__file__).parents[2]
FILES = {"thresholds": Path("thresholds.yaml"), "profiles": Path("profiles")}


def settings(**values: Any) -> Settings:
    return read_settings(FILES | values)


def problems(**values: Any) -> list[str]:
    with pytest.raises(WrongUsage) as raised:
        settings(**values)
    return str(raised.value).splitlines()


def test_without_options_the_default_class_of_any_running_cluster_is_asked_for() -> None:
    found = settings()
    assert found.classes == (None,)
    assert (found.cluster_kind, found.tier, found.baseline_class) == (None, "baseline", None)
    assert (found.volume_size, found.test_size, found.timeout) == (3 * 1024**3, 1024**3, 300.0)
    assert (found.claim_at_most, found.pool_share) == (100 * 1024**3, 0.5)
    assert not found.keep and not found.destructive


def test_values_are_read_with_their_units() -> None:
    found = settings(volume_size="10Gi", test_size="1500M", timeout="2min", storage_class=["fast", "slow"])
    assert (found.volume_size, found.test_size, found.timeout) == (10 * 1024**3, 1_500_000_000, 120.0)
    assert found.classes == ("fast", "slow")
    agreed = settings(claim_at_most="2Ti", pool_share="150%")
    assert (agreed.claim_at_most, agreed.pool_share) == (2 * 1024**4, 1.5)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"cluster": "kind"}, "kind"),
        ({"context": "staging"}, "kubeconfig"),
        ({"kubeconfig": __file__}, "kubeconfig"),
        ({"kubeconfig": __file__, "cluster": "kubeconfig"}, "kubeconfig"),
    ],
)
def test_a_kubeconfig_or_a_context_means_an_existing_cluster(values: dict[str, Any], kind: str) -> None:
    assert settings(**values).cluster_kind == kind


@pytest.mark.parametrize(
    ("given", "effective"), [("registry", "default/registry"), ("tools/registry", "tools/registry")]
)
def test_a_pull_secret_is_in_a_namespace(given: str, effective: str) -> None:
    assert settings(pull_secret=given).pull_secret == effective


@pytest.mark.parametrize(("given", "effective"), [("1000", 1000), (65534, 65534), ("cluster", "cluster")])
def test_pods_run_as_a_number_or_as_the_cluster_says(given: object, effective: object) -> None:
    assert settings(pod_user=given).pod_user == effective


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"storage_class": ["Fast"]}, "--storage-class: expected a Kubernetes object name"),
        ({"baseline_class": "a b"}, "--storage-baseline-class: expected a Kubernetes object name"),
        ({"node": "-a"}, "--storage-node: expected a Kubernetes object name"),
        ({"pull_secret": "a/b/c"}, "--storage-pods pull-secret: expected a Kubernetes object name"),
        ({"cluster": "minicube"}, "--storage-cluster: Input should be 'embedded', 'kubeconfig', 'kind', 'k3d'"),
        ({"kubeconfig": "/nowhere/config"}, "--storage-kubeconfig: file /nowhere/config does not exist"),
        ({"volume_size": "much"}, "--storage-volume-size: expected a size above zero such as 10Gi, found 'much'"),
        ({"test_size": "-1Gi"}, "--storage-test-size: expected a size above zero"),
        ({"test_size": "63Mi"}, "--storage-test-size is 66060288 bytes; expected at least 64Mi"),
        ({"rebuild_size": "63Mi"}, "--storage-rebuild size is 66060288 bytes; expected at least 64Mi"),
        ({"rebuild_smaller": "60%"}, "--storage-rebuild smaller: expected 5% to 50%, or 0% for none, found '60%'"),
        ({"rebuild_smaller": "1%"}, "--storage-rebuild smaller: expected 5% to 50%, or 0% for none, found '1%'"),
        ({"rebuild_repeats": "2"}, "--storage-rebuild repeats: expected 1, or 3 to 99, which give an interval"),
        ({"rebuild_snapshots": "0"}, "--storage-rebuild snapshots: Input should be greater than or equal to 1"),
        (
            {"pod_user": "0"},
            "--storage-pods user: expected the number of a user other than root, such as 1000, or cluster",
        ),
        ({"pod_user": "nobody"}, "--storage-pods user: expected the number of a user other than root"),
        (
            {"pod_template": "/nowhere/pod.yaml"},
            "--storage-pods template: expected a readable file with a pod template",
        ),
        ({"claim_at_most": "much"}, "--storage-claim-at-most: expected a size above zero such as 10Gi, found 'much'"),
        ({"pool_share": "0%"}, "--storage-pool-share: expected a share above zero such as 50%, found '0%'"),
        ({"pool_share": "0.5"}, "--storage-pool-share: expected a share with its unit such as 20%, found '0.5'"),
        ({"target": "/nowhere/target.yaml"}, "--storage-target: file /nowhere/target.yaml does not exist"),
        ({"timeout": "5"}, "--storage-timeout: expected a time with its unit such as 10ms, found '5'"),
        ({"test_size": "4Gi"}, "--storage-test-size (4294967296 bytes) is above --storage-volume-size"),
        ({"cluster": "kind", "context": "a"}, "--storage-kubeconfig and --storage-context select an existing cluster"),
        ({"cpu_latency": "high"}, "--storage-cpu-latency: Input should be 'low' or 'unchanged'"),
        ({"cluster": "kind", "cpu_latency": "low"}, "--storage-cpu-latency low selects an embedded cluster"),
        ({"context": "a", "embedded": "b"}, "--storage-embedded-name b selects an embedded cluster"),
        (
            {"storage_class": ["a"], "compare_with": "a"},
            "--storage-compare-with a is also a --storage-class: a class cannot be compared with itself",
        ),
        (
            {"storage_class": ["a"], "baseline_class": "b", "compare_with": "c"},
            "--storage-baseline-class b judges the candidate by a comparison, --storage-compare-with c only shows one",
        ),
        (
            {"storage_class": ["a"], "baseline_class": "a"},
            "--storage-baseline-class a is also a --storage-class: a class cannot be compared with itself",
        ),
    ],
)
def test_each_error_names_its_option_and_what_was_wanted(values: dict[str, Any], problem: str) -> None:
    (found,) = problems(**values)
    assert found.startswith(problem)


def test_all_errors_are_said_at_once_also_of_values_that_do_not_fit_together() -> None:
    found = problems(
        storage_class=["ok", "Not_Ok"],
        node="Node",
        volume_size="1Gi",
        test_size="2Gi",
        context="staging",
        cluster="kind",
        timeout="soon",
    )
    assert [line.split()[0].rstrip(":") for line in found] == [
        "--storage-class",
        "--storage-node",
        "--storage-timeout",
        "--storage-test-size",
        "--storage-kubeconfig",
    ]


def test_a_size_that_cannot_be_read_is_not_compared() -> None:
    (found,) = problems(volume_size="512Mi", test_size="much")
    assert found.startswith("--storage-test-size: expected a size")


@pytest.fixture
def disks(tmp_path: Path) -> list[str]:
    """Two directories, and a link to the first."""
    paths = [tmp_path / name for name in ("nvme", "sd", "link")]
    for path in paths[:2]:
        path.mkdir()
    paths[2].symlink_to(paths[0])
    return [str(path) for path in paths]


def host_problems(**values: Any) -> list[str]:
    return problems(cluster="host", **values)


def test_on_a_host_classes_are_directories_by_their_absolute_paths(disks: list[str]) -> None:
    found = settings(cluster="host", storage_class=[disks[0] + "/."], baseline_class=disks[1], test_size="4Gi")
    assert (found.classes, found.baseline_class, found.cluster_kind) == ((disks[0],), disks[1], "host")


def test_a_host_has_no_default_class() -> None:
    (found,) = host_problems()
    assert found.startswith(
        "--storage-class: expected a directory, found none; --storage-cluster host has no default class"
    )


@pytest.mark.parametrize("option", ["storage_class", "baseline_class"])
def test_the_same_directory_is_not_compared_with_itself(option: str, disks: list[str]) -> None:
    values: dict[str, Any] = {"storage_class": [disks[0]], "baseline_class": disks[2]}
    if option == "storage_class":
        values = {"storage_class": [disks[0], disks[2]]}
    (found,) = host_problems(**values)
    assert found.startswith(f"directories {disks[0]} and {disks[2]} are the same:")


def test_on_a_host_all_errors_are_said_at_once(disks: list[str]) -> None:
    found = host_problems(
        storage_class=["fast", disks[0], disks[2]],
        baseline_class="local-path",
        context="staging",
        node="node-1",
        image="fio",
        kubeconfig=__file__,
        timeout="soon",
        test_size="1Mi",
    )
    assert [line.split(":")[0] for line in found] == [
        "--storage-class",
        "--storage-baseline-class",
        "--storage-timeout",
        "--storage-test-size is 1048576 bytes; expected at least 64Mi to measure anything",
        "--storage-cluster host loads directories of this host with its own fio, without a cluster; found "
        "--storage-kubeconfig, --storage-context, --storage-node, --storage-image as well",
    ]
    assert "found 'fast': No such file or directory" in found[0]


def test_a_directory_needs_the_host() -> None:
    (found,) = problems(storage_class=["/mnt/nvme"])
    assert found.endswith("found '/mnt/nvme'; for directories of this host set --storage-cluster host")


def test_of_a_class_nothing_is_said_when_the_kind_of_cluster_is_wrong() -> None:
    (found,) = problems(cluster="hosts", storage_class=["Fast"])
    assert found.startswith("--storage-cluster: Input should be")


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        settings().tier = "production"


def test_results_name_no_folder_of_the_machine_that_the_run_was_started_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes with the suite by its name, the rest from the folder of the run, the suite's or the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("work/own/limits.yaml", "home/.kube/config", "elsewhere"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path / "work")
    found = settings(
        thresholds=(ROOT / "thresholds.yaml", tmp_path / "work" / "own" / "limits.yaml"),
        profiles=ROOT / "profiles",
        kubeconfig="~/.kube/config",
        target="longhorn",
        history=tmp_path / "elsewhere",
    )
    told = found.model_dump(mode="json")
    names = ("thresholds", "profiles", "kubeconfig", "target")
    assert [told[name] for name in names] == [
        ["thresholds.yaml", "own/limits.yaml"],
        "profiles",
        "~/.kube/config",
        "longhorn",
    ]
    assert told["history"] == f"{tmp_path}/elsewhere"  # where nothing shortens it
    assert found.profiles == ROOT / "profiles" and found.kubeconfig == tmp_path / "home" / ".kube" / "config"
