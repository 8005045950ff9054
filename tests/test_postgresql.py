"""PostgreSQL, a workload that is named with --storage-for, must lose no commit that it has acknowledged."""

import pytest

pytestmark = [pytest.mark.workloads, pytest.mark.durability]


def test_acknowledged_commits_survive_a_killed_postgresql(postgresql, accept):
    """PostgreSQL is killed under the load of pgbench; a new pod recovers every acknowledged commit without damage."""
    accept(postgresql())
