"""Signals: SIGTERM ends a run as Ctrl-C does, and neither cuts its cleaning up short."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.process import interruption
from acceptance.process.interruption import PLEASE_WAIT, held_back, hold_off_signals, interrupt_once, is_urged
from fixtures.progress import ProgressLine
from selftests.bounds import HANGS_S

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def handlers() -> list[object]:
    return [signal.getsignal(number) for number in SIGNALS]


@pytest.fixture(autouse=True)
def _handlers_of_the_session() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # a test that fails must not end the session
    interruption._Urging.came = False
    yield
    interruption._Urging.came = False
    if interruption._Urging.stderr != 2:  # as it stays where a run was interrupted
        os.close(interruption._Urging.stderr)
    interruption._Urging.stderr = 2
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_interrupts(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt, match=number.name), interrupt_once():
        signal.raise_signal(number)


def test_further_signals_ask_to_wait(capfd: pytest.CaptureFixture[str]) -> None:
    with interrupt_once():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert capfd.readouterr().err == PLEASE_WAIT.decode() * 2


def test_who_interrupts_a_test_is_asked_where_it_is_seen(capfd: pytest.CaptureFixture[str]) -> None:
    """Of a test that is interrupted nobody is shown what it printed."""
    shown = os.dup(2)
    with interrupt_once(), open(os.devnull, "wb") as unseen:
        os.dup2(unseen.fileno(), 2)
        try:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            with hold_off_signals():
                signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)
        finally:
            os.dup2(shown, 2)
            os.close(shown)
    assert capfd.readouterr().err == PLEASE_WAIT.decode() * 2


@pytest.mark.parametrize("number", SIGNALS)
def test_cleaning_up_is_not_disturbed(number: signal.Signals, capfd: pytest.CaptureFixture[str]) -> None:
    with interrupt_once(), hold_off_signals():
        signal.raise_signal(number)
    assert capfd.readouterr().err == PLEASE_WAIT.decode()


def test_afterwards_the_handlers_are_those_from_before() -> None:
    before = handlers()
    with interrupt_once():
        during = handlers()
        with hold_off_signals():
            assert not set(handlers()) & set(during)
        assert handlers() == during
        assert during != before
    assert handlers() == before


def test_after_an_error_too_the_handlers_are_those_from_before() -> None:
    before = handlers()
    with pytest.raises(ZeroDivisionError), interrupt_once(), hold_off_signals():
        raise ZeroDivisionError
    assert handlers() == before


def test_what_is_held_back_takes_effect_after_the_block(capfd: pytest.CaptureFixture[str]) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupt_once():
        with held_back():
            signal.raise_signal(signal.SIGTERM)
            done.append("all of it")
        done.append("and no more")
    assert done == ["all of it"]


@pytest.mark.parametrize("is_a_terminal", [True, False])
def test_no_interruption_leaves_the_capture_of_pytest_half_suspended(is_a_terminal: bool) -> None:
    """It comes while the progress line is being written; pytest would end with a traceback, and status 1."""
    told: list[str] = []

    @contextmanager
    def suspended() -> Iterator[None]:
        yield
        signal.raise_signal(signal.SIGTERM)
        told.append("captured again")

    reporter = SimpleNamespace(
        verbosity=0, isatty=is_a_terminal, rewrite=lambda *_, **__: None, ensure_newline=list, write_line=told.append
    )
    plugins = {"terminalreporter": reporter, "capturemanager": SimpleNamespace(global_and_fixture_disabled=suspended)}
    config: Any = SimpleNamespace(pluginmanager=SimpleNamespace(get_plugin=plugins.get), stash={})
    with pytest.raises(KeyboardInterrupt), interrupt_once():
        ProgressLine(config).say("1 of 2")
    assert told[-1] == "captured again"


def test_who_asks_while_a_node_is_brought_back_does_not_make_the_rest_of_the_run_impatient() -> None:
    with interrupt_once():
        with hold_off_signals():
            signal.raise_signal(signal.SIGTERM)
            assert is_urged()
        assert not is_urged()


def test_who_asks_again_while_a_run_ends_urges_its_cleaning_up() -> None:
    with interrupt_once():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert not is_urged()
        signal.raise_signal(signal.SIGTERM)
        with hold_off_signals():
            assert is_urged()
    assert is_urged()


def interrupted(rounds: int) -> Iterator[tuple[queue.LifoQueue[int], threading.Event]]:
    """What the main thread uses as fast as it can while it is interrupted, once each round."""
    armed = threading.Event()

    def interrupt() -> None:
        for _ in range(rounds):
            armed.wait()  # however long: an interruption at any other time would end all tests
            armed.clear()
            time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    for _ in range(rounds):
        pool, event = queue.LifoQueue[int](), threading.Event()
        with pytest.raises(KeyboardInterrupt), interrupt_once():
            armed.set()
            for _ in range(10_000_000):
                pool.put(1)
                pool.get(block=False)
                event.set()
                event.clear()
                sum(range(200))  # where it may be interrupted
        yield pool, event


def test_no_interruption_leaves_a_lock_held() -> None:
    """The pool of connections to the API server is such a queue: cleaning up takes a connection out of it."""
    held = [
        each for pool, event in interrupted(100) for each in (pool.mutex, event._cond) if not each.acquire(timeout=0.2)
    ]
    assert not held


def test_what_waits_is_interrupted_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), interrupt_once():
        # Not before: on a busy machine it would come too soon, and end all tests.
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        threading.Event().wait(HANGS_S)
    assert time.monotonic() - began < HANGS_S / 2
