"""The job that writes a test file in full, once for each volume."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from acceptance.loads.fio.output import FioOutput
from acceptance.loads.fio.samples import Sample
from acceptance.loads.fio.versions import SUPPORTED_VERSIONS
from acceptance.loads.profiles import PREFILL
from acceptance.measuring.load import Preparing, Watch
from acceptance.measuring.load_log import LoadLog
from acceptance.measuring.load_script import KILLED_STATUS
from acceptance.measuring.space_check import explain_refusal
from acceptance.text.errors import EnvironmentFailure, StorageFailure

PREFILL_FILE = f"{PREFILL}.fio"
TEST_FILE = "storage-acceptance.data"
# The slowest storage on which the file is still written within its deadline.
SLOWEST_B_PER_S = 5 * 1024**2
# A load may take this much longer than its seconds.
SPARE_S = 120


def prefill_text() -> str:
    """Return the text of the job file."""
    return files("acceptance.loads.fio").joinpath(PREFILL_FILE).read_text(encoding="utf-8")


def prefill_output() -> FioOutput:
    """Return the object that takes the output of the job."""
    return FioOutput(jobs=[PREFILL])


def watch_writing(storage_class: str, progress: Preparing) -> Watch:
    """Return a watch of the job that reports to `progress` how much is written so far."""
    written_bytes = 0

    def watch(number: int, samples: Sequence[Sample]) -> bool:
        nonlocal written_bytes
        written_bytes += samples[-1].counts["write"].bytes
        progress(storage_class, written_bytes)
        return False

    return watch


def require_written(log: LoadLog, *, where: str, space: int, is_measured: bool = True) -> None:
    """Check that the job succeeded; `space` is the required space in bytes.

    `is_measured`: fio loads the file next, so the suite must be able to read its results.

    Raises WrongUsage, StorageFailure or EnvironmentFailure with a message about the error.
    """
    if log.check_status is not None:
        raise explain_refusal(log.check_status, log.before, where=where, space=space)
    if log.exit_status == KILLED_STATUS:
        raise EnvironmentFailure(f"{where} could not be written: fio was killed, most likely by the OOM killer")
    for output in log.segments[-1:]:
        if is_measured and output.unreadable:
            raise EnvironmentFailure(f"{where} cannot be measured: {output.unreadable}")
        if log.exit_status:
            raise StorageFailure(f"{where} cannot be written in full: {output.messages}")
        if is_measured and not output.fio_version:
            raise EnvironmentFailure(
                f"{where} cannot be measured: expected results of {SUPPORTED_VERSIONS}, found none: {output.messages}"
            )
