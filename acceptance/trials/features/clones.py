"""A clone: a new volume that begins with the content of another one, and is independent of it from then on."""

from __future__ import annotations

from acceptance.cluster.claims import AccessMode, Claim, DataSource
from acceptance.cluster.resources import VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.copies import change, content, write_before, wrong_with_copy
from acceptance.trials.features.declared import TWO_VOLUMES, Tries


@Tries("clone", "Volumes are cloned", TWO_VOLUMES, pods=5, e2e=("pvcDataSource",))
@Tries("block-clone", "Raw block volumes are cloned", TWO_VOLUMES, pods=5, of_devices=True, arguments={"block": True})
def try_clone(bench: Bench, *, block: bool = False) -> str:
    """Verify that a clone holds what its source held and is independent of it, and return what was observed.

    `block`: of a raw block volume. Raises Unsupported if the provisioner cannot clone, StorageFailure if the clone
    holds other data than its source, or is not independent of it.
    """
    name = bench.storage_class.name
    source, before, after = bench.claim("source", block=block), new_mark(), new_mark()
    write_before(bench, source, before)
    clone = ask_for_clone(bench, source)
    marks = content(bench, clone)
    if not marks and not _is_csi(bench, clone):
        raise bench.missing(
            f"the provisioner of StorageClass {name} ({bench.storage_class.provisioner}) answers a request for a clone "
            "with an empty volume and no error; only CSI drivers can clone, and it is not one"
        )
    if wrong := wrong_with_copy(marks, before=before, after=after):
        raise StorageFailure(f"a volume of StorageClass {name} was cloned, and the clone is wrong: {wrong}")
    _require_apart(bench, source, clone, before=before)
    return "a clone held the data of its source, and later writes to one did not appear on the other"


def ask_for_clone(
    bench: Bench, source: Claim, *, part: str = "clone", size: int = SIZE, access: AccessMode | None = None
) -> Claim:
    """Request a volume of `size` bytes that begins with the content of another one."""
    data = DataSource(kind="PersistentVolumeClaim", name=source.name, smaller=size > source.size)
    return bench.claim(part, size=size, source=data, access=access, block=source.block)


def require_clones(bench: Bench, source: Claim) -> None:
    """Raise Unsupported if the class of a bound claim is known to have no clones."""
    if not _is_csi(bench, source):
        name, provisioner = bench.storage_class.name, bench.storage_class.provisioner
        raise bench.missing(
            f"only CSI drivers can clone, and the provisioner of StorageClass {name} ({provisioner}) is not one"
        )


def _is_csi(bench: Bench, claim: Claim) -> bool:
    return "csi" in bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]


def _require_apart(bench: Bench, source: Claim, clone: Claim, *, before: str) -> None:
    """Require that a write to the clone does not change its source, and that the reverse is true."""
    of_clone, of_source = new_mark(), new_mark()
    change(bench, clone, of_clone)
    if content(bench, source) != {"before": before}:
        raise _shared_data_error(bench, "data written to the clone appears on its source")
    change(bench, source, of_source)
    if content(bench, clone) != {"before": of_clone, "after": of_clone}:
        raise _shared_data_error(bench, "data written to the source appears on its clone")


def _shared_data_error(bench: Bench, problem: str) -> StorageFailure:
    return StorageFailure(
        f"a clone of a volume of StorageClass {bench.storage_class.name} shares data with its source: {problem}"
    )
