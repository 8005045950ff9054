"""A volume for a single pod (ReadWriteOncePod): a second pod on its node waits, and has it afterwards."""

from __future__ import annotations

from acceptance.cluster.claims import AccessMode
from acceptance.cluster.pods import end_pod, wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.printed import wait_printed
from acceptance.trials.features.waiting_pods import wait_kept

ACCESS_MODE: AccessMode = "ReadWriteOncePod"
"""Also the scheduler's spelling of the mode in its reason for a waiting pod."""

_HOLDS = 'echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && echo written && while :; do sleep 1; done'
_READS = 'cat "$VOLUME/mark"'


@Tries("read-write-once-pod", "Only one pod uses a volume (ReadWriteOncePod)", pods=2, e2e=("readWriteOncePod",))
def try_one_pod(bench: Bench) -> str:
    """Verify that a second pod waits for the first, and return what was observed.

    Raises Unsupported if the class offers no such volumes, StorageFailure if both pods run at the same time, or if the
    second does not get the volume after the first.
    """
    claim, mark = bench.claim("alone", access=ACCESS_MODE), new_mark()
    name = bench.storage_class.name
    first = bench.start(claim, _HOLDS, MARK=mark)
    wait_printed(
        bench, first, "written", goal=f"the first pod on a {ACCESS_MODE} volume of StorageClass {name} to write to it"
    )
    second = bench.plan(claim, script=_READS)
    bench.ask_for(second)
    wait_kept(
        bench,
        second,
        f"a second pod on a volume of StorageClass {name} to be kept pending by the scheduler, because its PVC "
        f"requests {ACCESS_MODE} and a first pod runs",
        words=(ACCESS_MODE,),
        failure=f"two pods on {bench.node} used a volume of StorageClass {name} at the same time, although its PVC "
        f"requests {ACCESS_MODE}: the second started while the first was running",
    )
    end_pod(bench.api, first, timeout_s=bench.timeout_s)
    wait_ended(bench.api, second, timeout_s=bench.timeout_s)
    if (content := bench.output_of(second).strip()) != mark:
        raise StorageFailure(
            f"the second pod on a {ACCESS_MODE} volume of StorageClass {name} does not read what the first wrote; "
            f"found: {content or 'nothing'}"
        )
    return f"a second pod on {bench.node} waited while the first used a {ACCESS_MODE} volume, and used it afterwards"
