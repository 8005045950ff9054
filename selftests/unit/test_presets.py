"""Presets: the shipped ones choose tests that exist, wrong ones are refused, the user's options replace theirs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from acceptance.limits.shipped import digest_of
from acceptance.planning.presets import read_preset, shipped_presets
from acceptance.text.errors import WrongUsage
from selftests.unit.docs_pages import PAGES, ROOT
from selftests.warm_start import run_module
from storage_acceptance.command_line import COMMANDS, main

Planned = Callable[..., tuple[int, str]]
CLASSES = ("--storage-class=fast", "--storage-baseline-class=local-path")
NO_CLUSTER = "--storage-embedded-name=no-such-cluster"
PRESETS = shipped_presets()
VALID = "about: mine\nbudget: 5min\ntests: [{file: tests/test_provisioning.py}]\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", PRESETS)
def test_each_entry_of_a_shipped_preset_chooses_tests(name: str, planned: Planned) -> None:
    """With the consents that it needs, and the class to compare with."""
    status, output = planned(f"--storage-preset={name}", *CLASSES, NO_CLUSTER, "--storage-destructive")
    assert status == 0, output
    assert ("no test matches" not in output and " selected" in output) or PRESETS[name].read_text().find(
        "tests: all"
    ) > 0


@pytest.mark.parametrize("name", ["gate", "nightly"])
def test_jobs_for_clusters_with_other_users_destroy_nothing(name: str, planned: Planned) -> None:
    """Not even with consent. The budgets suffice in the embedded cluster, that of the gate for its first entries."""
    status, output = planned(f"--storage-preset={name}", *CLASSES, NO_CLUSTER, "--storage-destructive")
    assert status == 0 and "random-write-iops on fast" in output, output
    assert "destructive" not in output.lower().partition("the plan of this run")[2]
    assert "Budget: " in output
    left_out = re.findall(r"^  tests/(\w+)\.py::", output.partition("it has no room for ")[2], re.MULTILINE)
    core = {Path(choice.file).stem for choice in read_preset(name).content.tests or () if choice.file}
    assert not core & set(left_out) and (name == "gate" or not left_out), output
    assert read_preset(name).content.consents == ()


def test_a_preset_without_time_names_the_tests_that_it_leaves_out(planned: Planned) -> None:
    status, output = planned("--storage-preset=gate", "--storage-budget=6min", *CLASSES, NO_CLUSTER)
    assert status == 0 and "Budget: 6 min" in output, output
    _, _, left_out = output.partition("has no room for ")
    assert "tests/test_volumes_on_a_node.py::test_pod_mounts_a_sub_path\n" in left_out
    assert "tests/test_provisioning.py" not in left_out


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (VALID + "budgets: 3min\n", "mine.yaml:4: budgets: expected only keys that are known here"),
        ("budget: 5min\ntests: all\n", "about: expected this key, found nothing"),
        (VALID.replace("5min", "soon"), "mine.yaml:2: budget: "),
        (VALID.replace("test_provisioning", "test_provision"), "found 'tests/test_provision.py'"),
        (VALID.replace("file: tests/test_provisioning.py", "mark: quick"), "found 'quick'; correct it"),
        (VALID.replace("file: tests/test_provisioning.py", "capability: cloning"), "found 'cloning'; correct it"),
        (VALID.replace("file: tests/test_provisioning.py", "test: test_x"), "found 'test_x'; correct it"),
        (VALID.replace("file: tests/test_provisioning.py", "cases: x"), "expected mark, file, capability or test"),
        (VALID.replace("[{file: tests/test_provisioning.py}]", "[]"), "found none; add one"),
        (VALID + "options: {test-siz: 1Gi}\n", "mine.yaml:4: options: expected one of "),
        (VALID + "options: {test-size: 1 elephant}\n", "--storage-test-size: "),
        (VALID + "options: {test-size: 9Gi}\n", "(9663676416 bytes) is above --storage-volume-size"),
        (VALID + "options: {load: [longst=60s]}\n", "load: expected PART=VALUE with a PART of time, longest, unjudged"),
        (VALID + "options: {with: sustained=}\n", "with: expected PART=VALUE"),
        (VALID + "options: {test-size: [1Gi, 2Gi]}\n", "test-size: expected one value"),
        (VALID + "options: {destructive: true}\n", "destructive is a consent, which only the user gives"),
        (VALID + "options: {kill-pods: x/y=z}\n", "kill-pods is a consent"),
        (VALID + "options: {preset: gate}\n", "found 'preset'; correct or remove it"),
        (VALID + "consents: [all]\n", "mine.yaml:4: consents.0: "),
    ],
)
def test_wrong_presets_are_refused_with_the_place(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=re.escape(problem)):
        read_preset(str(written(tmp_path, text)))


def test_options_are_those_of_the_command_line(tmp_path: Path) -> None:
    options = 'options: {with: [sustained=20min, operations], scale: ["steps=1,3"], class: fast, limit: "a.b>=1"}\n'
    preset = read_preset(str(written(tmp_path, VALID + options)))
    assert preset.content.options == {
        "sustained": True,
        "sustained_time": "20min",
        "operations": True,
        "scale_steps": "1,3",
        "storage_class": ["fast"],
        "limit": ["a.b>=1"],
    }
    assert (preset.name, preset.content.budget) == ("mine", 300.0)
    assert preset.record.digest == hashlib.sha256((VALID + options).encode()).hexdigest() == digest_of(VALID + options)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(WrongUsage, match="expected one of accept, gate, nightly, qualification"):
        read_preset("gates")


def test_the_users_options_replace_those_of_the_preset(tmp_path: Path, planned: Planned) -> None:
    """One option, one part of a group, and what a target file sets."""
    text = VALID + "options: {load: [longest=2min, unjudged=9s], test-size: 2Gi, tier: production}\n"
    preset = f"--storage-preset={written(tmp_path, text)}"
    assert planned(preset, NO_CLUSTER, "--storage-volume-size=1Gi")[0] == 4
    assert planned(preset, NO_CLUSTER, "--storage-volume-size=1Gi", "--storage-test-size=512Mi")[0] == 0
    target = tmp_path / "target.yaml"
    target.write_text("about: a lab\nsettings: {test_size: 256Mi}\n", encoding="utf-8")
    assert planned(preset, NO_CLUSTER, "--storage-volume-size=1Gi", f"--storage-target={target}")[0] == 0
    status, output = planned(preset, NO_CLUSTER, "--storage-load=longest=1h")
    assert status == 4 and "--storage-load longest" in output


def test_an_entry_without_a_test_is_reported(tmp_path: Path, planned: Planned) -> None:
    text = "about: mine\nbudget: 5min\ntests: [{mark: smoke}, {file: tests/test_further_profiles.py, cases: typo}]\n"
    status, output = planned(f"--storage-preset={written(tmp_path, text)}", NO_CLUSTER)
    assert status == 0 and "no test matches `tests/test_further_profiles.py of typo`" in output, output


def test_the_name_of_the_class_is_no_case(tmp_path: Path, planned: Planned) -> None:
    text = "about: mine\nbudget: 5min\ntests: [{file: tests/test_further_profiles.py, cases: random-read}]\n"
    preset = f"--storage-preset={written(tmp_path, text)}"
    selected = [
        re.search(r"(\d+) selected", planned(preset, NO_CLUSTER, f"--storage-class={name}")[1])
        for name in ("fast", "random-read")
    ]
    assert selected[0] is not None and selected[1] is not None and selected[0][1] == selected[1][1] == "3"


def test_a_run_without_its_consents_ends_before_it_begins(tmp_path: Path) -> None:
    done = run_module(
        "storage_acceptance", "qualification", "fast", "--context", "none", "--storage-destructive",
        folder=tmp_path, environment={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 4 and "--storage-claim-at-most" in done.stdout + done.stderr
    assert "--storage-destructive" not in done.stdout + done.stderr and not list(tmp_path.glob("reports/2*"))


def test_the_command_takes_a_class_and_a_context(tmp_path: Path) -> None:
    """There is no kubeconfig, so the plan names what it looked for."""
    done = run_module(
        "storage_acceptance", "gate", "fast", "--context", "elsewhere", "--storage-plan",
        folder=tmp_path, environment={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert "preset: gate" in output and "fast: claim binds" in output, output
    assert "no cluster is named" not in output and "kubeconfig" in output


def test_own_tests_run_next_to_a_preset(tmp_path: Path, planned: Planned) -> None:
    (tmp_path / "test_orders.py").write_text("def test_orders(storage_class):\n    pass\n", encoding="utf-8")
    status, output = planned(
        f"--storage-preset={written(tmp_path, VALID)}", NO_CLUSTER, str(tmp_path), "tests/test_drain.py"
    )
    assert status == 0 and "1 selected" in output and "test_orders" in output, output


def test_they_are_listed_with_budget_and_content(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["presets"]) == 0
    listed = capsys.readouterr().out
    assert all(re.search(rf"^ {name} +\d+ (min|h) ", listed, re.MULTILINE) for name in PRESETS), listed
    assert main(["presets", "qualification"]) == 0
    shown = capsys.readouterr().out
    assert digest_of(PRESETS["qualification"].read_text(encoding="utf-8")) in shown
    assert "consents that a run needs: --storage-destructive, --storage-claim-at-most" in shown
    assert main(["presets", "no-such"]) == 4


def test_the_page_names_each_preset_with_its_budget_and_its_example_is_valid(tmp_path: Path) -> None:
    page = PAGES["docs/presets.md"]
    budgets = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (\d+ (?:min|h)) \|", page, re.MULTILINE))
    seconds = {name: int(text.split()[0]) * {"min": 60, "h": 3600}[text.split()[1]] for name, text in budgets.items()}
    assert seconds == {name: read_preset(name).content.budget for name in PRESETS}
    (example,) = re.findall(r"^    budget:.*\n(?:    .*\n)+", page, re.MULTILINE)
    read_preset(str(written(tmp_path, re.sub("^    ", "", example, flags=re.MULTILINE))))
    assert {"gate", "nightly", "qualification", "presets"} <= {command.name for command in COMMANDS}
