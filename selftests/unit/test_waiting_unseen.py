"""An API server that is away or slow is not the fault of what is waited for."""

from __future__ import annotations

import time

import pytest

from acceptance.cluster import waiting
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from selftests.unit.paged_api_server import Clock

TIMEOUT_S = 1.5


@pytest.fixture(autouse=True)
def _looks_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """And time passes by waiting alone: a busy machine is away at any time."""
    Clock(monkeypatch)
    monkeypatch.setattr(waiting, "LOOK_S", 0.3)


class Server:
    """Shows that the claim is bound so many looks after the one that takes `away_s`."""

    def __init__(self, *, away_s: float, looks_after: int) -> None:
        self.left = looks_after
        self.away_s = away_s

    def look(self) -> str:
        time.sleep(self.away_s)
        self.away_s = 0.0
        self.left -= 1
        return "Bound" if self.left < 0 else "Pending"


def wait(server: Server) -> str:
    return wait_for(
        "claim data to be bound",
        look=server.look,
        ready=lambda seen: seen == "Bound",
        state=lambda seen: f"phase {seen}",
        timeout_s=TIMEOUT_S,
    )


def test_time_in_which_nothing_could_be_seen_does_not_count() -> None:
    assert wait(Server(away_s=1.7, looks_after=1)) == "Bound"


def test_time_that_was_seen_counts() -> None:
    with pytest.raises(StorageFailure, match=r"last state: phase Pending$"):
        wait(Server(away_s=0.0, looks_after=1000))


def test_a_server_that_is_away_for_long_does_not_put_the_end_off_for_ever() -> None:
    began = time.monotonic()
    with pytest.raises(StorageFailure, match="the API server was unreachable"):
        wait(Server(away_s=2.0, looks_after=1000))
    assert time.monotonic() - began < 2 * TIMEOUT_S + 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_refuses_to_the_end_is_the_environments_fault(status: int) -> None:
    def look() -> str:
        raise ApiError(status=status, request="GET claim", message="later")

    with pytest.raises(EnvironmentFailure, match=f"last API error: GET claim: the API server answered {status}"):
        wait_for("claim", look=look, ready=bool, state=str, timeout_s=TIMEOUT_S)
