"""Blocks that are not what was written: found by the real fio on a file of this host, counted, and told in words."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.cluster.one_shot_pod import OneShotPod
from acceptance.judging.integrity import damage
from acceptance.loads.verified.jobs import BLOCK, PLACES, header_place, job_files, verify_command, write_command
from acceptance.loads.verified.mismatches import Mismatch, Verification, read_verification
from acceptance.results.requirement import Outcome
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.integrity.rewriting import read_progress, rewrite_command
from acceptance.trials.integrity.volume import VerifiedVolume
from acceptance.wording import sentence
from acceptance.wording.integrity import wrong
from fixtures import verdicts

BLOCKS = 32
SIZE = BLOCKS * BLOCK


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that was written in full."""
    for name, text in job_files().items():
        (tmp_path / name).write_text(text)
    run_command(tmp_path, write_command(str(tmp_path)))
    return tmp_path / "verified"


def run_command(folder: Path, command: str, *, writing: int = 1) -> str:
    """What the command prints, run as a pod would."""
    variables = {"FILE": f"{folder}/verified", "SIZE": str(SIZE), "READ": "100%", "PLACE": str(header_place(writing))}
    done = subprocess.run(
        ["sh", "-c", command], env=os.environ | variables, capture_output=True, text=True, cwd=folder, check=False
    )
    return done.stdout + done.stderr


def seen(file: Path) -> Verification:
    """What reading it shows."""
    return read_verification(run_command(file.parent, verify_command(str(file.parent))), expected_size=SIZE)


def complaint(verification: Verification) -> str | None:
    """What is said of it."""
    found = damage(verification)
    return None if found is None else wrong(**cast(Any, found.facts))


def change(file: Path, offset: int, content: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(offset)
        opened.write(content)


def test_nothing_is_wrong_with_what_was_written(file: Path) -> None:
    assert seen(file) == Verification(expected_size=SIZE, read=SIZE, bad=0, mismatches=())
    assert complaint(seen(file)) is None


def test_one_changed_byte_is_found_with_its_checksums(file: Path) -> None:
    before = file.read_bytes()
    change(file, 3 * BLOCK + 777, bytes([before[3 * BLOCK + 777] ^ 1]))
    found = seen(file)
    assert found.bad == 1
    assert [mismatch.offset for mismatch in found.mismatches] == [3 * BLOCK]
    told = str(complaint(found))
    assert told.startswith(f"1 of {BLOCKS} blocks of 64 KiB differ from what was written: at offset 196,608 checksum ")
    assert " expected, " in told and told.endswith(" found")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: change(file, 5 * BLOCK, bytes(2 * BLOCK)), "from offset 327,680 to 458,751 zeros"),
        (lambda file: change(file, 0, b"x" * BLOCK), "at offset 0 older or foreign content"),
        (
            lambda file: change(file, 0, file.read_bytes()[9 * BLOCK : 10 * BLOCK]),
            "at offset 0 the block that was written at offset 589,824",
        ),
        (lambda file: os.truncate(file, SIZE - BLOCK), "2 MiB were written, 1.938 MiB were read"),
    ],
    ids=["lost", "foreign", "misplaced", "cut off"],
)
def test_damage_is_told_for_what_it_is(file: Path, damage: Callable[[Path], None], said: str) -> None:
    damage(file)
    assert said in str(complaint(seen(file)))


@pytest.mark.parametrize("writing", [2, 3, 4, PLACES])
def test_a_block_of_any_earlier_writing_is_found(file: Path, writing: int) -> None:
    old = file.read_bytes()
    run_command(file.parent, write_command(str(file.parent)), writing=writing)
    change(file, 4 * BLOCK, old[4 * BLOCK : 5 * BLOCK])
    output = run_command(file.parent, verify_command(str(file.parent)), writing=writing)
    found = read_verification(output, expected_size=SIZE)
    assert "1 of 32 blocks" in str(complaint(found))
    assert found.mismatches == (Mismatch(offset=4 * BLOCK, content="older or foreign content"),)


def test_a_file_that_is_gone_cannot_be_read_and_is_not_made_anew(file: Path) -> None:
    file.unlink()
    with pytest.raises(StorageFailure, match=r"it cannot be read: .*size="):
        seen(file)
    assert not file.exists()


def test_fio_that_never_came_to_its_end_says_nothing_of_the_storage() -> None:
    with pytest.raises(EnvironmentFailure, match="fio printed Killed"):
        read_verification("Killed\n", expected_size=SIZE)


def test_of_a_file_that_is_all_wrong_the_count_is_whole_and_the_words_are_few(file: Path) -> None:
    before = bytearray(file.read_bytes())
    before[777::BLOCK] = bytes(each ^ 1 for each in before[777::BLOCK])
    file.write_bytes(before)
    told = str(complaint(seen(file)))
    assert f"{BLOCKS} of {BLOCKS} blocks" in told
    assert told.count("checksum") == 5 and "and more; the last one that fio reported is at offset" in told


@given(bad=st.sets(st.integers(0, 200)), lost=st.integers(0, 3))
def test_no_mismatch_and_no_loss_goes_untold(bad: set[int], lost: int) -> None:
    mismatches = tuple(Mismatch(offset=each * BLOCK, content="zeros") for each in sorted(bad))
    told = complaint(
        Verification(expected_size=201 * BLOCK, read=(201 - lost) * BLOCK, bad=len(bad), mismatches=mismatches)
    )
    assert (told is None) == (not bad and not lost)
    if bad:
        assert str(told).startswith(f"{len(bad)} of {201 - lost} blocks") and f"{min(bad) * BLOCK:,}" in str(told)


