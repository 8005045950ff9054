"""The commands by which rebuild tests lose and watch a replica of the embedded cluster's replicated class."""

import argparse
import sys
from collections.abc import Sequence

from acceptance.text.errors import AcceptanceError
from embedded_cluster.layout import Layout
from embedded_cluster.locking import cluster_lock
from embedded_cluster.replica import Replica

NOT_WHOLE, ERROR_STATUS = 1, 2


def _act(replica: Replica, action: str) -> None:
    if action == "lose":
        print(replica.lose())
    else:
        replica.restore()
        replica.let_heal()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one action; return its exit status: 0, for `whole` 1 if it is not, 2 for errors, which are printed."""
    parser = argparse.ArgumentParser(prog="python -m embedded_cluster.rebuild", description=__doc__)
    parser.add_argument("action", choices=["lose", "whole", "progress", "restore"])
    parser.add_argument("cluster")
    parser.add_argument("folder")
    options = parser.parse_args(arguments)
    try:
        layout = Layout(options.cluster)
        replica = Replica(layout, options.folder)
        if options.action in ("lose", "restore"):
            with cluster_lock(layout):
                _act(replica, options.action)
        elif options.action == "progress":
            share = round(replica.progress(), 2)
            if share:
                replica.let_heal()  # now that a poll has seen the healing
            print(f"{share:.2f}")
        elif lacks := replica.lacks():
            print("\n".join(lacks), file=sys.stderr)
            return NOT_WHOLE
    except AcceptanceError as error:
        print(f"error: {error}", file=sys.stderr)
        return ERROR_STATUS
    return 0


if __name__ == "__main__":
    sys.exit(main())
