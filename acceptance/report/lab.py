"""The notice about a run on a lab: which machine it was, and which limits were only its floors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.results.clusters import Cluster
from acceptance.results.document import Results

FLOOR_TIMES = 10.0
"""A lab's limit that a figure meets this many times over cannot have failed: it is a floor, not a requirement."""


@dataclass(frozen=True, kw_only=True)
class Lab:
    """The notice on the first screen. `stand_ins`: the cluster's substitutes for the real thing, a line each."""

    sentence: str
    stand_ins: Sequence[str]


def lab_of(results: Results) -> Lab | None:
    """Return the notice; None without a cluster, and for a cluster that is not known to be a lab."""
    cluster = results.cluster
    if cluster is None or not cluster.is_lab:
        return None
    return Lab(sentence=f"A lab: {_machines_in_words(cluster)}", stand_ins=cluster.stand_ins)


def has_floors(results: Results) -> bool:
    """Return whether the limits may be floors: those of a lab are, unless they are the shipped ones."""
    conditions = results.tested_with
    return lab_of(results) is not None and not (conditions is not None and conditions.limits_shipped)


def _machines_in_words(cluster: Cluster) -> str:
    nodes, machines = len(cluster.nodes), 1 if cluster.kind == "embedded" else cluster.machines
    if machines is None or machines >= nodes > 1:
        return "parts of this cluster are substitutes. The figures do not apply to the storage elsewhere."
    elsewhere = "The figures apply to that machine, and say nothing about the speed of this storage elsewhere."
    if nodes == 1:
        return f"one machine is the whole cluster. {elsewhere}"
    if machines == 1:
        sharing = "which share its CPUs, memory and disks, without a network between them"
        return f"one machine plays all {nodes} nodes, {sharing}. {elsewhere}"
    return f"{machines} machines play all {nodes} nodes. The figures apply only to those machines."
