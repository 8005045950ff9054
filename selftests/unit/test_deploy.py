"""What `deploy/` and its examples say is what the suite knows: options, files, programs, accounts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.cluster.pod_manifest import USER
from embedded_cluster.images import LOAD_GENERATORS
from release.containerfile import read_recipe
from selftests.bounds import HANGS_S
from selftests.lab.accounts import DEPLOY, documents
from selftests.pytest_command import PYTEST
from selftests.unit.named_options import unknown_options, unknown_variables

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((DEPLOY / "examples").iterdir())
MANIFESTS = [*sorted(DEPLOY.glob("*.yaml")), *EXAMPLES]
RECIPE = read_recipe(DEPLOY / "Containerfile")
# What no run reads: its own tests, documents, what it wrote, and what makes it.
NOT_OF_A_RUN = {
    "hatch_build.py",
    "benchmarks",
    "deploy",
    "dist",
    "docs",
    "embedded_cluster",
    "release",
    "reports",
    "selftests",
}
NOT_OF_A_RUN |= {"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"}
NOT_OF_A_RUN |= {"pyproject.toml", "requirements.in", "requirements.txt"}


def load(name: str) -> dict[str, Any]:
    """The only object of a file."""
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def job() -> dict[str, Any]:
    return load("job.yaml")["spec"]


def pod() -> dict[str, Any]:
    return job()["template"]["spec"]


def container() -> dict[str, Any]:
    return pod()["containers"][0]


def environment() -> dict[str, str]:
    """What the suite's container is given: the settings, and what the Job adds to them."""
    given = {each["name"]: each.get("value", "a-node") for each in container()["env"]}
    return load("settings.yaml")["data"] | given


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda path: path.name)
def test_every_option_that_is_named_exists(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert unknown_variables(text) == set()
    assert unknown_options(text) == set()


@pytest.mark.parametrize("file", [*MANIFESTS, DEPLOY / "Containerfile"], ids=lambda path: path.name)
def test_every_file_that_is_named_exists(file: Path) -> None:
    named = re.findall(r"\b(?:deploy|docs)/[\w/.-]*\w", file.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_suite_takes_what_the_job_gives_it(tmp_path: Path) -> None:
    """Settings that it refused would be seen in the cluster only, in the night."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
    given = {name: value.replace("/reports", str(tmp_path)) for name, value in environment().items()}
    listed = subprocess.run(
        [*PYTEST, "--collect-only", "-q"],
        cwd=ROOT,
        env=clean | given,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert "test_claim_binds_and_takes_a_write[fast]" in listed.stdout


def test_one_run_and_a_night_are_the_same() -> None:
    assert load("cronjob.yaml")["spec"]["jobTemplate"]["spec"] == job()


def test_a_run_is_begun_once_and_one_at_a_time() -> None:
    nightly = load("cronjob.yaml")["spec"]
    assert nightly["concurrencyPolicy"] == "Forbid" and nightly["startingDeadlineSeconds"] >= 60
    assert (job()["backoffLimit"], pod()["restartPolicy"]) == (0, "Never")
    # Process 1 of a container is not ended by a signal that comes before it is listened to.
    assert pod()["shareProcessNamespace"]
    # Longest waits of a removal: for pods to end and for volumes to go, each as long as --storage-timeout (5 min).
    assert pod()["terminationGracePeriodSeconds"] >= 2 * 300


def test_what_the_pod_refers_to_is_there() -> None:
    (claim,) = [volume["persistentVolumeClaim"] for volume in pod()["volumes"] if "persistentVolumeClaim" in volume]
    assert claim["claimName"] == load("reports.yaml")["metadata"]["name"]
    maps = {each["configMapRef"]["name"] for one in _containers() for each in one["envFrom"]}
    assert maps == {load("settings.yaml")["metadata"]["name"]}
    (account,) = [document for document in documents("rbac.yaml") if document["kind"] == "ServiceAccount"]
    assert account["metadata"]["name"] == pod()["serviceAccountName"]
    namespaces = {load(name)["metadata"]["namespace"] for name in ("job.yaml", "settings.yaml", "reports.yaml")}
    assert namespaces == {account["metadata"]["namespace"]}


def _containers() -> list[dict[str, Any]]:
    return [*pod()["initContainers"], *pod()["containers"]]


def test_all_that_is_written_is_on_a_volume_of_the_pod() -> None:
    assert all(each["securityContext"]["readOnlyRootFilesystem"] for each in _containers())
    mounted = {
        volume_mount["mountPath"] for volume_mount in container()["volumeMounts"] if not volume_mount.get("readOnly")
    }
    assert {environment()["STORAGE_REPORT"], RECIPE.environment["HOME"]} == mounted
    inside = [Path(environment()["STORAGE_HISTORY"]), Path(RECIPE.environment["MPLCONFIGDIR"])]
    assert all(any(path.is_relative_to(folder) for folder in mounted) for path in inside)


def test_the_image_is_named_once() -> None:
    """The kustomization puts it wherever a pod of a run has one."""
    (replaced,) = load("kustomization.yaml")["replacements"]
    paths = {path for target in replaced["targets"] for path in target["fieldPaths"]}
    kinds = ("containers", "initContainers")
    places = {f"{kind}.[name={each['name']}].image" for kind in kinds for each in pod()[kind]}
    for before in ("spec.template.spec.", "spec.jobTemplate.spec.template.spec."):
        assert {before + place for place in places} <= paths
    assert {each["image"] for each in _containers()} == {load("settings.yaml")["data"]["STORAGE_IMAGE"]}


def test_the_kustomization_holds_what_a_night_needs() -> None:
    resources = load("kustomization.yaml")["resources"]
    assert {"rbac.yaml", "settings.yaml", "reports.yaml", "cronjob.yaml"} <= set(resources)
    assert [name for name in resources if not (DEPLOY / name).is_file()] == []


def test_the_image_has_the_load_generators_of_the_embedded_clusters_image() -> None:
    assert RECIPE.programs == LOAD_GENERATORS


def test_the_image_runs_as_the_user_of_the_pods() -> None:
    assert RECIPE.user == f"{USER}:{USER}"
    assert (pod()["securityContext"]["runAsUser"], pod()["securityContext"]["fsGroup"]) == (USER, USER)


def test_the_line_of_the_docs_takes_the_ids_out_and_nothing_else(tmp_path: Path) -> None:
    """OpenShift refuses those that are not of the namespace's range."""
    page = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^    (sed .*) deploy/\*\.yaml$", page, re.MULTILINE)
    for file in DEPLOY.glob("*.yaml"):
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run(["sh", "-c", f"{line} *.yaml"], cwd=tmp_path, check=True)
    changed = []
    for file in DEPLOY.glob("*.yaml"):
        before, after = (list(yaml.safe_load_all((at / file.name).read_text())) for at in (DEPLOY, tmp_path))
        changed += [file.name] * (before != after)
        assert _without_ids(before) == after
        assert not re.search(r"65534|runAsUser|fsGroup\b", json.dumps(after))
    assert sorted(changed) == ["cronjob.yaml", "job.yaml", "reports-reader.yaml"]


def _without_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_ids(each) for each in value]
    if isinstance(value, dict):
        ids = {"runAsUser", "runAsGroup", "fsGroup"}
        return {key: _without_ids(each) for key, each in value.items() if key not in ids}
    return value


def test_the_image_holds_all_that_a_run_reads() -> None:
    there_is = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__"))}
    assert {name for name, place in RECIPE.copies.items() if place == f"/suite/{name}"} == there_is - NOT_OF_A_RUN


def test_what_the_image_holds_works_alone(tmp_path: Path) -> None:
    """Without the embedded cluster, which is lab: nothing of a run needs it."""
    for name in RECIPE.copies:
        (tmp_path / name).symlink_to(ROOT / name)
    surroundings = {
        name: value for name, value in os.environ.items() if not name.startswith(("STORAGE_", "PY", "KUBE"))
    }

    def ended(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=HANGS_S, check=False
        )
        return done.returncode, done.stdout + done.stderr

    pytest_here = ("pytest", "-p", "no:cacheprovider", "-q", "--storage-report", str(tmp_path / "reports"))
    assert ended(*pytest_here, "--collect-only")[0] == 0
    status, said = ended(*pytest_here, "-m", "provisioning")
    assert status == 4 and "no cluster is named and no embedded cluster is running" in said
    status, said = ended(*pytest_here, "--storage-plan", "--storage-embedded", "default", "--storage-destructive")
    assert status == 0, said
    status, said = ended("acceptance", "cleanup")
    assert status == 4 and "no cluster is named and no embedded cluster is running" in said


def test_both_stages_have_one_base_and_its_release_is_named() -> None:
    """Its tag moves: who wants a digest gives it as `--build-arg BASE=`."""
    assert len(set(RECIPE.bases)) == 1 and re.search(r"/python:\d+\.\d+-slim-[a-z]+$", RECIPE.bases[0])


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda path: path.name)
def test_nobody_can_change_later_what_is_given_rights(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    images = re.findall(r"registry\.example\.com/\S+", text)
    assert [image for image in images if not image.endswith("storage-acceptance@sha256:DIGEST")] == []
    actions = re.findall(r"- uses: (\S+)", text)
    assert [action for action in actions if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action)] == []
    checkouts = [part for part in text.split("- uses: ") if part.startswith("actions/checkout@")]
    assert all("ref: COMMIT" in part and "persist-credentials: false" in part for part in checkouts)


def test_an_instruction_that_the_lab_does_not_know_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "Containerfile"
    file.write_text((DEPLOY / "Containerfile").read_text() + "VOLUME /reports\n")
    with pytest.raises(ValueError, match=r"expected instructions of .*, found VOLUME"):
        read_recipe(file)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda path: path.name)
def test_an_example_keeps_the_run_folder_whatever_becomes_of_the_run(file: Path) -> None:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if file.name.startswith("github"):
        (upload,) = [step for step in content["jobs"]["accept"]["steps"] if "upload-artifact" in step.get("uses", "")]
        assert (upload["if"], upload["with"]["path"]) == ("always()", "reports/2*/")
    else:
        kept = content["storage-acceptance"]["artifacts"]
        assert (kept["when"], kept["paths"]) == ("always", ["reports/$CI_JOB_ID/2*/"])
        assert kept["reports"]["junit"] == "reports/$CI_JOB_ID/2*/junit.xml"
