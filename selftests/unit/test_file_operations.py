"""Operations on files, with real shells as pods: seen on a local disk, missing or a fail where one goes wrong."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.file_operations import try_file_operations
from selftests.bounds import HANGS_S
from selftests.unit.test_volume_features import CLAIM, TriedBench


@dataclass
class ShellBench(TriedBench):
    """Pods are shells, with these programs before those of the machine; `between`: what happens to the first one's
    files before the second."""

    folder: Path
    programs: str = ""
    between: Callable[[Path], object] = str

    def claim(self, part: str) -> Claim:
        return CLAIM

    def missing(self, why: str) -> Unsupported:
        return Unsupported(why)

    def run(self, claim: Claim, script: str, **variables: str) -> str:
        if (files := self.folder / "files").exists():
            self.between(files)
        names = {"VOLUME": str(self.folder), **variables}
        script = f"{self.programs}\n{script}"
        return subprocess.run(
            ["sh", "-c", script], env=os.environ | names, capture_output=True, text=True, timeout=HANGS_S, check=True
        ).stdout


def refusing(program: str, error: str) -> str:
    """A program that fails as on a file system without it."""
    return f"{program}() {{ echo '{program}: second: {error}' >&2; return 1; }}"


def tried(folder: Path, *, programs: str = "", between: Callable[[Path], object] = str) -> str:
    return try_file_operations(cast(Bench, ShellBench(folder, programs, between)))


def test_a_local_disk_has_all_of_them(tmp_path: Path) -> None:
    assert "hard link, symbolic link, replaced file" in tried(tmp_path)


@pytest.mark.parametrize(
    ("error", "ends_in"),
    [
        ("Operation not permitted", Unsupported),
        ("Function not implemented", Unsupported),
        ("Input/output error", StorageFailure),
    ],
)
def test_an_operation_that_is_refused_is_missing_unless_it_failed(
    error: str, ends_in: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(ends_in, match=rf": hard link \({error}\); symbolic link \({error}\)$") as caught:
        tried(tmp_path, programs=refusing("ln", error))
    assert type(caught.value) is ends_in


@pytest.mark.parametrize(
    ("between", "name", "ends_in"),
    [
        (lambda files: (files / "private").chmod(0o777), "file modes", Unsupported),
        (lambda files: (files / "Name").write_text("other\n"), "names that differ in case", Unsupported),
        (lambda files: (files / "pipe").unlink(), "named pipe", Unsupported),
        (lambda files: (files / "old").write_text("\n"), "replaced file", StorageFailure),
        (lambda files: (files / "second").unlink(), "hard link", StorageFailure),
    ],
)
def test_a_result_that_a_new_pod_does_not_see_is_missing_if_file_systems_ignore_it_and_else_fails(
    between: Callable[[Path], object], name: str, ends_in: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(ends_in, match=rf": {name} \(a new pod does not see the result\)$") as caught:
        tried(tmp_path, between=between)
    assert type(caught.value) is ends_in


def test_one_failure_among_refusals_fails(tmp_path: Path) -> None:
    programs = refusing("mkfifo", "Operation not supported") + "\n" + refusing("mv", "Input/output error")
    with pytest.raises(StorageFailure, match=r"replaced file \(Input/output error\); named pipe \(Operation not supp"):
        tried(tmp_path, programs=programs)
