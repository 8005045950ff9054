"""One volume that gets very many files, beside an empty one of its class; pods start on both in turn."""

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
"""for one operation on all files; what is not done then is left, and its rate is known all the same"""
REPEATS = 3
"""starts of each kind that is compared with those on an empty volume"""
_GROUPS = 'ls -ldn "$VOLUME"; for last in "$VOLUME"/d*; do :; done; [ ! -d "$last" ] || ls -ln "$last" | tail -n 1'
OTHERS: tuple[tuple[StartKind, int, GroupPolicy], ...] = (
    ("other-group", FIRST, "OnRootMismatch"),
    ("other-group-always", SECOND, "Always"),
)


def longest_pod_s(timeout_s: float) -> int:
    """How long a pod may run: two operations, and what is asked for beside them."""
    return 2 * OPERATION_S + int(timeout_s)


@dataclass(kw_only=True)
class ManyFilesTrial:
    """`files`: how many there are to be; `size`: bytes of each volume."""

    bench: Bench
    files: int
    size: int
    say: Say
    _rates: list[FileRate] = field(default_factory=list)
    _starts: list[StartRecord] = field(default_factory=list)
    _made: int = 0
    _folders: int = 0
    _given: int | None = None

    def run(self, *, role: Literal["candidate", "baseline"] = "candidate") -> ManyFilesRecord:
        """All of it; of a baseline the operations alone.

        Raises Unsupported where the volume takes no such number of files, StorageFailure where it loses some, or no pod
        can use it.
        """
        full = self.bench.claim(f"full-{role}", size=self.size)
        self._make(full)
        no_group = ""
        if role == "candidate":
            no_group = self._start_all(full)
        else:
            self._run(full, "look")
        if not any(start.seconds is None for start in self._starts):
            self._tell(f"{self._made:,} files are deleted")
            self._run(full, "delete", fs_group=self._given)
        return ManyFilesRecord(
            storage_class=self.bench.storage_class.name,
            role=role,
            node=self.bench.node or "",
            asked=self.files,
            files=self._made,
            rates=self._rates,
            starts=self._starts,
            no_group=no_group,
            timeout_s=self.bench.timeout_s,
            confidence=CONFIDENCE,
        )

    def _make(self, full: Claim) -> None:
        self._tell(f"{self.files:,} files are made")
        self._folders = min(FOLDERS, self.files)
        try:
            self._run(full, "make")
        except NoRoom as error:
            raise self.bench.not_tried(
                f"a volume of {format_size(self.size)} of StorageClass {full.storage_class} takes no {self.files:,} "
                f"empty files ({error}); ask for larger ones with --storage-volume-size"
            ) from None
        made = self._rates[0]
        self._made, self._folders = made.files, len(made.counts)

    def _start_all(self, full: Claim) -> str:
        """Time the starts; why none with another group is among them, or nothing."""
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
                    return "a pod before it did not start"
        self.bench.stay_on(home)
        if self.bench.workspace.pods.user is None:
            return "the cluster gives pods their groups here, and lets none ask for another"
        if why := why_no_group(self.bench, full):
            return why
        for kind, group, policy in OTHERS:
            for claim in (empty, full):
                self._tell(f"a pod with another fsGroup ({policy}) starts on {self._words(claim, full)}")
                self._start(kind, claim, full, fs_group=group, policy=policy)
                if self._starts[-1].seconds is None:
                    return ""
        return ""

    def _nodes(self, *claims: Claim) -> list[str]:
        """Where pods on both volumes can run, that of the first pod first, one other at the most."""
        usable = [
            nodes_for_volume(self.bench.api, self.bench.volume_of(claim), self.bench.workspace.pods.template)
            for claim in claims
        ]
        others = [each for each in usable[0] if each in usable[1] and each != self.bench.node]
        return [self.bench.node or "", *others[:1]]

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
        """One pod, timed until it has started; it then looks at the files, or whose they are."""
        files = self._made if claim is full else 0
        try:
            if look:
                done = self._run(claim, "look")
            else:
                done = self.bench.one_shot_pod(claim, _GROUPS, fs_group=fs_group, group_policy=policy)
        except NotStarted as error:
            found = StartRecord(kind=kind, files=files, node=self.bench.node or "", seconds=None, why=str(error))
            self._starts.append(found)
            return
        self._starts.append(StartRecord(kind=kind, files=files, node=done.node, seconds=done.start_s))
        if fs_group is not None:
            self._given = fs_group
            self._require_group(claim, fs_group, done.output)

    def _require_group(self, claim: Claim, group: int, output: str) -> None:
        """Whoever gives nothing to the group is quick."""
        groups = groups_in(output)
        if not groups or any(each != group for each in groups):
            found = " and ".join(map(str, groups)) or output.strip()[-200:]
            raise StorageFailure(
                f"a pod with fsGroup {group} started on a volume of StorageClass {claim.storage_class}, whose root and "
                f"a file are of group {found}; without the group pods that do not run as root cannot write"
            )

    def _run(self, claim: Claim, role: Role, *, fs_group: int | None = None) -> OneShotPod:
        """A pod that does its part on all files; what it did is kept."""
        done = self.bench.one_shot_pod(
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
        said = words_said(done.output, image=self.bench.workspace.image)
        require_over(said, storage_class=claim.storage_class, printed=done.output)
        self._rates += rates_of(said, confidence=CONFIDENCE)
        return done

    def _words(self, claim: Claim, full: Claim) -> str:
        return f"{self._made:,} files" if claim is full else "an empty volume"

    def _tell(self, text: str) -> None:
        self.say(f"many files on {self.bench.storage_class.name}: {text}")
