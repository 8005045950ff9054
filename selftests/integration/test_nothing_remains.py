"""After all other tests: nothing of them is left, in the cluster and on this host. Runs last."""

import subprocess
import sys

import pytest

from acceptance.process.private_folder import remove_abandoned
from selftests.integration.remains import Before, cluster_names, objects_left, on_host, unowned
from selftests.integration.suite import CLUSTER, ROOT

pytestmark = pytest.mark.alone

# Those that tests start beside their own.
OF_TESTS = (CLUSTER, "selftest", "refused")


def test_no_object_remains_in_the_cluster(before_all_tests: Before) -> None:
    """No namespace, claim, volume, attachment or pod but those that were there before."""
    assert objects_left(CLUSTER, before_all_tests) == set()


def test_nothing_remains_on_this_host(before_all_tests: Before, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No process, mount, loop device, bridge, cgroup, folder or network of a pod, of whatever session's clusters."""
    if CLUSTER not in before_all_tests.clusters:
        words = [sys.executable, "-m", "embedded_cluster", "down", "--name", CLUSTER]
        subprocess.run(words, cwd=ROOT, check=True, timeout=600)
    names = {CLUSTER, *cluster_names()} - before_all_tests.clusters
    theirs = {
        name for name in names if name in OF_TESTS or name.startswith(tuple(f"{of_test}-" for of_test in OF_TESTS))
    }
    remove_abandoned()  # as the next run does: of runs that tests killed
    left = on_host(theirs, folders=[tmp_path_factory.getbasetemp()]) | unowned() - before_all_tests.unowned
    assert left == set()
