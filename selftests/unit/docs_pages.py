"""The pages that people read, by their path in the repository."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATHS = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/*.md"))]
PATHS += ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md"]
PAGES = {path: (ROOT / path).read_text(encoding="utf-8") for path in PATHS}


def unfenced(text: str) -> str:
    """Without blocks of code between fences, which may hold lines that look like headings."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[str]:
    """Its indented blocks, as they are in a file."""
    found = re.findall(r"(?:^(?: {4}.*)?\n)+", text, re.MULTILINE)
    return [textwrap.dedent(each).strip() + "\n" for each in found if each.strip()]


def example_of_own_tests(folder: Path) -> list[str]:
    """Write the files of the example to `my-orders` in the folder; the words after its program."""
    *files, command = blocks(PAGES["docs/own-tests.md"].partition("## Rules")[0])
    names = re.findall(r"`(my-orders/[\w.-]+)`", PAGES["docs/own-tests.md"])
    (folder / "my-orders").mkdir()
    for name, text in zip(names, files, strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    return [word.replace("my-orders", str(folder / "my-orders"), 1) for word in shlex.split(command)[1:]]
