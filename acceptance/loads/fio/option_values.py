"""Values of fio's options, read as fio reads them; a value that fio would misread is rejected.

fio drops a fraction (`ramp_time=1.5` is 1 s) and all text after a space (`size=2 m` is two bytes). To fio, `m` and `mi`
are 1024 x 1024 bytes, and `mib` is 1000 x 1000: kb_base is 1024, and no profile may change it.
Source: `str_to_decimal` and `get_mult_bytes` (parse.c) of fio, tried with fio 3.33.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from acceptance.loads.extents import WHOLE, Amount

_SIZE = re.compile(r"(?P<number>\d{1,18})(?P<unit>[kmgtp]?)(?P<form>ib|i|b)?", re.ASCII | re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_PERCENT = re.compile(r"(\d{1,3})%", re.ASCII)
_TIME = re.compile(r"(?P<number>\d{1,9})(?P<unit>[a-z]*)", re.ASCII | re.IGNORECASE)
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6, "m": 60.0, "h": 3600.0, "d": 86400.0}
_WHOLE_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_SYNCS = {"0": False, "none": False, "1": True, "sync": True, "dsync": True}


def amount_of(text: str) -> Amount:
    """Return a size or an offset. Raises ValueError if the text is none."""
    if text == "${SIZE}":
        return WHOLE
    if (share := _PERCENT.fullmatch(text)) and int(share[1]) <= 100:
        return Amount(percent=int(share[1]), of_device=True)
    size = _SIZE.fullmatch(text)
    if size is None or (size["form"] and size["form"].lower() != "b" and not size["unit"]):
        raise ValueError(f"expected bytes as fio reads them (4096, 22m, 2g), 25% or ${{SIZE}}, found {text!r}")
    base = 1000 if (size["form"] or "").lower() == "ib" else 1024
    return Amount(fixed_bytes=int(size["number"]) * base ** _POWERS[size["unit"].lower()])


def seconds_of(text: str) -> float:
    """Return a duration in s. Raises ValueError if the text is none."""
    time = _TIME.fullmatch(text)
    if time is None or time["unit"].lower() not in _SECONDS:
        raise ValueError(f"expected a whole number of s, or one with ms, us, m, h or d, found {text!r}")
    return int(time["number"]) * _SECONDS[time["unit"].lower()]


def number_of(text: str) -> int:
    """Return a whole number of at least 0. Raises ValueError if the text is none."""
    if _WHOLE_NUMBER.fullmatch(text) is None:
        raise ValueError(f"expected a whole number, found {text!r}")
    return int(text)


def processes_of(text: str) -> int:
    """Return a whole number of at least 1. Raises ValueError if the text is none."""
    if (number := number_of(text)) < 1:
        raise ValueError(f"expected a whole number of at least 1, found {text!r}")
    return number


def flag_of(text: str) -> bool:
    """Return whether an option such as `direct` is on. Raises ValueError if the text is neither 0 nor 1."""
    if text not in ("0", "1"):
        raise ValueError(f"expected 0 or 1, found {text!r}")
    return text == "1"


def name_or_flag_of(text: str) -> bool:
    """Return whether an option is on whose name alone is enough. Raises ValueError if a value is neither 0 nor 1."""
    return not text or flag_of(text)


def sync_of(text: str) -> bool:
    """Return whether `sync` makes each write wait for the disk. Raises ValueError if fio does not accept the value."""
    if text not in _SYNCS:
        raise ValueError(f"expected one of {', '.join(_SYNCS)}, found {text!r}")
    return _SYNCS[text]


READ: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(("size", "io_size", "io_limit", "offset", "offset_increment"), amount_of),
    **dict.fromkeys(("ramp_time", "startdelay"), seconds_of),
    **dict.fromkeys(("fsync", "fdatasync", "rwmixread", "rwmixwrite"), number_of),
    **dict.fromkeys(("time_based", "group_reporting", "stonewall", "wait_for_previous"), name_or_flag_of),
    **dict.fromkeys(("direct", "buffered", "gtod_reduce", "disable_lat", "disable_clat", "clat_percentiles"), flag_of),
    "lat_percentiles": flag_of,
    "numjobs": processes_of,
    "sync": sync_of,
}
"""The functions that read the options whose values the suite itself needs."""
