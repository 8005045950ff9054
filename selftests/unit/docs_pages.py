"""The pages that people read, by their path in the repository."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATHS = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/*.md"))]
PATHS += ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md"]
PAGES = {path: (ROOT / path).read_text(encoding="utf-8") for path in PATHS}


def unfenced(text: str) -> str:
    """Without blocks of code between fences, which may hold lines that look like headings."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
