"""Tries of Longhorn that fail: each is counted once, however it shows, and the sixth ends the test. With the lab's
volume at Longhorn's own times, of which none passes here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild.longhorn_objects import LonghornView, rebuild_state, rebuilt_since
from acceptance.trials.rebuild.longhorn_tries import MOST_RETRIES, LonghornTries
from selftests.lab.longhorn_volume import LOOKS_S, MADE, Behaviour, LabVolume
from selftests.unit.longhorn_views import view

THREE = ("r-1", "r-2", "r-3")
NO_SPACE = "no space left on device"


def looks(behaviour: Behaviour, *, wanted: int = 4, until_s: int = 3000) -> Iterator[LonghornView]:
    """The volume at the trigger and once each second since then; its status is brought up to date less often."""
    volume = LabVolume(behaviour)
    specs: dict[str, dict[str, Any]] = {
        name: {"nodeID": node, "healthyAt": "before"} for name, node in zip(THREE, behaviour.nodes, strict=False)
    }
    modes, rebuilds, purging = dict.fromkeys(THREE, "RW"), dict[str, Any](), False
    conditions: dict[str, list[dict[str, str]]] = {}
    yield view(modes, robustness="healthy", replicas={name: {"spec": spec} for name, spec in specs.items()})
    for second in range(until_s):
        if second % behaviour.looks_s == 0:
            turn = volume.turn(float(second), wanted=wanted, replicas=specs, modes=modes)
            for name, changed in turn.specs.items():
                specs[name] = specs[name] | changed
            for name, why in turn.failed.items():
                told = {"type": "RebuildFailed", "status": "True", "reason": "General", "message": why}
                conditions[name] = [told] if why else []
            for name in turn.deletes:
                del specs[name]
            if turn.makes:
                specs[f"r-{second}"] = {"nodeID": turn.makes, **MADE}
            modes, rebuilds, purging = turn.modes, dict(turn.rebuilds), turn.purging
        known = {name: mode for name, mode in modes.items() if name in specs}
        yield view(
            known,
            robustness="healthy" if list(known.values()).count("RW") >= wanted else "degraded",
            replicas={
                name: {"spec": spec, "status": {"conditions": conditions.get(name, [])}} for name, spec in specs.items()
            },
            status={name: rebuilds[f"tcp://{name}:10000"] for name in known if f"tcp://{name}:10000" in rebuilds},
            purging=known if purging else (),
            wanted=wanted,
        )


def as_longhorn(**behaviour: Any) -> Behaviour:
    return Behaviour(looks_s=LOOKS_S, purge_s=10.0, retry_s=60.0, **behaviour)


def followed(behaviour: Behaviour, *, every: int = 1) -> tuple[list[str], list[str]]:
    """What failed until it was whole, and the phases that were seen, each once in its time."""
    seen = looks(behaviour)
    before = next(seen)
    tries, phases = LonghornTries(before), list[str]()
    for number, each in enumerate(seen):
        if number % every:
            continue
        state = rebuild_state(each, before=before, readable=4)
        tries.see(each)
        if not phases or phases[-1] != state.phase:
            phases.append(state.phase)
        if state.phase == "whole":
            return tries.failures, phases
    raise AssertionError("it was never whole")


def test_a_rebuild_that_fails_nowhere_has_no_failures() -> None:
    assert followed(as_longhorn(rebuild_s=40.0)) == ([], ["waiting", "rebuilding", "whole"])


@pytest.mark.parametrize("fails", [1, 2, MOST_RETRIES])
def test_each_try_that_failed_is_counted_once_with_longhorns_reason(fails: int) -> None:
    failures, phases = followed(as_longhorn(rebuild_s=40.0, error=NO_SPACE, fails=fails))
    assert len(failures) == fails
    assert all(NO_SPACE in failure for failure in failures)
    assert phases[-1] == "whole"


def test_as_many_failures_as_longhorn_grants_one_replica_end_the_test() -> None:
    with pytest.raises(
        StorageFailure, match=f"^6 rebuilds .* pvc-1 failed in a row, .*; the last failure: .*{NO_SPACE}$"
    ):
        followed(as_longhorn(rebuild_s=40.0, error=NO_SPACE))


def test_a_replica_that_was_made_for_the_rebuild_and_fails_once_is_not_the_end() -> None:
    """Longhorn gives it the count of one that has no try left, deletes it and makes another."""
    before = view(dict.fromkeys(THREE, "RW"), robustness="healthy")
    tries = LonghornTries(before)
    failed = {"spec": dict(MADE) | {"failedAt": "now"}}
    for modes, replicas in (
        ({"r-4": "WO"}, {"r-4": {"spec": MADE}}),
        ({}, {"r-4": failed}),
        ({}, {}),
        ({}, {"r-5": {"spec": MADE}}),
        ({"r-5": "WO"}, {"r-5": {"spec": MADE}}),
        ({"r-5": "RW"}, {"r-5": {"spec": {"rebuildRetryCount": 0}}}),
    ):
        tries.see(view(dict.fromkeys(THREE, "RW") | modes, replicas=replicas))
    assert tries.failures == ["replica r-4: Longhorn gives no reason"]


@given(fails=st.integers(0, MOST_RETRIES), rebuild_s=st.integers(20, 200), every=st.integers(1, 7))
def test_however_long_tries_take_and_looks_are_apart_none_is_counted_twice(
    fails: int, rebuild_s: int, every: int
) -> None:
    failures, _ = followed(as_longhorn(rebuild_s=float(rebuild_s), error=NO_SPACE, fails=fails), every=every)
    assert len(failures) == fails


def test_one_that_is_taken_out_of_the_engine_without_a_word_has_failed() -> None:
    """As long as the engine is in its backoff Longhorn does not mark it, and begins anew all the same."""
    before = view(dict.fromkeys(THREE, "RW"), robustness="healthy")
    tries = LonghornTries(before)
    for modes in ({"r-4": "WO"}, {}, {}, {"r-4": "WO"}, {"r-4": "WO"}, {"r-4": "RW"}):
        tries.see(view(dict.fromkeys(THREE, "RW") | modes, replicas={"r-4": {}}))
    assert tries.failures == ["replica r-4: Longhorn gives no reason"]


def test_one_that_fails_and_is_begun_anew_between_two_looks_is_counted() -> None:
    before = view(dict.fromkeys(THREE, "RW"), robustness="healthy")
    tries = LonghornTries(before)
    for count in (0, 0, 1, 1):
        tries.see(
            view(dict.fromkeys(THREE, "RW") | {"r-4": "WO"}, replicas={"r-4": {"spec": {"rebuildRetryCount": count}}})
        )
    assert len(tries.failures) == 1


def test_what_had_failed_before_the_trigger_is_no_try_since() -> None:
    """Its count of tries is from before, too."""
    left = {"r-0": {"spec": {"failedAt": "before", "healthyAt": "long before", "rebuildRetryCount": 2}}}
    before = view(dict.fromkeys(THREE, "RW"), robustness="healthy", replicas=left)
    tries = LonghornTries(before)
    tries.see(view(dict.fromkeys(THREE, "RW"), replicas=left))
    taken_up = {"r-0": {"spec": {"failedAt": "", "healthyAt": "", "rebuildRetryCount": 3}}}
    tries.see(view(dict.fromkeys(THREE, "RW"), replicas=taken_up))
    tries.see(view(dict.fromkeys(THREE, "RW") | {"r-0": "WO"}, replicas=taken_up))
    assert tries.failures == []


def test_a_try_that_longhorn_does_not_number_is_counted_when_it_was_seen_to_go_on() -> None:
    """After a broken connection it begins anew without raising its count."""
    tries = LonghornTries(view(dict.fromkeys(THREE, "RW"), robustness="healthy"))
    for modes in ({"r-4": "WO"}, {}, {}, {"r-4": "WO"}, {}, {"r-4": "WO"}):
        tries.see(view(dict.fromkeys(THREE, "RW") | modes, replicas={"r-4": {}}))
    assert len(tries.failures) == 2


def test_one_that_failed_before_it_was_ever_whole_and_stays_so_is_none_of_the_tries() -> None:
    left = {"r-0": {"spec": {"failedAt": "before", "healthyAt": ""}}}
    before = view(dict.fromkeys(THREE, "RW"), robustness="healthy", replicas=left)
    assert rebuilt_since(view(dict.fromkeys(THREE, "RW"), replicas=left), before) == []
    taken_up = {"r-0": {"spec": {"failedAt": "", "healthyAt": ""}}}
    assert rebuilt_since(view(dict.fromkeys(THREE, "RW"), replicas=taken_up), before) == ["r-0"]
