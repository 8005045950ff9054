"""Full volumes: what pods write and read with real shells, how they end, and what is made of it; nothing is ever filled
that shows more than was asked for."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.cluster.claims import Claim
from acceptance.cluster.one_shot_pod import OneShotPod
from acceptance.judging.filling import judge_full_volume
from acceptance.report.records.filling import full_volume_parts
from acceptance.report.summary import render_summary
from acceptance.results.filling import ASPECTS, TITLES, Finding, FullVolumeRecord
from acceptance.results.requirement import Outcome
from acceptance.text.errors import NotTried, StorageFailure, Unsupported
from acceptance.trials.features.bench import Bench
from acceptance.trials.filling import trial
from acceptance.trials.filling.pieces import WriteResult, lost_in_words, read_checksums, read_writing, wrong_end
from selftests.bounds import HANGS_S
from selftests.unit.read_parts import tables_of
from selftests.unit.test_report_crashes import results
from selftests.unit.test_volume_features import TriedBench

SHELLS = [words for words in (["sh"], ["busybox", "sh"]) if shutil.which(words[0])]
MIB = 1024**2
SIZE = 64 * MIB
NO_SPACE = "dd: error writing a-9: No space left on device"


def pod(script: str, folder: Path, *, shell: list[str] | None = None, **variables: object) -> str:
    """What a pod prints that runs this script on that folder; a file of it is 64 KiB."""
    usual = {
        "PIECE": 65536,
        "PREFIX": "a",
        "MOST": 10**7,
        "SHOWN_MOST": 10**15,
        "SECONDS_LEFT": 60,
        "REMOVE": "",
        "FREE_LEAST": 0,
    }
    names = {name: str(value) for name, value in {**usual, "FOLDER": folder, **variables}.items()}
    words = [*(shell or ["sh"]), "-c", trial._script(script)]
    done = subprocess.run(words, env=os.environ | names, capture_output=True, text=True, check=False, timeout=HANGS_S)
    return done.stdout


def sums_of(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_what_is_written_is_known_by_its_checksum_and_read_again(shell: list[str], tmp_path: Path) -> None:
    written = read_writing(pod("fill.sh", tmp_path, shell=shell, MOST=4 * 65536))
    assert written.stop == "bound" and written.capacity > written.free > 0
    assert list(written.sums) == ["a-1", "a-2", "a-3", "a-4"] and written.sums == sums_of(tmp_path)
    assert len(set(written.sums.values())) == 4
    assert read_checksums(pod("verify.sh", tmp_path, shell=shell)) == written.sums


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_a_file_that_no_longer_fits_ends_it_and_does_not_count(shell: list[str], tmp_path: Path) -> None:
    (tmp_path / "a-3").symlink_to("/dev/full")
    written = read_writing(pod("fill.sh", tmp_path, shell=shell))
    assert written.stop == "full" and "No space left on device" in written.error
    assert list(written.sums) == ["a-1", "a-2"]


def test_more_than_it_may_hold_is_never_written(tmp_path: Path) -> None:
    written = read_writing(pod("fill.sh", tmp_path, MOST=5 * 65536 - 1))
    assert (written.stop, len(written.sums)) == ("bound", 4)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 4 * 65536


def test_nothing_is_written_where_more_shows_than_was_asked_for(tmp_path: Path) -> None:
    written = read_writing(pod("fill.sh", tmp_path, SHOWN_MOST=10**6))
    assert (written.stop, written.sums) == ("shows-more", {}) and written.capacity > 10**6
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_where_others_have_written(tmp_path: Path) -> None:
    """This machine's own disk is never all free."""
    written = read_writing(pod("fill.sh", tmp_path, FREE_LEAST=100))
    assert (written.stop, written.sums) == ("used", {}) and list(tmp_path.iterdir()) == []
    assert read_writing(pod("fill.sh", tmp_path, FREE_LEAST=1, MOST=65536)).stop == "bound"


