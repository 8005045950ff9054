"""Quantities with their unit: read from what people write, and shown so that people can read them.

Inside the suite every quantity is a float in its base unit: `1/s`, `B/s`, `s`, `B`, `ratio`, `cpu` (CPU seconds
a second), `pods` or `count`; the size of a volume is an int in bytes, and is written as Kubernetes writes it: `10Gi`,
`10G`, `1500M`.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Literal

Unit = Literal["1/s", "B/s", "s", "B", "ratio", "cpu", "pods", "count"]

OF_ONE_CPU = " of one CPU"
"""What stands behind the percent of CPU use."""
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
_WANTED: dict[Unit, str] = {
    "1/s": "a rate such as 750 or 30/min",
    "B/s": "a bandwidth with its unit such as 100MiB/s",
    "s": "a time with its unit such as 10ms",
    "B": "a size with its unit such as 10GiB",
    "ratio": "a share with its unit such as 20%",
    "cpu": "a share of one CPU with its unit such as 40% or 1.5CPU",
    "pods": "a number of pods such as 60pods",
    "count": "a number such as 3",
}
# A comma separates thousands. A number that begins with 0 has none: 0,500 is half of something, with a decimal comma.
_QUANTITY = re.compile(
    r"(?P<number>([1-9]\d{0,2}(,\d{3})+|\d+)(\.\d+)?([eE][+-]?\d+)?)\s*(?P<suffix>% of one CPU|[^\d\s]*)", re.ASCII
)
_WITH_COMMA = re.compile(r"[\d.,]*\d,\d[\d.,]*", re.ASCII)

# Kubernetes' own client reads them too, but takes half a second to be imported, which not all who read sizes can spare.
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
_SHOWN: dict[Unit, tuple[tuple[str, float], ...]] = {
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
    """`text` in the base unit `unit`: `parse_quantity("10ms", unit="s")` is 0.01.

    Only a rate (`1/s`) may be a bare number. Raises ValueError, saying what was wanted and what was found, for
    a missing or wrong unit, a negative value, and anything that is not a finite number.
    """
    problem = f"wanted {_WANTED[unit]}, found {text!r}"
    written = str(text).strip().replace("μ", "µ")
    if written.startswith("-"):
        raise ValueError(f"{problem}, which is negative")
    found = _QUANTITY.fullmatch(written)
    if found is None and (number := _WITH_COMMA.match(written)):
        raise ValueError(
            f"{problem}, in which the comma of {number[0]} separates no thousands; write a decimal point, or thousands "
            "as 1,000"
        )
    if found is None:
        raise ValueError(problem)
    suffix = found["suffix"]
    if suffix not in _SUFFIXES[unit]:
        missing = "has no unit" if not suffix else f"has the unit {suffix!r}; known are {_known(unit)}"
        raise ValueError(f"{problem}, which {missing}")
    value = float(found["number"].replace(",", "")) * _SUFFIXES[unit][suffix]
    if not math.isfinite(value):
        raise ValueError(f"{problem}, which is not a finite number")
    return value


def format_quantity(value: float, *, unit: Unit, beside: float | None = None) -> str:
    """`value` (in the base unit `unit`) for people: `1,204 IOPS`, `96.4 MiB/s`, `840 µs`, `0.113x`.

    With `beside`, as many digits are shown as keep the text on the side of `beside` where the value is, so that
    749.96 beside a limit of 750 never reads as 750. Raises ValueError for a negative value and for NaN.
    """
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"wanted a finite value of at least zero to show, found {value!r}")
    digits = _DIGITS[unit]
    while beside is not None and digits < _MOST_DIGITS and _crosses(value, beside=beside, unit=unit, digits=digits):
        digits += 1
    name, factor = _scale(_rounded(value, digits=digits), unit=unit)
    number = _digits(value / factor, digits=digits)
    return f"{number}x" if unit == "ratio" else f"{number} {name}".rstrip()


def unit_for(value: float, *, unit: Unit) -> tuple[str, float]:
    """The unit in which `value` is shown, and how much one of it is in the base unit: `("MiB/s", 1048576.0)`."""
    return _scale(_rounded(max(0.0, value), digits=_DIGITS[unit]), unit=unit)


def parse_size(text: str | int) -> int:
    """`text`, a Kubernetes quantity, in bytes; parts of a byte count as a whole one, as in Kubernetes itself.

    Raises ValueError, saying what was wanted and what was found, for anything that is not a size above zero.
    """
    written = str(text).strip()
    problem = f"wanted a size above zero such as 10Gi, found {text!r}"
    found = _SIZE.fullmatch(written)
    if isinstance(text, bool) or found is None:
        raise ValueError(problem)
    number = Decimal(found["number"] + (found["exponent"] or ""))
    size = math.ceil(number * _SIZE_UNITS[found["suffix"] or ""])
    if size <= 0:
        raise ValueError(problem)
    return size


def format_size(size: int) -> str:
    """`size` bytes as the shortest exact Kubernetes quantity: `10Gi`, `1536Mi`, and `1000` where nothing divides."""
    if size < 0:
        raise ValueError(f"wanted a size of at least zero bytes, found {size!r}")
    power = 0
    while size and size % 1024 == 0 and power < len(_BINARY):
        size //= 1024
        power += 1
    return f"{size}{_BINARY[power - 1] if power else ''}"


def _known(unit: Unit) -> str:
    return ", ".join(sorted(suffix for suffix in _SUFFIXES[unit] if suffix))


def _crosses(value: float, *, beside: float, unit: Unit, digits: int) -> bool:
    """Whether `value`, shown with so many digits, would be read as equal to or beyond `beside`."""
    _, factor = _scale(_rounded(value, digits=digits), unit=unit)
    shown = float(_digits(value / factor, digits=digits).replace(",", ""))
    limit = beside / factor
    true = value / factor
    return (true < limit) != (shown < limit) or (true > limit) != (shown > limit)


def _scale(value: float, *, unit: Unit) -> tuple[str, float]:
    """The largest unit in which `value` is at least 1; seconds for 0, and minutes and hours only from 2 on."""
    scales = _SHOWN[unit]
    if value == 0:
        return next((scale for scale in scales if scale[1] == 1.0), scales[0])
    fitting = [(name, factor) for name, factor in scales if value >= factor * (2 if factor in (60.0, 3600.0) else 1)]
    return fitting[-1] if fitting else scales[0]


def _rounded(value: float, *, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def _digits(value: float, *, digits: int) -> str:
    """`value` with `digits` significant digits, whole numbers in full, thousands separated, no idle zeros."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
