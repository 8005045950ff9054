"""What a server asks for when it refuses for now is heeded, and what is no passing fault is not tried again."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from urllib3 import exceptions

from acceptance.cluster import api as api_module
from acceptance.cluster import api_requests
from acceptance.cluster.api_faults import ApiError, ApiUnreachable, retrying
from acceptance.cluster.api_requests import Requests
from acceptance.cluster.cleanup import remove_run
from selftests.unit.paged_api_server import NAMESPACE, RUN_ID, Answer, cluster


def test_a_pause_is_as_long_as_the_server_asks_for() -> None:
    asked: list[float] = []

    def ask() -> str:
        asked.append(time.monotonic())
        if len(asked) < 3:
            raise ApiError(status=429, request="GET /", message="too many requests", retry_after_s=0.4)
        return "done"

    assert retrying(timeout_s=60, first_pause_s=0.001)(ask) == "done"
    assert all(later - earlier >= 0.4 for earlier, later in pairwise(asked))


def test_a_pause_that_ends_after_the_timeout_is_not_begun() -> None:
    def ask() -> None:
        raise ApiError(status=503, request="GET /", message="away", retry_after_s=60)

    began = time.monotonic()
    with pytest.raises(ApiError, match="away"):
        retrying(timeout_s=1, first_pause_s=0.001)(ask)
    assert time.monotonic() - began < 30


def test_what_does_not_pass_is_told_at_once() -> None:
    asked = 0

    def ask() -> None:
        nonlocal asked
        asked += 1
        raise ApiError(status=403, request="GET /", message="forbidden")

    with pytest.raises(ApiError, match="forbidden"):
        retrying(timeout_s=10, first_pause_s=0.001)(ask)
    assert asked == 1


def requests(*answers: Exception | int) -> Requests:
    """Those to a server that answers so, one after the other."""
    left = iter(answers)

    def call_api(*_: Any, **__: Any) -> Any:
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(response=Answer(answer, {"message": f"answer {answer}"}))

    def param_serialize(*_: Any, **__: Any) -> Iterable[Any]:
        return ()

    at = SimpleNamespace(host="https://127.0.0.1:6443")
    return Requests(cast(Any, SimpleNamespace(configuration=at, param_serialize=param_serialize, call_api=call_api)))


def test_a_server_that_only_a_command_looks_for_is_tried_as_long_as_that_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time for a second try the first answer counts; otherwise the second does."""
    monkeypatch.setattr(api_module, "LITTLE_RETRY_S", 60)
    found = api_module.Api(requests(503, 404).connection)
    with pytest.raises(ApiError, match="answered 503"):
        found.version(timeout_s=0)
    with pytest.raises(ApiError, match="answered 404"):
        api_module.Api(requests(503, 404).connection).version()


def not_connected(kind: type[Exception], cause: OSError) -> Exception:
    """As urllib3 raises it, with the connection in its words."""
    error = kind(object(), f"Failed: {cause}")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (not_connected(exceptions.NewConnectionError, ConnectionRefusedError(111, "Connection refused")), "refused$"),
        (not_connected(exceptions.NewConnectionError, socket.gaierror(-2, "Name not known")), "Name not known$"),
        (
            not_connected(exceptions.ConnectTimeoutError, TimeoutError("timed out")),
            f"within {api_requests.CONNECT_S} s$",
        ),
        (ConnectionResetError(104, "reset"), "reset$"),
    ],
    ids=["refused", "no such name", "no answer", "reset"],
)
def test_what_does_not_answer_is_named_by_its_address_and_by_no_object_of_python(error: Exception, why: str) -> None:
    with pytest.raises(ApiUnreachable, match=why) as raised:
        requests(error).version(timeout_s=0)
    assert "https://127.0.0.1:6443" in str(raised.value) and "object" not in str(raised.value)


@pytest.mark.parametrize("away", [ConnectionRefusedError("refused"), 503])
@pytest.mark.parametrize("refusal", [401, 403])
def test_a_server_that_was_away_is_asked_again_while_it_has_not_read_its_roles(
    away: OSError | int, refusal: int
) -> None:
    asked = requests(away, refusal, refusal, 200)
    assert asked.json("GET", "/api/v1/pods") == {"message": "answer 200"}


def test_a_new_namespace_is_given_time_to_have_its_service_account() -> None:
    asked = 0

    def ask() -> str:
        nonlocal asked
        asked += 1
        if asked < 3:
            why = 'forbidden: error looking up service account run/default: serviceaccount "default" not found'
            raise ApiError(status=403, request="POST /api/v1/namespaces/run/pods", message=why)
        return "made"

    assert retrying(timeout_s=60, first_pause_s=0.001)(ask) == "made"


def test_a_server_that_still_refuses_when_it_has_had_its_time_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_requests, "STARTS_S", 0)
    with pytest.raises(ApiError, match="answered 403"):
        requests(503, 403, 200).json("GET", "/api/v1/pods")


def test_a_server_that_was_not_away_is_believed_at_once() -> None:
    asked = requests(429, 403, 200)
    with pytest.raises(ApiError, match="answered 403"):
        asked.json("GET", "/api/v1/pods")


def test_after_one_in_vain_the_next_are_tried_for_less_long_until_one_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With no time for a second try each of two takes one answer; the third has its time again after an answer."""
    monkeypatch.setattr(api_requests, "LITTLE_RETRY_S", 0)
    asked = requests(503, 503, 404, 503, 200)
    with pytest.raises(ApiError, match="answered 503"):
        asked.json("GET", "/api/v1/pods", timeout_s=0)
    with pytest.raises(ApiError, match="answered 503"):
        asked.json("GET", "/api/v1/pods")
    with pytest.raises(ApiError, match="answered 404"):
        asked.json("GET", "/api/v1/pods/none")
    assert asked.json("GET", "/api/v1/pods") == {"message": "answer 200"}


def test_a_removal_has_all_its_time_whatever_was_asked_in_vain_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no time for a second try its first request would be given up."""
    for module in (api_requests, api_module):
        monkeypatch.setattr(module, "LITTLE_RETRY_S", 0)
    server = cluster()
    answer, away = server.call_api, iter([True, True])

    def call_api(*asked: Any, **options: Any) -> Any:
        return SimpleNamespace(response=Answer(503, {})) if next(away, False) else answer(*asked, **options)

    monkeypatch.setattr(server, "call_api", call_api)
    api = server.api
    with pytest.raises(ApiError, match="answered 503"):
        api.version()
    remove_run(api, run_id=RUN_ID, timeout_s=60)
    assert ("", NAMESPACE) not in server.objects["namespaces"]
