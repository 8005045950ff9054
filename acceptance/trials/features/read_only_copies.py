"""A copy that is asked for to be read alone (ReadOnlyMany), as backups and analyses ask for one."""

from __future__ import annotations

from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import RESTORED, TWO, Tries
from acceptance.trials.features.making_copies import Copy, copy_of, written_source
from acceptance.trials.features.read_only import FILL, require_read_only


@Tries(
    "restore-read-only",
    "Snapshots are restored for reading only (ROX)",
    RESTORED,
    pods=2,
    needs="snapshot",
    arguments={"copy": "restored snapshot"},
)
@Tries("clone-read-only", "Volumes are cloned for reading only (ROX)", TWO, pods=2, arguments={"copy": "clone"})
def try_read_only_copy(bench: Bench, copy: Copy) -> str:
    """How the copy was seen to be read and not written. Raises Unsupported where there are no such copies,
    StorageFailure where it cannot be mounted or read, or takes writes."""
    bench.require_access("ReadOnlyMany")
    mark = new_mark()
    source, _ = written_source(bench, copy, FILL, mark)
    copied = copy_of(bench, source, copy, access="ReadOnlyMany")
    require_read_only(bench, copied, mark, what=f"a {copy} (ReadOnlyMany)")
    return (
        f"a pod that mounted a {copy}, which was asked for as ReadOnlyMany, read-only read what was on it, and all its "
        "writes were refused"
    )
