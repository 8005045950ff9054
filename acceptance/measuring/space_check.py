"""The check before a test file is written: the load generator accepts the profiles, and the volume has the space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acceptance.loads.fio.rate_limit import RATE
from acceptance.loads.fio.versions import describe_unsupported, version_check
from acceptance.loads.profiles import Profile
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, WrongUsage

REJECTED_PROFILE, TOO_SMALL, SHARED_DISK, NOT_OURS, NO_PROGRAM, TOO_OLD = 3, 4, 5, 6, 7, 8
# Of a disk that is shared with others: kubelets begin to evict pods if less is free.
SPARED_PERCENT = 15


def space_needed(profiles: Iterable[Profile], *, test_size: int) -> int:
    """Return the bytes that the loads need on one volume: the test file, and the files that a profile creates."""
    return test_size * (1 + any(profile.own_files for profile in profiles))


def require_room(profiles: Iterable[Profile], *, test_size: int, volume_size: int) -> None:
    """Raise WrongUsage if a claim of that size cannot hold the files of the profiles; this needs no trial."""
    all_profiles = list(profiles)
    space = space_needed(all_profiles, test_size=test_size)
    if space > volume_size:
        beside = ", ".join(profile.name for profile in all_profiles if profile.own_files)
        raise WrongUsage(
            f"--storage-volume-size ({volume_size} bytes) is too small: the profiles need {space} bytes, a file of "
            f"{test_size} and as much again for the files of {beside}; make the volume larger, the test file smaller "
            f"(--storage-test-size), or leave out the profile (-k 'not {beside}')"
        )


def measures_fio(profiles: Sequence[Profile]) -> bool:
    """Return whether fio's results become figures: not if only sysbench loads, and fio only writes the test file."""
    return not profiles or any(profile.program == "fio" for profile in profiles)


def check_environment(profiles: Sequence[Profile], *, folder: str) -> dict[str, str]:
    """Return the environment that `check_script` and the profiles read; `folder` is where the load finds profiles."""
    job_files = "\n".join(f"{folder}/{profile.path.name}" for profile in profiles if profile.program == "fio")
    has_rate_limit = any(f"${{{RATE}}}" in profile.text for profile in profiles)
    return {"CHECKED": job_files, **({RATE: "1"} if has_rate_limit else {})}


def check_script(profiles: Sequence[Profile], *, space: int, together: int, claim_size: int | None) -> str:
    """Return shell commands that return non-zero for a bad $FILE, and print why; sizes in bytes. They contain no names.

    `space` is what all loads need at the same time, on each of the volumes that are written `together`;
    `claim_size` is the size of the claim, None if the file is in an ordinary folder. A device has its claim's size.
    """
    programs = sorted({profile.program for profile in profiles} | {"fio"})
    there = "\n".join(
        f'  command -v {program} || {{ echo "no {program}"; return {NO_PROGRAM}; }}' for program in programs
    )
    whole_disk = "true" if claim_size is None else f'[ "$size" -gt {2 * claim_size // 1024} ]'
    return f"""
{there}
{version_check(status=TOO_OLD) if measures_fio(profiles) else ""}
  while IFS= read -r job; do
    [ -z "$job" ] || fio --parse-only "$job" < /dev/null || return {REJECTED_PROFILE}
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
    echo "free: $free KiB, expected: {space // 1024} KiB"
    [ "$free" -ge {space // 1024} ] || exit {TOO_SMALL}
    {whole_disk} || exit 0
    [ $((free - {together * space // 1024})) -ge $((size / 100 * {SPARED_PERCENT})) ] || exit {SHARED_DISK}
  }}
"""


def explain_refusal(status: int, output: str, *, where: str, space: int) -> AcceptanceError:
    """Return the error for a status of the check, for the volume that `where` describes."""
    last = (output.strip().splitlines() or ["no output"])[-1]
    if status == NO_PROGRAM:
        return EnvironmentFailure(
            f"the image or host that runs the load on {where} lacks a program that the profiles need: {last}; name an "
            "image that contains it with --storage-image, or leave out the profiles that need it"
        )
    if status == TOO_OLD:
        return EnvironmentFailure(f"the load on {where} cannot run: {describe_unsupported(last)}")
    if status == REJECTED_PROFILE:
        return WrongUsage(f"fio rejects a profile: {output.strip()}")
    if status == TOO_SMALL:
        return StorageFailure(f"{where} has too little space for test files of {space} bytes: {last}")
    if status == SHARED_DISK:
        return EnvironmentFailure(
            f"{where} is on a disk that is shared with others, and test files of {space} bytes would leave less than "
            f"{SPARED_PERCENT} % of it free: {last}; free some space, or make the file smaller with --storage-test-size"
        )
    if status == NOT_OURS:
        return EnvironmentFailure(
            f"{where} is a raw block device that the pod's user may not write: {last}; let the container runtime give "
            "devices to the user of the pod (containerd and CRI-O: device_ownership_from_security_context = true)"
        )
    return EnvironmentFailure(f"the check of {where} ended with status {status}: {output.strip()}")
