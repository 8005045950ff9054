"""Mount options of a PV, those of its class among them: they apply to each mount, and a wrong one is refused."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.cluster.claims import Claim
from acceptance.cluster.events import WarningEvent, warnings_about
from acceptance.cluster.pod_states import describe_pod, main_started
from acceptance.cluster.pods import end_pod, require_pod, start_problem
from acceptance.cluster.resources import VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import TWO_VOLUMES, Tries

OPTION = "noatime"
"""An option that every Linux file system has, and that the kernel shows for each mount."""
WRONG = "storage-acceptance-no-such-option"
SHOWN_AS_THEY_ARE = ("dirsync", "lazytime", "noatime", "nodev", "nodiratime", "noexec", "nosuid", "ro", "sync")
"""Options that the kernel itself shows; a file system may show its own options in other words, or omit its defaults.
https://man7.org/linux/man-pages/man8/mount.8.html"""
_LOOK = """
while read -r device path kind options rest; do [ "$path" = "$VOLUME" ] && echo "$kind $options"; done < /proc/mounts
true
"""
# The kinds that Kubernetes itself mounts without options, which it reports in an event.
_WITHOUT = ("hostPath", "local")
_REFUSAL_REASON = "FailedMount"
# A kubelet tries repeatedly; a volume that was only not ready yet is mounted by then.
_OFTEN = 3


@Tries("mount-options", "Mount options reach the mount", TWO_VOLUMES, pods=3)
def try_mount_options(bench: Bench) -> str:
    """Verify that mount options apply, and return what was observed.

    Raises Unsupported if volumes are of a kind without options, StorageFailure if an option does not show, or if an
    unknown option does not prevent the mount.
    """
    claim = bench.claim("with-options")
    own = _options_of(bench, claim)
    options = [*own, OPTION]
    _set_options(bench, claim, options)
    mount_line = wait_for(
        f"a volume of StorageClass {bench.storage_class.name} to be mounted with {','.join(options)}",
        # A node may keep a volume mounted for a moment after its last pod, with the options of that time.
        look=lambda: _mount_line(bench, claim),
        ready=lambda line: not absent(options, line),
        state=lambda line: f"/proc/mounts shows {line}, without {','.join(absent(options, line))}",
        timeout_s=min(bench.timeout_s, 60),
    )
    _require_refusal(bench)
    return f"{held_in_words(own, mount_line)}; a pod whose PV has an unknown option did not start"


def held_in_words(own: Sequence[str], mount_line: str) -> str:
    """Return in words which options applied. `own`: the class's; `mount_line`: the line of /proc/mounts."""
    comparable = [option for option in own if option in SHOWN_AS_THEY_ARE]
    incomparable = [option for option in own if option not in SHOWN_AS_THEY_ARE]
    part = f"the class's {','.join(comparable)} and " if comparable else ""
    note = f"; the class's {','.join(incomparable)} were not compared: the kernel may show them in other words"
    return f"a pod's volume was mounted with {part}{OPTION} of its PV ({mount_line}){note if incomparable else ''}"


def absent(options: Sequence[str], mount_line: str) -> list[str]:
    """Return the options that the kernel shows as they are, but not in this line of /proc/mounts."""
    mount_options = mount_line.partition(" ")[2].split(",")
    return [option for option in options if option in SHOWN_AS_THEY_ARE and option not in mount_options]


def _options_of(bench: Bench, claim: Claim) -> list[str]:
    """Return the options that the volume has from its class; if the class waits for a pod, run one first."""
    if bench.storage_class.waits_for_pod:
        bench.run(claim, "true")
    spec = bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]
    if kinds := [kind for kind in _WITHOUT if kind in spec]:
        raise bench.missing(
            f"PVs of StorageClass {bench.storage_class.name} are of kind {kinds[0]}, which Kubernetes mounts without "
            "options"
        )
    return list(spec.get("mountOptions") or [])


def _set_options(bench: Bench, claim: Claim, options: Sequence[str]) -> None:
    """Have the claim's PV, which belongs to this run, mounted with these options from now on."""
    bench.api.patch(VOLUMES, bench.volume_of(claim), {"spec": {"mountOptions": list(options)}})


def _mount_line(bench: Bench, claim: Claim) -> str:
    lines = bench.run(claim, _LOOK).splitlines()
    return lines[-1] if lines else "no such mount"


def is_refusal(warning: WarningEvent) -> bool:
    """Return whether a FailedMount is due to the wrong option, not to a volume that was not attached yet."""
    return WRONG in warning.message or warning.times >= _OFTEN


def _require_refusal(bench: Bench) -> None:
    """Require that a volume with an option that no file system has is not mounted: else no options reach the mount."""
    claim = bench.claim("with-a-wrong-option")
    _options_of(bench, claim)
    _set_options(bench, claim, [WRONG])
    pod = bench.plan(claim, script=_LOOK)
    bench.ask_for(pod)

    def start_error(state: tuple[Object, list[WarningEvent]]) -> AcceptanceError | None:
        if main_started(state[0]):
            return StorageFailure(
                f"a volume of StorageClass {bench.storage_class.name} was mounted although its PV has the mount option "
                f"{WRONG}, which no file system has: mount options do not reach the mount"
            )
        return start_problem(bench.api, pod, state[0])

    wait_for(
        f"pod {pod.name} to fail to mount its volume, because the PV has the mount option {WRONG}",
        look=lambda: (
            require_pod(bench.api, pod),
            warnings_about(bench.api, namespace=pod.namespace, name=pod.name, reason=_REFUSAL_REASON),
        ),
        ready=lambda state: not main_started(state[0]) and any(map(is_refusal, state[1])),
        state=lambda state: "; ".join([describe_pod(state[0]), *(warning.line for warning in state[1])]),
        fatal=start_error,
        timeout_s=bench.timeout_s,
    )
    end_pod(bench.api, pod, timeout_s=bench.timeout_s)
