"""One capability of one class, tried: what was seen, and what its test ends with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from acceptance.results.features import Capability, CapabilityRecord, CapabilityStatus
from acceptance.text.errors import AcceptanceError, NotTried, StorageFailure, Unsupported
from acceptance.trials.features.appends import try_appends
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.beside import try_beside
from acceptance.trials.features.block_expansion import try_block_expansion
from acceptance.trials.features.clone_times import try_clone_times
from acceptance.trials.features.clones import try_clone
from acceptance.trials.features.entries import try_entries
from acceptance.trials.features.ephemeral import try_ephemeral
from acceptance.trials.features.expansion import try_expansion
from acceptance.trials.features.group_policy import try_group_policy
from acceptance.trials.features.larger import try_larger
from acceptance.trials.features.locks import try_locks
from acceptance.trials.features.modification import try_modification
from acceptance.trials.features.mount_options import try_mount_options
from acceptance.trials.features.node_limit import try_node_limit
from acceptance.trials.features.offline_expansion import try_expansion_with_a_new_pod, try_offline_expansion
from acceptance.trials.features.one_pod import try_one_pod
from acceptance.trials.features.ownership import try_ownership
from acceptance.trials.features.parallel_clones import try_parallel_clones
from acceptance.trials.features.protection import try_protection
from acceptance.trials.features.read_only import try_read_only
from acceptance.trials.features.read_only_copies import try_read_only_copy
from acceptance.trials.features.read_only_many import try_read_only_many
from acceptance.trials.features.rights import try_rights
from acceptance.trials.features.several_volumes import try_two_volumes
from acceptance.trials.features.shared_block import try_shared_block
from acceptance.trials.features.sharing import try_sharing
from acceptance.trials.features.snapshot_rounds import try_snapshot_rounds
from acceptance.trials.features.snapshots import try_snapshot
from acceptance.trials.features.statistics import try_statistics
from acceptance.trials.features.sub_path import try_sub_path
from acceptance.trials.features.topology import try_topology
from acceptance.trials.features.visibility import try_visibility

TRIALS: Mapping[Capability, Callable[[Bench], str]] = {
    "expansion": try_expansion,
    "snapshot": try_snapshot,
    "clone": try_clone,
    "shared": try_sharing,
    "fs-group": try_ownership,
    "read-only": try_read_only,
    "locks": try_locks,
    "appends": try_appends,
    "visibility": try_visibility,
    "entries": try_entries,
    "rights": try_rights,
    "expansion-offline": try_offline_expansion,
    "expansion-new-pod": try_expansion_with_a_new_pod,
    "block-expansion": try_block_expansion,
    "restore-larger": partial(try_larger, copy="restored snapshot"),
    "clone-larger": partial(try_larger, copy="clone"),
    "restore-beside": partial(try_beside, copy="restored snapshot"),
    "clone-beside": partial(try_beside, copy="clone"),
    "restore-read-only": partial(try_read_only_copy, copy="restored snapshot"),
    "clone-read-only": partial(try_read_only_copy, copy="clone"),
    "parallel-clones": try_parallel_clones,
    "clone-times": try_clone_times,
    "block-snapshot": partial(try_snapshot, block=True),
    "block-clone": partial(try_clone, block=True),
    "snapshot-rounds": try_snapshot_rounds,
    "two-volumes": try_two_volumes,
    "two-modes": partial(try_two_volumes, block=True),
    "one-pod": try_one_pod,
    "read-only-many": try_read_only_many,
    "shared-block": try_shared_block,
    "protection": try_protection,
    "ephemeral": try_ephemeral,
    "mount-options": try_mount_options,
    "group-policy": try_group_policy,
    "statistics": try_statistics,
    "node-limit": try_node_limit,
    "topology": try_topology,
    "sub-path": try_sub_path,
    "modification": try_modification,
}


def try_capability(
    capability: Capability, bench: Bench, *, expected: Collection[Capability]
) -> tuple[CapabilityRecord, AcceptanceError | None]:
    """What is known of it now, and the error that the trial ends with, None where it was seen.

    One that is `expected` must not be missing: then the error is a StorageFailure, no Unsupported.
    """

    def known(status: CapabilityStatus, how: str) -> CapabilityRecord:
        return CapabilityRecord(storage_class=bench.storage_class.name, capability=capability, status=status, how=how)

    try:
        with bench:
            how = TRIALS[capability](bench)
    except NotTried as error:
        return known("not_tried", str(error)), _unless_expected(error, capability, expected)
    except Unsupported as error:
        return known("missing", str(error)), _unless_expected(error, capability, expected)
    except StorageFailure as error:
        return known("failed", str(error)), error
    except AcceptanceError as error:
        return known("not_tried", str(error)), error
    return known("seen", how), None


def _unless_expected(error: Unsupported, capability: Capability, expected: Collection[Capability]) -> StorageFailure:
    if capability not in expected:
        return error
    return StorageFailure(f"{error}; it is required of every class here (--storage-require-capability {capability})")
