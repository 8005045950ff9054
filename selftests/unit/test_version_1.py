"""Results of schema version 1, as an older suite wrote them: all is read, shown, compared, verified and kept."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from acceptance.__main__ import main
from acceptance.judging.rejudging import contradictions
from acceptance.report.summary import render_summary
from acceptance.results.checksums import checksums
from acceptance.results.document import Results
from acceptance.results.file import read_results
from acceptance.results.history_file import append, read_history
from acceptance.results.history_series import record_of
from acceptance.results.version_1 import _NEW_NAMES
from acceptance.text.errors import WrongUsage

OLD = Path(__file__).parent / "older_results/make_accept.json"
"""as `make accept` wrote it, without the texts of loads and limits, and with another place of its checkout"""


def test_each_verdict_has_the_subject_that_its_test_was_of() -> None:
    assert '"subject"' not in OLD.read_text(encoding="utf-8")
    assert Counter(verdict.subject for verdict in read_results(OLD).verdicts) == {
        "speed": 12,
        "many-volumes": 6,
        "provisioning": 5,
        "durability": 5,
        "rebuild": 4,
        "features": 3,
        "control-plane": 2,
        "history": 1,
    }


def test_its_report_has_the_chapters_that_it_had() -> None:
    page = render_summary(read_results(OLD))
    assert re.findall(r'<section id="([\w-]+)">', page) == [
        "synchronous-writes",
        "iops",
        "latency",
        "many-volumes",
        "control-plane",
        "rebuild",
        "durability",
        "provisioning",
        "features",
        "history",
        "not-meant",
        "tested-on",
        "measurements",
        "evidence",
    ]


def test_it_is_verified_compared_and_added_to_a_history(tmp_path: Path) -> None:
    found = read_results(OLD)
    assert list(contradictions(found)) == []
    assert main(["compare", str(OLD), str(OLD)]) == 0
    assert main(["report", str(OLD), str(OLD), "-o", str(tmp_path / "page.html")]) == 0
    assert record_of(found, profiles={measurement.profile: "" for measurement in found.measurements}).measurements


def test_what_says_its_subject_itself_is_not_asked_for_its_name(tmp_path: Path) -> None:
    text = OLD.read_text(encoding="utf-8")
    changed = text.replace('"reason": "held on replicated"', '"subject": "features", "reason": "held"', 1)
    (tmp_path / "results.json").write_text(changed, encoding="utf-8")
    assert Counter(verdict.subject for verdict in read_results(tmp_path).verdicts)["features"] == 4


def test_its_fields_have_the_names_of_version_2() -> None:
    old, found = json.loads(OLD.read_text(encoding="utf-8")), read_results(OLD)
    (was,), (ramp,) = old["control_plane"], found.control_plane
    assert (found.schema_version, found.tier_limits) == (3, old["asked"])
    assert [each.requested for each in ramp.growth] == [each["asked"] for each in was["growth"]]
    down = ramp.ramp_down
    assert was["ramp_down"] == {
        "told_s": down.scale_down_s,
        "behind_s": down.cleanup_s,
        "waited_s": down.timeout_s,
        "left": down.remaining,
    }
    assert ramp.observed_late == was["late"]
    for each, record in zip(old["rebuilds"], found.rebuilds, strict=True):
        assert record.foreground_missing == each["foreground_lost"]
        assert [rebuild.uncertainty_s for rebuild in record.rebuilds] == [
            rebuild["exact_to_s"] for rebuild in each["rebuilds"]
        ]


def test_each_renamed_field_is_one_of_the_schema() -> None:
    """Those too that the file does not hold."""
    schema = Results.model_json_schema()

    def fields(place: dict[str, Any], path: tuple[str, ...]) -> set[str]:
        for each in place.get("anyOf", ()):
            place = each if "$ref" in each or "items" in each else place
        place = place.get("items", place)
        place = schema["$defs"][place["$ref"].rpartition("/")[2]] if "$ref" in place else place
        return fields(place["properties"][path[0]], path[1:]) if path else set(place["properties"])

    for path, names in _NEW_NAMES:
        assert set(names.values()) <= fields(schema, path) and not set(names) & fields(schema, path)


@pytest.mark.parametrize("damage", [{"pools": 7}, {"control_plane": [None]}, {"scaling": [{"nodes": [[]]}]}])
def test_damaged_ones_are_refused_and_no_fault_of_the_suite(damage: dict[str, Any], tmp_path: Path) -> None:
    changed = json.loads(OLD.read_text(encoding="utf-8")) | damage
    (tmp_path / "results.json").write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(WrongUsage, match="found one that does not fit"):
        read_results(tmp_path)


def test_its_folder_is_verified_by_its_checksums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fio").mkdir()
    for name in ("results.json", "report.html"):
        shutil.copyfile(OLD, tmp_path / name)
    (tmp_path / "SHA256SUMS").write_text(checksums(tmp_path))
    assert main(["report", "--verify", str(tmp_path)]) == 0
    assert "the verdicts follow from the figures" in capsys.readouterr().out
    (tmp_path / "results.json").write_text(OLD.read_text(encoding="utf-8") + " ")
    assert main(["report", "--verify", str(tmp_path)]) == 1


def test_it_stands_in_a_history_beside_results_of_version_2(tmp_path: Path) -> None:
    found = read_results(OLD)
    newer = found.model_copy(update={"run": found.run.model_copy(update={"id": "another"})})
    (tmp_path / "results.json").write_text(newer.model_dump_json(), encoding="utf-8")
    again = read_results(tmp_path)
    assert json.loads((tmp_path / "results.json").read_text())["schema_version"] == 3 and again == newer
    for each in (found, again):
        append(
            tmp_path / "history.jsonl",
            record_of(each, profiles={measurement.profile: "" for measurement in each.measurements}),
        )
    runs = read_history(tmp_path / "history.jsonl").runs
    assert {run.run for run in runs} == {found.run.id, "another"}
    assert runs[0].measurements == runs[1].measurements


def test_a_rule_with_figures_in_its_name_keeps_it() -> None:
    rules = {verdict.id.rpartition("/")[2]: verdict.rule for verdict in read_results(OLD).verdicts}
    assert (rules["foreground-iops"], rules["foreground-p99"]) == ("foreground_iops", "foreground_p99")
