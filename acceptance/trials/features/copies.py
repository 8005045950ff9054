"""What a copy of a volume must hold, a restored snapshot or a clone: all from before it was made, nothing else."""

from __future__ import annotations

import re

from acceptance.cluster.claims import Claim
from acceptance.trials.features.bench import Bench

_WRITE = 'echo "$MARK" > "$VOLUME/before" && sync "$VOLUME/before" && cat "$VOLUME/before"'
_CHANGE = (
    'echo "$MARK" > "$VOLUME/before" && echo "$MARK" > "$VOLUME/after" && sync "$VOLUME/before" && sync "$VOLUME/after"'
)
READ = 'for each in before after; do [ -e "$VOLUME/$each" ] && echo "$each $(cat "$VOLUME/$each")"; done; true'

# A device has no files: each mark has a place, of as many bytes as a mark has. Both are behind the first MiB, where a
# new device must be empty, and before the end of the smallest one.
PLACES = {"before": 2 * 1024**2 // 32, "after": 4 * 1024**2 // 32}
"""where marks are on a device, in steps of 32 bytes"""
PUT = 'put() { printf %s "$MARK" | dd of="$VOLUME" bs=32 seek="$1" conv=notrunc,fsync 2> /dev/null; }\n'
GET = 'get() { dd if="$VOLUME" bs=32 skip="$1" count=1 2> /dev/null | tr -cd 0-9a-f; }\n'
_WRITE_DEVICE = f"{PUT}put {PLACES['before']}"
_CHANGE_DEVICE = f"{PUT}put {PLACES['before']} && put {PLACES['after']}"
_READ_DEVICE = GET + "".join(f'echo "{name} $(get {place})"\n' for name, place in PLACES.items())
_MARK = re.compile(r"[0-9a-f]{32}")


def write_before(bench: Bench, claim: Claim, mark: str) -> None:
    """A pod writes the mark, and makes it durable, before the copy is made."""
    bench.run(claim, _WRITE_DEVICE if claim.block else _WRITE, MARK=mark)


def change(bench: Bench, claim: Claim, mark: str) -> None:
    """A pod writes another mark over the first, and beside it."""
    bench.run(claim, _CHANGE_DEVICE if claim.block else _CHANGE, MARK=mark)


def content(bench: Bench, claim: Claim) -> dict[str, str]:
    """What a new pod finds on the volume, by file, or by place of a device."""
    if claim.block:
        found = content_in(bench.run(claim, _READ_DEVICE))
        return {name: mark for name, mark in found.items() if _MARK.fullmatch(mark)}
    return content_in(bench.run(claim, READ))


def content_in(output: str) -> dict[str, str]:
    """The same, of what `READ` has printed."""
    lines = (line.partition(" ") for line in output.splitlines())
    return {name: mark for name, _, mark in lines if name in ("before", "after")}


def wrong_with_copy(found: dict[str, str], *, before: str, after: str) -> str | None:
    """What is wrong with the content of a copy, None if nothing is; `before`, `after`: the marks written then."""
    if not found:
        return "it is empty"
    if after in found.values():
        return "it holds what was written only after it was made"
    if found.get("before") != before:
        return f"it does not hold what was written before it was made, and holds {found.get('before') or 'nothing'!r}"
    if "after" in found:
        return f"it holds a file that its source did not have: {found['after']!r}"
    return None
