"""The judgement on what was read again, for someone who must rely on the storage. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from acceptance.loads.verified.jobs import BLOCK
from acceptance.loads.verified.mismatches import Mismatch, Verification
from acceptance.results.requirement import Outcome

SHOWN = 5
"""stretches of bad blocks that are told one by one"""


def damage(seen: Verification) -> Outcome | None:
    """What is wrong with what was read; None where every block is there and as it was written."""
    if not seen.bad and seen.read == seen.wanted:
        return None
    facts: dict[str, JsonValue] = {"written": seen.wanted, "read": seen.read}
    if not seen.bad:
        return Outcome(code="integrity.cut_off", facts=facts)
    stretches = list(_stretches(seen.mismatches))
    shown: list[JsonValue] = [
        {"first": first.offset, "last": last.offset, "found": first.found} for first, last in stretches[:SHOWN]
    ]
    facts |= {"bad": seen.bad, "block": BLOCK, "stretches": shown}
    if len(stretches) > SHOWN:
        facts["last_reported"] = seen.mismatches[-1].offset
    return Outcome(code="integrity.damaged", facts=facts)


def _stretches(mismatches: Sequence[Mismatch]) -> Iterator[tuple[Mismatch, Mismatch]]:
    """The first and the last of bad blocks that follow each other and hold the same; checksums always differ."""
    first = last = None
    for mismatch in mismatches:
        if (
            first is not None
            and last is not None
            and (mismatch.offset, mismatch.found) == (last.offset + BLOCK, last.found)
        ):
            last = mismatch
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = mismatch
    if first is not None and last is not None:
        yield first, last
