"""What a site wants of all pods: read strictly, each mistake with its line; and who says what pods run as."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.preflight import PULL_SECRET, SECURITY_GROUP, pod_defaults
from acceptance.settings.pod_template import PodTemplate
from acceptance.settings.run import Settings, read_settings
from acceptance.text.errors import WrongUsage
from selftests.unit.docs_pages import PAGES, blocks

GOOD = """\
metadata:
  labels: {team: storage}
  annotations: {policies.example.com/exempt: "no"}
spec:
  nodeSelector: {node-role.kubernetes.io/storage: ""}
  tolerations:
    - {key: dedicated, operator: Equal, value: storage, effect: NoSchedule}
    - {key: maintenance, operator: Exists}
  priorityClassName: high
"""


def settings(**values: Any) -> Settings:
    return read_settings({"thresholds": Path("t.yaml"), "profiles": Path("p"), **values})


def file(folder: Path, text: str) -> Path:
    path = folder / "pod.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_it_is_written_as_kubernetes_writes_pod_templates(tmp_path: Path) -> None:
    found = settings(pod_template=file(tmp_path, GOOD)).template
    assert found.metadata.labels == {"team": "storage"}
    assert found.spec.node_selector == {"node-role.kubernetes.io/storage": ""}
    assert found.tolerations == [
        {"key": "dedicated", "operator": "Equal", "value": "storage", "effect": "NoSchedule"},
        {"key": "maintenance", "operator": "Exists"},
    ]
    assert found.spec.priority_class_name == "high"


def test_without_one_nothing_is_wanted() -> None:
    assert settings().template == PodTemplate()


def test_the_example_of_the_docs_is_one(tmp_path: Path) -> None:
    (example,) = [block for block in blocks(PAGES["docs/platforms.md"]) if "priorityClassName" in block]
    assert settings(pod_template=file(tmp_path, example)).template.tolerations


@pytest.mark.parametrize(
    ("wrong", "line", "said"),
    [
        ("spec:\n  hostNetwork: true\n", 2, "spec.hostNetwork: expected labels or annotations in metadata"),
        ("spec:\n  containers: []\n", 2, "spec.containers: expected labels or annotations"),
        ("metadata:\n  name: x\n", 2, "metadata.name: expected labels or annotations"),
        ("spec:\n  priorityClassName: high\n  priorityClassName: low\n", 3, "priorityClassName"),
        ("spec:\n  tolerations: [{key: a, effect: Never}]\n", 2, "spec.tolerations.0.effect: Input should be"),
        ("spec:\n  tolerations: [{operator: Exists, value: x}]\n", 2, "expected no value with operator Exists"),
        ("spec:\n  tolerations: [{value: x}]\n", 2, "expected a key with operator Equal"),
        ("metadata:\n  labels: {storage-acceptance/run: x}\n", 2, "which the suite sets itself"),
        ("metadata:\n  labels: {app.kubernetes.io/managed-by: x}\n", 2, "which the suite sets itself"),
        ("metadata:\n  labels: {a: 1}\n", 2, "metadata.labels.a: Input should be a valid string"),
    ],
)
def test_each_mistake_is_told_with_its_line(wrong: str, line: int, said: str, tmp_path: Path) -> None:
    path = file(tmp_path, wrong)
    with pytest.raises(WrongUsage) as raised:
        settings(pod_template=path)
    first, *more = str(raised.value).splitlines()
    assert first == "--storage-pods template: expected a pod template, found"
    assert any(each.startswith(f"{path}:{line}: ") and said in each for each in more), more


def test_a_host_has_no_pods(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="--storage-pods user, --storage-pods template as well"):
        settings(cluster="host", storage_class=[str(tmp_path)], pod_user="1", pod_template=file(tmp_path, GOOD))


@pytest.mark.parametrize(
    ("openshift", "asked", "user"),
    [
        (False, None, 65534),
        (True, None, None),
        (True, "1000", 1000),
        (False, "cluster", None),
        (False, "1000", 1000),
    ],
)
def test_openshift_says_what_pods_run_as_unless_someone_else_does(
    openshift: bool, asked: str | None, user: int | None
) -> None:
    def group_versions(group: str) -> list[str]:
        assert group == SECURITY_GROUP
        return ["v1"] if openshift else []

    api = cast(Api, SimpleNamespace(group_versions=group_versions))
    given = {} if asked is None else {"pod_user": asked}
    found = pod_defaults(api, settings(pull_secret="registry", **given))
    assert (found.user, found.pull_secret) == (user, PULL_SECRET)
