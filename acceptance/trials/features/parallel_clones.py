"""Clones of one volume that are asked for at once: each must be whole."""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.clones import ask_for_clone
from acceptance.trials.features.copies import READ, content_in, wrong_with_copy
from acceptance.trials.features.declared import Tries, VolumesUsed
from acceptance.trials.features.making_copies import written_source

CLONES = 3
_WRITE = 'echo "$MARK" > "$VOLUME/before" && sync "$VOLUME/before"'


@Tries(
    "parallel-clones", "Several clones of a volume are made at once", (VolumesUsed(number=1 + CLONES),), pods=1 + CLONES
)
def try_parallel_clones(bench: Bench) -> str:
    """How all were seen to hold what their source held. Raises Unsupported where the class has none, StorageFailure
    where one never comes, or holds something else."""
    name, mark = bench.storage_class.name, new_mark()
    source, _ = written_source(bench, "clone", _WRITE, mark)
    clones = [ask_for_clone(bench, source, part=f"clone-{number + 1}") for number in range(CLONES)]
    # All pods are asked for at once: a class that waits for a pod makes its volume only then. Where the kernel takes
    # clones for one volume, one pod starts when another has ended: that is not what is asked here.
    pods = [bench.plan(each, script=READ) for each in clones]
    for pod in pods:
        bench.ask_for(pod)
    wrong = {
        clone.name: said
        for clone, pod in zip(clones, pods, strict=True)
        if (said := wrong_with_copy(content_in(bench.ended(pod)), before=mark, after=""))
    }
    if wrong:
        raise StorageFailure(
            f"{CLONES} clones of a volume of StorageClass {name} were asked for at once, and {len(wrong)} of them are "
            f"wrong: {'; '.join(f'{clone}: {said}' for clone, said in wrong.items())}"
        )
    return f"{CLONES} clones of one volume were asked for at once, and each held what their source held"
