"""What entries of the limits file are made of, whatever they limit: values with their unit, and the reason in words."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from acceptance.text.quantities import Unit, parse_quantity


class Entry(BaseModel):
    """One mapping of the file: only known keys, each with a value of its own kind."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)


def _above_zero(text: Any, *, unit: Unit) -> float:
    value = parse_quantity(text, unit=unit)
    if value == 0.0:
        raise ValueError(f"wanted a value above zero, found {text!r}: nothing could miss it or nothing could meet it")
    return value


def _share(text: Any) -> float:
    value = _above_zero(text, unit="ratio")
    if value > 1.0:
        raise ValueError(f"wanted a share of at most 100%, found {text!r}, which nothing can meet")
    return value


def _sentence(text: Any) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ValueError("wanted a sentence that explains a failure to its reader, found nothing")
    return text.strip()


# All above zero: bytes, s, 1/s, and ratios; a share is at most 1.
Size = Annotated[float, BeforeValidator(partial(_above_zero, unit="B"))]
Time = Annotated[float, BeforeValidator(partial(_above_zero, unit="s"))]
Rate = Annotated[float, BeforeValidator(partial(_above_zero, unit="1/s"))]
Ratio = Annotated[float, BeforeValidator(partial(_above_zero, unit="ratio"))]
Share = Annotated[float, BeforeValidator(_share)]
Sentence = Annotated[str, BeforeValidator(_sentence)]


class TimeLimit(Entry):
    """`{at_most: 60s, because: ...}`; in s."""

    at_most: Time
    because: Sentence
