"""The judgment on data that was read again, for users who must rely on the storage. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from acceptance.loads.verified.jobs import BLOCK
from acceptance.loads.verified.mismatches import Mismatch, Verification
from acceptance.results.requirement import Outcome

MAX_ITEMS = 5
"""The most stretches of bad blocks that are reported one by one."""


def damage(verification: Verification) -> Outcome | None:
    """Return the damage of the data that was read; None if every block is present and as it was written."""
    if not verification.bad and verification.read == verification.expected_size:
        return None
    facts: dict[str, JsonValue] = {"written": verification.expected_size, "read": verification.read}
    if not verification.bad:
        return Outcome(code="integrity.cut_off", facts=facts)
    stretches = list(_stretches(verification.mismatches))
    stretch_facts: list[JsonValue] = [
        {"first": first.offset, "last": last.offset, "found": first.content} for first, last in stretches[:MAX_ITEMS]
    ]
    facts |= {"bad": verification.bad, "block": BLOCK, "stretches": stretch_facts}
    if len(stretches) > MAX_ITEMS:
        facts["last_reported"] = verification.mismatches[-1].offset
    return Outcome(code="integrity.damaged", facts=facts)


def _stretches(mismatches: Sequence[Mismatch]) -> Iterator[tuple[Mismatch, Mismatch]]:
    """Yield the first and the last of consecutive bad blocks with the same content; checksums always differ."""
    first = last = None
    for mismatch in mismatches:
        if (
            first is not None
            and last is not None
            and (mismatch.offset, mismatch.content) == (last.offset + BLOCK, last.content)
        ):
            last = mismatch
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = mismatch
    if first is not None and last is not None:
        yield first, last
