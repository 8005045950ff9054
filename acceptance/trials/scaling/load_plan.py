"""The parts of the load pods of a scale run: their set, their script, and the files that they read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from acceptance.cluster.objects import set_name
from acceptance.cluster.pod_manifest import FILES_PATH, PodPlan, volume_path
from acceptance.cluster.stateful_sets import SetPlan, StartBarrier
from acceptance.cluster.workspace import Workspace
from acceptance.loads.fio.rate_limit import job_file, limited_job
from acceptance.loads.profiles import Profile
from acceptance.measuring.prefill import PREFILL_FILE, SLOWEST_B_PER_S, TEST_FILE, prefill_text
from acceptance.measuring.space_check import SHARED_DISK, SPARED_PERCENT, check_environment, check_script
from acceptance.results.metrics import Metric

STEP = "storage-acceptance/step"
"""The annotation of a pod that opens its start barrier."""
BARRIER_PATH = "/start-barrier/step"
# A load that gets no new step for this long, while no pod writes files, is an orphan, and loads no more.
IDLE_S = 900


@dataclass(frozen=True, kw_only=True)
class LoadPlan:
    """A set of load pods on one class. Sizes in bytes; `most_pods`: the number of pods at the most.

    `rate_metrics`: the metrics, by profile, of profiles that are also run at a set rate. `nodes`: the only ones to use.
    `others_s`: how long a pod may wait while others are loaded.
    """

    name: str
    storage_class: str
    volume_size: int
    test_size: int
    most_pods: int
    profiles: Sequence[Profile]
    rate_metrics: Mapping[str, Metric]
    nodes: Sequence[str] = ()
    others_s: float = 0.0

    @property
    def set_name(self) -> str:
        """The name of the set, unique in the run."""
        return set_name(self.name, self.storage_class)

    @property
    def idle_s(self) -> int:
        """The time in s that a pod waits for its next step: others may write all their files meanwhile, and be
        loaded."""
        return math.ceil(IDLE_S + self.most_pods * self.test_size // SLOWEST_B_PER_S + self.others_s)

    def files(self) -> dict[str, str]:
        """Return the files that the pods read, by name: the prefill job, each profile, each profile at a set rate."""
        texts = {PREFILL_FILE: prefill_text()} | {job_file(profile): profile.text for profile in self.profiles}
        for profile in self.profiles:
            if profile.name in self.rate_metrics:
                texts[job_file(profile, is_limited=True)] = limited_job(profile, metric=self.rate_metrics[profile.name])
        return texts

    def set_plan(self, workspace: Workspace) -> SetPlan:
        """Return the set as the cluster is to create it."""
        claim = workspace.claim("like", storage_class=self.storage_class, size=self.volume_size)
        pod = PodPlan(
            name=self.set_name,
            claims=(claim,),
            image=workspace.image,
            command=["sh", "-c", self._script(), "load"],
            deadline_s=0,
            environment={
                "FILE": f"{volume_path(0)}/{TEST_FILE}",
                "FILES": FILES_PATH,
                "START_BARRIER": BARRIER_PATH,
                "IDLE_S": str(self.idle_s),
                "PODS": str(self.most_pods),
                "SIZE": str(self.test_size),
                "VOLUME": volume_path(0),
                **check_environment(self.profiles, folder=FILES_PATH),
            },
            files=self.set_name,
            defaults=workspace.pods,
        )
        barrier = StartBarrier(annotation=STEP, path=BARRIER_PATH)
        return SetPlan(name=self.set_name, pod=pod, start_barrier=barrier, nodes=self.nodes)

    def _script(self) -> str:
        """Return `load.sh`, with the check that precedes all writes."""
        # The space that the files of all pods need together is checked in the script itself.
        check = check_script(self.profiles, space=self.test_size, together=1, claim_size=self.volume_size)
        script = files("acceptance.trials.scaling").joinpath("load.sh").read_text(encoding="utf-8")
        for name, value in (
            ("#CHECK#", check),
            ("@CLAIM_KIB@", self.volume_size // 1024),
            ("@TEST_KIB@", self.test_size // 1024),
            ("@SPARED_PERCENT@", SPARED_PERCENT),
            ("@SHARED@", SHARED_DISK),
        ):
            script = script.replace(name, str(value))
        return script
