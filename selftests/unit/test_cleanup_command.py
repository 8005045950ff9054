"""`python -m acceptance cleanup`: which cluster it means where none is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]


def test_the_embedded_cluster_is_meant_where_none_is_named(tmp_path: Path) -> None:
    """It is asked as a program, so that the engine does without it; here by one that knows a file that is none."""
    program = tmp_path / "embedded_cluster" / "__main__.py"
    program.parent.mkdir()
    (program.parent / "__init__.py").touch()
    kubeconfig = tmp_path / "its-kubeconfig"
    kubeconfig.write_text("no kubeconfig", encoding="utf-8")
    program.write_text(f"import sys\nassert sys.argv[1:] == ['kubeconfig']\nprint({str(kubeconfig)!r})\n")
    words = [sys.executable, "-m", "acceptance", "cleanup", "--list"]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert (done.returncode, str(kubeconfig) in done.stderr) == (4, True), done.stderr
