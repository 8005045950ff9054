"""A copy that is larger than its source: its file system must fill it, or the space is paid for and not there."""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.copies import READ, content_in, wrong_with_copy
from acceptance.trials.features.declared import ONE, Tries, VolumesUsed
from acceptance.trials.features.expansion import ENOUGH, GROWING, in_words
from acceptance.trials.features.making_copies import Copy, copy_of, written_source
from acceptance.trials.features.sizes import SIZE_LINE, size_in, twice

_WRITE = f'echo "$MARK" > "$VOLUME/before" && sync "$VOLUME/before" && {SIZE_LINE}'
_LOOK = f"{SIZE_LINE} || exit\n{READ}"
_LARGER_RESTORED = (VolumesUsed(beside=SIZE), *GROWING)


@Tries(
    "restore-larger",
    "Snapshots are restored to a larger volume",
    _LARGER_RESTORED,
    pods=2,
    needs="snapshot",
    arguments={"copy": "restored snapshot"},
)
@Tries("clone-larger", "Volumes are cloned to a larger one", (*ONE, *GROWING), pods=2, arguments={"copy": "clone"})
def try_larger(bench: Bench, copy: Copy) -> str:
    """How the copy was seen to be larger. Raises Unsupported where there are no such copies, StorageFailure where its
    file system is as small as that of its source, or it holds something else."""
    name, mark = bench.storage_class.name, new_mark()
    source, printed = written_source(bench, copy, _WRITE, mark)
    before, size = size_in(printed), twice(bench, source)
    printed = bench.run(copy_of(bench, source, copy, size=size), _LOOK)
    about = f"a {copy} of StorageClass {name}, of {in_words(size)}, twice as large as its source"
    if wrong := wrong_with_copy(content_in(printed), before=mark, after=""):
        raise StorageFailure(f"{about}, is wrong: {wrong}")
    after = size_in(printed)
    wanted = before + int(ENOUGH * size / 2)
    if after < wanted:
        raise StorageFailure(
            f"{about}, has a file system of {in_words(after)} in the pod that uses it, and that of its source has "
            f"{in_words(before)}; wanted {in_words(wanted)} at least"
        )
    return f"a {copy} of {in_words(size)} held what its source held, in a file system of {in_words(after)}"
