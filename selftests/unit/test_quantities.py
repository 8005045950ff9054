"""Quantities and sizes: what is read, what is refused and with which words, and what is shown."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubernetes.utils import quantity

from acceptance.text.quantities import Unit, format_quantity, format_size, parse_quantity, parse_size
from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]
UNITS: tuple[Unit, ...] = ("1/s", "B/s", "s", "B", "ratio", "cpu")
values = st.floats(min_value=1e-9, max_value=1e12)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        (750, "1/s", 750),
        ("750", "1/s", 750),
        ("1,204 IOPS", "1/s", 1204),
        ("30/min", "1/s", 0.5),
        ("10ms", "s", 0.01),
        ("1.5s", "s", 1.5),
        ("500us", "s", 0.0005),
        ("500µs", "s", 0.0005),
        ("500\N{GREEK SMALL LETTER MU}s", "s", 0.0005),
        ("24h", "s", 86400),
        ("100MiB/s", "B/s", 100 * 1024**2),
        ("1.2GB/s", "B/s", 1.2e9),
        ("2 kB/s", "B/s", 2000),
        ("10GiB", "B", 10 * 1024**3),
        ("20%", "ratio", 0.2),
        ("0.11 times", "ratio", 0.11),
        ("0.11x", "ratio", 0.11),
        ("40%", "cpu", 0.4),
        ("1.5 CPU", "cpu", 1.5),
    ],
)
def test_reads_what_people_write(text: str | int, unit: Unit, value: float) -> None:
    assert parse_quantity(text, unit=unit) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "unit", "says"),
    [
        ("10", "s", "10ms.*found '10', which has no unit"),
        (10, "s", "10ms.*found 10, which has no unit"),
        ("10ms", "1/s", "750.*found '10ms', which has the unit 'ms'"),
        ("100", "B/s", "100MiB/s.*no unit"),
        (0.2, "ratio", "20%.*no unit"),
        (0.2, "cpu", "a share of one CPU.*no unit"),
        ("-1ms", "s", "negative"),
        (-5, "1/s", "negative"),
        (math.nan, "1/s", "found nan"),
        (math.inf, "1/s", "found inf"),
        ("1e999", "1/s", "not a finite number"),
        ("", "1/s", "found ''"),
        ("1,20", "1/s", "found '1,20'"),
        ("0,500 ms", "s", "decimal point"),
        ("0,500", "1/s", "decimal point"),
        ("00,500 ms", "s", "decimal point"),
        ("1,5 ms", "s", "decimal point"),
        ("12,34", "1/s", "decimal point"),
        ("1,0000", "1/s", "decimal point"),
        ("1000,000", "1/s", "decimal point"),
        ("1,000,00", "1/s", "decimal point"),
        ("1.000,5 ms", "s", "decimal point"),
        ("٣ ms", "s", "found '٣ ms'"),
        (True, "1/s", "found True"),
        (None, "1/s", "found None"),
        ("10MS", "s", "the unit 'MS'"),
    ],
)
def test_says_what_was_wanted_and_what_was_found(text: str, unit: Unit, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_quantity(text, unit=unit)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1204.3, "1/s", "1,204 IOPS"),
        (749.6, "1/s", "749.6 IOPS"),
        (0.0, "1/s", "0 IOPS"),
        (100 * 1024**2, "B/s", "100 MiB/s"),
        (0.00084, "s", "840 µs"),
        (0.01, "s", "10 ms"),
        (0.00099999, "s", "1 ms"),
        (90.0, "s", "90 s"),
        (86400.0, "s", "24 h"),
        (0.0, "s", "0 s"),
        (0.0, "B", "0 B"),
        (0.1134, "ratio", "0.113x"),
        (1.2345, "cpu", "123 % of one CPU"),
    ],
)
def test_shows_what_people_read(value: float, unit: Unit, text: str) -> None:
    assert format_quantity(value, unit=unit) == text


def test_a_value_below_its_limit_never_reads_as_the_limit() -> None:
    assert format_quantity(749.98, unit="1/s", beside=750) == "749.98 IOPS"
    assert format_quantity(0.0099999, unit="s", beside=0.01) == "9.9999 ms"


@given(value=values, beside=values, unit=st.sampled_from(UNITS))
def test_what_is_shown_is_on_the_values_side_of_the_limit(value: float, beside: float, unit: Unit) -> None:
    shown = parse_quantity(format_quantity(value, unit=unit, beside=beside), unit=unit)
    if not math.isclose(value, beside, rel_tol=1e-12):
        assert (shown < beside) == (value < beside)


@given(value=values, unit=st.sampled_from(UNITS))
def test_what_is_shown_reads_back_as_nearly_the_same(value: float, unit: Unit) -> None:
    assert parse_quantity(format_quantity(value, unit=unit), unit=unit) == pytest.approx(value, rel=0.0051)


@given(first=values, second=values, unit=st.sampled_from(UNITS))
def test_showing_keeps_the_order(first: float, second: float, unit: Unit) -> None:
    low, high = sorted((first, second))
    read = [parse_quantity(format_quantity(value, unit=unit), unit=unit) for value in (low, high)]
    assert read[0] <= read[1] * (1 + 1e-9)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_nothing_unreal_is_shown(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        format_quantity(value, unit="s")


@pytest.mark.parametrize(
    ("text", "size"),
    [("10Gi", 10 * 1024**3), ("10G", 10**10), ("1.5Ti", 3 * 1024**4 // 2), ("22m", 1), ("1e3", 1000), (512, 512)],
)
def test_reads_sizes_as_kubernetes_does(text: str | int, size: int) -> None:
    assert parse_size(text) == size


@given(
    number=st.from_regex(r"[1-9][0-9]{0,8}(\.[0-9]{1,4})?", fullmatch=True),
    suffix=st.sampled_from(["", *"numkKMGTPE", *(f"{letter}i" for letter in "KMGTPE"), "e3", "E+2", "e-1"]),
)
def test_reads_every_suffix_as_the_clients_library_does(number: str, suffix: str) -> None:
    theirs = math.ceil(quantity.parse_quantity(number + suffix))  # type: ignore[no-untyped-call]
    assert parse_size(number + suffix) == theirs


def test_nothing_of_kubernetes_is_loaded_for_it() -> None:
    told = (
        "import sys, acceptance.text.quantities; sys.exit(any(each.startswith('kubernetes') for each in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", told], cwd=ROOT, timeout=HANGS_S, check=False).returncode == 0


@pytest.mark.parametrize("text", ["", "1e3Gi", "-1Gi", "0", "10GiB", "nan", "ten", "1_000", True, "Gi"])
def test_refuses_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="expected a size above zero such as 10Gi, found"):
        parse_size(text)


@given(st.integers(min_value=1, max_value=2**60))
def test_a_size_reads_back_as_itself(size: int) -> None:
    assert parse_size(format_size(size)) == size
