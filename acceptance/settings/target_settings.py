"""Settings that suit a storage: taken from its target file where nobody asks for anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from acceptance.results.features import Capability
from acceptance.results.model import Frozen
from acceptance.settings.values import pods_of
from acceptance.text.quantities import parse_quantity, parse_size


class Strict(Frozen):
    """What is read from a target file: nothing unknown is taken."""


def time_s(value: Any) -> float:
    """A time above zero, in s. Raises ValueError for anything else."""
    if (seconds := parse_quantity(value, unit="s")) == 0.0:
        raise ValueError(f"wanted a time above zero, found {value!r}")
    return seconds


def _checked(read: Callable[[Any], object]) -> Callable[[Any], str]:
    """Keeps what is written as it is, once it was seen to be readable: it is read again among the settings."""

    def checked(value: Any) -> str:
        read(value)
        return str(value)

    return checked


SizeText = Annotated[str, BeforeValidator(_checked(parse_size))]
TimeText = Annotated[str, BeforeValidator(_checked(time_s))]


class TargetSettings(Strict):
    """`settings`: what to take where nobody asks for anything else, by the names of options and written as there."""

    volume_size: SizeText | None = None
    test_size: SizeText | None = None
    rebuild_size: SizeText | None = None
    rebuild_timeout: TimeText | None = None
    failover_timeout: TimeText | None = None
    durability_time: TimeText | None = None
    sustained_time: TimeText | None = None
    timeout: TimeText | None = None
    price_of: Annotated[tuple[str, ...], BeforeValidator(pods_of)] | None = None
    # As the option is named; before that it was `expect`, as among the settings.
    expect: tuple[Capability, ...] | None = Field(
        default=None, validation_alias=AliasChoices("require_capability", "expect")
    )

    @property
    def given(self) -> dict[str, Any]:
        """Those that are set, as if they had been typed."""
        return self.model_dump(exclude_none=True)
