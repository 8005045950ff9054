"""Files that are deleted on a volume: whether something trims it, and whether the pool then has their space again."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import Object
from acceptance.judging.filling import judge_full_volume
from acceptance.results.filling import Finding, FullVolumeRecord
from acceptance.settings.target_file import read_target
from acceptance.settings.target_plans import PoolPlan
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from acceptance.trials.features.bench import Bench
from acceptance.trials.filling import space, trial
from acceptance.trials.filling.space import Space
from acceptance.trials.filling.trim import discards, read_removal, try_trim
from selftests.bounds import HANGS_S
from selftests.unit.test_full_volumes import SHELLS
from selftests.unit.test_volume_features import TriedBench
from selftests.unit.test_volumes_and_pods import RUNS

MIB = 1024**2
CLAIM = Claim(name="filled", namespace="run", storage_class="fast", size=100 * MIB, run_id="r")
POD = PodPlan(name="removes", claims=(CLAIM,), image="fio:1", command=["sh"], deadline_s=60)
PLAIN, DISCARD = "xfs,rw,relatime", "xfs,rw,relatime,discard"


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_all_files_are_removed_and_their_bytes_told(shell: list[str], tmp_path: Path) -> None:
    for number in (1, 2, 3):
        (tmp_path / f"a-{number}").write_bytes(bytes(1000))
    (tmp_path / "lost+found").mkdir()
    words = [*shell, "-c", trial._script("trim.sh")]
    names = {"FOLDER": str(tmp_path), "SECONDS_LEFT": "1"}
    done = subprocess.run(words, env=os.environ | names, capture_output=True, text=True, check=True, timeout=HANGS_S)
    assert read_removal(done.stdout).size == 3000
    assert [path.name for path in tmp_path.iterdir()] == ["lost+found"]


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_options_of_a_mount_are_told(shell: list[str]) -> None:
    """There is nothing to remove in /proc, and it is mounted everywhere."""
    words = [*shell, "-c", trial._script("trim.sh")]
    names = {"FOLDER": "/proc", "SECONDS_LEFT": "0"}
    done = subprocess.run(words, env=os.environ | names, capture_output=True, text=True, check=True, timeout=HANGS_S)
    removed = read_removal(done.stdout)
    assert removed.options[0] == "proc" and "rw" in removed.options and removed.size == 0


@pytest.mark.parametrize(
    ("options", "does"),
    [(DISCARD, True), ("btrfs,rw,discard=async", True), (PLAIN, False), ("ext4,rw,nodiscard", False), ("", False)],
)
def test_what_discards_is_known_by_its_option(options: str, does: bool) -> None:
    assert discards(options.split(",")) is does


@dataclass
class PlayedBench(TriedBench):
    """A bench whose pod removes 80 MiB, after which the pool has used `after` bytes; `of_class`: what the PV has."""

    used: Path
    after: int
    mounted: str
    of_class: tuple[str, ...] = ()
    ended: list[object] = field(default_factory=list)
    timeout_s = 0.5
    node = "node-1"

    def volume_of(self, claim: Claim) -> str:
        return "pv-1"

    @property
    def api(self) -> Any:
        return self

    def get(self, *_: object) -> dict[str, Any]:
        return {"spec": {"mountOptions": list(self.of_class)}}

    def find(self, *_: object, **__: object) -> Object:
        return {"metadata": {}, "spec": {}, "status": RUNS}

    def start(self, *_: object, **__: str) -> PodPlan:
        self.used.write_text(str(self.after))
        return POD

    def output_of(self, _: object) -> str:
        return f"storage-acceptance: mounted {self.mounted}\nstorage-acceptance: removed {80 * MIB}\n"

    def end(self, plan: object) -> None:
        self.ended.append(plan)


def found(
    used: Path, *, after: int, full: int = 320, mounted: str = PLAIN, of_class: tuple[str, ...] = (), trim: str = ""
) -> tuple[Finding, PlayedBench]:
    """Of two replicas: 10 MiB are used, 50 with a volume of 5 MiB, `full` with another one of 105 MiB."""
    words = ["sh", "-c", trim, "{volume}", "{claim}", "{namespace}", "{node}"] if trim else []
    watched = Space(PoolPlan(usage=["cat", str(used)], trim=words, timeout_s=HANGS_S), timeout_s=0.5)
    used.write_text(str(10 * MIB))
    watched.begin()
    used.write_text(str(50 * MIB))
    watched.with_another(5 * MIB)
    used.write_text(str(full * MIB))
    watched.when_full(105 * MIB)
    bench = PlayedBench(used=used, after=after * MIB, mounted=mounted, of_class=of_class)
    return try_trim(cast(Bench, bench), CLAIM, watched, script="true"), bench


@pytest.fixture
def used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the command prints."""
    monkeypatch.setattr(space, "SHOWN_WITHIN_S", 0.5)
    return tmp_path / "used"


