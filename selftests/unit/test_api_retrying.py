"""What a server asks for when it refuses for now is heeded, and what is no passing fault is not tried again."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from acceptance.cluster.api_faults import ApiError, retrying


def test_a_pause_is_as_long_as_the_server_asks_for() -> None:
    asked: list[float] = []

    def ask() -> str:
        asked.append(time.monotonic())
        if len(asked) < 3:
            raise ApiError(status=429, request="GET /", message="too many requests", retry_after_s=0.4)
        return "done"

    assert retrying(timeout_s=10, first_pause_s=0.001)(ask) == "done"
    assert all(later - earlier >= 0.4 for earlier, later in pairwise(asked))


def test_a_pause_that_ends_after_the_timeout_is_not_begun() -> None:
    def ask() -> None:
        raise ApiError(status=503, request="GET /", message="away", retry_after_s=60)

    began = time.monotonic()
    with pytest.raises(ApiError, match="away"):
        retrying(timeout_s=1, first_pause_s=0.001)(ask)
    assert time.monotonic() - began < 1


def test_what_does_not_pass_is_told_at_once() -> None:
    asked = 0

    def ask() -> None:
        nonlocal asked
        asked += 1
        raise ApiError(status=403, request="GET /", message="forbidden")

    with pytest.raises(ApiError, match="forbidden"):
        retrying(timeout_s=10, first_pause_s=0.001)(ask)
    assert asked == 1
