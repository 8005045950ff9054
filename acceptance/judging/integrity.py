"""The judgement on what was read again, in the words of someone who must rely on the storage. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acceptance.loads.verified.jobs import BLOCK
from acceptance.loads.verified.mismatches import Mismatch, Verification
from acceptance.text.quantities import format_quantity

SHOWN = 5
"""stretches of bad blocks that are told one by one"""


def complaint(seen: Verification) -> str | None:
    """What is wrong with what was read; None where every block is there and as it was written."""
    wrong = []
    if seen.bad:
        blocks = -(-seen.read // BLOCK)
        wrong.append(
            f"{seen.bad:,} of {blocks:,} blocks of {format_quantity(BLOCK, unit='B')} are not what was written: "
            + "; ".join(_told(seen))
        )
    if seen.read != seen.wanted:
        wanted, read = (format_quantity(size, unit="B") for size in (seen.wanted, seen.read))
        wrong.append(f"{wanted} were written, {read} are there")
    return "; ".join(wrong) or None


def _told(seen: Verification) -> Iterator[str]:
    stretches = list(_stretches(seen.mismatches))
    for first, last in stretches[:SHOWN]:
        if first is last:
            yield f"at offset {first.offset:,} {first.found}"
        else:
            yield f"from offset {first.offset:,} to {last.offset + BLOCK - 1:,} {first.found}"
    if len(stretches) > SHOWN:
        yield f"and more; the last one that fio reported is at offset {seen.mismatches[-1].offset:,}"


def _stretches(mismatches: Sequence[Mismatch]) -> Iterator[tuple[Mismatch, Mismatch]]:
    """The first and the last of bad blocks that follow each other and hold the same; checksums always differ."""
    first = last = None
    for each in mismatches:
        if first is not None and last is not None and (each.offset, each.found) == (last.offset + BLOCK, last.found):
            last = each
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = each
    if first is not None and last is not None:
        yield first, last
