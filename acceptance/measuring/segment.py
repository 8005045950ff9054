"""One stretch of load: one pod, one fio, read second by second while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from acceptance.cluster.api import PODS, Object, retrying
from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import FILES_PATH, MAIN, VOLUME_PATH, PodPlan
from acceptance.cluster.pods import (
    create_pod,
    describe_pod,
    end_pod,
    image_digest,
    lost_to_the_cluster,
    node_of,
    wait_ended,
    wait_started,
)
from acceptance.cluster.workspace import FILES, Workspace
from acceptance.errors import EnvironmentFailure, StorageFailure
from acceptance.fio.output import FioOutput
from acceptance.fio.samples import Sample

TEST_FILE = f"{VOLUME_PATH}/storage-acceptance.data"
# A pod outlives its load by this much at most, should the suite be gone.
SPARE_S = 120
# fio speaks once a second; silence means a connection that is gone.
SILENCE_S = 20
# Below this share of the seconds asked for, fio ended before its time.
COMPLETE_SHARE = 0.8


@dataclass(frozen=True, kw_only=True)
class SegmentPlan:
    """What to run: a job file by name, its jobs, with which size of file (bytes), for how long.

    `runtime_s` is None for a job that ends by itself, within `deadline_s`.
    """

    pod: str
    claim: Claim
    job_file: str
    jobs: Sequence[str]
    test_size: int
    runtime_s: int | None
    deadline_s: int
    node: str | None
    check: Sequence[str] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Segment:
    """What one stretch of load showed."""

    pod: str
    node: str
    image_digest: str | None
    fio_version: str
    started: datetime
    samples: tuple[Sample, ...]


Watch = Callable[[Sequence[Sample]], bool]
"""Sees all samples so far after each new one; True when that is enough."""


def run_segment(workspace: Workspace, plan: SegmentPlan, *, watch: Watch) -> Segment:
    """Run the load to its end, or until `watch` says that it is enough.

    The pod is gone when this returns or raises. Raises StorageFailure with fio's own words when fio failed,
    EnvironmentFailure when the pod could not run for reasons other than the storage.
    """
    pod_plan = _pod_plan(workspace, plan)
    started = datetime.now(UTC)
    outputs: list[FioOutput] = []
    try:
        create_pod(workspace.api, pod_plan)
        wait_started(workspace.api, pod_plan, timeout_s=workspace.timeout_s)
        if _follow(workspace, plan, watch, outputs):
            pod = workspace.api.get(PODS, plan.pod, namespace=plan.claim.namespace)
        else:
            pod = wait_ended(workspace.api, pod_plan, timeout_s=plan.deadline_s + SPARE_S)
            _require_success(plan, pod, outputs[-1])
        return Segment(
            pod=plan.pod,
            node=node_of(pod),
            image_digest=image_digest(pod),
            fio_version=outputs[-1].fio_version,
            started=started,
            samples=tuple(outputs[-1].samples),
        )
    finally:
        if outputs:
            workspace.keep_output(plan.pod, outputs[-1].text)
        end_pod(workspace.api, pod_plan, timeout_s=workspace.timeout_s)


def _pod_plan(workspace: Workspace, plan: SegmentPlan) -> PodPlan:
    fio = ["fio", "--output-format=json+", "--status-interval=1", "--eta=never", f"{FILES_PATH}/{plan.job_file}"]
    environment = {"FILE": TEST_FILE, "SIZE": str(plan.test_size), "RUNTIME": f"{plan.runtime_s or 1}s"} | dict(
        plan.environment
    )
    return PodPlan(
        name=plan.pod,
        claim=plan.claim,
        image=workspace.image,
        command=fio,
        check=plan.check,
        deadline_s=plan.deadline_s + SPARE_S,
        environment=environment,
        files=FILES,
        node=plan.node,
        pull_secret=workspace.pull_secret,
    )


def _follow(workspace: Workspace, plan: SegmentPlan, watch: Watch, outputs: list[FioOutput]) -> bool:
    """Take fio's output as it comes, as the last of `outputs`; True when `watch` found it enough before its end.

    A connection that breaks is taken up again from the start of the log, which holds it all.
    """
    watched = 0

    def read_from_start() -> bool:
        nonlocal watched
        output = FioOutput(jobs=plan.jobs)
        outputs.append(output)
        pieces = workspace.api.follow_log(plan.pod, namespace=plan.claim.namespace, container=MAIN, silence_s=SILENCE_S)
        for piece in pieces:
            output.feed(piece)
            while watched < len(output.samples):
                watched += 1  # one by one, so that no look is passed over when several come at once
                if watch(output.samples[:watched]):
                    del output.samples[watched:]  # what is judged is what the look saw
                    return True
        output.close()
        return False

    return retrying(patience_s=plan.deadline_s + SPARE_S, first_pause_s=0.5)(read_from_start)


def _require_success(plan: SegmentPlan, pod: Object, output: FioOutput) -> None:
    where = f"fio ({plan.job_file}) on storage class {plan.claim.storage_class}, pod {plan.pod}"
    if reason := lost_to_the_cluster(pod):
        raise EnvironmentFailure(f"{where} was ended by the cluster: {reason}")
    if pod["status"].get("phase") != "Succeeded":
        said = f"; {output.error}" if output.error else ""
        raise StorageFailure(f"{where} failed: {output.messages}{said} ({describe_pod(pod)})")
    if output.error:
        raise StorageFailure(f"{where} failed: {output.messages}; {output.error}")
    loaded_s = sum(sample.duration_s for sample in output.samples)
    if plan.runtime_s is not None and loaded_s < COMPLETE_SHARE * plan.runtime_s:
        raise StorageFailure(
            f"{where} ended after {loaded_s:.0f} of {plan.runtime_s} s without saying why: {output.messages}"
        )
