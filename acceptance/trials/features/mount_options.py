"""Mount options of a PV, its class's among them: they hold where a pod has it, and a wrong one is refused."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.cluster.claims import Claim
from acceptance.cluster.events import Warned, warnings_about
from acceptance.cluster.pod_states import describe_pod, main_started
from acceptance.cluster.pods import end_pod, needed, start_problem
from acceptance.cluster.resources import VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError, StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import TWO, Tries

OPTION = "noatime"
"""every Linux file system has it, and the kernel shows it for each mount"""
WRONG = "storage-acceptance-no-such-option"
SHOWN_AS_THEY_ARE = ("dirsync", "lazytime", "noatime", "nodev", "nodiratime", "noexec", "nosuid", "ro", "sync")
"""what the kernel itself shows of mounts; a file system may show its own options in other words, or not where they are
what it does anyway. https://man7.org/linux/man-pages/man8/mount.8.html"""
_LOOK = """
while read -r device path kind options rest; do [ "$path" = "$VOLUME" ] && echo "$kind $options"; done < /proc/mounts
true
"""
# The kinds that Kubernetes itself mounts with no options, which it says in an event.
_WITHOUT = ("hostPath", "local")
_REFUSED = "FailedMount"
# A kubelet tries again and again; what was only not ready yet has gone by then.
_OFTEN = 3


@Tries("mount-options", "Mount options reach the mount", TWO, pods=3)
def try_mount_options(bench: Bench) -> str:
    """How mount options were seen to hold. Raises Unsupported where volumes are of a kind that has none, StorageFailure
    where an option does not show, or one that there is not is no hindrance."""
    claim = bench.claim("with-options")
    own = _options_of(bench, claim)
    wanted = [*own, OPTION]
    _set_options(bench, claim, wanted)
    shown = wait_for(
        f"a volume of StorageClass {bench.storage_class.name} to be mounted with {','.join(wanted)}",
        # A node may keep a volume mounted for a moment after its last pod, and with it the options of then.
        look=lambda: _shown(bench, claim),
        ready=lambda seen: not absent(wanted, seen),
        state=lambda seen: f"/proc/mounts shows {seen}, without {','.join(absent(wanted, seen))}",
        timeout_s=min(bench.timeout_s, 60),
    )
    _see_refused(bench)
    return f"{held_in_words(own, shown)}; a pod whose PV has an unknown option did not start"


def held_in_words(own: Sequence[str], shown: str) -> str:
    """What was seen of the options. `own`: the class's; `shown`: the line of /proc/mounts."""
    seen = [each for each in own if each in SHOWN_AS_THEY_ARE]
    unseen = [each for each in own if each not in SHOWN_AS_THEY_ARE]
    whose = f"the class's {','.join(seen)} and " if seen else ""
    not_compared = f"; the class's {','.join(unseen)} not compared: the kernel may show them in other words"
    return f"a pod's volume was mounted with {whose}{OPTION} of its PV ({shown}){not_compared if unseen else ''}"


def absent(wanted: Sequence[str], shown: str) -> list[str]:
    """Those of the options that the kernel shows as they are, and does not show in this line of /proc/mounts."""
    there = shown.partition(" ")[2].split(",")
    return [each for each in wanted if each in SHOWN_AS_THEY_ARE and each not in there]


def _options_of(bench: Bench, claim: Claim) -> list[str]:
    """The options that the volume has of its class; a volume that waits for a pod has had one then."""
    if bench.storage_class.waits_for_pod:
        bench.run(claim, "true")
    spec = bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]
    if kinds := [kind for kind in _WITHOUT if kind in spec]:
        raise bench.missing(
            f"PVs of StorageClass {bench.storage_class.name} are of kind {kinds[0]}, which Kubernetes mounts with no "
            "options"
        )
    return list(spec.get("mountOptions") or [])


def _set_options(bench: Bench, claim: Claim, options: Sequence[str]) -> None:
    """Have the claim's PV, which is the run's own, be mounted so from now on."""
    bench.api.patch(VOLUMES, bench.volume_of(claim), {"spec": {"mountOptions": list(options)}})


def _shown(bench: Bench, claim: Claim) -> str:
    lines = bench.run(claim, _LOOK).splitlines()
    return lines[-1] if lines else "no such mount"


def is_refusal(warned: Warned) -> bool:
    """Whether a FailedMount is that of the wrong option, and not one of a volume that was not attached yet."""
    return WRONG in warned.message or warned.times >= _OFTEN


def _see_refused(bench: Bench) -> None:
    """A volume with an option that no file system has is not mounted, or the option is passed on to nobody."""
    claim = bench.claim("with-a-wrong-option")
    _options_of(bench, claim)
    _set_options(bench, claim, [WRONG])
    pod = bench.plan(claim, script=_LOOK)
    bench.ask_for(pod)

    def taken(seen: tuple[Object, list[Warned]]) -> AcceptanceError | None:
        if main_started(seen[0]):
            return StorageFailure(
                f"a volume of StorageClass {bench.storage_class.name} was mounted although its PV has the mount option "
                f"{WRONG}, which no file system has: mount options do not reach the mount"
            )
        return start_problem(bench.api, pod, seen[0])

    wait_for(
        f"pod {pod.name} to be refused its volume, whose PV has the mount option {WRONG}",
        look=lambda: (
            needed(bench.api, pod),
            warnings_about(bench.api, namespace=pod.namespace, name=pod.name, reason=_REFUSED),
        ),
        ready=lambda seen: not main_started(seen[0]) and any(map(is_refusal, seen[1])),
        state=lambda seen: "; ".join([describe_pod(seen[0]), *(each.line for each in seen[1])]),
        fatal=taken,
        timeout_s=bench.timeout_s,
    )
    end_pod(bench.api, pod, timeout_s=bench.timeout_s)
