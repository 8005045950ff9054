"""Making a volume ready for load: provisioned, checked for space, its test file written in full, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from acceptance.cluster.claims import Claim, create_claim, wait_bound
from acceptance.cluster.objects import object_name
from acceptance.cluster.pod_manifest import FILES_PATH, VOLUME_PATH
from acceptance.cluster.pods import CheckFailed
from acceptance.cluster.workspace import Workspace
from acceptance.errors import EnvironmentFailure, StorageFailure, WrongUsage
from acceptance.fio.profiles import LAYOUT, Profile
from acceptance.fio.samples import Sample
from acceptance.measuring.segment import SPARE_S, SegmentPlan, run_segment

LAYOUT_FILE = f"{LAYOUT}.fio"
# The slowest storage that the file is still written on within its deadline.
SLOWEST_B_PER_S = 5 * 1024**2
REJECTED, TOO_SMALL, SHARED = 3, 4, 5
# Of a disk that others use too: kubelets begin to evict pods when less is free.
SPARED_PERCENT = 15
# Names of files come in as arguments, never as part of the script.
_CHECK = f"""
for profile in "$@"; do
  fio --parse-only "{FILES_PATH}/$profile" || exit {REJECTED}
done
df -Pk "{VOLUME_PATH}" | {{
  read -r heading; read -r device size used free rest
  echo "free: $free KiB, wanted: $NEEDED_KIB KiB"
  [ "$free" -ge "$NEEDED_KIB" ] || exit {TOO_SMALL}
  [ "$size" -le $((2 * CLAIM_KIB)) ] || [ $((free - NEEDED_KIB)) -ge $((size / 100 * {SPARED_PERCENT})) ] ||
    exit {SHARED}
}}
"""


@dataclass(frozen=True, kw_only=True)
class PreparedVolume:
    """A volume with its test file, and the node that it is loaded from. `test_size` in bytes."""

    claim: Claim
    node: str
    volume: str
    test_size: int
    image_digest: str | None


def offer_profiles(workspace: Workspace, profiles: Mapping[str, Profile]) -> None:
    """Make the profiles readable to the pods of the run."""
    layout = files("acceptance.fio").joinpath(LAYOUT_FILE).read_text(encoding="utf-8")
    workspace.offer_files({LAYOUT_FILE: layout} | {f"{name}.fio": profile.text for name, profile in profiles.items()})


def prepare_volume(
    workspace: Workspace,
    *,
    storage_class: str,
    volume_size: int,
    test_size: int,
    profiles: Sequence[str],
    node: str | None,
    progress: Callable[[int], None],
) -> PreparedVolume:
    """Provision a volume and write its test file; `node`: where to, None leaves it to the scheduler.

    Sizes in bytes; `progress` hears how many bytes are written. Raises WrongUsage for a profile that fio rejects,
    StorageFailure when the volume does not come, is too small or cannot be written.
    """
    claim = workspace.claim("load", storage_class, storage_class=storage_class, size=volume_size)
    create_claim(workspace.api, claim)
    plan = SegmentPlan(
        pod=object_name(claim.name, "layout"),
        claim=claim,
        job_file=LAYOUT_FILE,
        jobs=(LAYOUT,),
        test_size=test_size,
        runtime_s=None,
        deadline_s=test_size // SLOWEST_B_PER_S + SPARE_S,
        node=node,
        check=["sh", "-c", _CHECK, "check", *(f"{name}.fio" for name in profiles)],
        environment={"NEEDED_KIB": str(test_size // 1024), "CLAIM_KIB": str(volume_size // 1024)},
    )

    def watch(samples: Sequence[Sample]) -> bool:
        progress(sum(sample.counts["write"].bytes for sample in samples))
        return False

    try:
        segment = run_segment(workspace, plan, watch=watch)
    except CheckFailed as error:
        raise _explain(error, claim, test_size) from error
    volume = wait_bound(workspace.api, claim, timeout_s=workspace.timeout_s)
    return PreparedVolume(
        claim=claim, node=segment.node, volume=volume, test_size=test_size, image_digest=segment.image_digest
    )


def _explain(error: CheckFailed, claim: Claim, test_size: int) -> Exception:
    if error.exit_code == REJECTED:
        return WrongUsage(f"fio rejects a profile, in its own words: {error.output.strip()}")
    if error.exit_code == TOO_SMALL:
        return StorageFailure(
            f"the volume of claim {claim.name} (storage class {claim.storage_class}, {claim.size} bytes asked for) has "
            f"too little space for a test file of {test_size} bytes: {error.output.strip().splitlines()[-1]}"
        )
    if error.exit_code == SHARED:
        return EnvironmentFailure(
            f"volumes of storage class {claim.storage_class} lie on a disk that is shared with others, and a test file "
            f"of {test_size} bytes would leave less than {SPARED_PERCENT} % of it free: "
            f"{error.output.strip().splitlines()[-1]}; free some, or make the file smaller with --storage-test-size"
        )
    return error
