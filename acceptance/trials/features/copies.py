"""What a copy of a volume must hold, a restored snapshot or a clone: all from before it was made, nothing else."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.trials.features.bench import Bench

_WRITE = 'echo "$MARK" > "$VOLUME/before" && sync "$VOLUME/before" && cat "$VOLUME/before"'
_CHANGE = (
    'echo "$MARK" > "$VOLUME/before" && echo "$MARK" > "$VOLUME/after" && sync "$VOLUME/before" && sync "$VOLUME/after"'
)
_READ = 'for each in before after; do [ -e "$VOLUME/$each" ] && echo "$each $(cat "$VOLUME/$each")"; done; true'


def write_before(bench: Bench, claim: Claim, mark: str) -> None:
    """A pod writes the mark, and makes it durable, before the copy is made."""
    bench.run(claim, _WRITE, MARK=mark)


def change(bench: Bench, claim: Claim, mark: str) -> None:
    """A pod writes another mark over the first, and beside it."""
    bench.run(claim, _CHANGE, MARK=mark)


def content(bench: Bench, claim: Claim) -> dict[str, str]:
    """What a new pod finds on the volume, by file."""
    lines = (line.partition(" ") for line in bench.run(claim, _READ).splitlines())
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
