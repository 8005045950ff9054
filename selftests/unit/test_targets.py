"""Targets that come with the suite: found by name, valid, with a source for each thing that they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acceptance.settings.offered import OPTIONS
from acceptance.settings.run import read_settings
from acceptance.settings.target_file import LonghornTarget, of_target, read_target
from acceptance.settings.targets import shipped_targets, target_path
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import parse_size

NAMES = sorted(shipped_targets())
DOCS = Path(__file__).parents[2] / "docs" / "targets.md"
FILES = {"thresholds": "thresholds.yaml", "profiles": "profiles"}


def test_the_well_known_ones_are_there() -> None:
    assert {"longhorn", "rook-ceph"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_valid_and_each_caveat_and_limit_has_a_source(name: str) -> None:
    target = read_target(target_path(name))
    assert target.about
    assert target.caveats and target.limits
    told = [*target.caveats, *target.limits]
    assert all(re.fullmatch(r"https://\S+", each.source) for each in told)
    assert len({each.what for each in told}) == len(told)


@pytest.mark.parametrize("name", NAMES)
def test_the_settings_of_each_fit_those_that_nobody_sets(name: str) -> None:
    settings = read_settings(FILES | of_target({"target": name}) | {"target": name})
    assert settings.target == target_path(name)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_in_the_documentation(name: str) -> None:
    assert f"| `{name}` |" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_each_says_which_sizes_suit_it_or_that_its_documentation_names_none(name: str) -> None:
    given = read_target(target_path(name)).settings
    if given.volume_size is None or given.test_size is None:
        assert "No sizes: the documentation names none" in target_path(name).read_text(encoding="utf-8")
    else:
        assert parse_size(given.volume_size) > parse_size(given.test_size) > read_settings(FILES).test_size


@pytest.mark.parametrize("name", NAMES)
def test_what_each_sets_is_in_the_documentation(name: str) -> None:
    row = next(line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{name}` |"))
    for setting, value in read_target(target_path(name)).settings.explicit_values.items():
        written = value if isinstance(value, str) else ",".join(value)
        (option,) = [each for each in OPTIONS if each.key == setting]
        assert f"`{option.spelling}{'=' if option.group else ' '}{written}`" in row


def test_longhorn_names_its_driver() -> None:
    assert isinstance(read_target(target_path("longhorn")).rebuild, LonghornTarget)


def test_no_target_moves_the_data_of_others_unasked() -> None:
    """Whoever lets an OSD be taken out says so in a file of their own."""
    assert read_target(target_path("rook-ceph")).rebuild is None


def test_a_name_that_nobody_knows_is_told_with_those_there_are() -> None:
    with pytest.raises(
        WrongUsage, match=r"--storage-target: expected one of aws-ebs, .*, longhorn, .*, found 'longhron'"
    ):
        read_settings(FILES | {"target": "longhron"})


def test_a_path_is_taken_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "longhorn").write_text("rebuild: {driver: longhorn}")
    monkeypatch.chdir(tmp_path)
    assert target_path("./longhorn") == Path("longhorn")
    assert target_path("longhorn") == shipped_targets()["longhorn"]
    assert target_path(tmp_path / "longhorn") == tmp_path / "longhorn"


def test_what_was_asked_for_wins_over_the_target_and_the_target_over_the_usual() -> None:
    asked = {"target": "openebs-mayastor", "timeout": "7min"}
    assert read_settings(FILES | of_target(asked) | asked).timeout == 420.0
    del asked["timeout"]
    assert read_settings(FILES | of_target(asked) | asked).timeout == 900.0
    assert read_settings(FILES).timeout == 300.0


@pytest.mark.parametrize("name", ["require_capability", "expect"])
def test_capabilities_are_asked_for_by_either_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text(f"settings: {{{name}: [clone, shared, clone-beside]}}")
    assert read_settings(FILES | of_target({"target": str(path)})).expect == (
        "clone",
        "read-write-many",
        "clone-on-same-node",
    )


@pytest.mark.parametrize("name", ["resource_overhead_of", "price_of"])
def test_pods_of_the_storage_are_named_by_either_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text(f"settings: {{{name}: [storage/app=engine]}}")
    assert read_settings(FILES | of_target({"target": str(path)})).price_of == ("storage/app=engine",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("settings: {timeout: 5}", "target.yaml:1: settings.timeout: expected a time with its unit"),
        ("settings: {test_size: much}", "settings.test_size: expected a size above zero such as 10Gi, found 'much'"),
        ("settings: {expect: [Flying]}", "settings.expect.0: String should match pattern"),
        ("settings: {require_capability: [Flying]}", "settings.require_capability.0: String should match pattern"),
        ("cache: {size: much, source: a}", "cache.size: expected a size above zero such as 10Gi, found 'much'"),
        ("cache: {size: 16Gi}", "cache.source: expected this key"),
        ("settings: {ramp_pods: 3}", "settings.ramp_pods: expected only keys that are known here"),
        ("settings: {claim_at_most: 2Ti}", "settings.claim_at_most: expected only keys that are known here"),
        ("settings: {timeout: 5s}\ncaveats: [{what: a}]", "target.yaml:2: caveats.0.source: expected this key"),
        (
            "about: mine",
            "expected rebuild, node_failure, kubelet, disturb, pool, settings, cache, caveats or limits, found none",
        ),
    ],
)
def test_mistakes_are_told(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "target.yaml"
    path.write_text(text)
    with pytest.raises(WrongUsage, match=said):
        read_target(path)
    assert of_target({"target": str(path)}) == {}
