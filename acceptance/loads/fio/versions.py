"""The versions of fio that the suite can read: older ones print other units, or no number of operations."""

from __future__ import annotations

import re

from acceptance.text.errors import EnvironmentFailure

OLDEST = (3, 18)
"""The first version that prints the number of latencies, `N`; up to 2.20 `io_bytes` is in KiB, latencies are in µs."""

SUPPORTED_VERSIONS = f"fio {OLDEST[0]}.{OLDEST[1]} or later"

_VERSION = re.compile(r"fio-(\d+)\.(\d+)")


class UnreadableResult(EnvironmentFailure):
    """A result of fio that the suite cannot read: not a fault of the storage."""


def too_old(version: str) -> bool:
    """Return whether the suite cannot read the results of this fio.

    Args:
        version: as fio spells itself: `fio-3.33`, `fio-3.36-dirty`, `fio-3.41-12-gabc`.
    """
    numbers = _VERSION.match(version)
    return numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST


def describe_unsupported(version: str) -> str:
    """Return why this version of fio is rejected, and what to do."""
    return (
        f"found {version or 'no version'}, expected {SUPPORTED_VERSIONS}, whose results the suite can "
        "read; name an image that holds one with --storage-image, or install one on "
        "this host for --storage-cluster host"
    )


def version_check(*, status: int) -> str:
    """Return shell commands, for a function, that return `status` unless fio is supported; its version is printed."""
    major, minor = OLDEST
    return f"""
  version=$(fio --version 2>/dev/null)
  numbers=${{version#fio-}}
  rest=${{numbers#*.}}
  {{ [ "$numbers" != "$version" ] && [ "${{numbers%%.*}}" -ge {major} ] &&
    {{ [ "${{numbers%%.*}}" -gt {major} ] || [ "${{rest%%[!0-9]*}}" -ge {minor} ]; }}
  }} 2>/dev/null || {{ echo "${{version:-no version}}"; return {status}; }}
"""
