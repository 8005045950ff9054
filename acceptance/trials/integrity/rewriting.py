"""A file that is written over and over until a rebuild has begun, so that its last blocks were written during it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from acceptance.cluster.one_shot_pod import run_one_shot_pod
from acceptance.cluster.pod_manifest import FILES_PATH, MAIN, PodPlan
from acceptance.cluster.pod_states import main_runs, node_of, taken_away
from acceptance.cluster.pods import create_pod, end_pod, wait_started
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.loads.verified.jobs import DATA_FILE, PLACE_STEP, PLACES, write_command
from acceptance.measuring.load_log import MARK
from acceptance.process.undoing import Undoing
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials import Say
from acceptance.trials.integrity.volume import VerifiedVolume
from acceptance.trials.rebuild.driver import RebuildDriver, ReplicaRebuild, TargetVolume
from acceptance.trials.rebuild.following import Timeouts
from acceptance.trials.rebuild.restore import restore

_ENOUGH = "enough"
_REWRITE = """
number=0
while [ ! -e "${{FILE%/*}}/{enough}" ]; do
  number=$((number + 1))
  export PLACE=$(({step} * (1 + (number - 1) % {places})))
  {write} >/dev/null || {{ echo "{mark} failed $number"; exit 1; }}
  echo "{mark} written $number"
done
echo "{mark} over $number"
exec sleep "$HELD"
"""
_MARKS = re.compile(rf"^{MARK} (written|over|failed) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Rewritten:
    """What the pod has said: how often the file was written in full, and whether it writes no more; its own words."""

    written: int
    over: bool
    output: str


def rewrite_during_rebuild(
    workspace: Workspace, volume: VerifiedVolume, *, driver: RebuildDriver, timeouts: Timeouts, say: Say
) -> None:
    """Write the volume's file anew, again and again, lose a replica meanwhile, end after the writing that is going on
    then, and wait until all replicas are whole. `volume.verify` tells afterwards whether the last writing is there.

    The volume stays in use all along. Raises StorageFailure when a write fails or the rebuild does not end,
    EnvironmentFailure when there was none to be seen.
    """
    volume.prepare()
    with _rewriting(workspace, volume, held_s=timeouts.begin_s + timeouts.end_s) as plan:
        _wait_written(workspace, volume, plan, wanted=1, over=False)
        rebuild = driver.rebuild_of(_target(volume))
        rebuild.require_whole()
        about = f"rebuild of a replica of {volume.claim.storage_class} during writes"
        with restore(rebuild, workspace):
            say(f"{about}: triggered")
            done = rebuild.trigger()
            if rebuild.look().phase == "whole":
                raise EnvironmentFailure(
                    f"{about}: all replicas were whole at the first look after the trigger ({done}), so the "
                    "suite saw no rebuild while the file was written; check that the trigger removes a "
                    "replica's data, or have more data to rebuild with --storage-test-size"
                )
            _stop(workspace, volume)
            told = _wait_written(workspace, volume, plan, wanted=2, over=True)
            say(f"{about}: written {told.written} times, waiting for all replicas")
            _wait_whole(rebuild, f"{about} to end ({done})", timeouts)
    volume.writings = told.written


def rewrite_command(folder: str) -> str:
    """Shell commands that write $FILE anew until there is a file `enough` beside it, tell of each time, and hold on for
    $HELD seconds; `folder` holds the job files."""
    return _REWRITE.format(enough=_ENOUGH, step=PLACE_STEP, places=PLACES, mark=MARK, write=write_command(folder))


@contextmanager
def _rewriting(workspace: Workspace, volume: VerifiedVolume, *, held_s: float) -> Iterator[PodPlan]:
    longest_s = held_s + 4 * volume.timeout_s
    plan = volume.plan("rewrite", rewrite_command(FILES_PATH), check=True, held_s=math.ceil(longest_s))
    with Undoing() as undoing:
        undoing.callback(lambda: end_pod(workspace.api, plan, timeout_s=workspace.timeout_s))
        create_pod(workspace.api, plan, timeout_s=workspace.timeout_s)
        volume.node = node_of(wait_started(workspace.api, plan, timeout_s=workspace.timeout_s))
        yield plan


def _stop(workspace: Workspace, volume: VerifiedVolume) -> None:
    """Another pod on the same node says that it is enough: there a volume may be used by several."""
    plan = volume.plan("enough", f': > "${{FILE%/*}}/{_ENOUGH}"')
    if (done := run_one_shot_pod(workspace, plan, timeout_s=workspace.timeout_s)).status:
        raise StorageFailure(f"no file could be made on the volume during its rebuild: {done.output.strip()}")


def _wait_written(workspace: Workspace, volume: VerifiedVolume, plan: PodPlan, *, wanted: int, over: bool) -> Rewritten:
    api = workspace.api

    def look() -> Rewritten:
        return read_rewritten(api.log(plan.name, namespace=plan.namespace, container=MAIN))

    def broken(seen: Rewritten) -> AcceptanceError | None:
        pod = api.find(PODS, plan.name, namespace=plan.namespace)
        if pod is None or main_runs(pod):
            return None
        if (taken := taken_away(pod, what=f"pod {plan.name}")) is not None:
            return taken
        return StorageFailure(f"writing on StorageClass {plan.classes} failed around a rebuild: {seen.output}")

    return wait_for(
        f"file {DATA_FILE} of StorageClass {plan.classes} to be written{' for the last time' if over else ''}",
        look=look,
        ready=lambda seen: seen.written >= wanted and seen.over >= over,
        state=lambda seen: f"written {seen.written} times",
        fatal=broken,
        timeout_s=2 * volume.timeout_s,
    )


def read_rewritten(output: str) -> Rewritten:
    """What the pod has printed so far."""
    marks = [(word, int(number)) for word, number in _MARKS.findall(output)]
    written = max((number for word, number in marks if word == "written"), default=0)
    return Rewritten(
        written=written, over=any(word == "over" for word, _ in marks), output=_MARKS.sub("", output).strip()[-1000:]
    )


def _target(volume: VerifiedVolume) -> TargetVolume:
    return TargetVolume(
        volume=volume.bound(),
        claim=volume.claim.name,
        namespace=volume.claim.namespace,
        storage_class=volume.claim.storage_class,
        node=volume.node,
        size=volume.size,
    )


def _wait_whole(rebuild: ReplicaRebuild, what: str, timeouts: Timeouts) -> None:
    wait_for(
        what,
        look=rebuild.look,
        ready=lambda seen: seen.phase == "whole",
        state=lambda seen: seen.description,
        events=rebuild.obstacles,
        timeout_s=timeouts.begin_s + timeouts.end_s,
    )
