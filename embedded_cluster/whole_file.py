"""Files of the cache that are complete at any time: they have another name until they are written."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield an empty, private file next to `path`; after the block, rename it to `path`. Delete it if the block fails.

    The folder of `path` is created if it is missing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    scratch.touch(mode=0o600, exist_ok=False)
    try:
        yield scratch
        scratch.replace(path)
    except BaseException:
        with suppress(OSError):  # the error of the block is the one to report
            scratch.unlink(missing_ok=True)
        raise
