"""The share of crashes that are judged rightly: N rounds each on the two good classes and on one that forgets.

    python -m embedded_cluster run -- python benchmarks/durability.py [ROUNDS [CLUSTER]]

Each round writes records for 2 s, has the node fail, brings it back, and looks for the records.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.cleanup import remove_run
from acceptance.cluster.objects import new_run_id
from acceptance.cluster.run_namespace import alive, create_namespace
from acceptance.cluster.workspace import Workspace
from acceptance.judging.crashes import judge_durability
from acceptance.settings.target_file import NodeFailureTarget
from acceptance.text.errors import AcceptanceError
from acceptance.trials.crashes.trial import CrashSettings
from acceptance.trials.crashes.trials import CrashTrials
from selftests.lab.folder import lab_folder_of
from selftests.lab.provisioner import LabClass, lab_classes
from selftests.lab.volatile_cache import hook, volatile_cache_disk

VOLATILE = "lab-volatile-cache"
WRITE_S = 2.0
TIMEOUT_S = 120.0


def main(rounds: int, cluster: str) -> int:
    """Print one line a round and the counts at the end; return 0 if every round was judged as expected."""
    running = embedded_cluster.find(cluster)
    if running is None:
        raise SystemExit(f"embedded cluster {cluster} does not run; start it first")
    api = Api.from_kubeconfig(running.kubeconfig)
    run_id = new_run_id(datetime.now(UTC))
    right: dict[str, int] = {}
    with ExitStack() as undo:
        folder = undo.enter_context(lab_folder_of(cluster))
        disk = undo.enter_context(volatile_cache_disk(folder / "disk", size="256M"))
        undo.enter_context(lab_classes(api, [LabClass(name=VOLATILE, folder=disk.mounted)]))
        undo.callback(partial(remove_run, api, run_id=run_id, timeout_s=TIMEOUT_S))
        namespace = create_namespace(api, run_id=run_id)
        undo.enter_context(alive(api, run_id=run_id))
        workspace = Workspace(api=api, run_id=run_id, namespace=namespace, image=running.image, timeout_s=TIMEOUT_S)
        honest = embedded_cluster.node_failure_commands(name=cluster)
        for name in (VOLATILE, "local-path", "replicated"):
            commands = hook(cluster, folder / "disk") if name == VOLATILE else honest
            right[name] = sum(_round(workspace, name, commands, number) for number in range(1, rounds + 1))
    for name, count in right.items():
        expected_outcome = "caught" if name == VOLATILE else "passed"
        print(f"{name}: {expected_outcome} in {count} of {rounds} rounds", flush=True)
    return 0 if all(count == rounds for count in right.values()) else 1


def _round(workspace: Workspace, storage_class: str, commands: dict[str, list[str]], number: int) -> bool:
    """Return whether the round was judged as expected."""
    began_s = time.monotonic()
    trials = CrashTrials(
        workspace,
        settings=CrashSettings(write_s=WRITE_S, failover_s=TIMEOUT_S),
        node_failure=NodeFailureTarget.model_validate(commands).plan,
        say=lambda text: None,
        keep=lambda crash: None,
    )
    try:
        record = trials.crash(storage_class, "node-failed").durability
        reason, right = judge_durability(record).reason, bool(record.lost) == (storage_class == VOLATILE)
    except AcceptanceError as error:
        reason, right = f"{type(error).__name__}: {error}", False
    print(f"{number:3} {time.monotonic() - began_s:5.1f} s  {reason}", flush=True)
    return right


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(main(int(arguments[0]) if arguments else 20, arguments[1] if len(arguments) > 1 else "default"))
