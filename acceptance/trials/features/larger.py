"""A copy that is larger than its source: its file system must fill it, or the user pays for space that is missing."""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.copies import READ, content_in, wrong_with_copy
from acceptance.trials.features.declared import ONE_VOLUME, Tries, VolumeUse
from acceptance.trials.features.expansion import ENOUGH, GROWING, in_words
from acceptance.trials.features.making_copies import Copy, copy_of, written_source
from acceptance.trials.features.sizes import SIZE_LINE, size_in, twice

_WRITE = f'echo "$MARK" > "$VOLUME/before" && sync "$VOLUME/before" && {SIZE_LINE}'
_LOOK = f"{SIZE_LINE} || exit\n{READ}"
_LARGER_RESTORED_COPY = (VolumeUse(beside=SIZE), *GROWING)


@Tries(
    "restore-larger",
    "Snapshots are restored to a larger volume",
    _LARGER_RESTORED_COPY,
    pods=2,
    needs="snapshot",
    arguments={"copy": "restored snapshot"},
)
@Tries(
    "clone-larger",
    "Volumes are cloned to a larger one",
    (*ONE_VOLUME, *GROWING),
    pods=2,
    arguments={"copy": "clone"},
)
def try_larger(bench: Bench, copy: Copy) -> str:
    """Verify that a copy can be larger than its source, and return what was observed.

    Raises Unsupported if there are no such copies, StorageFailure if the file system of the copy is as small as that of
    its source, or if the copy holds other data.
    """
    name, mark = bench.storage_class.name, new_mark()
    source, output = written_source(bench, copy, _WRITE, mark)
    before, size = size_in(output), twice(bench, source)
    output = bench.run(copy_of(bench, source, copy, size=size), _LOOK)
    about = f"a {copy} of StorageClass {name}, of {in_words(size)}, twice as large as its source"
    if wrong := wrong_with_copy(content_in(output), before=mark, after=""):
        raise StorageFailure(f"{about}, is wrong: {wrong}")
    after = size_in(output)
    minimum_size = before + int(ENOUGH * size / 2)
    if after < minimum_size:
        raise StorageFailure(
            f"{about}: expected a file system of at least {in_words(minimum_size)}, found {in_words(after)}; that of "
            f"its source has {in_words(before)}"
        )
    return f"a {copy} of {in_words(size)} held the data of its source, in a file system of {in_words(after)}"
