"""`python -m acceptance cleanup`: which cluster it means where none is named, and when a killed run counts as dead."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from acceptance.cluster.leftovers import Leftover, Leftovers
from acceptance.commands import cleanup
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


@pytest.mark.parametrize(
    ("left_s", "said"),
    [
        (287.4, ("last heartbeat was 12 s ago", "counts as dead in 4.8 min")),
        (0.2, ("last heartbeat was 4.983 min ago", "counts as dead in 1 s")),
        (float("inf"), ("is alive: not removed; `--run r` removes it in any case",)),
    ],
)
def test_a_run_that_is_spared_is_told_when_it_would_count_as_dead(
    left_s: float, said: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Leftover(run_id="r", namespace="n", alive_for_s=left_s, objects=("namespace n",))
    monkeypatch.setattr(cleanup, "find_leftovers", lambda _: Leftovers(runs=(run,), strange=()))
    assert cleanup._clean(None, Namespace(run=None, list=False, warn_only=False)) == 0  # type: ignore[arg-type]
    told = capsys.readouterr().out
    assert all(each in told for each in said), told
