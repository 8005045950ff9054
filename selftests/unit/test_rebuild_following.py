"""One rebuild, followed: when it began and ended, what its progress says, and all the ways in which it does not end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest

from acceptance.results.rebuilds import TimedRebuild
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.rebuild.driver import RebuildState
from acceptance.trials.rebuild.following import Timeouts, follow_rebuild
from selftests.unit.paged_api_server import Clock

WAITING = RebuildState(phase="waiting", description="not begun")
WHOLE = RebuildState(phase="whole", description="whole", progress=1.0)


def going(progress: float | None = None) -> RebuildState:
    return RebuildState(phase="rebuilding", description="on its way", progress=progress)


@pytest.fixture(autouse=True)
def _time_passes_by_waiting_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a slow machine changes nothing of what is timed here."""
    Clock(monkeypatch)


class Scripted:
    """A rebuild whose state is that of the script at the time since its trigger; the last one stays."""

    def __init__(
        self,
        script: Sequence[tuple[float, RebuildState | AcceptanceError]],
        *,
        trigger_s: float = 0.0,
        resolution_s: float = 0.0,
    ) -> None:
        self.resolution_s = resolution_s
        self._script = script
        self._trigger_s = trigger_s
        self._began = 0.0

    def require_whole(self) -> None:
        pass

    def trigger(self) -> str:
        time.sleep(self._trigger_s)
        self._began = time.monotonic()
        return "replica lost"

    def look(self) -> RebuildState:
        passed = time.monotonic() - self._began
        now = [each for at_s, each in self._script if at_s <= passed][-1]
        if isinstance(now, AcceptanceError):
            raise now
        return now

    def obstacles(self) -> list[str]:
        return ["no node takes it"]

    def restore(self) -> None:
        pass

    def wait_settled(self) -> None:
        pass

    def undo(self) -> None:
        pass

    def settings(self) -> dict[str, str]:
        return {}

    def rebuilt_bytes(self) -> int | None:
        return None


def followed(
    *script: tuple[float, RebuildState | AcceptanceError],
    begin_s: float = 2.0,
    end_s: float = 5.0,
    resolution_s: float = 0.0,
    say: Callable[[str], None] = lambda text: None,
) -> TimedRebuild:
    timeouts = Timeouts(begin_s=begin_s, end_s=end_s)
    rebuild = Scripted(script, resolution_s=resolution_s)
    return follow_rebuild(rebuild, about="rebuild of a replica", size=1000, timeouts=timeouts, say=say)


def test_it_is_timed_from_when_it_was_seen_to_go_on() -> None:
    said: list[str] = []
    found = followed((0, WAITING), (0.5, going(0.1)), (1.5, WHOLE), say=said.append)
    assert found.seconds == pytest.approx(1.0, abs=0.6)
    assert 0.4 < found.waited_s < 1.2
    assert (found.finished - found.started).total_seconds() == pytest.approx(found.seconds, abs=0.01)
    assert 0 < found.uncertainty_s < 1.3
    assert found.trigger == "replica lost"
    assert any("on its way" in text for text in said) and said[-1].startswith("rebuild of a replica: complete after")


def test_a_rebuild_that_is_never_seen_counts_from_its_trigger() -> None:
    """Longhorn looks at its engines every 5 s: a short one shows only when it is over."""
    found = followed((0, WAITING), (1.2, WHOLE))
    assert found.waited_s < 0.1
    assert found.seconds == pytest.approx(1.2, abs=0.7)
    assert found.uncertainty_s == pytest.approx(found.seconds), "it may have begun at any time"


def test_what_is_told_late_makes_the_time_uncertain_at_the_beginning_and_at_the_end() -> None:
    exact, late = (
        followed((0, WAITING), (0.5, going(0.1)), (1.5, WHOLE), resolution_s=resolution_s)
        for resolution_s in (0.0, 5.0)
    )
    assert 0 < exact.uncertainty_s < 2
    assert 10 < late.uncertainty_s < 12
    assert late.seconds == pytest.approx(exact.seconds, abs=0.8)


def test_a_try_that_failed_and_was_made_anew_belongs_to_the_time() -> None:
    failed = "replica r-4: no space left"
    again = RebuildState(phase="waiting", description="not in use yet", failures=(failed,))
    whole = RebuildState(phase="whole", description="whole", progress=1.0, failures=(failed,))
    found = followed((0, WAITING), (0.3, going(0.4)), (1.0, again), (1.8, going(0.1)), (2.6, whole))
    assert found.failures == [failed]
    assert found.seconds == pytest.approx(2.3, abs=0.9)
    assert followed((0, going(0.4)), (1.2, WHOLE)).failures == []


def test_what_the_trigger_itself_takes_does_not_count() -> None:
    rebuild = Scripted([(0, WAITING), (1.2, WHOLE)], trigger_s=1.5)
    timeouts = Timeouts(begin_s=5, end_s=5)
    found = follow_rebuild(rebuild, about="r", size=1, timeouts=timeouts, say=lambda text: None)
    assert found.waited_s == pytest.approx(1.5, abs=0.3)
    assert found.seconds == pytest.approx(1.2, abs=0.7) and found.uncertainty_s == pytest.approx(found.seconds)


def test_one_without_progress_has_no_rates_and_one_with_it_has() -> None:
    assert followed((0, going()), (1.5, WHOLE)).rates == []
    rates = followed((0, going(0.0)), (1.2, going(0.6)), (2.4, WHOLE)).rates
    assert sum((rate.to_s - rate.from_s) * rate.rate for rate in rates) == pytest.approx(1000)


def test_what_was_whole_at_once_was_not_rebuilt() -> None:
    with pytest.raises(EnvironmentFailure, match="the suite observed no rebuild"):
        followed((0, WHOLE))


def test_one_that_never_begins_is_told_with_what_the_system_says() -> None:
    with pytest.raises(StorageFailure, match=r"to begin \(replica lost\); last state: not begun\n  event: no node"):
        followed((0, WAITING), begin_s=0.6)


def test_one_that_never_ends_is_told_too() -> None:
    with pytest.raises(StorageFailure, match=r"to end \(replica lost\); last state: on its way"):
        followed((0, going(0.5)), end_s=0.6)


def test_one_that_fails_ends_at_once_with_its_error() -> None:
    with pytest.raises(StorageFailure, match="no space left"):
        followed((0, going(0.5)), (0.3, StorageFailure("no space left")), end_s=30)
