"""A volume and its copy in use on one node at once: to the kernel, file systems with one id are one and the same."""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import RESTORED, TWO, Tries
from acceptance.trials.features.making_copies import Copy, copy_of, written_source

_FILL = 'echo "$MARK" > "$VOLUME/both" && sync "$VOLUME/both"'
# Each gets a file of its own, and is looked at when both have theirs.
_BOTH = """
echo "$OF_SOURCE" > "$VOLUME/mine" && sync "$VOLUME/mine" || exit
echo "$OF_COPY" > "$VOLUME_2/mine" && sync "$VOLUME_2/mine" || exit
for each in "$VOLUME" "$VOLUME_2"; do echo "$(cat "$each/both") $(cat "$each/mine")"; done
"""


@Tries(
    "restore-beside",
    "A volume and its restored snapshot are used on one node at once",
    RESTORED,
    pods=2,
    needs="snapshot",
    arguments={"copy": "restored snapshot"},
)
@Tries("clone-beside", "A volume and its clone are used on one node at once", TWO, pods=2, arguments={"copy": "clone"})
def try_beside(bench: Bench, copy: Copy) -> str:
    """How both were seen to be used at once. Raises Unsupported where there are no such copies, StorageFailure where a
    pod cannot start on both, as where the kernel takes them for one, or the one shows what is the other's."""
    name, mark = bench.storage_class.name, new_mark()
    source, _ = written_source(bench, copy, _FILL, mark)
    of_source, of_copy = new_mark(), new_mark()
    copied = copy_of(bench, source, copy)
    found = bench.run(source, _BOTH, beside=(copied,), OF_SOURCE=of_source, OF_COPY=of_copy).split("\n")[:2]
    wanted = [f"{mark} {of_source}", f"{mark} {of_copy}"]
    if found != wanted:
        raise StorageFailure(
            f"a volume of StorageClass {name} and its {copy} are used by one pod, and do not hold what is theirs: "
            f"found {found[0]!r} and {found[-1]!r}, wanted {wanted[0]!r} and {wanted[1]!r}"
        )
    return f"one pod on {bench.node} used a volume and its {copy} at once, and each had what was its own"
