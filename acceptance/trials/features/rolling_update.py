"""Two pods on one node that use a ReadWriteOnce volume at the same time, as in a rolling update of a Deployment.

The mode allows one node, not one pod. A driver that publishes the volume once for each node refuses the second pod, or
takes the volume away from it with the first (piraeusdatastore/linstor-csi PR 381, NetApp/trident#844).
"""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.going_on import ROUNDS, USES, wait_goes_on
from acceptance.trials.features.printed import wait_printed

# Prints what the second pod writes, as soon as it is there.
_FIRST = """
echo "$MARK" > "$VOLUME/first" && sync "$VOLUME/first" && echo written || exit
while :; do
    [ -e "$VOLUME/second" ] && cat "$VOLUME/second"
    sleep 1
done
"""
_SECOND = f'cat "$VOLUME/first" && echo "$MARK" > "$VOLUME/second" && sync "$VOLUME/second" || exit\n{USES}'
_READ = 'cat "$VOLUME/first" "$VOLUME/second" 2> /dev/null; true'


@Tries("rolling-update", "A new pod takes over a ReadWriteOnce volume on its node while the old one runs", pods=3)
def try_rolling_update(bench: Bench) -> str:
    """Verify that two pods on a node use a volume, of which the second continues alone; return what was observed.

    Raises StorageFailure if the second pod does not start while the first runs, if one does not see the other's data,
    or if the second cannot continue after the first.
    """
    claim, marks = bench.claim("rolling"), (new_mark(), new_mark())
    about = f"on a ReadWriteOnce volume of StorageClass {bench.storage_class.name}"
    first = bench.start(claim, _FIRST, MARK=marks[0])
    wait_printed(bench, first, "written", goal=f"a first pod {about} to write to it")
    second = bench.start(claim, _SECOND, node=bench.node, MARK=marks[1])
    wait_printed(bench, second, marks[0], goal=f"a second pod on {bench.node} {about} to read what the first wrote")
    wait_printed(bench, first, marks[1], goal=f"the first pod on {bench.node} {about} to read what the second wrote")
    bench.end(first)
    wait_goes_on(
        bench,
        second,
        since=f" after the first pod on {bench.node} {about} was deleted",
        describe_failure=lambda rounds: (
            f"failed {rounds} rounds after another pod on {bench.node} that had used it, too, was deleted"
        ),
    )
    bench.end(second)
    if (content := bench.run(claim, _READ).split()) != list(marks):
        raise StorageFailure(
            f"{about}, two pods on {bench.node} wrote a file each; a third one, after them, found other data: "
            f"{' '.join(content) or 'nothing'}"
        )
    return (
        f"a second pod on {bench.node} used a ReadWriteOnce volume while the first ran, and continued for {ROUNDS} "
        "rounds after the first was deleted; each saw the other's data"
    )