def test_no_file_is_begun_when_its_time_is_over(tmp_path: Path) -> None:
    assert read_writing(pod("fill.sh", tmp_path, SECONDS_LEFT=0)).stop == "late"
    assert list(tmp_path.iterdir()) == []


def test_files_are_removed_before_others_are_written(tmp_path: Path) -> None:
    pod("fill.sh", tmp_path, MOST=3 * 65536)
    written = read_writing(pod("fill.sh", tmp_path, MOST=65536, PREFIX="b", REMOVE="a-1 a-2"))
    assert list(written.sums) == ["b-1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-3", "b-1"]


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ('echo "dd: fsync failed for a-2: Input/output error" >&2; exit 1', "Input/output error"),
        ("exec head -c 100 > volume/a-2", "only 100 bytes of 65536 were written, without an error"),
    ],
)
def test_what_is_not_durable_or_not_whole_does_not_count(does: str, said: str, tmp_path: Path) -> None:
    """What is written late fails late: a file counts when its fsync has ended well, and it has its size."""
    fake, folder = tmp_path / "programs" / "dd", tmp_path / "volume"
    for each in (fake.parent, folder):
        each.mkdir()
    fake.write_text(f'#!/bin/sh\ncd {tmp_path}; case $1 in *a-2) {does};; *) exec {shutil.which("dd")} "$@";; esac\n')
    fake.chmod(0o755)
    written = read_writing(pod("fill.sh", folder, PATH=f"{fake.parent}:{os.environ['PATH']}"))
    assert (list(written.sums), written.stop) == (["a-1"], "full") and said in written.error


def test_a_grown_file_system_takes_one_more(tmp_path: Path) -> None:
    grown = read_writing(pod("grow.sh", tmp_path, WANTED=10**6, PREFIX="c", SECONDS_LEFT=1))
    assert grown.capacity > 10**6 and list(grown.sums) == ["c-1"]


def test_a_file_system_that_does_not_grow_is_told(tmp_path: Path) -> None:
    grown = read_writing(pod("grow.sh", tmp_path, WANTED=10**15, PREFIX="c", SECONDS_LEFT=0))
    assert (grown.stop, grown.sums) == ("small", {}) and list(tmp_path.iterdir()) == []


def test_a_reader_that_breaks_off_has_read_nothing(tmp_path: Path) -> None:
    pod("fill.sh", tmp_path, MOST=2 * 65536)
    read = pod("verify.sh", tmp_path)
    assert read_checksums(read.replace("storage-acceptance: verified\n", "")) == {}


def ended(said: str, *, taken: int = 63, free: int = SIZE) -> str | None:
    sums = {f"a-{number}": "0" * 64 for number in range(taken)}
    return wrong_end(WriteResult(capacity=free, free=free, sums=sums, stop="full", error=said), piece=MIB)


@pytest.mark.parametrize("said", [NO_SPACE, "sync: error syncing 'a-9': Disk quota exceeded"])
def test_no_space_is_a_clear_end(said: str) -> None:
    assert ended(said) is None


@pytest.mark.parametrize("said", ["dd: a-9: Input/output error", "dd: a-9: Read-only file system", ""])
def test_any_other_end_is_none(said: str) -> None:
    wrong = ended(said)
    assert wrong is not None and "a program cannot detect that the volume is full" in wrong
    assert (said or "no message") in wrong


def test_full_before_it_is_full_is_a_promise_that_was_not_kept() -> None:
    assert ended(NO_SPACE, taken=57) is None
    assert ended(NO_SPACE, taken=12) == (
        f"a write failed after 12 MiB of the 64 MiB that the volume showed as free ({NO_SPACE}): the storage has "
        "promised more space than it has"
    )


