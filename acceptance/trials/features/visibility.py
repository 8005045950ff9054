"""What one node renamed or made durable, seen from another: whole, never gone in between, and after how long."""

from __future__ import annotations

from statistics import median

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, last_said, shared_claim, start, within_s

ROUNDS = 20
_WRONG = {
    "unseen": "did not show within {within_s} s",
    "gone": "was missing for a moment, though it was only renamed over",
    "torn": "was neither the old file nor the new one",
}


@Tries("visibility", "Renamed and fsynced files show on other nodes (RWX)", pods=2, two_nodes=True)
def try_visibility(bench: Bench) -> str:
    """How soon changes were seen to show on another node. Raises Unsupported where the class has no such volumes,
    StorageFailure where one never shows there, or in part."""
    claim = shared_claim(bench, "visibility")
    variables = {"COUNT": str(ROUNDS)}
    # Who answers is there before he is asked: the first time there and back is none of a pod's start.
    pong = start(bench, claim, "pong", **variables)
    asking = another_node(bench, claim)
    ping = start(bench, claim, "ping", node=asking, **variables)
    questions, answers = (last_said(bench, plan, rounds=ROUNDS) for plan in (ping, pong))
    looked, asked = answers[-1], questions[-1]
    about = f"on a volume of StorageClass {bench.storage_class.name}"
    # Who looks for the next change while his last answer has not shown has seen all that was changed.
    unanswered = looked[0] == asked[0] == "unseen" and int(looked[1]) > int(asked[1])
    if looked[0] != "over" and not unanswered:
        wrong = _WRONG[looked[0]].format(within_s=within_s(bench))
        raise StorageFailure(
            f"{about} a file that was written, fsynced and renamed on {asking} (change {looked[1]} of {ROUNDS}), "
            f"looked at on {bench.node}, {wrong}"
        )
    if asked[0] != "over":
        raise StorageFailure(
            f"{about} what was written in place and fsynced on {bench.node} (change {asked[1]} of {ROUNDS}) did not "
            f"show on {asking} within {within_s(bench)} s"
        )
    times_s = [float(words[2]) for words in questions if words[0] == "answered"]
    return (
        f"{ROUNDS} files renamed on {asking} were each seen whole on {bench.node}, and as many fsynced writes there on "
        f"{asking}: there and back in {_shown(median(times_s))}, in {_shown(max(times_s))} at most"
    )


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
