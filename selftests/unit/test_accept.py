"""What a verdict gets when a test hands it over: the test, and what that is about."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from acceptance.judging.outcome import without_figures
from acceptance.results.document import Verdict
from fixtures.verdicts import accept


def test_an_accepted_verdict_is_of_the_test_that_asked(request: pytest.FixtureRequest) -> None:
    recorded: list[Verdict] = []
    verdict = without_figures("a/b", storage_class="fast", status="pass", reason="held", rule="it holds")
    run, properties = SimpleNamespace(recorder=SimpleNamespace(verdicts=recorded)), dict[str, object]()
    accept.__wrapped__(request, run, properties.__setitem__)(verdict)
    assert [(each.test, each.subject) for each in recorded] == [(request.node.nodeid, "further-tests")]
    assert verdict.test == "" and properties["limit"] == "it holds"
