"""A file that is rewritten until a rebuild has begun, so that its last blocks were written during the rebuild."""

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
class RewriteProgress:
    """The progress that the pod reports, and its other output.

    `writings`: how often the file was written in full; `over`: whether the pod writes no more.
    """

    writings: int
    over: bool
    output: str


def rewrite_during_rebuild(
    workspace: Workspace, volume: VerifiedVolume, *, driver: RebuildDriver, timeouts: Timeouts, say: Say
) -> None:
    """Rewrite the volume's file during a rebuild, and wait until all replicas are complete.

    The pod writes repeatedly, a replica is lost meanwhile, and the writing that is then in progress is the last one.
    `volume.verify` checks that writing afterwards. The volume stays in use throughout. Raises StorageFailure if a write
    fails or the rebuild does not end, EnvironmentFailure if no rebuild was observed.
    """
    volume.prepare()
    with _rewriting(workspace, volume, held_s=timeouts.begin_s + timeouts.end_s) as plan:
        _wait_written(workspace, volume, plan, minimum=1, over=False)
        rebuild = driver.rebuild_of(_target(volume))
        rebuild.require_whole()
        about = f"rebuild of a replica of {volume.claim.storage_class} during writes"
        with restore(rebuild, workspace):
            say(f"{about}: triggered")
            trigger_text = rebuild.trigger()
            if rebuild.look().phase == "whole":
                raise EnvironmentFailure(
                    f"{about}: all replicas were complete at the first poll after the trigger ({trigger_text}), so the "
                    "suite observed no rebuild while the file was written; check that the trigger removes a replica's "
                    "data, or rebuild more data with a larger --storage-test-size"
                )
            _stop(workspace, volume)
            progress = _wait_written(workspace, volume, plan, minimum=2, over=True)
            say(f"{about}: written {progress.writings} times, waiting for all replicas")
            _wait_whole(rebuild, f"{about} to end ({trigger_text})", timeouts)
    volume.writings = progress.writings


def rewrite_command(folder: str) -> str:
    """Return shell commands that rewrite $FILE until a file `enough` exists next to it, and report each writing.

    The shell then stays for $HELD seconds; `folder` holds the job files.
    """
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
    """Request the end of the writing from another pod, on the same node, where several pods may use a volume."""
    plan = volume.plan("enough", f': > "${{FILE%/*}}/{_ENOUGH}"')
    if (pod := run_one_shot_pod(workspace, plan, timeout_s=workspace.timeout_s)).status:
        raise StorageFailure(f"no file could be created on the volume during its rebuild: {pod.output.strip()}")


def _wait_written(
    workspace: Workspace, volume: VerifiedVolume, plan: PodPlan, *, minimum: int, over: bool
) -> RewriteProgress:
    api = workspace.api

    def look() -> RewriteProgress:
        return read_progress(api.log(plan.name, namespace=plan.namespace, container=MAIN))

    def writing_error(progress: RewriteProgress) -> AcceptanceError | None:
        pod = api.find(PODS, plan.name, namespace=plan.namespace)
        if pod is None or main_runs(pod):
            return None
        if (error := taken_away(pod, subject=f"pod {plan.name}")) is not None:
            return error
        return StorageFailure(f"writing on StorageClass {plan.classes} failed around a rebuild: {progress.output}")

    return wait_for(
        f"file {DATA_FILE} of StorageClass {plan.classes} to be written{' for the last time' if over else ''}",
        look=look,
        ready=lambda progress: progress.writings >= minimum and progress.over >= over,
        state=lambda progress: f"written {progress.writings} times",
        fatal=writing_error,
        timeout_s=2 * volume.timeout_s,
    )


def read_progress(output: str) -> RewriteProgress:
    """Return the progress from what the pod has printed so far."""
    marks = [(word, int(number)) for word, number in _MARKS.findall(output)]
    writings = max((number for word, number in marks if word == "written"), default=0)
    return RewriteProgress(
        writings=writings, over=any(word == "over" for word, _ in marks), output=_MARKS.sub("", output).strip()[-1000:]
    )


def _target(volume: VerifiedVolume) -> TargetVolume:
    return TargetVolume(
        volume=volume.volume_name(),
        claim=volume.claim.name,
        namespace=volume.claim.namespace,
        storage_class=volume.claim.storage_class,
        node=volume.node,
        size=volume.size,
    )


def _wait_whole(rebuild: ReplicaRebuild, goal: str, timeouts: Timeouts) -> None:
    wait_for(
        goal,
        look=rebuild.look,
        ready=lambda state: state.phase == "whole",
        state=lambda state: state.description,
        events=rebuild.obstacles,
        timeout_s=timeouts.begin_s + timeouts.end_s,
    )
