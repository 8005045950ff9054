"""What tests and plugins outside this repository may import; all other modules are private (`docs/own-tests.md`)."""

from acceptance.errors import AcceptanceError, EnvironmentFailure, StorageFailure, Unsupported, WrongUsage
from acceptance.results import StorageClass, Verdict

__all__ = [
    "AcceptanceError",
    "EnvironmentFailure",
    "StorageClass",
    "StorageFailure",
    "Unsupported",
    "Verdict",
    "WrongUsage",
]
