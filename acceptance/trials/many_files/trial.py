"""One volume that gets very many files, and an empty one of its class; pods start on both in turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.one_shot_pod import NotStarted, OneShotPod
from acceptance.cluster.pod_manifest import GroupPolicy
from acceptance.judging.many_files import CONFIDENCE
from acceptance.results.many_files import FileRate, ManyFilesRecord, StartKind, StartRecord
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_size
from acceptance.trials import Say
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.ownership import FIRST, SECOND, groups_in, why_no_group
from acceptance.trials.lua_program import RUN, program_of, words_said
from acceptance.trials.many_files.program import FOLDERS, NoRoom, rates_of, require_over

Role = Literal["make", "look", "delete"]
OPERATION_S = 1200
"""The time in s for one operation on all files; the rest is then left undone, and the rate is known all the same."""
REPEATS = 3
"""Starts of each kind, which are compared with starts on an empty volume."""
_GROUPS = 'ls -ldn "$VOLUME"; for last in "$VOLUME"/d*; do :; done; [ ! -d "$last" ] || ls -ln "$last" | tail -n 1'
OTHER_GROUPS: tuple[tuple[StartKind, int, GroupPolicy], ...] = (
    ("other-group", FIRST, "OnRootMismatch"),
    ("other-group-always", SECOND, "Always"),
)


def longest_pod_s(timeout_s: float) -> int:
    """Return how long a pod may run, in s: two operations, and its other tasks."""
    return 2 * OPERATION_S + int(timeout_s)


@dataclass(kw_only=True)
class ManyFilesTrial:
    """A trial of a volume with many files. `files`: how many it creates; `size`: bytes of each volume."""

    bench: Bench
    files: int
    size: int
    say: Say
    _rates: list[FileRate] = field(default_factory=list)
    _starts: list[StartRecord] = field(default_factory=list)
    _file_count: int = 0
    _folders: int = 0
    _current_group: int | None = None

    def run(self, *, role: Literal["candidate", "baseline"] = "candidate") -> ManyFilesRecord:
        """Run the whole trial; on a baseline only the operations.

        Raises Unsupported if the volume does not take that number of files, StorageFailure if it loses some, or if no
        pod can use it.
        """
        full = self.bench.claim(f"full-{role}", size=self.size)
        self._make(full)
        no_group = ""
        if role == "candidate":
            no_group = self._start_all(full)
        else:
            self._run(full, "look")
        if not any(start.seconds is None for start in self._starts):
            self._tell(f"deleting {self._file_count:,} files")
            self._run(full, "delete", fs_group=self._current_group)
        return ManyFilesRecord(
            storage_class=self.bench.storage_class.name,
            role=role,
            node=self.bench.node or "",
            asked=self.files,
            files=self._file_count,
            rates=self._rates,
            starts=self._starts,
            no_group=no_group,
            timeout_s=self.bench.timeout_s,
            confidence=CONFIDENCE,
        )

    def _make(self, full: Claim) -> None:
        self._tell(f"creating {self.files:,} files")
        self._folders = min(FOLDERS, self.files)
        try:
            self._run(full, "make")
        except NoRoom as error:
            raise self.bench.not_tried(
                f"a volume of {format_size(self.size)} of StorageClass {full.storage_class} has no room for "
                f"{self.files:,} empty files ({error}); request larger volumes with --storage-volume-size"
            ) from None
        rate = self._rates[0]
        self._file_count, self._folders = rate.files, len(rate.counts)

    def _start_all(self, full: Claim) -> str:
        """Time the starts; return why none with another group is among them, or an empty string."""
        empty = self.bench.claim("empty", size=self.size)
        self.bench.run(empty, "true")
        home = self.bench.node or ""
        nodes = self._nodes(full, empty)
        for number in range(REPEATS):
            self.bench.stay_on(nodes[(number + 1) % len(nodes)])
            for claim in (empty, full) if number % 2 else (full, empty):
                first = claim is full and number == 0
                self._tell(f"pod {number + 1} of {REPEATS} starts on {self._words(claim, full)}")
                self._start("same-group", claim, full, look=first)
                if self._starts[-1].seconds is None:
                    return "an earlier pod did not start"
        self.bench.stay_on(home)
        if self.bench.workspace.pods.user is None:
            return "the cluster assigns the groups of pods, and no pod may request another"
        if why := why_no_group(self.bench, full):
            return why
        for kind, group, policy in OTHER_GROUPS:
            for claim in (empty, full):
                self._tell(f"a pod with another fsGroup ({policy}) starts on {self._words(claim, full)}")
                self._start(kind, claim, full, fs_group=group, policy=policy)
                if self._starts[-1].seconds is None:
                    return ""
        return ""

    def _nodes(self, *claims: Claim) -> list[str]:
        """Return the nodes where pods on both volumes can run: that of the first pod, and at most one more."""
        usable = [
            nodes_for_volume(self.bench.api, self.bench.volume_of(claim), self.bench.workspace.pods.template)
            for claim in claims
        ]
        further_nodes = [node for node in usable[0] if node in usable[1] and node != self.bench.node]
        return [self.bench.node or "", *further_nodes[:1]]

    def _start(
        self,
        kind: StartKind,
        claim: Claim,
        full: Claim,
        *,
        look: bool = False,
        fs_group: int | None = None,
        policy: GroupPolicy = "OnRootMismatch",
    ) -> None:
        """Time a pod until it has started; it then looks at the files, or at their owners."""
        files = self._file_count if claim is full else 0
        try:
            if look:
                pod = self._run(claim, "look")
            else:
                pod = self.bench.one_shot_pod(claim, _GROUPS, fs_group=fs_group, group_policy=policy)
        except NotStarted as error:
            record = StartRecord(kind=kind, files=files, node=self.bench.node or "", seconds=None, why=str(error))
            self._starts.append(record)
            return
        self._starts.append(StartRecord(kind=kind, files=files, node=pod.node, seconds=pod.start_s))
        if fs_group is not None:
            self._current_group = fs_group
            self._require_group(claim, fs_group, pod.output)

    def _require_group(self, claim: Claim, group: int, output: str) -> None:
        """Raise StorageFailure if the files lack the group: a start that does not change them is fast, but wrong."""
        groups = groups_in(output)
        if not groups or any(file_group != group for file_group in groups):
            observation = " and ".join(map(str, groups)) or output.strip()[-200:]
            raise StorageFailure(
                f"a pod with fsGroup {group} started on a volume of StorageClass {claim.storage_class}; expected its "
                f"root and a file to belong to group {group}, found {observation}; without the group, pods that do not "
                "run as root cannot write"
            )

    def _run(self, claim: Claim, role: Role, *, fs_group: int | None = None) -> OneShotPod:
        """Run a pod that does its part on all files, and keep the rates of its operations."""
        pod = self.bench.one_shot_pod(
            claim,
            RUN,
            fs_group=fs_group,
            PROGRAM=program_of("acceptance.trials.many_files", "files.lua"),
            ROLE=role,
            FILES=str(self.files),
            FOLDERS=str(min(FOLDERS, self.files)),
            LAST=str(self._folders),
            SECONDS_LEFT=str(OPERATION_S),
        )
        lines = words_said(pod.output, image=self.bench.workspace.image)
        require_over(lines, storage_class=claim.storage_class, output=pod.output)
        self._rates += rates_of(lines, confidence=CONFIDENCE)
        return pod

    def _words(self, claim: Claim, full: Claim) -> str:
        return f"{self._file_count:,} files" if claim is full else "an empty volume"

    def _tell(self, text: str) -> None:
        self.say(f"many files on {self.bench.storage_class.name}: {text}")
