"""Times that are only known to the minute, in words."""

from __future__ import annotations


def rough_time(seconds: float) -> str:
    """Return an imprecise time in words: `less than a minute`, `about 9 min`, `about 2 h 10 min`."""
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min"
    tens = round(minutes / 10)
    return f"about {tens // 6} h" + (f" {10 * (tens % 6)} min" if tens % 6 else "")
