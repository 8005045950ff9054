"""A large file of blocks with checksums, written and read in full: a marker file shows only that a copy is there."""

from __future__ import annotations

from typing import Any, cast

from acceptance.cluster.claims import Claim
from acceptance.cluster.objects import metadata
from acceptance.cluster.pod_manifest import FILES_PATH
from acceptance.cluster.resources import CONFIG_MAPS
from acceptance.judging.integrity import damage
from acceptance.loads.verified.jobs import DATA_FILE, header_place, job_files, verify_command, write_command
from acceptance.loads.verified.mismatches import read_verification
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.features.bench import Bench
from acceptance.wording.integrity import volume_of, wrong

BULK = 256 * 1024**2
"""Bytes of the file, unless the caller sets another size."""
_FILES = "bulk-data-jobs"
_NO_FILE = "storage-acceptance: the file does not exist"
_FILE = f'export FILE="$VOLUME/{DATA_FILE}"\n'
_VERIFY = f'{_FILE}[ -e "$FILE" ] || {{ echo "{_NO_FILE}"; exit; }}\n{verify_command("$JOBS")}'
_WRITE = f"{_FILE}{write_command('$JOBS')} >&2 || exit\n{_VERIFY}"


def offer_jobs(bench: Bench) -> None:
    """Offer fio's job files to pods; the run's namespace keeps them until it is deleted."""
    body = {"metadata": metadata(_FILES, run_id=bench.workspace.run_id), "data": job_files()}
    bench.api.create(CONFIG_MAPS, body, namespace=bench.workspace.namespace)


def write_bulk(bench: Bench, claim: Claim, *, writing: int = 1, size: int | None = None) -> None:
    """Write the file from a pod for the nth time, and read it there. Raises StorageFailure if it is not as written."""
    output = _run(bench, claim, _WRITE, writing=writing, size=size or BULK)
    _require_intact(output, claim, size=size or BULK, what="in the pod that wrote it")


def verify_bulk(bench: Bench, claim: Claim, *, what: str, writing: int = 1, size: int | None = None) -> None:
    """Read the file in a new pod. Raises StorageFailure if it is not as it was at the nth writing.

    `what`: what the volume is, in words that follow "read again".
    """
    output = _run(bench, claim, _VERIFY, writing=writing, size=size or BULK)
    _require_intact(output, claim, size=size or BULK, what=what)


def _run(bench: Bench, claim: Claim, script: str, *, writing: int, size: int) -> str:
    place = str(header_place(writing))
    return bench.run(claim, script, files=_FILES, JOBS=FILES_PATH, SIZE=str(size), READ="100%", PLACE=place)


def _require_intact(output: str, claim: Claim, *, size: int, what: str) -> None:
    about = (
        f"{format_quantity(size, unit='B')} were written, each block with a checksum, and read again {what} "
        f"({volume_of(claim.name, claim.storage_class)})"
    )
    if _NO_FILE in output:
        raise StorageFailure(f"{about}: the file does not exist")
    try:
        outcome = damage(read_verification(output, expected_size=size))
    except StorageFailure as error:
        raise StorageFailure(f"{about}: {error}") from error
    if outcome:
        raise StorageFailure(f"{about}: {wrong(**cast(Any, outcome.facts))}")
