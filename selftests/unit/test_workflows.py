"""The workflows for GitHub Actions: those of this repository, and the example for others. None of them runs here."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from acceptance.limits.file import load_limits
from embedded_cluster import golang
from release.__main__ import main as release_main
from selftests.unit.named_options import unknown_options, unknown_variables

ROOT = Path(__file__).parents[2]
OWN = sorted((ROOT / ".github" / "workflows").iterdir())
WORKFLOWS = [*OWN, ROOT / "deploy" / "examples" / "github-actions.yaml"]
CHECKER = ROOT / ".ci" / "actionlint"


def complaints(workflow: Path) -> str:
    """What actionlint says of a workflow; the shell in it is not looked at, which would need another program."""
    go = golang.find_go(minimum=golang.required_version(CHECKER))
    done = subprocess.run(
        [go, "tool", "actionlint", "-no-color", "-shellcheck=", "-pyflakes=", workflow],
        cwd=CHECKER,
        env=os.environ | {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly", "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_has_nothing_to_say(workflow: Path) -> None:
    assert complaints(workflow) == ""


def test_actionlint_is_asked_for_real(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(OWN[0].read_text(encoding="utf-8").replace("env.", "").replace("always()", "allways()"))
    assert "undefined function" in complaints(broken)


@pytest.mark.parametrize("workflow", OWN, ids=lambda path: path.name)
def test_options_and_files_that_a_workflow_names_exist(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert unknown_variables(text) == set()
    assert unknown_options(text) == set()
    named = re.findall(r"(?<![\w/])(?:\.github|deploy)/[\w./-]+\w", text)
    assert named and [name for name in named if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("workflow", OWN, ids=lambda path: path.name)
def test_actions_are_named_by_commit_and_get_no_credentials(workflow: Path) -> None:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert jobs["permissions"] == {"contents": "read"}
    steps = [step for job in jobs["jobs"].values() for step in job["steps"] if "uses" in step]
    assert [step for step in steps if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])] == []
    checkouts = [step for step in steps if step["uses"].startswith("actions/checkout@")]
    assert checkouts and all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("workflow", OWN, ids=lambda path: path.name)
def test_only_what_publishes_may_write(workflow: Path) -> None:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    granted = {name: job["permissions"] for name, job in jobs.items() if "permissions" in job}
    publishing = {"publish": {"contents": "write", "packages": "write"}}
    assert granted == (publishing if workflow.name == "release.yaml" else {})


@pytest.mark.parametrize("workflow", OWN, ids=lambda path: path.name)
def test_what_a_workflow_has_the_project_do_it_can(workflow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command, rest in re.findall(r"python -m release (\w+)([^\n;]*)", workflow.read_text(encoding="utf-8")):
        with pytest.raises(SystemExit):
            release_main([command, "--help"])
        assert set(re.findall(r"--[a-z]+", rest)) <= set(re.findall(r"--[a-z]+", capsys.readouterr().out))


def test_the_limits_of_runners_are_limits_and_require_what_shipped_tiers_require() -> None:
    profiles = {path.stem for path in (ROOT / "profiles").iterdir()}
    (tier,) = load_limits(ROOT / ".github" / "limits.yaml", profiles=profiles).tiers.values()
    assert tier.name == "runner"
    assert tier.requires == load_limits(ROOT / "thresholds.yaml", profiles=profiles).tiers["baseline"].requires