# 80 MiB take 184 MiB in a pool in which 100 MiB more take 230, and nine tenths of them are 165.6.
@pytest.mark.parametrize(("after", "status"), [(136, "held"), (154, "held"), (155, "failed"), (320, "failed")])
def test_all_but_a_tenth_of_what_files_took_must_be_back(used: Path, after: int, status: str) -> None:
    finding, bench = found(used, after=after, mounted=DISCARD, of_class=("discard",))
    assert finding.status == status, finding.how
    assert "the file system (mounted as xfs,rw,relatime,discard)" in finding.how and bench.ended == [POD]


def test_figures_of_space_that_stays_are_said(used: Path) -> None:
    finding, _ = found(used, after=320, mounted=DISCARD)
    assert "the pool had 320 MiB used; 80 MiB of files were deleted" in finding.how
    assert "still had 320 MiB used, expected at least 165.6 MiB less" in finding.how
    record = FullVolumeRecord(
        storage_class="fast", node="node-1", size=1, free=1, written=1, seconds=1, findings=[finding]
    )
    assert judge_full_volume(record, "trim").status == "fail"


def test_a_class_that_promises_discard_and_does_not_mount_with_it_fails(used: Path) -> None:
    finding, _ = found(used, after=320, of_class=("noatime", "discard"))
    assert finding.status == "failed"
    assert "not trimmed, although StorageClass fast has the mount option discard (mounted as xfs,rw" in finding.how


def test_where_nothing_trims_nothing_is_wanted(used: Path) -> None:
    finding, _ = found(used, after=320)
    assert finding.status == "not_tried" and "no command (pool: trim:" in finding.how


def test_space_that_a_volume_has_from_the_beginning_is_not_wanted_back(used: Path) -> None:
    """The full one takes what the almost empty one takes."""
    finding, bench = found(used, after=90, full=90, mounted=DISCARD)
    assert finding.status == "not_tried" and "a trim cannot free any" in finding.how
    assert bench.ended == []


def test_where_nothing_tells_of_the_pool_no_file_is_deleted() -> None:
    finding = try_trim(cast(Bench, TriedBench()), CLAIM, None, script="true")
    assert finding.status == "not_tried" and "name a target file with pool:" in finding.how


def test_the_targets_command_trims_that_volume(used: Path, tmp_path: Path) -> None:
    said = tmp_path / "said"
    finding, _ = found(used, after=320, trim=f'echo "$0 $*" > {said}; echo {100 * MIB} > {used}')
    assert finding.status == "held" and "trimmed by the target's command" in finding.how
    assert said.read_text() == "pv-1 filled run node-1\n"


def test_a_command_that_fails_is_a_fault_of_the_surroundings(used: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="expected 0, once the volume is trimmed"):
        found(used, after=320, trim="echo no such volume; exit 3")


def test_a_target_names_the_command_that_trims(tmp_path: Path) -> None:
    file = tmp_path / "target.yaml"
    file.write_text("pool: {used: [df], trim: [trim, '{namespace}/{claim}', '{volume}', '{node}']}\n")
    pool = read_target(file).pool
    assert pool is not None and pool.plan.trim == ("trim", "{namespace}/{claim}", "{volume}", "{node}")
    file.write_text("pool: {used: [df], trim: [trim, '{size}']}\n")
    with pytest.raises(WrongUsage, match=r"expected placeholders of \{volume\}, .*, \{node\}, found size"):
        read_target(file)