def test_a_count_without_words_is_a_complaint_all_the_same() -> None:
    assert "3 of 32 blocks" in str(complaint(Verification(expected_size=SIZE, read=SIZE, bad=3, mismatches=())))


def test_a_file_that_is_written_over_and_over_is_that_of_the_last_time(file: Path) -> None:
    script = rewrite_command(str(file.parent))
    variables = {"FILE": str(file), "SIZE": str(SIZE), "HELD": "0"}
    with subprocess.Popen(
        ["sh", "-c", script], env=os.environ | variables, stdout=subprocess.PIPE, text=True, cwd=file.parent
    ) as process:
        assert process.stdout is not None
        output = process.stdout.readline()
        (file.parent / "enough").touch()
        output += process.stdout.read()
    told = read_progress(output)
    assert told.over and told.writings >= 1
    again = run_command(file.parent, verify_command(str(file.parent)), writing=told.writings)
    assert complaint(read_verification(again, expected_size=SIZE)) is None
    before = run_command(file.parent, verify_command(str(file.parent)), writing=told.writings + 1)
    assert read_verification(before, expected_size=SIZE).bad == BLOCKS


def test_a_write_that_fails_ends_the_writing(file: Path) -> None:
    (file.parent / "write.fio").unlink()
    told = read_progress(run_command(file.parent, rewrite_command(str(file.parent))))
    assert (told.writings, told.over) == (0, False)
    assert "write.fio" in told.output


def mismatches(*offsets: int, found: str = "zeros") -> tuple[Mismatch, ...]:
    return tuple(Mismatch(offset=offset * BLOCK, content=found) for offset in offsets)


@pytest.mark.parametrize(
    ("changes", "code", "facts"),
    [
        ({"read": SIZE - BLOCK}, "cut_off", {"written": SIZE, "read": SIZE - BLOCK, "bad": None}),
        (
            {"bad": 2, "mismatches": mismatches(5, 6)},
            "damaged",
            {"bad": 2, "block": BLOCK, "stretches": [{"first": 5 * BLOCK, "last": 6 * BLOCK, "found": "zeros"}]},
        ),
        ({"bad": 1, "read": 0}, "damaged", {"bad": 1, "read": 0, "stretches": [], "last_reported": None}),
        ({"bad": 6, "mismatches": mismatches(*range(0, 12, 2))}, "damaged", {"last_reported": 10 * BLOCK}),
    ],
)
def test_damage_is_data(changes: dict[str, Any], code: str, facts: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"expected_size": SIZE, "read": SIZE, "bad": 0, "mismatches": ()}
    found = damage(Verification(**fields | changes))
    assert found is not None and found.code == f"integrity.{code}"
    assert {name: found.facts.get(name) for name in facts} == facts


def read_by_a_pod(file: Path, *, node: str) -> None:
    """As a pod of a volume that was written on node n1 reads it."""
    claim = SimpleNamespace(name="integrity-1", storage_class="fast")
    volume = SimpleNamespace(claim=claim, node="n1", size=SIZE, plan=lambda *_, **__: None)
    output = run_command(file.parent, verify_command(str(file.parent)))
    volume._run = lambda _: OneShotPod(node=node, status=0, content=output.encode(), state="Succeeded")
    volume.require_intact = partial(VerifiedVolume.require_intact, cast(Any, volume))
    VerifiedVolume.verify(cast(Any, volume))


@pytest.mark.parametrize(("node", "where"), [("n1", "same_node"), ("n2", "another_node")])
def test_the_verdict_on_a_damaged_volume_has_what_was_found(
    file: Path, node: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_a_pod(file, node=node)
    change(file, 5 * BLOCK, bytes(2 * BLOCK))
    with pytest.raises(StorageFailure) as raised:
        read_by_a_pod(file, node=node)
    monkeypatch.setattr(verdicts, "_storage_class", lambda _: "fast")
    monkeypatch.setattr(verdicts, "params_of", lambda _: {})
    monkeypatch.setattr(verdicts, "is_about_storage", lambda *_: True)
    item, call = SimpleNamespace(name="test_read", stash=pytest.Stash()), SimpleNamespace(excinfo=raised)
    made = verdicts._functional(cast(Any, item), cast(Any, call), cast(Any, SimpleNamespace(skipped=False)))
    assert made is not None and made.outcome is not None and made.status == "fail"
    assert made.outcome == Outcome(
        code="integrity.damaged",
        facts={
            "written": SIZE,
            "read": SIZE,
            "bad": 2,
            "block": BLOCK,
            "stretches": [{"first": 5 * BLOCK, "last": 6 * BLOCK, "found": "zeros, or never written"}],
            "claim": "integrity-1",
            "where": where,
            "node": node,
        },
    )
    assert made.reason == sentence(made) == str(raised.value)
    assert made.reason == (
        "2 MiB were written to the volume of PVC integrity-1 (StorageClass fast), each block with a checksum, and read "
        f"again in a new pod on {'the same' if node == 'n1' else 'another'} node ({node}): 2 of 32 blocks of 64 KiB "
        "differ from what was written: from offset 327,680 to 458,751 zeros, or never written"
    )
