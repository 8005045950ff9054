"""Signals: SIGTERM ends a run as Ctrl-C does, and neither cuts its cleaning up short."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from acceptance.interruption import PATIENCE, interrupt_once, undisturbed

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def handlers() -> list[object]:
    return [signal.getsignal(number) for number in SIGNALS]


@pytest.fixture(autouse=True)
def _handlers_of_the_session() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # a test that fails must not end the session
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_interrupts(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt, match=number.name), interrupt_once():
        signal.raise_signal(number)


def test_further_signals_ask_for_patience(capfd: pytest.CaptureFixture[str]) -> None:
    with interrupt_once():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert capfd.readouterr().err == PATIENCE.decode() * 2


@pytest.mark.parametrize("number", SIGNALS)
def test_cleaning_up_is_not_disturbed(number: signal.Signals, capfd: pytest.CaptureFixture[str]) -> None:
    with interrupt_once(), undisturbed():
        signal.raise_signal(number)
    assert capfd.readouterr().err == PATIENCE.decode()


def test_afterwards_the_handlers_are_those_from_before() -> None:
    before = handlers()
    with interrupt_once():
        during = handlers()
        with undisturbed():
            assert not set(handlers()) & set(during)
        assert handlers() == during
        assert during != before
    assert handlers() == before


def test_after_an_error_too_the_handlers_are_those_from_before() -> None:
    before = handlers()
    with pytest.raises(ZeroDivisionError), interrupt_once(), undisturbed():
        raise ZeroDivisionError
    assert handlers() == before
