"""What a claim's status must no longer say after an expansion, and a volume that recovers from a refused one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import CLAIMS, Object
from acceptance.text.errors import NotTried, StorageFailure, Unsupported
from acceptance.trials.features import expansion, expansion_recovery
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.expansion import EXPANDED_SIZE, remains_of_expansion, wait_reported
from acceptance.trials.features.expansion_recovery import try_expansion_recovery
from selftests.unit.simulated_api import SimulatedApi
from selftests.unit.test_volume_features import CLAIM

GIB = 1024**3
REFUSED_SIZE = 5 * 1024**4
MARK = "the-mark"
RESIZING: Object = {"conditions": [{"type": "Resizing", "status": "True"}]}


@pytest.mark.parametrize(
    ("status", "remains"),
    [
        ({}, []),
        ({"conditions": [], "allocatedResources": {"storage": "2Gi"}}, []),
        ({"conditions": [{"type": "Resizing", "status": "False"}]}, []),
        ({"conditions": [{"type": "ModifyingVolume", "status": "True"}]}, []),
        (RESIZING, ["condition Resizing"]),
        (
            {"conditions": [{"type": "FileSystemResizePending", "status": "True"}]},
            ["condition FileSystemResizePending"],
        ),
        (
            {"allocatedResourceStatuses": {"storage": "NodeResizeInProgress"}},
            ["allocatedResourceStatuses NodeResizeInProgress"],
        ),
        ({"allocatedResources": {"storage": "3Gi"}}, ["allocatedResources 3Gi"]),
    ],
)
def test_what_remains_of_an_expansion(status: Object, remains: list[str]) -> None:
    assert remains_of_expansion({"capacity": {"storage": "2Gi"}} | status) == remains


@dataclass
class RecoveringBench:
    """A bench whose storage does `on_request` when a size is requested."""

    on_request: Callable[[RecoveringBench, int], None]
    refused_size: int | None = REFUSED_SIZE
    timeout_s: float = 0.1
    requests: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.storage_class = SimpleNamespace(name="fast", allow_expansion=True)
        self.api = SimulatedApi({})
        self.missing, self.not_tried = Unsupported, NotTried
        self.report(capacity={"storage": "1Gi"})

    def report(self, **status: Any) -> None:
        """Have the claim's status be this."""
        self.api.delete(CLAIMS, CLAIM.name, namespace=CLAIM.namespace)
        metadata = {"name": CLAIM.name, "namespace": CLAIM.namespace}
        self.api.create(CLAIMS, {"metadata": metadata, "status": status}, namespace=CLAIM.namespace)

    def request(self, size: int) -> None:
        self.requests.append(size)
        self.on_request(self, size)

    def claim(self, part: str) -> Claim:
        return CLAIM

    def start(self, claim: Claim, script: str, **_: str) -> str:
        return "pod"

    def output_of(self, pod: str) -> str:
        return f"{MARK}\n/dev/v {self.requests[-1] // 1024 if self.requests else GIB // 1024} 0 0 1% /v\n"


@pytest.fixture(autouse=True)
def requests(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(bench: RecoveringBench, _: Claim, *, size: int) -> None:
        bench.request(size)

    monkeypatch.setattr(expansion_recovery, "new_mark", lambda: MARK)
    monkeypatch.setattr(expansion_recovery, "ask", ask)
    for module in (expansion, expansion_recovery):
        monkeypatch.setattr(module, "recent_events", lambda *_, **__: [])


def tried(bench: RecoveringBench, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(expansion_recovery, "ask_to_grow", lambda _, __, *, size: bench.request(size))
    return try_expansion_recovery(cast(Bench, bench))


def good(bench: RecoveringBench, size: int) -> None:
    """Refuses what is too much, and grows otherwise."""
    if size == REFUSED_SIZE:
        infeasible = {"storage": "ControllerResizeInfeasible"}
        bench.report(capacity={"storage": "1Gi"}, allocatedResourceStatuses=infeasible)
    else:
        bench.report(capacity={"storage": str(size)})


def stuck(bench: RecoveringBench, size: int) -> None:
    """Refuses what is too much, and everything after that."""
    good(bench, REFUSED_SIZE)


def lingering(bench: RecoveringBench, size: int) -> None:
    """Grows, and leaves the condition of a refused expansion."""
    good(bench, size)
    if size != REFUSED_SIZE:
        bench.report(capacity={"storage": str(size)}, conditions=[{"type": "ControllerResizeError", "status": "True"}])


def generous(bench: RecoveringBench, size: int) -> None:
    """Grants everything, as a thin pool does."""
    bench.report(capacity={"storage": str(size)})


def of_old_kubernetes(bench: RecoveringBench, size: int) -> None:
    """Takes no smaller size."""
    good(bench, size)
    if size != REFUSED_SIZE:
        raise ApiError(status=422, request="PATCH", message="field can not be less than previous value")


def test_a_volume_that_grows_after_a_refusal_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = RecoveringBench(good)
    assert "an expansion to 5 TiB was refused; then a volume grew" in tried(bench, monkeypatch)
    assert bench.requests == [REFUSED_SIZE, EXPANDED_SIZE]


@pytest.mark.parametrize(
    ("on_request", "refused_size", "ends_in", "said"),
    [
        (stuck, REFUSED_SIZE, StorageFailure, "to be expanded to 2 GiB; last state: capacity 1 GiB"),
        (lingering, REFUSED_SIZE, StorageFailure, "that its expansion is over; last state: condition ControllerResize"),
        (generous, REFUSED_SIZE, NotTried, "the storage grants 5 TiB"),
        (of_old_kubernetes, REFUSED_SIZE, Unsupported, "takes no smaller size"),
        (lambda *_: None, REFUSED_SIZE, StorageFailure, "to be refused; last state: no event"),
        (good, None, NotTried, "no size is named"),
        (good, EXPANDED_SIZE, NotTried, "above 2 GiB, found 2 GiB"),
    ],
)
def test_a_volume_that_does_not_recover(
    on_request: Callable[[RecoveringBench, int], None],
    refused_size: int | None,
    ends_in: type[Exception],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(StorageFailure, match=said) as caught:
        tried(RecoveringBench(on_request, refused_size), monkeypatch)
    assert type(caught.value) is ends_in


def test_a_condition_that_stays_after_any_expansion_fails() -> None:
    bench = RecoveringBench(good)
    bench.report(capacity={"storage": "2Gi"}, **RESIZING)
    with pytest.raises(StorageFailure, match="expansion is over; last state: condition Resizing"):
        wait_reported(cast(Bench, bench), CLAIM, size=EXPANDED_SIZE)
