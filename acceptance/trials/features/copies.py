"""Content that a copy of a volume (a restored snapshot or a clone) must hold: all from before it, and nothing later."""

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
"""Places of marks on a device, in steps of 32 bytes."""
PUT_FUNCTION = 'put() { printf %s "$MARK" | dd of="$VOLUME" bs=32 seek="$1" conv=notrunc,fsync 2> /dev/null; }\n'
GET_FUNCTION = 'get() { dd if="$VOLUME" bs=32 skip="$1" count=1 2> /dev/null | tr -cd 0-9a-f; }\n'
_WRITE_DEVICE = f"{PUT_FUNCTION}put {PLACES['before']}"
_CHANGE_DEVICE = f"{PUT_FUNCTION}put {PLACES['before']} && put {PLACES['after']}"
_READ_DEVICE = GET_FUNCTION + "".join(f'echo "{name} $(get {place})"\n' for name, place in PLACES.items())
_MARK = re.compile(r"[0-9a-f]{32}")


def write_before(bench: Bench, claim: Claim, mark: str) -> None:
    """Write the mark from a pod, durably, before the copy is created."""
    bench.run(claim, _WRITE_DEVICE if claim.block else _WRITE, MARK=mark)


def change(bench: Bench, claim: Claim, mark: str) -> None:
    """Write another mark from a pod, over the first one and at a second place."""
    bench.run(claim, _CHANGE_DEVICE if claim.block else _CHANGE, MARK=mark)


def content(bench: Bench, claim: Claim) -> dict[str, str]:
    """Return the marks that a new pod finds on the volume, by file, or by place on a device."""
    if claim.block:
        marks = content_in(bench.run(claim, _READ_DEVICE))
        return {name: mark for name, mark in marks.items() if _MARK.fullmatch(mark)}
    return content_in(bench.run(claim, READ))


def content_in(output: str) -> dict[str, str]:
    """Return the marks in the output of `READ`, by file."""
    lines = (line.partition(" ") for line in output.splitlines())
    return {name: mark for name, _, mark in lines if name in ("before", "after")}


def wrong_with_copy(marks: dict[str, str], *, before: str, after: str) -> str | None:
    """Return the error in the marks of a copy, None if they are correct; `before`, `after`: what was written then."""
    if not marks:
        return "it is empty"
    if after in marks.values():
        return "it holds data that was written after the copy was taken"
    if marks.get("before") != before:
        content_before = marks.get("before") or "nothing"
        return f"it lacks the data that was written before the copy was taken, and holds {content_before!r}"
    if "after" in marks:
        return f"it holds a file that its source did not have: {marks['after']!r}"
    return None
