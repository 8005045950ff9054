"""Clones of one volume that are requested at the same time: each must be complete."""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.clones import ask_for_clone
from acceptance.trials.features.copies import READ, content_in, wrong_with_copy
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.making_copies import written_source

CLONES = 3
_WRITE = 'echo "$MARK" > "$VOLUME/before" && sync "$VOLUME/before"'


@Tries(
    "parallel-clones",
    "Several clones of a volume are created at the same time",
    (VolumeUse(number=1 + CLONES),),
    pods=1 + CLONES,
)
def try_parallel_clones(bench: Bench) -> str:
    """Verify that all clones hold what their source held, and return what was observed.

    Raises Unsupported if the class has no clones, StorageFailure if one is never ready or holds other data.
    """
    name, mark = bench.storage_class.name, new_mark()
    source, _ = written_source(bench, "clone", _WRITE, mark)
    clones = [ask_for_clone(bench, source, part=f"clone-{number + 1}") for number in range(CLONES)]
    # All pods are requested at the same time: a class that waits for a pod creates its volume only then. If the kernel
    # takes clones for one volume, a pod starts once another has ended: this trial does not test that.
    pods = [bench.plan(clone, script=READ) for clone in clones]
    for pod in pods:
        bench.ask_for(pod)
    wrong = {
        clone.name: problem
        for clone, pod in zip(clones, pods, strict=True)
        if (problem := wrong_with_copy(content_in(bench.wait_output(pod)), before=mark, after=""))
    }
    if wrong:
        raise StorageFailure(
            f"{len(wrong)} of {CLONES} clones of a volume of StorageClass {name}, requested at the same time, are "
            f"wrong: {'; '.join(f'{clone}: {problem}' for clone, problem in wrong.items())}"
        )
    return f"{CLONES} clones of one volume were requested at the same time, and each held the data of the source"
