"""The names that tests and plugins outside this repository may import; the rest is private (`docs/own-tests.md`)."""

from acceptance.results.clusters import StorageClass
from acceptance.results.document import Verdict
from acceptance.results.requirement import Requirement
from acceptance.text.errors import (
    AcceptanceError,
    EnvironmentFailure,
    NotTried,
    StorageFailure,
    Unsupported,
    WrongUsage,
)

__all__ = [
    "AcceptanceError",
    "EnvironmentFailure",
    "NotTried",
    "Requirement",
    "StorageClass",
    "StorageFailure",
    "Unsupported",
    "Verdict",
    "WrongUsage",
]
