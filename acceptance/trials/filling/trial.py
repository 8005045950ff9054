"""One volume, filled until a write fails, next to another of its class; never more than was claimed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import volume_path
from acceptance.cluster.resources import VOLUMES
from acceptance.results.filling import Aspect, Finding, FullVolumeRecord
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity, format_size, parse_size
from acceptance.trials import Say
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.expansion import ENOUGH, expand
from acceptance.trials.features.printed import wait_printed
from acceptance.trials.filling.pieces import (
    GIVEN_BACK,
    WriteResult,
    lost_in_words,
    read_checksums,
    read_writing,
    wrong_end,
)
from acceptance.trials.filling.space import Space
from acceptance.trials.filling.trim import try_trim

FOLDER = volume_path(0)
MIB = 1024**2
MARGIN = 0.1
"""The share by which a volume may be larger than requested, and up to which it is filled at the most. Providers round
up by less, file systems take some away. Proposed by this project, 2026-11."""
FREE_LEAST = 75
"""The percentage of its file system that a new volume shows as free at least; if it is less, others have written to
it. File systems take less for themselves, except very small ones. Proposed by this project, 2026-11."""
PIECES = 64
"""The approximate number of files that a volume is filled with."""
SLOWEST = 8 * MIB
"""Rate in B/s: a slower volume is too large to be filled by a test, and the test then says so."""
START_S = 120

_LATER: tuple[Aspect, ...] = ("again", "growth", "trim")
"""The aspects that are tried on a volume that survived being full."""

Outcome = tuple[bool, str]
"""True if the volume passed, and the observation in words."""


def filling_s(size: int) -> int:
    """Return how long filling a volume of `size` bytes may take, in s, until it is given up."""
    return START_S + size // SLOWEST


@dataclass(frozen=True, kw_only=True)
class FillingTrial:
    """The filling of a volume on that bench, with volumes of `size` bytes."""

    bench: Bench
    size: int
    say: Say
    space: Space | None = None
    """Of the pool, if a command reports its used bytes."""

    def run(self) -> FullVolumeRecord:
        """Fill a volume, and check what holds.

        Raises Unsupported if the class does not keep volumes to their size, before much is written; StorageFailure if
        volumes cannot be created, or written at all.
        """
        if self.space is not None:
            self.space.begin()
        neighbour = self.bench.claim("neighbour", size=self.size)
        self._tell("data is written to another volume of the class")
        beside = self._write(neighbour, "n", most=2 * self.piece, new=True)
        self._require_its_size(neighbour, beside)
        if not beside.sums:
            raise StorageFailure(
                f"an empty volume of StorageClass {neighbour.storage_class} takes no file of {_bytes(self.piece)}: "
                f"{beside.error}"
            )
        if self.space is not None:
            self.space.with_another(self.piece * len(beside.sums))
        # Not sooner: the space that one almost empty volume takes must be known.
        claim = self.bench.claim("filled", size=self.size)
        self._tell("the volume is filled")
        began_s = time.monotonic()
        fill = self._write(claim, "a", most=self.most, new=True)
        seconds = time.monotonic() - began_s
        self._require_its_size(claim, fill)
        if self.space is not None:
            self.space.when_full(self.piece * len(fill.sums))
        findings = self._findings(claim, fill, neighbour, beside)
        if any(finding.status == "failed" for finding in findings):
            self.bench.fail()
        return FullVolumeRecord(
            storage_class=self.bench.storage_class.name,
            node=self.bench.node or "",
            size=self.size,
            free=fill.free,
            written=self.piece * len(fill.sums),
            seconds=seconds,
            findings=findings,
        )

    @property
    def piece(self) -> int:
        """The bytes of a file: whole MiB."""
        return max(self.size // PIECES // MIB, 1) * MIB

    @property
    def most(self) -> int:
        """The bytes that are written to a volume at the most."""
        return int(self.size * (1 + MARGIN))

    def _findings(self, claim: Claim, fill: WriteResult, neighbour: Claim, beside: WriteResult) -> list[Finding]:
        wrong = wrong_end(fill, piece=self.piece)
        amount = f"{_bytes(self.piece * len(fill.sums))} of the {_bytes(fill.free)} that it showed as free"
        findings = [
            self._finding("error", lambda: (wrong is None, wrong or f"the volume took {amount}, then: {fill.error}")),
            self._finding("kept", lambda: self._check_files(claim, fill.sums)),
            self._finding("others", lambda: self._check_neighbour(neighbour, beside)),
        ]
        if any(finding.status == "failed" for finding in findings):
            how = "not tried, because the volume failed when it was full"
            return [*findings, *(Finding(aspect=aspect, status="not_tried", how=how) for aspect in _LATER)]
        sums = dict(fill.sums)
        findings.append(self._finding("again", lambda: self._again(claim, sums)))
        if self.bench.storage_class.allow_expansion:
            findings.append(self._finding("growth", lambda: self._growth(claim, sums, capacity=fill.capacity)))
        else:
            how = f"StorageClass {claim.storage_class} does not allow expansion (allowVolumeExpansion is not true)"
            findings.append(Finding(aspect="growth", status="not_tried", how=how))
        return [*findings, self._trim(claim)]

    def _finding(self, aspect: Aspect, look: Callable[[], Outcome]) -> Finding:
        try:
            ok, how = look()
        except StorageFailure as error:
            ok, how = False, str(error)
        return Finding(aspect=aspect, status="held" if ok else "failed", how=how)

    def _check_files(self, claim: Claim, sums: Mapping[str, str]) -> Outcome:
        self._tell("the files on the volume are read again")
        loss = lost_in_words(sums, self._checksums(claim), piece=self.piece)
        return loss is None, loss or f"a new pod found all {len(sums)} files as they were written"

    def _check_neighbour(self, neighbour: Claim, beside: WriteResult) -> Outcome:
        """Check that another volume still has its data, and takes more."""
        self._tell("the other volume is read and written")
        if loss := lost_in_words(beside.sums, self._checksums(neighbour), piece=self.piece):
            return False, f"on another volume of the class, {loss}"
        more = self._write(neighbour, "m", most=self.piece)
        if not more.sums:
            return False, f"another volume of the class, which is almost empty, accepts no more writes: {more.error}"
        return True, "another volume of the class kept its data and accepted more"

    def _again(self, claim: Claim, sums: dict[str, str]) -> Outcome:
        """Delete half of the files, and write others; `sums` then holds all files that must be there."""
        self._tell("half of the files are deleted, and others are written")
        deleted_names = list(sums)[: len(sums) // 2]
        for name in deleted_names:
            del sums[name]
        again = self._write(claim, "b", most=self.most - self.piece * len(sums), remove=deleted_names)
        sums |= again.sums
        took = f"{_bytes(self.piece * len(again.sums))} after {_bytes(self.piece * len(deleted_names))} were deleted"
        if len(again.sums) < GIVEN_BACK * len(deleted_names):
            return False, f"the volume took only {took}: {again.error}"
        ok, how = self._check_files(claim, sums)
        return ok, f"the volume took {took}" if ok else how

    def _growth(self, claim: Claim, sums: Mapping[str, str], *, capacity: int) -> Outcome:
        """Expand the volume under a pod, which then writes more."""
        self._tell("the volume is expanded")
        bench, size = self.bench, 2 * self.size
        # The pod waits from now on, for the PVC to be expanded, and as long for its file system.
        within_s = 2 * int(bench.timeout_s)
        pod = bench.start(
            claim,
            _script("grow.sh"),
            WANTED=str(capacity + int(ENOUGH * (size - self.size))),
            SECONDS_LEFT=str(within_s),
            PREFIX="c",
            FOLDER=FOLDER,
            PIECE=str(self.piece),
        )
        expand(bench, claim, size=size)
        event = "a pod to see the full volume grow, and to write more"
        wait_printed(bench, pod, "tried", goal=event, timeout_s=within_s + bench.timeout_s)
        growth = read_writing(bench.output_of(pod))
        bench.end(pod)
        about = f"the PVC was expanded to {_bytes(size)}, and the volume shows {_bytes(growth.capacity)}"
        if growth.stop == "small":
            return False, f"{about}; it showed {_bytes(capacity)} before"
        if not growth.sums:
            return False, f"{about}, but accepts no writes: {growth.error}"
        ok, how = self._check_files(claim, {**sums, **growth.sums})
        success = f"the volume grew from {_bytes(capacity)} to {_bytes(growth.capacity)} under a pod, and accepted more"
        return ok, success if ok else how

    def _trim(self, claim: Claim) -> Finding:
        self._tell("all files are deleted and trimmed")
        try:
            return try_trim(self.bench, claim, self.space, script=_script("trim.sh"), FOLDER=FOLDER)
        except StorageFailure as error:
            return Finding(aspect="trim", status="failed", how=str(error))

    def _write(
        self, claim: Claim, prefix: str, *, most: int, new: bool = False, remove: list[str] | None = None
    ) -> WriteResult:
        """Return what a pod could write, `most` bytes at the most; `new`: nothing was written to the volume before."""
        seconds = filling_s(self.size)
        outcome = self.bench.one_shot_pod(
            claim,
            _script("fill.sh"),
            PREFIX=prefix,
            MOST=str(most),
            SHOWN_MOST=str(self.most),
            SECONDS_LEFT=str(seconds),
            FREE_LEAST=str(FREE_LEAST if new else 0),
            REMOVE=" ".join(remove or ()),
            FOLDER=FOLDER,
            PIECE=str(self.piece),
        )
        return read_writing(outcome.output)

    def _checksums(self, claim: Claim) -> dict[str, str]:
        """Return the checksums of what a new pod reads."""
        outcome = self.bench.one_shot_pod(claim, _script("verify.sh"), FOLDER=FOLDER)
        return read_checksums(outcome.output)

    def _require_its_size(self, claim: Claim, result: WriteResult) -> None:
        """Raise Unsupported if filling the volume would not end at its requested size: the disk of others must not be
        filled."""
        name, size = claim.storage_class, _bytes(self.size)
        spec = self.bench.api.get(VOLUMES, self.bench.volume_of(claim))["spec"]
        if (capacity := parse_size(spec["capacity"]["storage"])) > self.most:
            raise self.bench.missing(
                f"StorageClass {name} creates volumes of {_bytes(capacity)} for requests of {size}; to fill one, "
                f"request its full size: --storage-volume-size={format_size(capacity)}"
            )
        if result.stop in ("shows-more", "used") or "hostPath" in spec:
            raise self.bench.missing(
                f"StorageClass {name} does not enforce volume sizes: a volume of {size} shows its pods "
                f"{_bytes(result.capacity)}, {_bytes(result.free)} of it free, so they can fill space that others "
                "share; the test did not fill the volume"
            )
        if result.stop == "late":
            raise self.bench.not_tried(
                f"in {filling_s(self.size)} s only {_bytes(self.piece * len(result.sums))} could be written to a "
                f"volume of StorageClass {name}; request smaller volumes with --storage-volume-size"
            )
        if result.stop == "bound" and len(result.sums) * self.piece > self.size:
            raise self.bench.missing(
                f"StorageClass {name} does not enforce volume sizes: a volume of {size} took "
                f"{_bytes(self.piece * len(result.sums))} and was not full; the test then stopped"
            )

    def _tell(self, text: str) -> None:
        self.say(f"full volume on {self.bench.storage_class.name}: {text}")


def _script(name: str) -> str:
    """Return one of this package's scripts, with the functions that it uses."""
    folder = files("acceptance.trials.filling")
    return "".join(folder.joinpath(part).read_text(encoding="utf-8") for part in ("pieces.sh", name))


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")
