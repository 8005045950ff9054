"""A printed report: what is judged, and the annex only where somebody asks for it. In a browser."""

from __future__ import annotations

from pathlib import Path

from acceptance.__main__ import main
from selftests.lab.browser import printed_pages

RUN = Path(__file__).parents[2] / "docs" / "evidence" / "longhorn-1.10"


def test_the_annex_is_not_printed_unless_the_page_is_opened_at_it(tmp_path: Path) -> None:
    """The reasons, metrics and files of a whole run are as many pages as all that is judged."""
    page = tmp_path / "report.html"
    assert main(["report", str(RUN), "-o", str(page)]) == 0
    usual, whole = (printed_pages(page, profile=tmp_path / "browser", at=at) for at in ("", "annex"))
    assert 5 < usual < 0.7 * whole
