"""Files that one node renames or makes durable, as another node sees them: intact, never missing, and how soon."""

from __future__ import annotations

from statistics import median

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, last_said, shared_claim, start, within_s

ROUNDS = 20
_WRONG = {
    "unseen": "did not appear within {within_s} s",
    "gone": "was missing for a moment, although it was only replaced by a rename",
    "torn": "was neither the old file nor the new one",
}


@Tries("visibility", "Renamed and fsynced files are visible on other nodes (RWX)", pods=2, two_nodes=True)
def try_visibility(bench: Bench) -> str:
    """Verify that changes show on another node, and return how soon they do.

    Raises Unsupported if the class has no such volumes, StorageFailure if a change never shows there, or only in part.
    """
    claim = shared_claim(bench, "visibility")
    variables = {"COUNT": str(ROUNDS)}
    # The answering pod starts before the asking one: the first round trip then includes no start of a pod.
    pong = start(bench, claim, "pong", **variables)
    asking = another_node(bench, claim)
    ping = start(bench, claim, "ping", node=asking, **variables)
    questions, answers = (last_said(bench, plan, rounds=ROUNDS) for plan in (ping, pong))
    last_answer, last_question = answers[-1], questions[-1]
    about = f"on a volume of StorageClass {bench.storage_class.name}"
    # A pod that waits for the next change while its last answer has not shown has seen all changes.
    only_answer_missing = last_answer[0] == last_question[0] == "unseen" and int(last_answer[1]) > int(last_question[1])
    if last_answer[0] != "over" and not only_answer_missing:
        wrong = _WRONG[last_answer[0]].format(within_s=within_s(bench))
        raise StorageFailure(
            f"{about} a file was written, fsynced and renamed on {asking} (change {last_answer[1]} of {ROUNDS}); "
            f"on {bench.node} it {wrong}"
        )
    if last_question[0] != "over":
        raise StorageFailure(
            f"{about} data that was written in place and fsynced on {bench.node} (change {last_question[1]} of "
            f"{ROUNDS}) did not appear on {asking} within {within_s(bench)} s"
        )
    times_s = [float(words[2]) for words in questions if words[0] == "answered"]
    return (
        f"{asking} renamed {ROUNDS} files, and {bench.node} saw each of them complete; {asking} saw all fsynced "
        f"answers of {bench.node}; round trip {_in_words(median(times_s))} (median), {_in_words(max(times_s))} at most"
    )


def _in_words(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