@given(st.dictionaries(st.text("abc-", min_size=1), st.text("0123456789abcdef", min_size=64, max_size=64)), st.data())
def test_each_file_that_is_not_as_it_was_is_counted(sums: dict[str, str], data: st.DataObject) -> None:
    lost = data.draw(st.sets(st.sampled_from(sorted(sums)))) if sums else set()
    found = {
        name: data.draw(st.sampled_from(["cannot", "f" * 64 + "0"])) if name in lost else sum_
        for name, sum_ in sums.items()
    }
    words = lost_in_words(sums, found | {"other": "0" * 64}, piece=MIB)
    assert (words is None) == (not lost)
    assert words is None or words.startswith(f"{len(lost)} of {len(sums)} files of 1 MiB")


def test_what_is_lost_is_told_for_what_it_is() -> None:
    sums = {"a-1": "1" * 64, "a-2": "2" * 64, "a-3": "3" * 64, "a-4": "4" * 64}
    found = {"a-1": "9" * 64, "a-2": "sha256sum: a-2: Input/output error", "a-4": "4" * 64}
    assert lost_in_words(sums, found, piece=MIB) == (
        "3 of 4 files of 1 MiB that were durable before are lost: a-1 has another checksum, a-2 cannot be read "
        "(sha256sum: a-2: Input/output error), a-3 no longer exists"
    )
    assert lost_in_words(sums, {}, piece=MIB) == "none of the 4 files of 1 MiB that were durable before exists"


@dataclass
class PlayedBench(TriedBench):
    """A bench whose pods say what a played volume has them say; `limits`: where a file system stops taking files."""

    says: Callable[[Claim, dict[str, str]], str]
    capacity: int = SIZE
    kind: str = "csi"
    failed: bool = False
    scripts: list[dict[str, str]] = field(default_factory=list)
    claimed: dict[str, int] = field(default_factory=dict)
    timeout_s = 1.0
    node = "node-1"

    def claim(self, part: str, *, size: int) -> Claim:
        self.claimed[part] = len(self.scripts)
        return Claim(name=part, namespace="run", storage_class="fast", size=size, run_id="r")

    def one_shot_pod(self, claim: Claim, script: str, **variables: str) -> OneShotPod:
        self.scripts.append({"claim": claim.name, **variables})
        return OneShotPod(node="node-1", status=0, content=self.says(claim, variables).encode(), state="ended")

    def volume_of(self, claim: Claim) -> str:
        return "pv"

    @property
    def api(self) -> Any:
        return self

    def get(self, *_: object) -> dict[str, Any]:
        return {"spec": {"capacity": {"storage": str(self.capacity)}, self.kind: {}}}

    def missing(self, why: str) -> Unsupported:
        return Unsupported(why)

    def not_tried(self, why: str) -> NotTried:
        return NotTried(why)

    def fail(self) -> None:
        self.failed = True


