"""A pod that has a folder of a volume (`subPath`): it sees what the folder holds, and what it writes is in the folder.

The kubelet mounts the folder from what the storage has mounted, and creates a missing one. If that was not yet the
volume, or is another one, the folder is somewhere else.
"""

from __future__ import annotations

from collections.abc import Mapping

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.ownership import why_no_group

FOLDER, NEW = "data/a", "data/new/deep"
_FILE = "written"
_MAKE = """
cd "$VOLUME" && mkdir -p data/a data/b && echo "$MARK" > data/a/mark && echo other > data/b/other || exit
sync data/a/mark data/a data
"""
_USE = f"""
for each in "$VOLUME"/*; do [ ! -e "$each" ] || echo "shows ${{each##*/}} $(cat "$each" 2> /dev/null)"; done
said=$({{ echo "$MARK" > "$VOLUME/{_FILE}" && sync "$VOLUME/{_FILE}"; }} 2>&1) && echo wrote || echo "refused $said"
"""
_FIND = f"""
for each in {FOLDER} {NEW}; do echo "shows $each $(cat "$VOLUME/$each/{_FILE}" 2> /dev/null)"; done
"""


@Tries("sub-path", "Pods mount a folder of a volume (subPath)", pods=5)
def try_sub_path(bench: Bench) -> str:
    """Verify that pods can have folders of a volume, and return what was observed.

    Raises Unsupported if pods may not write in a folder that the kubelet creates, StorageFailure if a folder is not
    what the volume holds there.
    """
    claim, mark, other_mark = bench.claim("folders"), new_mark(), new_mark()
    bench.run(claim, _MAKE, MARK=mark)
    # The two pods write at different places: the trial looks for both writes afterwards.
    _require_written(bench, claim, _use(bench, claim, FOLDER, holds={"mark": mark}, writes=other_mark), path=FOLDER)
    _require_written(bench, claim, _use(bench, claim, NEW, holds={}, writes=mark), path=NEW)
    node = _another_node(bench, claim)
    files = _files_in(bench.run(claim, _FIND, node=node))
    for path, expected_mark in {FOLDER: other_mark, NEW: mark}.items():
        if files.get(path) != expected_mark:
            raise StorageFailure(
                f"data that a pod wrote to subPath {path} of {_volume(bench)} on {bench.node} does not appear in a new "
                f"pod on {node or bench.node} that mounts the entire volume; found: {files.get(path) or 'nothing'}"
            )
    answer = _use(bench, claim, FOLDER, holds={"mark": mark, _FILE: other_mark}, writes=mark, node=node, read_only=True)
    if answer == "wrote":
        raise StorageFailure(f"subPath {FOLDER} of {_volume(bench)}, mounted read-only, accepted a file")
    return (
        f"pods mounted the folder {FOLDER} of a volume, which existed, and {NEW}, which did not; a new pod on "
        f"{node or bench.node} read the data of both, and {FOLDER} refused a write when it was mounted read-only"
    )


def _another_node(bench: Bench, claim: Claim) -> str | None:
    """Return another node that can use the volume; None if there is none."""
    nodes = nodes_for_volume(bench.api, bench.volume_of(claim), bench.workspace.pods.template)
    return next((node for node in nodes if node != bench.node), None)


def _use(
    bench: Bench,
    claim: Claim,
    path: str,
    *,
    holds: Mapping[str, str],
    writes: str,
    node: str | None = None,
    read_only: bool = False,
) -> str:
    """Return what a pod with that folder of the volume prints about its write.

    The folder must hold the files of `holds` and no other.
    """
    output = bench.run(claim, _USE, node=node, sub_path=path, read_only=read_only, MARK=writes)
    if (files := _files_in(output)) != holds:
        names = ", ".join(sorted(files)) or "nothing"
        expected_names = ", ".join(sorted(holds)) or "nothing"
        remark = ", with other content" if set(files) == set(holds) else ""
        raise StorageFailure(
            f"a pod with subPath {path} of {_volume(bench)} sees the wrong files: expected {expected_names}, found "
            f"{names}{remark}"
        )
    return output.splitlines()[-1]


def _require_written(bench: Bench, claim: Claim, answer: str, *, path: str) -> None:
    if answer == "wrote":
        return
    if path == NEW and (why := why_no_group(bench, claim)):
        raise bench.missing(
            f"the kubelet creates the folder of a subPath as root, and a pod may not write there ({answer}): {why}"
        )
    raise StorageFailure(f"a pod with subPath {path} of {_volume(bench)} cannot write there: {answer}")


def _files_in(output: str) -> dict[str, str]:
    """Return the content of each file, by its name."""
    words = [line.split(" ", 2) for line in output.splitlines() if line.startswith("shows ")]
    return {name: content for _, name, content in words}


def _volume(bench: Bench) -> str:
    return f"a volume of StorageClass {bench.storage_class.name}"
