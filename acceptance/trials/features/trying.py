"""The trial of one capability of one class: what it observed, and the result of its test."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from pkgutil import iter_modules

from acceptance.results.features import Capability, CapabilityRecord, CapabilityStatus
from acceptance.text.errors import AcceptanceError, NotTried, StorageFailure, Unsupported
from acceptance.trials import features
from acceptance.trials.features import declared
from acceptance.trials.features.bench import Bench

for _module in iter_modules(features.__path__):
    import_module(f"{features.__name__}.{_module.name}")
DECLARATIONS, TRIALS = declared.DECLARATIONS, declared.TRIALS
CAPABILITIES = tuple(DECLARATIONS)
"""The names of all capabilities."""
declared.require_known_needs(DECLARATIONS)


def title_of(capability: Capability) -> str:
    """Return the title of the capability; its name if this suite has no capability of that name."""
    return DECLARATIONS[capability].title if capability in DECLARATIONS else capability


def try_capability(
    capability: Capability, bench: Bench, *, expected: Collection[Capability]
) -> tuple[CapabilityRecord, AcceptanceError | None]:
    """Try the capability; return its record, and the error that the trial ended with, None if it was observed.

    A capability that is `expected` must not be missing: the error is then a StorageFailure, not Unsupported.
    """

    def record(status: CapabilityStatus, how: str) -> CapabilityRecord:
        return CapabilityRecord(
            storage_class=bench.storage_class.name,
            capability=capability,
            status=status,
            how=how,
            operations=list(bench.operations),
        )

    try:
        with bench:
            how = TRIALS[capability](bench)
    except NotTried as error:
        return record("not_tried", str(error)), _unless_expected(error, capability, expected)
    except Unsupported as error:
        return record("missing", str(error)), _unless_expected(error, capability, expected)
    except StorageFailure as error:
        return record("failed", str(error)), error
    except AcceptanceError as error:
        return record("not_tried", str(error)), error
    return record("seen", how), None


def _unless_expected(error: Unsupported, capability: Capability, expected: Collection[Capability]) -> StorageFailure:
    if capability not in expected:
        return error
    return StorageFailure(f"{error}; it is required of every class here (--storage-require-capability {capability})")
