"""What a verdict gets when a test hands it over: the test, and what that is about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.judging.outcome import plain_outcome, without_figures
from acceptance.results.document import Verdict
from fixtures import verdicts
from fixtures.verdicts import HOW, accept
from selftests.unit.compared_runs import judged


def test_an_accepted_verdict_is_of_the_test_that_asked(request: pytest.FixtureRequest) -> None:
    recorded: list[Verdict] = []
    verdict = without_figures(
        "a/b/c/holds", storage_class="fast", status="pass", finding=plain_outcome("held"), limit="it holds"
    )
    run = SimpleNamespace(recorder=SimpleNamespace(verdicts=recorded))
    accept.__wrapped__(request, run)(verdict)
    assert [(each.test, each.subject) for each in recorded] == [(request.node.nodeid, "further-tests")]
    assert verdict.test == "" and ("limit", "it holds") in request.node.user_properties


@pytest.mark.parametrize("how", ["", "pods on n1, the only node that can use both, used two volumes"])
def test_a_pass_says_what_was_done(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "_storage_class", lambda _: "fast")
    monkeypatch.setattr(verdicts, "params_of", lambda _: {})
    item = SimpleNamespace(name="test_pod_uses_two_volumes", stash=pytest.Stash())
    if how:
        item.stash[HOW] = how
    call, report = SimpleNamespace(excinfo=None), SimpleNamespace(skipped=False)
    found = verdicts._functional(cast(Any, item), cast(Any, call), cast(Any, report))
    assert found is not None and found.status == "pass"
    assert found.reason == (f"held on fast: {how}" if how else "held on fast")


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        (
            {"confidence": 0.98},
            "write.iops of sync-write-iops on fast is 1,000 IOPS (98% CI 900 IOPS to 1,100 IOPS); "
            "limit: at least 750 IOPS",
        ),
        ({"low": None, "high": None}, "write.iops of sync-write-iops on fast is 1,000 IOPS; limit: at least 750 IOPS"),
        (
            {"metric": "time", "unit": "s", "measured": 2.0, "limit": "time at most 3 s", "low": 1.5, "high": 2.5}
            | {"rule": "at_most", "confidence": 0.95},
            "fast: time at most 3 s; measured 2 s (95% CI 1.5 s to 2.5 s)",
        ),
    ],
)
def test_a_pass_on_the_terminal_has_its_figure_with_its_ci(facts: dict[str, Any], line: str) -> None:
    assert verdicts._line(judged(**facts)) == line


def test_a_test_is_named_by_its_docstring_and_the_keys_of_its_limits() -> None:
    def killed() -> None:
        """Pods are killed, and the storage recovers
        in time.

        One after the other.
        """

    callspec = SimpleNamespace(params={"storage_class": "fast", "disruption_limit": "storage_pods.ready"})
    item = SimpleNamespace(name="killed", function=killed, callspec=callspec)
    assert verdicts._title(cast(Any, item)) == "Pods are killed, and the storage recovers in time (pod_ready)."
