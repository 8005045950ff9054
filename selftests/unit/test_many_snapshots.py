"""A volume with many snapshots beside one without: what is done in what order, judged, told and shown."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.judging.snapshots import judge_many_snapshots
from acceptance.limits.file import load_limits
from acceptance.loads.profiles import Profile
from acceptance.measuring.load import Load, PreparedVolume, Preparing, Segment, Watch
from acceptance.report.records.snapshots import many_snapshots_parts
from acceptance.report.summary import render_summary
from acceptance.results.snapshots import ManySnapshotsRecord
from acceptance.results.under_load import Span
from acceptance.statistics.interim_analyses import plan_for
from acceptance.text.errors import AcceptanceError, StorageFailure, Unsupported, WrongUsage
from acceptance.trials.features.bench import Bench
from acceptance.trials.snapshots import many
from acceptance.trials.snapshots.many import PIECE, ManySnapshotsTrial
from selftests.bounds import HANGS_S
from selftests.unit.made_limits import of_snapshots
from selftests.unit.published_figures import ROOT
from selftests.unit.read_gauges import gauges_of
from selftests.unit.read_parts import tables_of
from selftests.unit.simulated_load import second
from selftests.unit.test_report_crashes import results

PROFILE = Profile(name="sync-write-iops", path=Path("sync-write-iops.fio"), text="", about="", jobs=("writes",))
LIMIT = of_snapshots(0.5, because="commits wait")
GIB = 1024**3
TARGETS = " ".join(f"{many.volume_path(place)}/{many.TEST_FILE}" for place in range(2))
SHELLS = [words for words in (["sh"], ["busybox", "sh"]) if shutil.which(words[0])]


@dataclass
class PlayedLoads:
    """Volumes of which each does so many writes a second, in turn; the first is the one with snapshots."""

    rates: tuple[float, float]
    noise: float = 0.05
    events: list[str] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        return {}

    def fill(self, claims: Sequence[Claim], *, node: str | None, progress: Preparing) -> list[PreparedVolume]:
        self.events.append(f"filled {', '.join(claim.name for claim in claims)}")
        return [
            PreparedVolume(storage_class=claim.storage_class, node="n1", test_size=GIB, image_digest=claim.name)
            for claim in claims
        ]

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        self.events.append("loaded")
        self.loads.append(load)
        random, done = Random(7), list[Segment]()
        for number, place in enumerate(load.order):
            with_snapshots = load.volumes[place].image_digest == "many"  # which nobody looks at here
            rate, samples, enough = self.rates[0 if with_snapshots else 1], [], False
            while len(samples) < load.runtimes_s[number] and not enough:
                samples.append(second("write", rate=max(0.0, rate * random.gauss(1, self.noise)), block_size=4096))
                enough = watch(number, list(samples))
            started = datetime.now(UTC)
            done.append(Segment(pod="p", node="n1", fio_version="fio-3", start_time=started, samples=tuple(samples)))
            if enough:
                break
        return done


class PlayedBench:
    """A bench whose pods write whenever they are looked at, or never. `events`: what was done, in order."""

    storage_class = SimpleNamespace(name="fast", provisioner="a.driver")
    timeout_s = 30.0
    api = node = None

    def __init__(self, events: list[str], *, writes: bool = True, at_last: str = "") -> None:
        self.events = events
        self._at_last = at_last
        if not writes:
            self.timeout_s = 0.2  # what is waited for in vain
        self._written = itertools.count() if writes else itertools.repeat(0)

    def claim(self, part: str, *, size: int, block: bool) -> Claim:
        return Claim(name=part, namespace="run", storage_class="fast", size=size, run_id="r", block=block)

    def stay_on(self, node: str) -> None:
        self.events.append(f"on {node}")

    def plan(self, *claims: Claim, script: str, **variables: str) -> Any:
        return PodPlan(
            name="writer",
            claims=claims,
            image="image",
            command=["sh", "-c", script],
            environment=variables,
            deadline_s=900,
        )

    def start_plan(self, plan: Any) -> Any:
        self.events.append(f"writes to {plan.environment['TARGETS']} for at most {plan.deadline_s} s")
        return plan

    def end(self, plan: Any) -> None:
        self.events.append(f"{plan.name} ended")

    def output_of(self, plan: Any) -> str:
        return "written\n" * next(self._written) + self._at_last


Ran = Callable[..., ManySnapshotsRecord]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    """The trial, with snapshots that only stand in `events`."""

    def run(
        loads: PlayedLoads,
        *,
        count: int = 3,
        block: bool = False,
        writes: bool = True,
        at_last: str = "",
        never: str = "",
    ) -> ManySnapshotsRecord:
        events = loads.events

        def wait_taken(_: object, part: str, **__: object) -> None:
            if part == never:
                raise StorageFailure("waited 60 s for it to be ready to use; last state: readyToUse false")

        monkeypatch.setattr(many, "snapshot_class_for", lambda _: "snap")
        monkeypatch.setattr(many, "ask_for_snapshot", lambda *_, part, **__: events.append(part) or part)
        monkeypatch.setattr(many, "wait_taken", wait_taken)
        monkeypatch.setattr(many, "delete_snapshots", lambda _, all_, **__: events.append(f"deleted {len(all_)}"))
        monkeypatch.setattr(many, "remove_claim", lambda _, claim, **__: events.append(f"removed {claim.name}"))
        return ManySnapshotsTrial(
            bench=cast(Bench, PlayedBench(events, writes=writes, at_last=at_last)),
            loads=cast(Any, loads),
            profile=PROFILE,
            count=count,
            size=2 * GIB,
            block=block,
            limits=[LIMIT],
            plan=plan_for(durable=True, in_turn=True, longest_s=60.0),
            report=lambda _: None,
            preparing=lambda *_: None,
            say=lambda _: None,
        ).run()

    return run


def record(**changes: Any) -> ManySnapshotsRecord:
    fields: dict[str, Any] = {
        "storage_class": "fast",
        "snapshot_class": "snap",
        "node": "n1",
        "profile": "sync-write-iops",
        "metric": "write.iops",
        "piece": PIECE,
        "times": [1.0, 2.0, 9.0],
        "with_snapshots": 920.0,
        "without": 1000.0,
        "left": Span(mean=0.92, low=0.88, high=0.96),
        "confidence": 0.99,
        "seconds": 60,
        "deleted_s": 4.0,
        "test_size": GIB,
    }
    return ManySnapshotsRecord(**fields | changes)


def test_two_volumes_alike_one_of_them_with_snapshots_are_loaded_in_turn_and_all_is_removed(ran: Ran) -> None:
    loads = PlayedLoads((980.0, 1000.0))
    found = ran(loads)
    (load,) = loads.loads
    assert loads.events == [
        "filled many, none",
        "on n1",
        f"writes to {TARGETS} for at most 900 s",
        "snapshot-1",
        "snapshot-2",
        "snapshot-3",
        "writer ended",
        "loaded",
        "deleted 3",
        "removed many",
        "removed none",
    ]
    assert load.order[:4] == (0, 1, 1, 0)  # place 1 is the candidate, the one with snapshots
    assert (found.count, found.snapshot_class, found.node) == (3, "snap", "n1")
    assert found.with_snapshots == pytest.approx(980, rel=0.05) and found.without == pytest.approx(1000, rel=0.05)
    verdict = judge_many_snapshots(found, LIMIT)
    assert verdict.status == "pass" and "meets the limit of at least 50 %" in verdict.reason, verdict.reason


def test_a_volume_that_is_slowed_down_by_its_snapshots_fails(ran: Ran) -> None:
    loads = PlayedLoads((300.0, 1000.0))
    verdict = judge_many_snapshots(ran(loads), LIMIT)
    assert verdict.status == "fail"
    assert verdict.id == "fast/sync-write-iops/write.iops/writes-left-with-snapshots"
    assert "% of that on a volume without" in verdict.reason and verdict.reason.endswith(
        "50 % (reason for the limit: commits wait)."
    )
    assert verdict.measured == pytest.approx(0.3, rel=0.1)


def test_a_volume_that_does_almost_nothing_is_found_out_soon(ran: Ran) -> None:
    found = ran(PlayedLoads((50.0, 1000.0)))
    assert found.seconds == 10 and judge_many_snapshots(found, LIMIT).status == "fail"


def test_a_volume_with_snapshots_that_stands_still_fails_though_it_has_no_ratio(ran: Ran) -> None:
    found = ran(PlayedLoads((0.0, 1000.0)))
    assert found.left == Span(mean=0.0, low=0.0, high=0.0)
    assert judge_many_snapshots(found, LIMIT).status == "fail"


def test_two_volumes_that_do_nothing_are_not_judged(ran: Ran) -> None:
    verdict = judge_many_snapshots(ran(PlayedLoads((0.0, 0.0))), LIMIT)
    assert verdict.status == "inconclusive"
    assert verdict.outcome is not None and verdict.outcome.code == "snapshots.writes_left_unknown"


def test_what_lies_on_both_sides_of_the_limit_is_open(ran: Ran) -> None:
    found = ran(PlayedLoads((500.0, 1000.0), noise=0.3))
    verdict = judge_many_snapshots(found, LIMIT)
    assert verdict.status == "inconclusive" and "the CI contains the limit" in verdict.reason
    assert found.seconds == 60  # it went on as long as it may


def test_raw_block_volumes_are_written_as_devices(ran: Ran) -> None:
    loads = PlayedLoads((980.0, 1000.0))
    ran(loads, block=True)
    devices = " ".join(many.volume_path(place, block=True) for place in range(2))
    assert f"writes to {devices} for at most 900 s" in loads.events


def test_the_writer_lives_as_long_as_all_snapshots_may_take(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayedBench, "timeout_s", 300.0)
    loads = PlayedLoads((980.0, 1000.0))
    ran(loads, count=2)
    assert f"writes to {TARGETS} for at most 1200 s" in loads.events


def test_a_snapshot_that_is_never_ready_is_told_by_its_number(ran: Ran) -> None:
    with pytest.raises(StorageFailure, match=r"snapshot 2 of 3 of one volume: .* last state: readyToUse false"):
        ran(PlayedLoads((980.0, 1000.0)), never="snapshot-2")


def test_a_volume_that_takes_no_writes_between_snapshots_is_told(ran: Ran) -> None:
    with pytest.raises(StorageFailure, match=r"to write to both volumes .* last state: 0 pieces written"):
        ran(PlayedLoads((980.0, 1000.0)), writes=False)
    with pytest.raises(StorageFailure, match=r"could not write to two volumes .* after 0 pieces: dd: No space left"):
        ran(PlayedLoads((980.0, 1000.0)), writes=False, at_last="dd: No space left on device\n")


def test_a_class_without_snapshots_has_no_such_volumes(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = PlayedLoads((980.0, 1000.0))
    ran(loads)  # the fixture's own replacements are in place now
    loads.events.clear()

    def none(_: object) -> str:
        raise Unsupported("capability 'snapshot': no VolumeSnapshotClass names driver a.driver")

    trial = ManySnapshotsTrial(
        bench=cast(Bench, PlayedBench(loads.events)),
        loads=cast(Any, loads),
        profile=PROFILE,
        count=3,
        size=GIB,
        block=False,
        limits=[LIMIT],
        plan=plan_for(durable=True, in_turn=True),
        report=lambda _: None,
        preparing=lambda *_: None,
        say=lambda _: None,
    )
    monkeypatch.setattr(many, "snapshot_class_for", none)
    with pytest.raises(Unsupported, match="no VolumeSnapshotClass"):
        trial.run()
    assert loads.events == []


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_the_writer_writes_the_same_pieces_over_and_over_and_keeps_the_rest(shell: list[str], tmp_path: Path) -> None:
    script = (Path(many.__file__).parent / "write_pieces.sh").read_text()
    files = [tmp_path / "one", tmp_path / "two"]
    mib = 1024**2
    for file in files:
        file.write_bytes(bytes(4 * mib))
    names = os.environ | {"TARGETS": " ".join(map(str, files)), "MIB": "1", "PIECES": "2"}
    running = subprocess.Popen([*shell, "-c", script], env=names, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        said = [running.stdout.readline() for _ in range(3)]
    finally:
        running.terminate()
        running.wait(timeout=HANGS_S)
    assert said == ["written\n"] * 3
    for file in files:
        content = file.read_bytes()
        assert len(content) == 4 * mib and content[2 * mib :] == bytes(2 * mib)
        assert content[:mib] != bytes(mib) and content[mib : 2 * mib] != bytes(mib)


def test_a_writer_that_cannot_write_says_why_and_ends(tmp_path: Path) -> None:
    script = (Path(many.__file__).parent / "write_pieces.sh").read_text()
    names = os.environ | {"TARGETS": f"{tmp_path}/none/file", "MIB": "1", "PIECES": "2"}
    done = subprocess.run(["sh", "-c", script], env=names, capture_output=True, text=True, check=False, timeout=HANGS_S)
    assert done.returncode == 1 and "No such file" in done.stdout


def test_the_reason_of_a_pass_has_both_rates() -> None:
    assert judge_many_snapshots(record(), LIMIT).reason == (
        "write.iops of sync-write-iops on a volume of fast with 3 snapshots, each at least 4 MiB of writes after the "
        "previous one, is 92 % of that on a volume without snapshots (99% CI 88 % to 96 %; 920 IOPS with snapshots, "
        "1,000 IOPS without); the whole CI meets the limit of at least 50 %."
    )


def test_a_pair_of_volumes_is_a_row_and_hostile_words_are_escaped() -> None:
    ((row,),) = tables_of(*many_snapshots_parts(results(many_snapshots=[record()])))
    assert (row["Snapshots"], row["Each ready after"], row["Ratio"], row["All deleted after"]) == (
        "3",
        "2.0 s (at most 9.0 s)",
        "92 %<br><small>99% CI 88 % to 96 %</small>",
        "4.0 s",
    )
    html = render_summary(results(many_snapshots=[record(storage_class="<script>alert(1)</script>")]))
    assert "Writes of a volume with many snapshots" in html and "<script>alert" not in html
    assert "Writes of a volume with many snapshots" not in render_summary(results())


def test_what_is_left_is_a_metric() -> None:
    left = gauges_of(results(many_snapshots=[record(), record(storage_class="other")]))[
        "writes_left_with_snapshots_ratio"
    ]
    assert sorted(left.values()) == [0.88, 0.92, 0.96]


def test_the_limit_is_read_inherited_and_must_be_a_share(tmp_path: Path) -> None:
    profiles = {path.stem for path in (ROOT / "profiles").iterdir()}
    shipped = load_limits(ROOT / "thresholds.yaml", profiles=profiles)
    assert [each.bound for name in ("baseline", "production") for each in shipped.tier(name).of("snapshots")] == [
        0.5,
        0.5,
    ]
    assert shipped.tier("baseline").of("snapshots")[0] in shipped.tier("baseline").asked_with(["operations"])
    own = tmp_path / "limits.yaml"
    own.write_text("version: 1\ntiers: {a: {snapshots: {writes_left: {at_least: 120%, because: b}}}}\n")
    with pytest.raises(WrongUsage, match="expected a share of at most 100%, found '120%', which no class can meet"):
        load_limits(own, profiles=profiles)
    own.write_text("version: 1\ntiers: {a: {snapshots: {}}}\n")
    with pytest.raises(WrongUsage, match="expected writes_left, found nothing"):
        load_limits(own, profiles=profiles)


@pytest.mark.parametrize(
    ("left", "code"),
    [
        (Span(mean=0.92, low=0.88, high=0.96), "within"),
        (Span(mean=0.3, low=0.2, high=0.4), "outside"),
        (Span(mean=0.5, low=0.4, high=0.6), "on_both_sides"),
        (Span(mean=0.3, low=None, high=None), "too_few_samples"),
        (None, "unknown"),
    ],
)
def test_what_is_left_of_writes_is_data(left: Span | None, code: str) -> None:
    verdict = judge_many_snapshots(record(left=left), LIMIT)
    assert verdict.outcome is not None and verdict.outcome.code == f"snapshots.writes_left_{code}"
    assert verdict.outcome.facts == {"count": 3, "piece": PIECE, "with_snapshots": 920.0, "without": 1000.0}
