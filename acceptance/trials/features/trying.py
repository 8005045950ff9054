"""One capability of one class, tried: what was seen, and what its test ends with."""

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
DECLARED, TRIALS = declared.DECLARED, declared.TRIALS
CAPABILITIES = tuple(DECLARED)
"""the names of all"""
declared.require_known_needs(DECLARED)


def titled(capability: Capability) -> str:
    """What the capability is, in words; its name where this suite has none of that name."""
    return DECLARED[capability].title if capability in DECLARED else capability


def try_capability(
    capability: Capability, bench: Bench, *, expected: Collection[Capability]
) -> tuple[CapabilityRecord, AcceptanceError | None]:
    """What is known of it now, and the error that the trial ends with, None where it was seen.

    One that is `expected` must not be missing: then the error is a StorageFailure, no Unsupported.
    """

    def known(status: CapabilityStatus, how: str) -> CapabilityRecord:
        return CapabilityRecord(storage_class=bench.storage_class.name, capability=capability, status=status, how=how)

    try:
        with bench:
            how = TRIALS[capability](bench)
    except NotTried as error:
        return known("not_tried", str(error)), _unless_expected(error, capability, expected)
    except Unsupported as error:
        return known("missing", str(error)), _unless_expected(error, capability, expected)
    except StorageFailure as error:
        return known("failed", str(error)), error
    except AcceptanceError as error:
        return known("not_tried", str(error)), error
    return known("seen", how), None


def _unless_expected(error: Unsupported, capability: Capability, expected: Collection[Capability]) -> StorageFailure:
    if capability not in expected:
        return error
    return StorageFailure(f"{error}; it is required of every class here (--storage-require-capability {capability})")
