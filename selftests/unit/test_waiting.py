"""Waiting: ends when it is ready, at once when it never will be, and at the deadline with the whole story."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest

from acceptance.cluster.api_faults import ApiError, ApiUnreachable
from acceptance.cluster.waiting import describe_events, wait_for
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from selftests.unit.paged_api_server import Clock

SHORT_S = 0.25
# Far beyond what any of these waits may take: it is only ever reached by a wait that does not end as it should.
LONG_S = 30.0


@pytest.fixture(autouse=True)
def _time_passes_by_waiting_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)


def looks(*seen: str | Exception) -> Callable[[], str]:
    """Shows one after the other, and the last one from then on."""
    left: Iterator[str | Exception] = iter(seen)
    last: list[str | Exception] = []

    def look() -> str:
        last[:] = [next(left, *last)] if last else [next(left)]
        if isinstance(last[0], Exception):
            raise last[0]
        return last[0]

    return look


def wait(
    look: Callable[[], str],
    *,
    timeout_s: float = LONG_S,
    fatal: Callable[[str], AcceptanceError | None] = lambda seen: None,
    events: Callable[[], list[str]] = list,
    failure: type[AcceptanceError] = StorageFailure,
) -> str:
    return wait_for(
        "claim data to be bound",
        look=look,
        ready=lambda seen: seen == "Bound",
        state=lambda seen: f"phase {seen}",
        fatal=fatal,
        events=events,
        timeout_s=timeout_s,
        failure=failure,
    )


def refused(status: int) -> ApiError:
    return ApiError(status=status, request="GET /x", message="no")


def test_it_returns_what_was_seen_when_it_was_ready() -> None:
    assert wait(looks("Pending", "Pending", "Bound")) == "Bound"


def test_what_is_ready_at_the_first_look_is_not_waited_for() -> None:
    assert wait(looks("Bound"), timeout_s=0.0) == "Bound"


def test_at_the_deadline_the_error_tells_the_whole_story() -> None:
    with pytest.raises(StorageFailure) as raised:
        wait(looks("Pending"), timeout_s=SHORT_S, events=lambda: ["ProvisioningFailed: no space", "Waiting"])
    assert re.fullmatch(
        r"waited \d+ s for claim data to be bound; last state: phase Pending\n"
        r"  event: ProvisioningFailed: no space\n"
        r"  event: Waiting",
        str(raised.value),
    )


def test_the_error_keeps_the_last_state_and_the_last_error_of_the_api() -> None:
    with pytest.raises(EnvironmentFailure) as raised:
        wait(looks("Pending", refused(503)), timeout_s=SHORT_S)
    assert "last state: phase Pending; last API error: GET /x: the API server answered 503: no" in str(raised.value)


def test_an_api_error_that_has_passed_is_not_told() -> None:
    with pytest.raises(StorageFailure) as raised:
        wait(looks(ApiUnreachable("reset"), "Pending"), timeout_s=SHORT_S)
    assert "API error" not in str(raised.value)


def test_an_api_that_stays_away_is_no_fault_of_the_storage() -> None:
    with pytest.raises(EnvironmentFailure, match="last state: nothing observed yet; last API error: refused"):
        wait(looks(ApiUnreachable("refused")), timeout_s=SHORT_S)


def test_an_api_that_comes_back_is_waited_for() -> None:
    assert wait(looks(ApiUnreachable("reset"), refused(500), refused(404), "Bound")) == "Bound"


@pytest.mark.parametrize("status", [401, 403])
def test_a_missing_permission_ends_it_at_once(status: int) -> None:
    began = time.monotonic()
    with pytest.raises(ApiError) as raised:
        wait(looks(refused(status)))
    assert raised.value.status == status
    assert time.monotonic() - began < LONG_S / 2


def test_a_state_that_never_gets_better_ends_it_at_once_with_its_own_error() -> None:
    fatal = EnvironmentFailure("image cannot be pulled")
    began = time.monotonic()
    with pytest.raises(EnvironmentFailure) as raised:
        wait(looks("Pending", "Lost"), fatal=lambda seen: fatal if seen == "Lost" else None)
    assert raised.value is fatal
    assert time.monotonic() - began < LONG_S / 2


def test_ready_counts_before_fatal() -> None:
    assert wait(looks("Bound"), fatal=lambda seen: StorageFailure("no")) == "Bound"


def test_the_deadline_raises_what_the_caller_asked_for() -> None:
    with pytest.raises(EnvironmentFailure, match="waited"):
        wait(looks("Pending"), timeout_s=SHORT_S, failure=EnvironmentFailure)


def test_an_error_of_the_suite_itself_is_not_waited_out() -> None:
    with pytest.raises(KeyError):
        wait(looks(KeyError("status")))


def test_events_that_cannot_be_read_do_not_hide_the_error() -> None:
    def events() -> list[str]:
        raise ApiUnreachable("gone")

    assert describe_events(events) == ""
    with pytest.raises(StorageFailure, match=r"last state: phase Pending$"):
        wait(looks("Pending"), timeout_s=SHORT_S, events=events)
