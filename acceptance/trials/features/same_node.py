"""A volume and its copy in use on one node at the same time: the kernel confuses file systems with the same ID."""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import RESTORED_COPY, TWO_VOLUMES, Tries
from acceptance.trials.features.making_copies import Copy, copy_of, written_source

_FILL = 'echo "$MARK" > "$VOLUME/both" && sync "$VOLUME/both"'
# Each volume gets its own file, and both are read once both have theirs.
_USE_BOTH = """
echo "$OF_SOURCE" > "$VOLUME/mine" && sync "$VOLUME/mine" || exit
echo "$OF_COPY" > "$VOLUME_2/mine" && sync "$VOLUME_2/mine" || exit
for each in "$VOLUME" "$VOLUME_2"; do echo "$(cat "$each/both") $(cat "$each/mine")"; done
"""


@Tries(
    "restore-on-same-node",
    "A volume and its restored snapshot are used on one node at the same time",
    RESTORED_COPY,
    pods=2,
    needs="snapshot",
    arguments={"copy": "restored snapshot"},
)
@Tries(
    "clone-on-same-node",
    "A volume and its clone are used on one node at the same time",
    TWO_VOLUMES,
    pods=2,
    arguments={"copy": "clone"},
)
def try_on_same_node(bench: Bench, copy: Copy) -> str:
    """Verify that one pod uses a volume and its copy at the same time, and return what was observed.

    Raises Unsupported if there are no such copies, StorageFailure if a pod cannot start on both (for example because
    the kernel takes them for one), or if one of them shows the data of the other.
    """
    name, mark = bench.storage_class.name, new_mark()
    source, _ = written_source(bench, copy, _FILL, mark)
    of_source, of_copy = new_mark(), new_mark()
    copy_claim = copy_of(bench, source, copy)
    lines = bench.run(source, _USE_BOTH, beside=(copy_claim,), OF_SOURCE=of_source, OF_COPY=of_copy).split("\n")[:2]
    expected_lines = [f"{mark} {of_source}", f"{mark} {of_copy}"]
    if lines != expected_lines:
        raise StorageFailure(
            f"one pod uses a volume of StorageClass {name} and its {copy}, and finds wrong data on them: expected "
            f"{expected_lines[0]!r} and {expected_lines[1]!r}, found {lines[0]!r} and {lines[-1]!r}"
        )
    return f"one pod on {bench.node} used a volume and its {copy} at the same time, and each held its own data"
