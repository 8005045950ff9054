"""PostgreSQL itself, as a workload that is named with --storage-for, must lose no commit that it has acknowledged."""

import pytest

pytestmark = [pytest.mark.workloads, pytest.mark.durability]


def test_acknowledged_commits_survive_a_killed_postgresql(postgresql, accept):
    """Killed under pgbench's load, PostgreSQL recovers in a new pod with every acknowledged commit, and undamaged."""
    accept(postgresql())
