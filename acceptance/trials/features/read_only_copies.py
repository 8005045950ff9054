"""A copy that is requested for reading only (ReadOnlyMany), as for backups and analyses."""

from __future__ import annotations

from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import RESTORED_COPY, TWO_VOLUMES, Tries
from acceptance.trials.features.making_copies import Copy, copy_of, written_source
from acceptance.trials.features.read_only import FILL, require_read_only


@Tries(
    "restore-read-only",
    "Snapshots are restored for reading only (ROX)",
    RESTORED_COPY,
    pods=2,
    needs="snapshot",
    arguments={"copy": "restored snapshot"},
)
@Tries("clone-read-only", "Volumes are cloned for reading only (ROX)", TWO_VOLUMES, pods=2, arguments={"copy": "clone"})
def try_read_only_copy(bench: Bench, copy: Copy) -> str:
    """Verify that a copy can be read and not written, and return what was observed.

    Raises Unsupported if there are no such copies, StorageFailure if the copy cannot be mounted or read, or if it takes
    writes.
    """
    bench.require_access("ReadOnlyMany")
    mark = new_mark()
    source, _ = written_source(bench, copy, FILL, mark)
    copy_claim = copy_of(bench, source, copy, access="ReadOnlyMany")
    require_read_only(bench, copy_claim, mark, volume=f"a {copy} (ReadOnlyMany)")
    return f"a pod mounted a {copy} (ReadOnlyMany) read-only and read its data; all its writes were refused"
