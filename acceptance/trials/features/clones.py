"""A clone: a new volume that is filled from another one, and goes its own way from then on."""

from __future__ import annotations

from acceptance.cluster.claims import AccessMode, Claim, DataSource
from acceptance.cluster.resources import VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import SIZE, Bench, new_mark
from acceptance.trials.features.copies import change, content, write_before, wrong_with_copy
from acceptance.trials.features.declared import TWO, Tries


@Tries("clone", "Volumes are cloned", TWO, pods=5, e2e=("pvcDataSource",))
@Tries("block-clone", "Raw block volumes are cloned", TWO, pods=5, of_devices=True, arguments={"block": True})
def try_clone(bench: Bench, *, block: bool = False) -> str:
    """How the clone was seen to be one. Raises Unsupported where the provisioner knows none, StorageFailure where the
    clone holds something else than its source did, or is not apart from it. `block`: of a raw block volume."""
    name = bench.storage_class.name
    source, before, after = bench.claim("source", block=block), new_mark(), new_mark()
    write_before(bench, source, before)
    clone = ask_for_clone(bench, source)
    found = content(bench, clone)
    if not found and not _is_csi(bench, clone):
        raise bench.missing(
            f"the provisioner of StorageClass {name} ({bench.storage_class.provisioner}), asked for a clone, "
            "gives an empty volume without an error; only CSI drivers can clone, and it is none"
        )
    if wrong := wrong_with_copy(found, before=before, after=after):
        raise StorageFailure(f"a volume of StorageClass {name} was cloned, and the clone is wrong: {wrong}")
    _require_apart(bench, source, clone, before=before)
    return "a clone held what its source held, and neither saw what was then written to the other"


def ask_for_clone(
    bench: Bench, source: Claim, *, part: str = "clone", size: int = SIZE, access: AccessMode = "ReadWriteOnce"
) -> Claim:
    """Ask for a volume of `size` bytes that begins as another one."""
    data = DataSource(kind="PersistentVolumeClaim", name=source.name, smaller=size > source.size)
    return bench.claim(part, size=size, source=data, access=access, block=source.block)


def require_clones(bench: Bench, source: Claim) -> None:
    """Raise Unsupported where the class of a bound claim is known to have no clones."""
    if not _is_csi(bench, source):
        name, provisioner = bench.storage_class.name, bench.storage_class.provisioner
        raise bench.missing(
            f"only CSI drivers can clone, and the provisioner of StorageClass {name} ({provisioner}) is none"
        )


def _is_csi(bench: Bench, claim: Claim) -> bool:
    return "csi" in bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]


def _require_apart(bench: Bench, source: Claim, clone: Claim, *, before: str) -> None:
    """Write to the clone, and see that the source does not change; and the other way round."""
    of_clone, of_source = new_mark(), new_mark()
    change(bench, clone, of_clone)
    if content(bench, source) != {"before": before}:
        raise _shared(bench, "what was written to the clone is on its source")
    change(bench, source, of_source)
    if content(bench, clone) != {"before": of_clone, "after": of_clone}:
        raise _shared(bench, "what was written to the source is on its clone")


def _shared(bench: Bench, what: str) -> StorageFailure:
    return StorageFailure(
        f"a clone of a volume of StorageClass {bench.storage_class.name} shares data with its source: {what}"
    )
