"""Verdicts for tests that care for little of them, written as flat as results of older suites had them."""

from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.version_2 import upgrade


def flat_verdict(**fields: Any) -> Verdict:
    """A verdict without a figure that passes, but for the fields given; the limit's words tell operator and bound."""
    usual: dict[str, Any] = {
        "id": "v",
        "test": "t",
        "storage_class": "fast",
        "profile": None,
        "metric": None,
        "rule": "r",
        "limit": "l",
        "measured": None,
        "low": None,
        "high": None,
        "status": "pass",
        "reason": "",
    }
    (made,) = upgrade({"schema_version": 2, "verdicts": [usual | fields]})["verdicts"]
    return Verdict.model_validate(made)
