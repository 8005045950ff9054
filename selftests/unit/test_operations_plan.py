"""What control operations are planned to take: rounds, volumes at one time, and what each operation needs beside it."""

from __future__ import annotations

import pytest

from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.many_volumes import plan_operations
from acceptance.results.operations import OPERATIONS, Operation
from acceptance.text.quantities import parse_size
from acceptance.trials.operations.plan import OperationSettings

GIB = parse_size("1Gi")


def settings(*wanted: Operation, at_once: int = 20, count: int = 90) -> OperationSettings:
    return OperationSettings(at_once=at_once, count=count, operations=frozenset(wanted), timeout_s=300.0)


@pytest.mark.parametrize(("at_once", "rounds"), [(20, 5), (89, 2), (90, 1), (1000, 1)])
def test_there_are_as_many_rounds_as_the_percentile_needs(at_once: int, rounds: int) -> None:
    assert settings("bind", at_once=at_once).rounds == rounds


def test_an_operation_brings_what_it_needs() -> None:
    assert settings("bind").all_operations == {"bind", "delete"}
    assert settings("restore").all_operations == {"bind", "snapshot", "restore", "delete"}
    assert settings("mount").all_operations == {"bind", "start", "mount", "delete"}
    assert settings("expand").all_operations == {"bind", "start", "expand", "delete"}


def test_the_plan_counts_all_that_is_there_at_one_time() -> None:
    """Copies are there one kind at a time, beside their sources; grown volumes when these have gone."""
    step = plan_operations("fast", settings(*OPERATIONS), speeds=EMBEDDED_CLUSTER)
    (volumes,) = step.volumes
    assert (volumes.number, volumes.size, volumes.beside) == (40, GIB, 20 * GIB)
    assert (volumes.total, step.pods) == (5 * 60, 100)
    assert step.description.startswith("5 times 20 at the same time on fast: bind, attach, mount, start, snapshot")
    (alone,) = plan_operations("fast", settings("bind"), speeds=EMBEDDED_CLUSTER).volumes
    assert (alone.number, alone.total, alone.beside) == (20, 100, 0)
