"""One volume, filled until a write fails, beside another of its class; never more than was claimed."""

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
    Written,
    lost_in_words,
    read_verified,
    read_writing,
    wrong_end,
)
from acceptance.trials.filling.space import Space
from acceptance.trials.filling.trim import try_trim

FOLDER = volume_path(0)
MIB = 1024**2
MARGIN = 0.1
"""So much more than was asked for a volume may have, and is filled with at the most. Providers round up by less, file
systems take some away. Proposed by this project, 2026-11."""
FREE_LEAST = 75
"""percent of its file system that a new volume shows as free; where less is, others have written to it. File systems
take less for themselves, but for very small ones. Proposed by this project, 2026-11."""
PIECES = 64
"""files that a volume is filled with, about"""
SLOWEST = 8 * MIB
"""B/s: a volume that takes less is too large to be filled by a test, which then says so"""
START_S = 120

_LATER: tuple[Aspect, ...] = ("again", "growth", "trim")
"""what is tried of a volume that stood being full"""

Seen = tuple[bool, str]
"""Whether it held, and what was seen."""


def filling_s(size: int) -> int:
    """How long filling a volume of `size` bytes may take, in s, until it is given up."""
    return START_S + size // SLOWEST


@dataclass(frozen=True, kw_only=True)
class FillingTrial:
    """On that bench, with volumes of `size` bytes."""

    bench: Bench
    size: int
    say: Say
    space: Space | None = None
    """of the pool, where something tells how much of it is used"""

    def run(self) -> FullVolumeRecord:
        """Fill, and see what holds. Raises Unsupported where the class does not keep volumes to their size, before much
        is written; StorageFailure where volumes cannot be had, or written at all."""
        if self.space is not None:
            self.space.begin()
        neighbour = self.bench.claim("neighbour", size=self.size)
        self._tell("another volume of the class gets data")
        beside = self._write(neighbour, "n", most=2 * self.piece, new=True)
        self._require_its_size(neighbour, beside)
        if not beside.sums:
            raise StorageFailure(
                f"an empty volume of StorageClass {neighbour.storage_class} takes no file of {_bytes(self.piece)}: "
                f"{beside.said}"
            )
        if self.space is not None:
            self.space.with_another(self.piece * len(beside.sums))
        # Not sooner: what one almost empty volume takes is to be known.
        claim = self.bench.claim("filled", size=self.size)
        self._tell("it is filled")
        began_s = time.monotonic()
        filled = self._write(claim, "a", most=self.most, new=True)
        seconds = time.monotonic() - began_s
        self._require_its_size(claim, filled)
        if self.space is not None:
            self.space.when_full(self.piece * len(filled.sums))
        findings = self._findings(claim, filled, neighbour, beside)
        if any(finding.status == "failed" for finding in findings):
            self.bench.fail()
        return FullVolumeRecord(
            storage_class=self.bench.storage_class.name,
            node=self.bench.node or "",
            size=self.size,
            free=filled.free,
            written=self.piece * len(filled.sums),
            seconds=seconds,
            findings=findings,
        )

    @property
    def piece(self) -> int:
        """Bytes of a file: whole MiB."""
        return max(self.size // PIECES // MIB, 1) * MIB

    @property
    def most(self) -> int:
        """Bytes that are written to a volume at the most."""
        return int(self.size * (1 + MARGIN))

    def _findings(self, claim: Claim, filled: Written, neighbour: Claim, beside: Written) -> list[Finding]:
        wrong = wrong_end(filled, piece=self.piece)
        taken = f"{_bytes(self.piece * len(filled.sums))} of the {_bytes(filled.free)} that it showed as free"
        found = [
            self._finding("error", lambda: (wrong is None, wrong or f"it took {taken}, and then: {filled.said}")),
            self._finding("kept", lambda: self._kept(claim, filled.sums)),
            self._finding("others", lambda: self._unharmed(neighbour, beside)),
        ]
        if any(each.status == "failed" for each in found):
            how = "not tried, since the volume failed when it was full"
            return [*found, *(Finding(aspect=each, status="not_tried", how=how) for each in _LATER)]
        sums = dict(filled.sums)
        found.append(self._finding("again", lambda: self._again(claim, sums)))
        if self.bench.storage_class.allow_expansion:
            found.append(self._finding("growth", lambda: self._growth(claim, sums, shown=filled.shown)))
        else:
            how = f"StorageClass {claim.storage_class} does not allow it (allowVolumeExpansion is not true)"
            found.append(Finding(aspect="growth", status="not_tried", how=how))
        return [*found, self._trim(claim)]

    def _finding(self, aspect: Aspect, look: Callable[[], Seen]) -> Finding:
        try:
            held, how = look()
        except StorageFailure as error:
            held, how = False, str(error)
        return Finding(aspect=aspect, status="held" if held else "failed", how=how)

    def _kept(self, claim: Claim, sums: Mapping[str, str]) -> Seen:
        self._tell("what is on it is read again")
        lost = lost_in_words(sums, self._verified(claim), piece=self.piece)
        return lost is None, lost or f"a new pod found all {len(sums)} files as they were written"

    def _unharmed(self, neighbour: Claim, beside: Written) -> Seen:
        """Another volume has its data still, and takes more."""
        self._tell("the other volume is read and written")
        if lost := lost_in_words(beside.sums, self._verified(neighbour), piece=self.piece):
            return False, f"on another volume of the class, {lost}"
        more = self._write(neighbour, "m", most=self.piece)
        if not more.sums:
            return False, f"another volume of the class, which is almost empty, takes no writes any more: {more.said}"
        return True, "another volume of the class had its data, and took more"

    def _again(self, claim: Claim, sums: dict[str, str]) -> Seen:
        """Half of the files go, and others come; `sums` is then of all that must be there."""
        self._tell("half of the files are deleted, and others written")
        gone = list(sums)[: len(sums) // 2]
        for name in gone:
            del sums[name]
        again = self._write(claim, "b", most=self.most - self.piece * len(sums), remove=gone)
        sums |= again.sums
        took = f"{_bytes(self.piece * len(again.sums))} after {_bytes(self.piece * len(gone))} were deleted"
        if len(again.sums) < GIVEN_BACK * len(gone):
            return False, f"it took only {took}: {again.said}"
        held, how = self._kept(claim, sums)
        return held, f"it took {took}" if held else how

    def _growth(self, claim: Claim, sums: Mapping[str, str], *, shown: int) -> Seen:
        """It is expanded under a pod, which then writes more."""
        self._tell("it is expanded")
        bench, size = self.bench, 2 * self.size
        # The pod waits from now on, for the PVC to be expanded, and as long for its file system.
        within_s = 2 * int(bench.timeout_s)
        pod = bench.start(
            claim,
            _script("grow.sh"),
            WANTED=str(shown + int(ENOUGH * (size - self.size))),
            SECONDS_LEFT=str(within_s),
            PREFIX="c",
            FOLDER=FOLDER,
            PIECE=str(self.piece),
        )
        expand(bench, claim, size=size)
        what = "a pod to see the full volume grow, and to write more"
        wait_printed(bench, pod, "tried", what=what, timeout_s=within_s + bench.timeout_s)
        grown = read_writing(bench.output_of(pod))
        bench.end(pod)
        about = f"its PVC was expanded to {_bytes(size)}, and the volume shows {_bytes(grown.shown)}"
        if grown.stop == "small":
            return False, f"{about}, as it showed {_bytes(shown)} before"
        if not grown.sums:
            return False, f"{about}, but takes no writes: {grown.said}"
        held, how = self._kept(claim, {**sums, **grown.sums})
        return (
            held,
            f"it grew from {_bytes(shown)} to {_bytes(grown.shown)} under a pod, and took more" if held else how,
        )

    def _trim(self, claim: Claim) -> Finding:
        self._tell("all of its files are deleted, and trimmed")
        try:
            return try_trim(self.bench, claim, self.space, script=_script("trim.sh"), FOLDER=FOLDER)
        except StorageFailure as error:
            return Finding(aspect="trim", status="failed", how=str(error))

    def _write(
        self, claim: Claim, prefix: str, *, most: int, new: bool = False, remove: list[str] | None = None
    ) -> Written:
        """What a pod could write, `most` bytes at the most; `new`: nobody has written to the volume before."""
        seconds = filling_s(self.size)
        done = self.bench.one_shot_pod(
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
        return read_writing(done.output)

    def _verified(self, claim: Claim) -> dict[str, str]:
        """The checksums of what a new pod reads."""
        done = self.bench.one_shot_pod(claim, _script("verify.sh"), FOLDER=FOLDER)
        return read_verified(done.output)

    def _require_its_size(self, claim: Claim, written: Written) -> None:
        """Raises Unsupported where filling it would not end with what was asked for: nobody's disk is to be filled."""
        name, asked = claim.storage_class, _bytes(self.size)
        spec = self.bench.api.get(VOLUMES, self.bench.volume_of(claim))["spec"]
        if (capacity := parse_size(spec["capacity"]["storage"])) > self.most:
            raise self.bench.missing(
                f"StorageClass {name}, asked for {asked}, gives volumes of {_bytes(capacity)}; to fill one, ask for as "
                f"much: --storage-volume-size={format_size(capacity)}"
            )
        if written.stop in ("shows-more", "used") or "hostPath" in spec:
            raise self.bench.missing(
                f"StorageClass {name} does not enforce its size: a volume of {asked} shows {_bytes(written.shown)}, "
                f"{_bytes(written.free)} of them free, to its pods, so that they can fill what it shares with others; "
                "the test has not filled it"
            )
        if written.stop == "late":
            raise self.bench.not_tried(
                f"in {filling_s(self.size)} s only {_bytes(self.piece * len(written.sums))} could be written to a "
                f"volume of StorageClass {name}; ask for smaller ones with --storage-volume-size"
            )
        if written.stop == "bound" and len(written.sums) * self.piece > self.size:
            raise self.bench.missing(
                f"StorageClass {name} does not enforce its size: a volume of {asked} took "
                f"{_bytes(self.piece * len(written.sums))} and was not full; the test then stopped"
            )

    def _tell(self, text: str) -> None:
        self.say(f"full volume on {self.bench.storage_class.name}: {text}")


def _script(name: str) -> str:
    """One of this package's scripts, with the functions that it uses."""
    folder = files("acceptance.trials.filling")
    return "".join(folder.joinpath(each).read_text(encoding="utf-8") for each in ("pieces.sh", name))


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")
