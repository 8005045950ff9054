"""A volume that a pod may only read: the pod reads its content, and every write is refused."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries

FILL = 'mkdir "$VOLUME/folder" && echo "$MARK" > "$VOLUME/folder/mark" && sync "$VOLUME/folder/mark"'
# The folder, too: a read-only volume does not make a mount within it read-only.
_TRY = """
echo "read $(cat "$VOLUME/folder/mark" 2>&1)"
{ echo written > "$VOLUME/new"; } 2> /dev/null && echo "took a new file"
{ echo written > "$VOLUME/folder/new"; } 2> /dev/null && echo "took a new file in a folder"
{ echo written > "$VOLUME/folder/mark"; } 2> /dev/null && echo "took a change to a file"
true
"""


@Tries("read-only", "Volumes are mounted read-only", pods=2)
def try_read_only(bench: Bench) -> str:
    """Verify that a volume can be mounted read-only, and return what was observed.

    Raises StorageFailure if it takes writes, or if it cannot be read.
    """
    claim, mark = bench.claim("read"), new_mark()
    bench.run(claim, FILL, MARK=mark)
    require_read_only(bench, claim, mark, volume="a volume")
    return "a pod mounted a volume read-only and read its data; all its writes were refused"


def require_read_only(bench: Bench, claim: Claim, mark: str, *, volume: str) -> None:
    """Raise StorageFailure if a pod that may only read finds another mark than that of `FILL`, or can write."""
    name = bench.storage_class.name
    lines = bench.run(claim, _TRY, read_only=True).splitlines()
    read = next((line.removeprefix("read ") for line in lines if line.startswith("read ")), "nothing")
    if read != mark:
        raise StorageFailure(
            f"{volume} of StorageClass {name}, mounted read-only, does not show its data; found: {read}"
        )
    if writes := [line.removeprefix("took ") for line in lines if line.startswith("took ")]:
        raise StorageFailure(
            f"{volume} of StorageClass {name}, mounted read-only, accepted writes: {', '.join(writes)}"
        )