@dataclass
class PlayedVolumes:
    """Two volumes of `holds` bytes each that show `shown`, and of which all is told that pods wrote; `end`: how a write
    fails on a full one; `forgets`: files that are not there when they are read; `harmed`: the other takes nothing."""

    shown: int = SIZE
    holds: int = SIZE
    end: str = NO_SPACE
    forgets: tuple[str, ...] = ()
    harmed: bool = False
    files: dict[str, dict[str, str]] = field(default_factory=dict)

    def __call__(self, claim: Claim, asked: dict[str, str]) -> str:
        there, piece = self.files.setdefault(claim.name, {}), int(asked.get("PIECE", 0))
        if "PREFIX" not in asked:
            shown = [
                f"storage-acceptance: holds {each} {sum_}" for each, sum_ in there.items() if each not in self.forgets
            ]
            return "\n".join([*shown, "storage-acceptance: verified"])
        lines = [f"storage-acceptance: shows {self.shown} {self.shown}"]
        if self.shown > int(asked["SHOWN_MOST"]):
            return "\n".join([*lines, "storage-acceptance: stopped shows-more"])
        for each in asked["REMOVE"].split():
            del there[each]
        for number in range(1, int(asked["MOST"]) // piece + 1):
            if (len(there) + 1) * piece > self.holds or (self.harmed and asked["PREFIX"] == "m"):
                return "\n".join([*lines, f"storage-acceptance: stopped full {self.end}"])
            name = f"{asked['PREFIX']}-{number}"
            there[name] = hashlib.sha256(name.encode()).hexdigest()
            lines.append(f"storage-acceptance: wrote {name} {there[name]}")
        return "\n".join([*lines, "storage-acceptance: stopped bound"])


def tried(**changes: Any) -> tuple[FullVolumeRecord, PlayedBench]:
    capacity = changes.pop("capacity", SIZE)
    bench = PlayedBench(says=PlayedVolumes(**changes), capacity=capacity)
    return trial.FillingTrial(bench=cast(Bench, bench), size=SIZE, say=lambda text: None).run(), bench


def statuses(record: FullVolumeRecord) -> dict[str, str]:
    return {finding.aspect: finding.status for finding in record.findings}


def test_a_good_volume_holds_all() -> None:
    record, bench = tried()
    assert statuses(record) == {**dict.fromkeys(ASPECTS[:4], "held"), "growth": "not_tried", "trim": "not_tried"}
    assert (record.written, record.free, bench.failed) == (SIZE, SIZE, False)
    assert "the volume took 32 MiB after 32 MiB were deleted" in {finding.how for finding in record.findings}


@pytest.mark.parametrize(
    ("changes", "fails", "words"),
    [
        ({"end": "dd: Input/output error"}, {"error"}, "a lack of space: dd: Input/output error"),
        ({"holds": SIZE // 4}, {"error"}, "has promised more space than it has"),
        ({"forgets": ("a-7",)}, {"kept"}, "a-7 no longer exists"),
        ({"forgets": ("n-1",)}, {"others"}, "on another volume of the class, 1 of 2 files"),
        ({"harmed": True}, {"others"}, "accepts no more writes: dd: error writing a-9: No space left"),
        ({"forgets": ("b-2",)}, {"again"}, "b-2 no longer exists"),
    ],
)
def test_each_thing_that_is_wrong_fails_by_itself(changes: dict[str, Any], fails: set[str], words: str) -> None:
    record, bench = tried(**changes)
    assert {name for name, status in statuses(record).items() if status == "failed"} == fails and bench.failed
    (found,) = [finding for finding in record.findings if finding.status == "failed"]
    assert words in found.how
    verdict = judge_full_volume(record, found.aspect)
    assert verdict.status == "fail" and words in verdict.reason


@pytest.mark.parametrize(
    ("says", "status", "words"),
    [
        (
            f"shows {2 * SIZE} {SIZE}\nstorage-acceptance: wrote c-1 {'c' * 64}",
            "held",
            "the volume grew from 64 MiB to 128 MiB",
        ),
        (f"shows {SIZE} 0\nstorage-acceptance: stopped small", "failed", "shows 64 MiB; it showed 64 MiB before"),
        (
            f"shows {2 * SIZE} 0\nstorage-acceptance: stopped full {NO_SPACE}",
            "failed",
            "but accepts no writes: dd: error",
        ),
    ],
)
def test_a_full_volume_grows_or_does_not(says: str, status: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    ended: list[object] = []
    volumes = PlayedVolumes()

    def output_of(_: object) -> str:
        volumes.files["filled"]["c-1"] = "c" * 64
        return f"storage-acceptance: {says}"

    bench = PlayedBench(says=volumes)
    grows = bench.storage_class.model_copy(update={"allow_expansion": True})
    played = {"storage_class": grows, "start": lambda *_, **__: None, "output_of": output_of, "end": ended.append}
    for name, value in played.items():
        setattr(bench, name, value)
    # The node reports the new size while a pod uses the volume.
    monkeypatch.setattr(trial, "expand", lambda *_, size: asked.append(size) if not ended else None)
    monkeypatch.setattr(trial, "wait_printed", lambda *_, **__: None)
    record = trial.FillingTrial(bench=cast(Bench, bench), size=SIZE, say=lambda text: None).run()
    finding = record.findings[-2]
    assert (finding.aspect, finding.status, asked) == ("growth", status, [2 * SIZE]) and words in finding.how
    assert ended == [None]


def test_a_class_that_shows_more_is_not_filled() -> None:
    """Not one file is written, not even on the other volume."""
    bench = PlayedBench(says=PlayedVolumes(shown=100 * SIZE))
    with pytest.raises(
        Unsupported, match=r"fast does not enforce volume sizes: a volume of 64 MiB shows its pods 6.25 GiB, 6.25"
    ):
        trial.FillingTrial(bench=cast(Bench, bench), size=SIZE, say=lambda text: None).run()
    assert [script["claim"] for script in bench.scripts] == ["neighbour"]


def test_a_folder_of_a_nodes_disk_is_not_filled_however_large_that_is() -> None:
    bench = PlayedBench(says=PlayedVolumes(), kind="hostPath")
    with pytest.raises(Unsupported, match="does not enforce volume sizes"):
        trial.FillingTrial(bench=cast(Bench, bench), size=SIZE, say=lambda text: None).run()
    assert [(script["claim"], script["MOST"]) for script in bench.scripts] == [("neighbour", str(2 * MIB))]


def test_a_volume_that_others_have_written_to_is_not_filled() -> None:
    """All that is new must be almost empty; what was filled need not be."""
    _, bench = tried()
    free = {script["PREFIX"]: script["FREE_LEAST"] for script in bench.scripts if "PREFIX" in script}
    assert free == {"n": "75", "a": "75", "m": "0", "b": "0"}


def test_the_volume_that_is_filled_is_made_when_the_other_has_its_data() -> None:
    """Else the pool would show two new volumes in place of one, and what is written would seem to take less."""
    _, bench = tried()
    assert bench.claimed == {"neighbour": 0, "filled": 1}


def test_a_class_that_takes_more_than_it_shows_is_left_at_a_tenth_more() -> None:
    with pytest.raises(Unsupported, match="a volume of 64 MiB took 70 MiB and was not full"):
        tried(holds=100 * SIZE)


def test_a_class_with_a_least_size_is_told_from_one_without_any() -> None:
    with pytest.raises(Unsupported, match=r"creates volumes of 128 MiB .*--storage-volume-size=128Mi"):
        tried(shown=2 * SIZE, capacity=2 * SIZE)


def test_a_volume_that_takes_nothing_is_not_full() -> None:
    with pytest.raises(StorageFailure, match="takes no file of 1 MiB: dd: error writing a-9: No space left"):
        tried(holds=0)


def test_a_trial_writes_no_more_than_a_tenth_over_its_size() -> None:
    _, bench = tried()
    for script in bench.scripts:
        assert int(script.get("SHOWN_MOST", 0)) <= 1.1 * SIZE and int(script.get("MOST", 0)) <= 1.1 * SIZE


@pytest.mark.parametrize("status", ["held", "failed", "not_tried"])
def test_a_finding_is_shown_and_judged_as_it_is(status: Any) -> None:
    record, _ = tried()
    finding = Finding(aspect="kept", status=status, how="<script>alert(1)</script>")
    changed = record.model_copy(update={"findings": [finding]})
    verdict = judge_full_volume(changed, "kept")
    assert verdict.status == {"held": "pass", "failed": "fail", "not_tried": "skipped"}[status]
    assert verdict.outcome == Outcome(code=f"filling.{status}", facts={"how": finding.how})
    assert verdict.requirement.rule == "kept"
    ((row,),) = tables_of(*full_volume_parts(results(full_volumes=[changed])))
    assert row["Requirement"] == TITLES["kept"] and f"status-{verdict.status}" in row["Result"]
    html = render_summary(results(full_volumes=[changed]))
    assert "Volumes that were filled completely" in html and "<script>alert" not in html
