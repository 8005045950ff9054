"""Text that is shown to others, without the credentials in it."""

from __future__ import annotations

import re

NOT_SHOWN = "(not shown)"
_SECRET = re.compile(r"secret|pass|token|credential|key", re.IGNORECASE)
_USER_IN_URL = re.compile(r"(://)[^/@\s]+@")


def without_user(text: str) -> str:
    """The text, with no user and password in its URLs."""
    return _USER_IN_URL.sub(rf"\1{NOT_SHOWN}@", text)


def shown_parameter(name: str, value: str) -> str:
    """The value of a storage class's parameter, or a word in its place where the name promises a secret."""
    # Hides some names of secrets and sizes of keys as well, by which nobody is hurt.
    return NOT_SHOWN if _SECRET.search(name) else without_user(value)
