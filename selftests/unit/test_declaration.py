"""What is declared: read strictly, kept with the results, and on the first page as what it is, a declaration."""

from __future__ import annotations

import base64
import re
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from acceptance.report.summary import render_summary
from acceptance.results.declaration import Declaration
from acceptance.results.document import Results
from acceptance.results.recorder import Recorder
from acceptance.settings.declaration import LARGEST_LOGO_B, read_declaration
from acceptance.text.errors import WrongUsage
from selftests.unit.compared_runs import run_of
from selftests.unit.docs_pages import PAGES

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LEAST = 'product: Fast\nversion: "3.10"\nrun_by: A. Tester\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "declaration.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_least_and_all_of_it(tmp_path: Path) -> None:
    least = read_declaration(written(tmp_path, LEAST))
    assert least == Declaration(product="Fast", version="3.10", run_by="A. Tester")
    (tmp_path / "logo.png").write_bytes(PNG)
    lists = "".join(f"{key}: [one, two]\n" for key in ("hardware", "settings", "preconditions", "remarks"))
    whole = read_declaration(written(tmp_path, f"{LEAST}{lists}vendor: V\ncontact: c@example.com\nlogo: logo.png\n"))
    assert whole.hardware == whole.settings == whole.preconditions == whole.remarks == ["one", "two"]
    assert whole.logo == "data:image/png;base64," + base64.b64encode(PNG).decode()


def test_the_file_that_the_docs_show_is_valid(tmp_path: Path) -> None:
    (block,) = re.findall(r"^    product:.*\n(?:    .*\n)+", PAGES["docs/vendors.md"], re.MULTILINE)
    (tmp_path / "logo.png").write_bytes(PNG)
    shown = read_declaration(written(tmp_path, textwrap.dedent(block)))
    assert not [name for name, value in shown if not value], "it shows all keys"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("product: Fast\n", ":1: run_by: expected this key, found nothing; add it"),
        (LEAST.replace('"3.10"', "3.10"), ":2: version: expected text, found 3.1; put it in quotes"),
        (f"{LEAST}contact: ''\n", ":4: contact: expected text, found nothing; add text, or remove the key"),
        (f"{LEAST}owner: me\n", ":4: owner: expected only keys that are known here, found this one"),
        (f"{LEAST}hardware: three nodes\n", ":4: hardware: "),
        (f"{LEAST}product: Slow\n", ":4: product: "),
        ("- product\n", ":1: "),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(WrongUsage) as caught:
        read_declaration(path)
    assert f"{path}{told}" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "expected a readable logo"),
        (b"<svg onload='alert(1)'/>", "expected a logo as PNG or JPEG"),
        (PNG + bytes(LARGEST_LOGO_B), "expected a logo of at most 128 KiB"),
    ],
)
def test_a_logo_that_is_none(content: bytes | None, told: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "logo").write_bytes(content)
    with pytest.raises(WrongUsage, match=told):
        read_declaration(written(tmp_path, f"{LEAST}logo: logo\n"))


def declared(**more: Any) -> Results:
    recorder = Recorder(run_id="r", started_at=datetime.now(UTC), settings={"tier": "t"}, tier_limits=0)
    recorder.declaration = Declaration(**({"product": "Fast <b>", "version": "3", "run_by": "me"} | more))
    return recorder.results()


def test_it_is_in_the_results_and_on_the_first_page() -> None:
    found = declared(hardware=["3 nodes", "<i>disks</i>"])
    assert Results.model_validate_json(found.model_dump_json()).declaration == found.declaration
    html = render_summary(found)
    assert html.index('id="declared"') < html.index('class="facts"')
    assert "Fast &lt;b&gt;" in html and "3 nodes<br>&lt;i&gt;disks&lt;/i&gt;" in html
    assert "the suite did not measure it" in html and "<img" not in html


def test_nothing_is_loaded_for_a_logo() -> None:
    """Results may come from a stranger."""
    assert "<img" not in render_summary(declared(logo="https://example.com/seen.png"))
    assert '<img class="logo" src="data:image/png;base64,AAAA"' in render_summary(
        declared(logo="data:image/png;base64,AAAA")
    )


def test_without_one_the_page_says_nothing_of_it() -> None:
    assert 'id="declared"' not in render_summary(run_of())
