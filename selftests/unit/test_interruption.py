"""Signals: SIGTERM ends a run as Ctrl-C does, and neither cuts its cleaning up short."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from acceptance.interruption import end_on_sigterm, undisturbed

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def handlers() -> list[object]:
    return [signal.getsignal(number) for number in SIGNALS]


@pytest.fixture(autouse=True)
def _handlers_of_the_session() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a test that fails must not end the session
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_sigterm_ends_a_run_as_ctrl_c_does() -> None:
    with pytest.raises(KeyboardInterrupt, match="SIGTERM"), end_on_sigterm():
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("number", SIGNALS)
def test_cleaning_up_is_not_disturbed_and_whoever_sends_a_signal_is_told(number: signal.Signals) -> None:
    said: list[str] = []
    with end_on_sigterm(), undisturbed(said.append):
        signal.raise_signal(number)
        signal.raise_signal(number)
    assert said == ["cleaning up, please wait: what is not removed now would stay in the cluster"] * 2


def test_afterwards_the_handlers_are_those_from_before() -> None:
    before = handlers()
    with end_on_sigterm():
        during = handlers()
        with undisturbed(print):
            assert not set(handlers()) & set(during)
        assert handlers() == during
        assert during != before
    assert handlers() == before


def test_after_an_error_too_the_handlers_are_those_from_before() -> None:
    before = handlers()
    with pytest.raises(ZeroDivisionError), end_on_sigterm(), undisturbed(print):
        raise ZeroDivisionError
    assert handlers() == before


def test_after_the_cleaning_up_an_interruption_counts_again() -> None:
    with undisturbed(print):
        pass
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
