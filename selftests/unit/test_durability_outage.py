"""A node that is made to fail by real commands, on an API server in memory: whatever happens, it is brought back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.resources import LEASES
from acceptance.process.commands import run_command
from acceptance.settings.target_plans import NodeFailurePlan
from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.trials.crashes.outage import NO_HOOK, Outage, plan_if_allowed
from selftests.bounds import HANGS_S
from selftests.unit.paged_api_server import Clock


def python(code: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *words)


class Nodes:
    """Stands for `Api`: one node, which tells a new heartbeat at each look once `back` exists."""

    def __init__(self, back: Path, *, ready: str = "True", lease_error: AcceptanceError | None = None) -> None:
        self._back = back
        self._lease_error = lease_error
        self._ready = ready
        self._looks = 0
        self.noted: dict[str, str] = {}

    def patch(self, resource: object, name: str, change: dict[str, Any], **_: Any) -> None:
        """Notes what is to be brought back."""
        for key, value in change["metadata"]["annotations"].items():
            self.noted.pop(key, None)
            if value is not None:
                self.noted[key] = value

    def get(self, resource: object, name: str, **_: Any) -> dict[str, Any]:
        if resource is LEASES:
            if self._lease_error is not None and not self._back.exists():
                raise self._lease_error
            self._looks += 1
            return {"spec": {"renewTime": f"t{self._looks}" if self._back.exists() else "t0"}}
        return {"metadata": {}, "spec": {}, "status": {"conditions": [{"type": "Ready", "status": self._ready}]}}


@pytest.fixture
def back(tmp_path: Path) -> Path:
    """Is there once the node was told to come back."""
    return tmp_path / "back"


def outage(
    back: Path,
    *,
    fail: str = "print('cut off')",
    restore: str | None = None,
    ready: str = "True",
    timeout_s: float = HANGS_S,
    **api: Any,
) -> Outage:
    plan = NodeFailurePlan(
        fail=python(fail, "{node}"),
        restore=python(restore or f"import sys; open({str(back)!r}, 'w').write(sys.argv[1])", "{node}"),
        timeout_s=timeout_s,
    )
    return Outage(cast(Api, Nodes(back, ready=ready, **api)), plan, node="node-7", namespace="ns")


def test_the_node_fails_and_is_back_after_the_block(back: Path) -> None:
    with outage(back) as running:
        assert running.cause == "cut off"
        assert not back.exists()
    assert back.read_text() == "node-7"


def test_the_cluster_knows_how_the_node_is_brought_back_for_as_long_as_it_is_away(back: Path) -> None:
    made = outage(back)
    nodes = cast(Nodes, made._api)
    with made:
        (noted,) = nodes.noted.values()
        assert noted.startswith("the run made node node-7 fail and did not restore it; run `")
        assert noted.endswith(" node-7`")
    assert nodes.noted == {}


def test_the_commands_are_told_the_node_and_need_no_shell(back: Path) -> None:
    with outage(back, fail="import sys; print(sys.argv[1:])") as running:
        assert running.cause == "['node-7']"


def test_an_api_server_that_is_away_keeps_no_node_from_being_restored(back: Path) -> None:
    with outage(back, lease_error=ApiUnreachable("nobody answers")):
        pass
    assert back.exists()


def test_it_ends_once(back: Path) -> None:
    with outage(back) as running:
        running.end()
        back.write_text("untouched")
    assert back.read_text() == "untouched"


def test_a_failing_command_is_told_in_its_words_and_the_node_restored(back: Path) -> None:
    with pytest.raises(
        EnvironmentFailure, match=r"(?s)expected 0 from the command that makes node node-7 fail.*no route"
    ):
        outage(back, fail="import sys; sys.exit('no route to it')").__enter__()
    assert back.exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, AssertionError, EnvironmentFailure])
def test_whatever_ends_the_block_the_node_is_restored(error: type[BaseException], back: Path) -> None:
    with pytest.raises(error), outage(back):
        raise error
    assert back.exists()


def test_an_interruption_while_it_fails_restores_it(back: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def interrupted(*given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise KeyboardInterrupt
        return run_command(*given, **named)

    monkeypatch.setattr("acceptance.trials.crashes.outage.run_command", interrupted)
    with pytest.raises(KeyboardInterrupt):
        outage(back).__enter__()
    assert back.exists()


def test_a_node_that_does_not_come_back_is_an_error(back: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    with (
        pytest.raises(EnvironmentFailure, match="node node-7 to be Ready again; last state: Ready is False"),
        outage(back, ready="False"),
    ):
        pass


def test_a_node_that_is_only_believed_to_be_ready_is_not_back(back: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster goes on calling it Ready for a while; a new heartbeat tells."""
    Clock(monkeypatch)
    with pytest.raises(EnvironmentFailure, match="last heartbeat at t0"), outage(back, restore="pass"):
        pass


def test_what_failed_first_is_heard_of_and_the_node_beside_it(back: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="the volume is gone") as caught, outage(back, restore="exit(3)"):
        raise EnvironmentFailure("the volume is gone")
    assert any("restores node node-7, which may still be down" in note for note in caught.value.__notes__)


PLAN = NodeFailurePlan(fail=("fail",), restore=("restore",), timeout_s=1.0)


@pytest.mark.parametrize(
    ("kind", "node", "own_node", "why"),
    [
        ("embedded", None, None, None),
        ("kubeconfig", "n1", None, None),
        ("kubeconfig", None, None, "so you must name the node: --storage-node NAME"),
        ("in-cluster", None, "n2", "so you must name the node"),
        ("in-cluster", "n1", "n2", None),
        ("in-cluster", "n1", "n1", "own pod runs on node n1"),
        ("in-cluster", "n1", None, "does not know its node"),
    ],
)
def test_only_a_node_that_was_named_is_made_to_fail_and_never_the_suites_own(
    kind: str, node: str | None, own_node: str | None, why: str | None
) -> None:
    found = plan_if_allowed(PLAN, node=node, own_node=own_node, kind=kind)
    assert found is PLAN if why is None else why in str(found)
    assert plan_if_allowed(None, node=node, own_node=own_node, kind=kind) == NO_HOOK
