"""The check before a test file is written: the load generator takes the profiles, and the volume has the space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acceptance.loads.fio.rate_limit import RATE
from acceptance.loads.fio.versions import unsupported, version_check
from acceptance.loads.profiles import Profile
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, WrongUsage

REJECTED, TOO_SMALL, SHARED, NOT_OURS, NO_PROGRAM, TOO_OLD = 3, 4, 5, 6, 7, 8
# Of a disk that others use too: kubelets begin to evict pods when less is free.
SPARED_PERCENT = 15


def space_needed(profiles: Iterable[Profile], *, test_size: int) -> int:
    """The bytes that the loads need on one volume: the test file, and what a profile makes beside it."""
    return test_size * (1 + any(profile.own_files for profile in profiles))


def require_room(profiles: Iterable[Profile], *, test_size: int, volume_size: int) -> None:
    """Raise WrongUsage when claims of that size cannot hold what the profiles load; nothing needs to be tried."""
    wanted = list(profiles)
    needed = space_needed(wanted, test_size=test_size)
    if needed > volume_size:
        beside = ", ".join(profile.name for profile in wanted if profile.own_files)
        raise WrongUsage(
            f"--storage-volume-size ({volume_size} bytes) is too small: the profiles need {needed} bytes, a file of "
            f"{test_size} and as much again for the files of {beside}; make the volume larger, the test file smaller "
            f"(--storage-test-size), or leave out the profile (-k 'not {beside}')"
        )


def measures_fio(profiles: Sequence[Profile]) -> bool:
    """Return whether results of fio become figures: not if sysbench alone loads, and fio only writes the test file."""
    return not profiles or any(profile.program == "fio" for profile in profiles)


def check_environment(profiles: Sequence[Profile], *, folder: str) -> dict[str, str]:
    """What `check_script` and the profiles read from their environment; `folder` is where the load finds these."""
    checked = "\n".join(f"{folder}/{profile.path.name}" for profile in profiles if profile.program == "fio")
    limited = any(f"${{{RATE}}}" in profile.text for profile in profiles)
    return {"CHECKED": checked, **({RATE: "1"} if limited else {})}


def check_script(profiles: Sequence[Profile], *, needed: int, together: int, claimed: int | None) -> str:
    """Shell commands that return non-zero for $FILE, and say why; sizes in bytes. No name is part of them.

    `needed` is what all loads need at the same time, on each of the
    volumes that are written `together`; `claimed` the size of the claim, None where the folder of the file is simply a
    folder. A device has the size of its claim.
    """
    programs = sorted({profile.program for profile in profiles} | {"fio"})
    there = "\n".join(
        f'  command -v {program} || {{ echo "no {program}"; return {NO_PROGRAM}; }}' for program in programs
    )
    whole_disk = "true" if claimed is None else f'[ "$size" -gt {2 * claimed // 1024} ]'
    return f"""
{there}
{version_check(status=TOO_OLD) if measures_fio(profiles) else ""}
  while IFS= read -r job; do
    [ -z "$job" ] || fio --parse-only "$job" < /dev/null || return {REJECTED}
  done <<END_OF_JOBS
${{CHECKED-}}
END_OF_JOBS
  if [ -b "$FILE" ]; then
    [ -w "$FILE" ] && return 0
    ls -l "$FILE"
    return {NOT_OURS}
  fi
  df -Pk "${{FILE%/*}}" | {{
    read -r heading; read -r device size used free rest
    echo "free: $free KiB, wanted: {needed // 1024} KiB"
    [ "$free" -ge {needed // 1024} ] || exit {TOO_SMALL}
    {whole_disk} || exit 0
    [ $((free - {together * needed // 1024})) -ge $((size / 100 * {SPARED_PERCENT})) ] || exit {SHARED}
  }}
"""


def explain_refusal(status: int, said: str, *, where: str, needed: int) -> AcceptanceError:
    """What the status of the check means, for the volume that `where` describes."""
    last = (said.strip().splitlines() or ["no output"])[-1]
    if status == NO_PROGRAM:
        return EnvironmentFailure(
            f"what runs the load on {where} lacks a program that the profiles need: {last}; name an image that "
            "holds it with --storage-image, or leave out the profiles that need it"
        )
    if status == TOO_OLD:
        return EnvironmentFailure(f"what runs the load on {where} cannot be used: {unsupported(last)}")
    if status == REJECTED:
        return WrongUsage(f"fio rejects a profile: {said.strip()}")
    if status == TOO_SMALL:
        return StorageFailure(f"{where} has too little space for test files of {needed} bytes: {last}")
    if status == SHARED:
        return EnvironmentFailure(
            f"{where} lies on a disk that is shared with others, and test files of {needed} bytes would leave less "
            f"than {SPARED_PERCENT} % of it free: {last}; free some, or make the file smaller with --storage-test-size"
        )
    if status == NOT_OURS:
        return EnvironmentFailure(
            f"{where} is a raw block device that the pod's user may not write: {last}; let the container runtime give "
            "devices to the user of the pod (containerd and CRI-O: device_ownership_from_security_context = true)"
        )
    return EnvironmentFailure(f"the check of {where} ended with status {status}: {said.strip()}")
