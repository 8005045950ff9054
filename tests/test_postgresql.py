"""PostgreSQL, a workload that is named with --storage-for, must lose no commit that it has acknowledged."""

import pytest

pytestmark = [pytest.mark.workloads, pytest.mark.durability]


def test_acknowledged_commits_survive_a_killed_postgresql(postgresql, accept):
    """PostgreSQL is killed under pgbench's load; a new pod recovers it undamaged, with every acknowledged commit."""
    accept(postgresql())
