"""What the tests that come with the suite do, where neither their fixtures nor their limits tell: by name."""

from __future__ import annotations

from acceptance.results.crashes import Failure
from acceptance.results.features import Capability

PODS_ON_TRIAL: dict[str, int] = {
    "test_claim_binds_and_takes_a_write": 1,
    "test_data_survives_a_new_pod_on_the_same_node": 2,
    "test_data_survives_a_new_pod_on_another_node": 2,
    "test_claim_binds_in_time": 1,
    "test_volume_is_gone_after_deletion": 1,
}
CRASHES: dict[str, Failure] = {
    "test_acknowledged_records_survive_a_killed_pod": "pod-killed",
    "test_acknowledged_records_survive_a_killed_pod_on_another_node": "pod-killed-and-moved",
    "test_acknowledged_records_survive_a_failed_node": "node-failed",
    "test_acknowledged_records_are_there_after_a_failover": "failover",
    "test_failover_is_in_time": "failover",
}
FEATURES: dict[str, Capability] = {
    "test_volume_grows_while_it_is_used": "expansion",
    "test_snapshot_holds_what_was_there_when_it_was_taken": "snapshot",
    "test_clone_goes_its_own_way": "clone",
    "test_two_nodes_share_a_volume": "shared",
    "test_volume_is_given_to_the_group_of_a_pod": "fs-group",
    "test_read_only_volume_refuses_writes": "read-only",
}
VERIFYING = ("test_written_data_is_read_by_a_new_pod", "test_written_data_is_read_elsewhere")
"""Those of `written` that have a pod more read the file."""
ELSEWHERE = (
    "test_data_survives_a_new_pod_on_another_node",
    "test_written_data_is_read_elsewhere",
    "test_acknowledged_records_survive_a_killed_pod_on_another_node",
    "test_acknowledged_records_are_there_after_a_failover",
    "test_failover_is_in_time",
    "test_two_nodes_share_a_volume",
)
"""They need a second node that takes pods."""
