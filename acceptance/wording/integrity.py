"""Sentences about data that was read again and differs from the written data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from acceptance.results.document import Verdict
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Renderer

Where = Literal["writing_pod", "same_node", "another_node"]
WHERE: dict[Where, str] = {
    "writing_pod": "in the pod that wrote it",
    "same_node": "in a new pod on the same node",
    "another_node": "in a new pod on another node",
}


def not_intact(verdict: Verdict, **facts: Any) -> str:
    """Return the sentence for damaged data on a volume of the verdict's class."""
    return read_again(verdict.storage_class, **facts)


def read_again(storage_class: str, *, claim: str, where: Where, node: str, written: int, **damage: Any) -> str:
    """Return `64 MiB were written to the volume of PVC x (StorageClass fast), ..., and read again in a new pod ...`."""
    return (
        f"{format_quantity(written, unit='B')} were written to {volume_of(claim, storage_class)}, each block with a "
        f"checksum, and read again {WHERE[where]} ({node}): {wrong(written=written, **damage)}"
    )


def volume_of(claim: str, storage_class: str) -> str:
    """Return the name of a volume, such as `the volume of PVC x (StorageClass fast)`."""
    return f"the volume of PVC {claim} (StorageClass {storage_class})"


def wrong(
    *,
    written: int,
    read: int,
    bad: int = 0,
    block: int = 1,
    stretches: Sequence[Mapping[str, Any]] = (),
    last_reported: int | None = None,
) -> str:
    """Return the damage in words. Sizes and offsets are in bytes; `bad` blocks differ; `stretches` lists some of them.

    `last_reported`: the offset of the last reported block, if there are more stretches than `stretches` lists.
    """
    problems = []
    if bad:
        blocks = -(-read // block)
        problems.append(
            f"{bad:,} of {blocks:,} blocks of {format_quantity(block, unit='B')} differ from what was written: "
            + "; ".join(_places(stretches, block, last_reported))
        )
    if read != written:
        sizes = (format_quantity(size, unit="B") for size in (written, read))
        problems.append("{} were written, {} were read".format(*sizes))
    return "; ".join(problems)


SENTENCES: dict[str, Renderer] = {"damaged": not_intact, "cut_off": not_intact}


def _places(stretches: Sequence[Mapping[str, Any]], block: int, last_offset: int | None) -> Iterator[str]:
    for stretch in stretches:
        first, last = stretch["first"], stretch["last"]
        where = f"at offset {first:,}" if first == last else f"from offset {first:,} to {last + block - 1:,}"
        yield f"{where} {stretch['found']}"
    if last_offset is not None:
        yield f"and more; the last one that fio reported is at offset {last_offset:,}"
