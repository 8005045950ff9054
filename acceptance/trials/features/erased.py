"""New volumes after another volume was deleted: they must not show what that one held.

Storage that gives the blocks of a deleted volume to a new one without erasing them, or that mounts the file system that
it finds there, shows the data of one tenant to the next (topolvm/topolvm#1150, openebs/lvm-localpv#80). The suite
searches new volumes for its own mark only, and reports nothing else of what they hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.cluster.claims import Claim
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.deletions import delete_with_volume

NEW_VOLUMES = 3
FILES, FILE_BYTES = 4, 64 * 1024**2
_MARKED_BYTES = 4096  # of which each part begins with a mark
_CHUNK = 256  # such parts are written together
_LEAST_WRITTEN = 0.9  # of the requested size

# The status of `cat` is reliable; that of a shell's own output is not.
_FILL = f"""
part=$(printf '%-{_MARKED_BYTES - 1}s.' "$MARK")
chunk= number=0
while [ $number -lt {_CHUNK} ]; do chunk=$chunk$part number=$((number + 1)); done
fill() {{ while printf %s "$chunk" | cat; do :; done 2> /dev/null; }}
"""
# Words of hexadecimal digits become lines, so that no other content makes a line as long as the volume.
_COUNT = """
count() {
    marks=$({ { cat "$@" || echo unreadable >&3; } | tr -cs 0-9a-f '\\n' | grep -cF "$MARK"; } 3>&1)
    echo "$1 holds $marks marks"
}
"""
FILL_BLOCKS = f'{_FILL}fill > "$VOLUME"; sync "$VOLUME"'
"""It ends at the end of the device."""
COUNT_BLOCKS = f'{_COUNT}count "$VOLUME"'
FILL_FILES = f"""{_FILL}
for number in $(seq {FILES}); do
    fill | head -c "$BYTES" > "$VOLUME/marked-$number" && sync "$VOLUME/marked-$number" || exit
done
"""
COUNT_FILES = f'{_COUNT}cd "$VOLUME" && count marked-*'
# Hidden entries are the file system's.
SEARCH_FILES = f"""{_COUNT}
cd "$VOLUME" || exit
echo "$(ls | grep -vcxF lost+found) entries"
count /dev/null
for file in marked-*; do [ ! -e "$file" ] || count "$file"; done
"""
"""It writes nothing, as `COUNT_BLOCKS`: the volume may yet turn out not to be the run's."""
SEARCH_SPACE = f"""{_COUNT}
cd "$VOLUME" || exit
fallocate -l "$BYTES" allocated 2> /dev/null || : > allocated
dd if=/dev/null of=skipped bs=1 seek="$BYTES" 2> /dev/null
count allocated skipped
"""
"""Space that was allocated, or skipped, but never written must read as zeros."""


@Tries(
    "erased-blocks",
    "New raw block volumes hold no data of a deleted one",
    (VolumeUse(number=NEW_VOLUMES, total=1 + NEW_VOLUMES),),
    pods=2 + NEW_VOLUMES,
    of_devices=True,
    recreations=1,
    copied_bytes=(2 + NEW_VOLUMES) * SIZE,
)
@Tries(
    "erased-files",
    "New volumes are empty after another one was deleted",
    (VolumeUse(number=NEW_VOLUMES, total=1 + NEW_VOLUMES),),
    pods=2 + 2 * NEW_VOLUMES,
    recreations=1,
    copied_bytes=2 * FILES * FILE_BYTES,
    arguments={"block": False},
)
def try_erased(bench: Bench, *, block: bool = True) -> str:
    """Verify that new volumes show nothing of a deleted one, and return what was observed.

    Raises Unsupported if the class has no raw block volumes, StorageFailure if a new volume shows the mark that was
    written to the deleted one, or holds files.
    """
    name, mark = bench.storage_class.name, new_mark()
    marks = _write_and_delete(bench, mark, block=block)
    claims = [bench.claim(f"new-{number + 1}", block=block) for number in range(NEW_VOLUMES)]
    # Unguarded: a guard would take earlier data for a volume of others, which `volume_of` recognizes here.
    wrong = _search(bench, claims, COUNT_BLOCKS if block else SEARCH_FILES, mark, guarded=False)
    if not wrong and not block:
        wrong = _search(bench, claims, SEARCH_SPACE, mark, guarded=True)
    if wrong:
        raise StorageFailure(
            f"after a volume of StorageClass {name} was deleted, {len(wrong)} of {NEW_VOLUMES} new volumes were not "
            f"empty: {'; '.join(wrong)}"
        )
    kind = "raw block volumes" if block else "volumes"
    return f"a volume with {marks:,} marks was deleted; {NEW_VOLUMES} new {kind} of its size showed none of them"


def _search(bench: Bench, claims: Sequence[Claim], script: str, mark: str, *, guarded: bool) -> list[str]:
    """Run the script on all volumes at the same time, and return what it found that must not be there."""
    pods = [bench.plan(claim, script=script, MARK=mark, BYTES=str(FILE_BYTES)) for claim in claims]
    for pod in pods:
        bench.ask_for(pod, guarded=guarded)
    for claim in claims:
        bench.volume_of(claim)
    outputs = {claim.name: bench.wait_output(pod) for claim, pod in zip(claims, pods, strict=True)}
    return [f"{volume} {problem}" for volume, output in outputs.items() if (problem := problem_in(output))]


def _write_and_delete(bench: Bench, mark: str, *, block: bool) -> int:
    """Fill a volume with the mark, delete it, and return how many marks a pod counted on it."""
    claim = bench.claim("deleted", block=block)
    bench.run(claim, FILL_BLOCKS if block else FILL_FILES, MARK=mark, BYTES=str(FILE_BYTES))
    marks = marks_in(bench.run(claim, COUNT_BLOCKS if block else COUNT_FILES, MARK=mark))
    _require_written(claim, marks)
    delete_with_volume(bench, claim)
    return marks


def _require_written(claim: Claim, marks: int) -> None:
    """Raise StorageFailure if a pod did not find what another one wrote: then it would not find it elsewhere either."""
    expected_bytes = _LEAST_WRITTEN * (claim.size if claim.block else FILES * FILE_BYTES)
    if marks * _MARKED_BYTES < expected_bytes:
        raise StorageFailure(
            f"expected at least {format_quantity(expected_bytes, unit='B')} of marks on the volume of PVC "
            f"{claim.name} (StorageClass {claim.storage_class}) after it was filled, found "
            f"{format_quantity(marks * _MARKED_BYTES, unit='B')}"
        )


def marks_in(output: str) -> int:
    """Return the number of marks that a pod counted. Raises StorageFailure if it could not read its volume."""
    counts = [line.split()[2:-1] for line in output.splitlines() if line.endswith(" marks")]
    if not counts or not all(len(words) == 1 and words[0].isdigit() for words in counts):
        raise StorageFailure(f"a pod could not read all of its volume: {output.strip()[-300:] or 'it printed nothing'}")
    return sum(int(count) for (count,) in counts)


def problem_in(output: str) -> str | None:
    """Return what a pod found on a new volume that must not be there; None if there was nothing."""
    if marks := marks_in(output):
        return f"shows {marks:,} marks that were written to the deleted volume"
    entries = next((int(line.split()[0]) for line in output.splitlines() if line.endswith(" entries")), 0)
    return f"has {entries} files or folders, none of them this suite's" if entries else None
