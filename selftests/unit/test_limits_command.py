"""`limits`: the table of a tier, what differs between two, and the schema for editors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from acceptance.__main__ import main
from acceptance.limits.editor_schema import editor_schema

ROOT = Path(__file__).parents[2]
SHOP = """\
version: 1
tiers:
  shop:
    extends: builtin/production
    limits:
      sync-write-iops: {write.iops: {at_least: 1600}}
"""


def limits(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["limits", *words]) == status
    told = capsys.readouterr()
    return " ".join((told.err if status else told.out).split())


@pytest.fixture
def shop(tmp_path: Path) -> str:
    path = tmp_path / "shop.yaml"
    path.write_text(SHOP, encoding="utf-8")
    return str(path)


def test_a_tier_is_shown_with_where_each_limit_is_said(capsys: pytest.CaptureFixture[str], shop: str) -> None:
    told = limits(capsys, "--thresholds", shop)
    assert told.startswith("tier shop of ")
    assert "sync-write-iops write.iops at least 1,600 IOPS shop" in told
    assert "random-read-iops read.iops at least 3,000 IOPS builtin/production" in told
    assert "etcd-fsync sync.latency.p99 at most 10 ms builtin/baseline" in told


def test_a_limit_asked_for_beside_is_shown_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    told = limits(capsys, "--limit", "sync-write-iops.write.iops>=1200")
    assert "sync-write-iops write.iops at least 1,200 IOPS --storage-limit" in told
    assert "expected a limit such as" in limits(capsys, "--limit", "x", status=4)


def test_reasons_come_with_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    told = limits(capsys, "--because", "--tier", "production")
    assert "gp3: What Amazon promises" in told and "https://docs.aws.amazon.com/ebs/" in told


def test_sources_are_listed_with_their_addresses_and_who_names_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["limits", "--sources"]) == 0
    told = capsys.readouterr().out
    assert re.search(
        r"^gp3 \(\d{2} limits\)\n  What Amazon promises .*\n  https://docs.aws.amazon.com/", told, re.MULTILINE
    )
    assert "manetu (" in told and "  no address\n" in told


def test_what_differs_between_two_tiers(capsys: pytest.CaptureFixture[str], shop: str) -> None:
    told = limits(capsys, "--diff", "builtin/production", shop)
    assert "write.iops at least 1,000 IOPS write.iops at least 1,600 IOPS" in told and "etcd" not in told
    assert "require the same" in limits(capsys, "--diff", f"{shop}:shop", shop)
    assert "expected a shipped tier (builtin/baseline" in limits(capsys, "--diff", "gold", shop, status=4)
    gold = limits(capsys, "--diff", "baseline", f"{shop}:gold", status=4)
    assert "expected one of the tiers shop, found 'gold'" in gold


def test_the_schema_is_the_one_of_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["limits", "--schema"]) == 0
    assert capsys.readouterr().out == editor_schema()


@pytest.mark.parametrize(
    "file", ["thresholds.yaml", "storage_acceptance/quick.yaml", "embedded_cluster/longhorn/limits.yaml"]
)
def test_files_of_the_suite_fit_the_schema(file: str) -> None:
    data = yaml.load((ROOT / file).read_text(encoding="utf-8"), Loader=yaml.BaseLoader) | {"version": 1}
    jsonschema.validate(_numbers(data), json.loads(editor_schema()))


def test_what_does_not_fit_is_told_by_the_schema() -> None:
    schema = json.loads(editor_schema())
    jsonschema.validate(yaml.safe_load(SHOP), schema)
    for old, new in (("at_least", "at_leats"), ("limits:", "limit:"), ("version: 1", "version: 2")):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(yaml.safe_load(SHOP.replace(old, new)), schema)


def _numbers(node: object) -> object:
    """Whole numbers as such: read by YAML 1.2's rules, as the suite and editors do."""
    if isinstance(node, dict):
        return {key: _numbers(each) for key, each in node.items()}
    if isinstance(node, list):
        return [_numbers(each) for each in node]
    return int(node) if isinstance(node, str) and node.isdecimal() else node
