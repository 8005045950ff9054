"""The job that writes a test file in full, once for each volume."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from acceptance.loads.fio.output import FioOutput
from acceptance.loads.fio.samples import Sample
from acceptance.loads.fio.versions import SUPPORTED
from acceptance.loads.profiles import PREFILL
from acceptance.measuring.load import Preparing, Watch
from acceptance.measuring.load_log import LoadLog
from acceptance.measuring.load_script import KILLED
from acceptance.measuring.space_check import explain_refusal
from acceptance.text.errors import EnvironmentFailure, StorageFailure

PREFILL_FILE = f"{PREFILL}.fio"
TEST_FILE = "storage-acceptance.data"
# The slowest storage that the file is still written on within its deadline.
SLOWEST_B_PER_S = 5 * 1024**2
# A load may take this much longer than its seconds.
SPARE_S = 120


def prefill_text() -> str:
    """The job file."""
    return files("acceptance.loads.fio").joinpath(PREFILL_FILE).read_text(encoding="utf-8")


def prefill_output() -> FioOutput:
    """What takes the output of the job."""
    return FioOutput(jobs=[PREFILL])


def watch_writing(storage_class: str, progress: Preparing) -> Watch:
    """A watch of the job that tells `progress` how much is written so far."""
    written = 0

    def watch(number: int, samples: Sequence[Sample]) -> bool:
        nonlocal written
        written += samples[-1].counts["write"].bytes
        progress(storage_class, written)
        return False

    return watch


def require_written(log: LoadLog, *, where: str, needed: int, measured: bool = True) -> None:
    """See that the job began and ended well; `needed` bytes of space were asked for.

    `measured`: fio loads the file next, so the suite must be able to read its results.

    Raises WrongUsage, StorageFailure or EnvironmentFailure in the words of what went wrong.
    """
    if log.refused is not None:
        raise explain_refusal(log.refused, log.before, where=where, needed=needed)
    if log.ended == KILLED:
        raise EnvironmentFailure(f"{where} could not be written: fio was killed, most likely by the OOM killer")
    for output in log.segments[-1:]:
        if measured and output.unreadable:
            raise EnvironmentFailure(f"{where} cannot be measured: {output.unreadable}")
        if log.ended:
            raise StorageFailure(f"{where} cannot be written in full: {output.messages}")
        if measured and not output.fio_version:
            raise EnvironmentFailure(
                f"{where} cannot be measured: expected results of {SUPPORTED}, found none: {output.messages}"
            )
