"""The disturbances that a target file can define: each kind once, in the words of target files, plan and report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acceptance.results.crashes import Failure


@dataclass(frozen=True, kw_only=True)
class Disturbance:
    """A kind of disturbance.

    `key`: its key in the section `disturb` of a target file; `does`: what its commands do; `metric`: that of the time
    until the volume is written again. `title`: the event, which
    follows "after"; `node`: the node from which the volume moves afterwards; `move`: the title of that move; `plan`:
    its step in the plan.
    """

    failure: Failure
    key: str
    does: str
    metric: str
    title: str
    node: str
    move: str
    plan: str


DISTURBANCES: Mapping[Failure, Disturbance] = {
    disturbance.failure: disturbance
    for disturbance in (
        Disturbance(
            failure="storage-interrupted",
            key="interrupt",
            does="interrupt the storage and restore it",
            metric="disturbances.writable",
            title="the storage was interrupted and restored",
            node="a node whose storage was interrupted",
            move="Move after an interruption",
            plan="records, the storage interrupted and restored, its volume used on another node",
        ),
        Disturbance(
            failure="nodes-restarted",
            key="restart",
            does="take nodes of the storage down and restore them",
            metric="disturbances.writable_after_restart",
            title="nodes were restarted, one after the other",
            node="a node while other nodes were restarted",
            move="Move after restarted nodes",
            plan="records, nodes restarted one after the other",
        ),
        Disturbance(
            failure="nodes-restarted-together",
            key="restart_together",
            does="take several nodes down together and restore them",
            metric="disturbances.used_after_joint_restart",
            title="several nodes were down together and came back",
            node="a node that was down together with others",
            move="Use after a joint restart",
            plan="records, several nodes down together and restored",
        ),
        Disturbance(
            failure="node-shut-down",
            key="shutdown",
            does="shut a node down and start it",
            metric="disturbances.used_elsewhere",
            title="the node was shut down and the volume moved",
            node="a node that was shut down",
            move="Move from a node that was shut down",
            plan="records, the writing node shut down, its volume used on another one",
        ),
        Disturbance(
            failure="node-cut-off",
            key="cut",
            does="cut a node off from the network and let it rejoin",
            metric="disturbances.used_elsewhere_after_cut",
            title="the node was cut off, the volume moved, and the node rejoined",
            node="a node that was cut off and rejoined",
            move="Move from a node that was cut off",
            plan="records on a node that is cut off, and on another one that takes over its volume",
        ),
    )
}
"""The disturbances by the kind of their crash."""
