"""Quantities with their unit: parsed from text that people write, and formatted for people.

Inside the suite every quantity is a float in its base unit: `1/s`, `B/s`, `s`, `B`, `ratio`, `cpu` (CPU seconds
a second), `pods` or `count`; the size of a volume is an int in bytes, in the notation of Kubernetes: `10Gi`, `10G`,
`1500M`.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Literal

Unit = Literal["1/s", "B/s", "s", "B", "ratio", "cpu", "pods", "count"]

OF_ONE_CPU = " of one CPU"
"""The words after the percent of CPU use."""
_BYTES = {"B": 1.0} | {
    name: float(base**power)
    for power, letter in enumerate("KMGTP", start=1)
    for name, base in ((f"{letter}iB", 1024), (f"{letter if letter != 'K' else 'k'}B", 1000))
}
_SUFFIXES: dict[Unit, dict[str, float]] = {
    "1/s": {"": 1.0, "IOPS": 1.0, "/s": 1.0, "/min": 1 / 60, "/h": 1 / 3600},
    "B/s": {f"{name}/s": factor for name, factor in _BYTES.items()},
    "s": {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0},
    "B": _BYTES | {f"{letter}i": float(1024**power) for power, letter in enumerate("KMGTP", start=1)},
    "ratio": {"%": 0.01, "x": 1.0, "times": 1.0},
    "cpu": {"%": 0.01, f"%{OF_ONE_CPU}": 0.01, "%CPU": 0.01, "CPU": 1.0},
    "pods": {"pods": 1.0},
    "count": {"": 1.0},
}
_EXPECTED_FORMS: dict[Unit, str] = {
    "1/s": "a rate such as 750 or 30/min",
    "B/s": "a bandwidth with its unit such as 100MiB/s",
    "s": "a time with its unit such as 10ms",
    "B": "a size with its unit such as 10GiB",
    "ratio": "a share with its unit such as 20%",
    "cpu": "a share of one CPU with its unit such as 40% or 1.5CPU",
    "pods": "a number of pods such as 60pods",
    "count": "a number such as 3",
}
# A comma separates thousands. A number that begins with 0 has none: 0,500 is a half, with a decimal comma.
_QUANTITY = re.compile(
    r"(?P<number>([1-9]\d{0,2}(,\d{3})+|\d+)(\.\d+)?([eE][+-]?\d+)?)\s*(?P<suffix>% of one CPU|[^\d\s]*)", re.ASCII
)
_WITH_COMMA = re.compile(r"[\d.,]*\d,\d[\d.,]*", re.ASCII)

# Kubernetes' own client parses sizes too, but its import takes half a second, which is too long for some commands.
# https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
_SIZE = re.compile(r"(?P<number>\d+(\.\d*)?)((?P<exponent>[eE][+-]?\d{1,3})|(?P<suffix>[KMGTPE]i|[numkKMGTPE]))?")
_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SIZE_UNITS = (
    {"": Decimal(1)}
    | {suffix: Decimal(10) ** power for suffix, power in _DECIMAL.items()}
    | {suffix: Decimal(1024) ** power for power, suffix in enumerate(_BINARY, start=1)}
)

_TIMES = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0))
_DISPLAY_UNITS: dict[Unit, tuple[tuple[str, float], ...]] = {
    "1/s": (("IOPS", 1.0),),
    "B/s": (("B/s", 1.0), ("KiB/s", 1024.0), ("MiB/s", 1024.0**2)),
    "s": _TIMES,
    "B": (("B", 1.0), ("KiB", 1024.0), ("MiB", 1024.0**2), ("GiB", 1024.0**3), ("TiB", 1024.0**4)),
    "ratio": (("x", 1.0),),
    "cpu": ((f"%{OF_ONE_CPU}", 0.01),),
    "pods": (("pods", 1.0),),
    "count": (("", 1.0),),
}
_DIGITS: dict[Unit, int] = {"1/s": 4, "B/s": 4, "s": 4, "B": 4, "ratio": 3, "cpu": 3, "pods": 4, "count": 4}
_MOST_DIGITS = 17  # a double has no more


def parse_quantity(text: str | int | float, *, unit: Unit) -> float:
    """Return `text` in the base unit `unit`: `parse_quantity("10ms", unit="s")` is 0.01.

    Only a rate (`1/s`) may be a bare number. Raise ValueError, with the expected form and the text, for a missing or
    wrong unit, a negative value, and anything that is not a finite number.
    """
    problem = f"expected {_EXPECTED_FORMS[unit]}, found {text!r}"
    literal = str(text).strip().replace("μ", "µ")
    if literal.startswith("-"):
        raise ValueError(f"{problem}, which is negative")
    match = _QUANTITY.fullmatch(literal)
    if match is None and (number := _WITH_COMMA.match(literal)):
        raise ValueError(
            f"{problem}, in which the comma of {number[0]} does not separate thousands; write a decimal point, or "
            "thousands as 1,000"
        )
    if match is None:
        raise ValueError(problem)
    suffix = match["suffix"]
    if suffix not in _SUFFIXES[unit]:
        missing = "has no unit" if not suffix else f"has the unit {suffix!r}; available: {_suffix_list(unit)}"
        raise ValueError(f"{problem}, which {missing}")
    value = float(match["number"].replace(",", "")) * _SUFFIXES[unit][suffix]
    if not math.isfinite(value):
        raise ValueError(f"{problem}, which is not a finite number")
    return value


def format_quantity(value: float, *, unit: Unit, beside: float | None = None) -> str:
    """Return `value` (in the base unit `unit`) for people: `1,204 IOPS`, `96.4 MiB/s`, `840 µs`, `0.113x`.

    With `beside`, the text has enough digits to stay on the same side of `beside` as the value, so that 749.96 next to
    a limit of 750 never reads as 750. Raise ValueError for a negative value and for NaN.
    """
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"expected a finite value of at least zero to show, found {value!r}")
    digits = _DIGITS[unit]
    while beside is not None and digits < _MOST_DIGITS and _crosses(value, beside=beside, unit=unit, digits=digits):
        digits += 1
    name, factor = _scale(_round(value, digits=digits), unit=unit)
    number = _digits(value / factor, digits=digits)
    return f"{number}x" if unit == "ratio" else f"{number} {name}".rstrip()


def unit_for(value: float, *, unit: Unit) -> tuple[str, float]:
    """Return the unit in which `value` is shown, and its size in the base unit: `("MiB/s", 1048576.0)`."""
    return _scale(_round(max(0.0, value), digits=_DIGITS[unit]), unit=unit)


def parse_size(text: str | int) -> int:
    """Return `text`, a Kubernetes quantity, in bytes; parts of a byte count as a whole one, as in Kubernetes itself.

    Raise ValueError, with the expected form and the text, for anything that is not a size above zero.
    """
    literal = str(text).strip()
    problem = f"expected a size above zero such as 10Gi, found {text!r}"
    match = _SIZE.fullmatch(literal)
    if isinstance(text, bool) or match is None:
        raise ValueError(problem)
    number = Decimal(match["number"] + (match["exponent"] or ""))
    size = math.ceil(number * _SIZE_UNITS[match["suffix"] or ""])
    if size <= 0:
        raise ValueError(problem)
    return size


def format_size(size: int) -> str:
    """Return `size` bytes as the shortest exact Kubernetes quantity: `10Gi`, `1536Mi`, or `1000` if no unit divides."""
    if size < 0:
        raise ValueError(f"expected a size of at least zero bytes, found {size!r}")
    power = 0
    while size and size % 1024 == 0 and power < len(_BINARY):
        size //= 1024
        power += 1
    return f"{size}{_BINARY[power - 1] if power else ''}"


def _suffix_list(unit: Unit) -> str:
    return ", ".join(sorted(suffix for suffix in _SUFFIXES[unit] if suffix))


def _crosses(value: float, *, beside: float, unit: Unit, digits: int) -> bool:
    """Return whether `value`, shown with this number of digits, would read as equal to or beyond `beside`."""
    _, factor = _scale(_round(value, digits=digits), unit=unit)
    display_value = float(_digits(value / factor, digits=digits).replace(",", ""))
    limit = beside / factor
    true = value / factor
    return (true < limit) != (display_value < limit) or (true > limit) != (display_value > limit)


def _scale(value: float, *, unit: Unit) -> tuple[str, float]:
    """Return the largest unit in which `value` is at least 1; seconds for 0, and minutes and hours only from 2 on."""
    scales = _DISPLAY_UNITS[unit]
    if value == 0:
        return next((scale for scale in scales if scale[1] == 1.0), scales[0])
    fitting = [(name, factor) for name, factor in scales if value >= factor * (2 if factor in (60.0, 3600.0) else 1)]
    return fitting[-1] if fitting else scales[0]


def _round(value: float, *, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def _digits(value: float, *, digits: int) -> str:
    """Return `value` with `digits` significant digits, whole numbers in full, thousands separated, no idle zeros."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def counted(number: int, noun: str) -> str:
    """Return `1 test` or `2 tests`: the number with its noun, whose plural ends in s."""
    return f"{number} {noun}{'s' * (number != 1)}"
