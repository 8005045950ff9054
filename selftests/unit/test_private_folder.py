"""Private folders: nobody else's to read, gone at the end, and gone after a kill when the next one is made."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from acceptance.process.private_folder import PREFIX, private_folder, remove_abandoned

ROOT = Path(__file__).parents[2]
HOLD = "import sys, time\nfrom acceptance.process.private_folder import private_folder\n"
HOLD += "with private_folder() as folder:\n    print(folder, flush=True)\n    time.sleep(60)\n"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that temporary ones are made in."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_it_is_readable_to_its_owner_alone_and_goes(temporary: Path) -> None:
    with private_folder() as folder:
        assert folder.parent == temporary and folder.stat().st_mode & 0o777 == 0o700
        (folder / "key").write_text("secret")
        with private_folder() as other:
            assert other != folder
        assert (folder / "key").exists()
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next(temporary: Path) -> None:
    holding = subprocess.Popen([sys.executable, "-c", HOLD], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert holding.stdout is not None
    folder = Path(holding.stdout.readline().strip())
    remove_abandoned()
    assert folder.parent == temporary and folder.is_dir()  # it is in use
    holding.send_signal(signal.SIGKILL)
    holding.communicate()
    assert folder.is_dir()
    with private_folder():
        assert not folder.exists()


def test_what_is_not_known_to_be_abandoned_stays(temporary: Path) -> None:
    just_made = temporary / f"{PREFIX}just-made"
    just_made.mkdir()
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "in-use").touch()
    (temporary / f"{PREFIX}link").symlink_to(elsewhere)
    remove_abandoned()
    assert just_made.exists() and (elsewhere / "in-use").exists()
