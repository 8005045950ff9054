"""One volume as large as in production: bound, mounted and written in time.

Some drivers take minutes to create the file system of a large volume, longer than the CSI timeouts
(kubernetes/cloud-provider-openstack#3068).
"""

from __future__ import annotations

import time

from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_size
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.requested_sizes import FILES_LEAST
from acceptance.trials.features.sizes import SIZE_LINE, size_in

_WRITE = f'echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && cat "$VOLUME/mark" && {SIZE_LINE}'


@Tries("large-volume", "A volume of the requested production size is used in time", large=True)
def try_large_volume(bench: Bench) -> str:
    """Verify that a pod writes to a large volume in time, and return what was observed.

    Raises NotTried without a size, StorageFailure if that takes longer than an object may take to appear, or if the
    file system is too small.
    """
    size, mark = bench.large_volume, new_mark()
    if not size:
        raise bench.not_tried("no size of a large volume was given (--storage-with large-volume=SIZE)")
    what = f"a volume of {format_size(size)} of StorageClass {bench.storage_class.name}"
    began_s = time.monotonic()
    claim = bench.claim("large", size=size)
    output = bench.run(claim, _WRITE, MARK=mark)
    taken_s = time.monotonic() - began_s
    if mark not in output.split():
        raise StorageFailure(f"{what} does not show the data that a pod wrote to it")
    if taken_s > bench.timeout_s:
        raise StorageFailure(
            f"{what} was requested, mounted, written and unmounted in {taken_s:.0f} s; expected at most "
            f"{bench.timeout_s:.0f} s"
        )
    if (shown := size_in(output)) < FILES_LEAST * size:
        raise StorageFailure(f"{what} has a file system of {shown} bytes, less than {FILES_LEAST:.0%} of the request")
    return f"{what} was requested, mounted, written and unmounted in {taken_s:.0f} s"
