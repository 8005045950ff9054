"""The last check before a byte is written: in the pod, of a volume that was provisioned only with it.

A claim that waits for its first consumer is bound when its pod is placed: to a new volume, or to one that someone
offered just then. The content that the pod finds there distinguishes them. Kubernetes' own record follows when the
claim is bound (`ownership`).
"""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.cluster.resources import Object

REFUSAL_STATUS = 86
"""The exit status of a pod that found data of others, and wrote nothing."""
_MARK = ".storage-acceptance"
# Names that begin with a dot are file systems' and drivers' own: `.snapshot`, `.trash`. A device is read where file
# systems, volume managers and databases begin their data.
_GUARD = f"""\
mark=$1
shift
while [ "$1" != -- ]; do
    found=
    if [ -b "$1" ]; then
        [ "$(head -c 1048576 "$1" | tr -d '\\000' | head -c 1 | wc -c)" -eq 0 ] || found=' data in its first MiB'
    elif [ "$(cat "$1/{_MARK}" 2> /dev/null)" != "$mark" ]; then
        for each in "$1"/*; do
            name=${{each##*/}}
            [ "$name" = lost+found ] || {{ [ ! -e "$each" ] && [ ! -L "$each" ]; }} || found="$found $name"
            [ "${{#found}}" -lt 200 ] || break
        done
        [ -n "$found" ] || {{ echo "$mark" > "$1/{_MARK}"; }} 2> /dev/null
    fi
    if [ -n "$found" ]; then
        printf 'found:%s' "$found" > /dev/termination-log
        exit {REFUSAL_STATUS}
    fi
    shift
done
shift
exec "$@"
"""


def guarded_command(command: Sequence[str], *, volumes: Sequence[str], mark: str) -> list[str]:
    """Return the command, run only if none of the volumes, folders or devices, holds anything.

    `mark`: the run's; it is left in a folder that was found empty, for containers that are restarted, and for copies of
    the volume.
    """
    return ["sh", "-c", _GUARD, "guard", mark, *volumes, "--", *command] if volumes else list(command)


def refusal(status: Object) -> str | None:
    """Return the data of others that a container found on its volume, by its status; None if it did not refuse.

    A container that is restarted reports the one before.
    """
    for state in (status.get("state") or {}, status.get("lastState") or {}):
        termination = state.get("terminated") or {}
        if termination.get("exitCode") == REFUSAL_STATUS and str(termination.get("message", "")).startswith("found:"):
            names = str(termination["message"]).removeprefix("found:").strip()
            return f"its volume holds data that no pod of this run wrote ({names}), so the pod wrote nothing there"
    return None
