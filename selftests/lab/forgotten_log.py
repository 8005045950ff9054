"""Storage that does not keep what a killed PostgreSQL has made durable: the end of its log, or a page of a table."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal

from acceptance.cluster.api import Api
from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import PODS
from acceptance.text.errors import AcceptanceError
from selftests.lab.background import in_background
from selftests.lab.provisioner import LabClass, lab_classes

Fault = Literal["log", "page"]
LOOK_S = 0.05
KEPT = 20
"""commits, at least, that are in the log that stays"""
# Of the catalogue of functions, which no load of a test changes: so no log mends it.
TABLE, PAGE, SIZE = "base/*/1255", 3, 8192


@contextmanager
def forgetful_class(api: Api, name: str, folder: Path, *, fault: Fault) -> Iterator[None]:
    """A StorageClass whose volumes forget as soon as the PostgreSQL on them has been killed, until the block ends.

    What is forgotten was acknowledged: of the log all that came after KEPT commits had been told of.
    """
    folder.mkdir()
    folder.chmod(0o777)
    served = lab_classes(api, [LabClass(name=name, folder=folder)])
    with served, in_background(partial(_forget, api, folder, fault)):
        yield


def _forget(api: Api, folder: Path, fault: Fault, ended: threading.Event) -> None:
    if not _wait(lambda: _has_committed(api), ended):
        return
    (data,) = folder.glob("lab-*/postgresql")
    log = {path: path.read_bytes() for path in (data / "pg_wal").glob("0*")}
    if not _wait(lambda: not _is_used(data), ended):
        return
    if fault == "page":
        for table in data.glob(TABLE):
            with table.open("r+b") as file:
                file.seek(PAGE * SIZE + 1000)
                file.write(b"\xff" * 4)
        return
    for path in (data / "pg_wal").glob("0*"):
        if path not in log:
            path.unlink()
    for path, content in log.items():
        path.write_bytes(content)


def _wait(seen: Callable[[], bool], ended: threading.Event) -> bool:
    """Whether it was seen before the block ended."""
    while not ended.wait(LOOK_S):
        if seen():
            return True
    return False


def _has_committed(api: Api) -> bool:
    with suppress(AcceptanceError):  # seen again at the next look
        for pod in api.list(PODS):
            name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
            if name.startswith("postgresql-") and pod["status"].get("phase") == "Running":
                return f"durable {KEPT}\n" in api.log(name, namespace=namespace, container=MAIN)
    return False


def _is_used(folder: Path) -> bool:
    """Whether a process, in whatever container, works in the folder."""
    where = folder.stat()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.path.samestat((process / "cwd").stat(), where):
                return True
    return False
