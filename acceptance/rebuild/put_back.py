"""A volume that lost a replica on purpose is put back as it was, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from acceptance.errors import AcceptanceError
from acceptance.rebuild.driver import ReplicaRebuild


@contextmanager
def put_back(rebuild: ReplicaRebuild) -> Iterator[None]:
    """Have the volume as it was, whatever the block does; what fails first is what its reader hears of."""
    try:
        yield
    except BaseException as error:
        try:
            rebuild.restore()
        except AcceptanceError as stuck:
            error.add_note(f"the volume could not be put back as it was: {stuck}")
        raise
    rebuild.restore()
