"""Settings that suit a storage: taken from its target file unless the user sets others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from acceptance.results.features import Capability
from acceptance.results.model import Frozen
from acceptance.settings.access_modes import access_mode
from acceptance.settings.values import pods_of
from acceptance.text.quantities import parse_quantity, parse_size


class Strict(Frozen):
    """A model that is read from a target file and rejects unknown keys."""


def time_s(value: Any) -> float:
    """Return a time above zero, in s. Raises ValueError for any other value."""
    if (seconds := parse_quantity(value, unit="s")) == 0.0:
        raise ValueError(f"expected a time above zero, found {value!r}")
    return seconds


def _validator_of(read: Callable[[Any], object]) -> Callable[[Any], str]:
    """Return a validator that keeps the text if `read` accepts it, because the settings read it again."""

    def validate(value: Any) -> str:
        read(value)
        return str(value)

    return validate


SizeText = Annotated[str, BeforeValidator(_validator_of(parse_size))]
TimeText = Annotated[str, BeforeValidator(_validator_of(time_s))]
AccessModeText = Annotated[str, BeforeValidator(_validator_of(access_mode))]


class TargetSettings(Strict):
    """`settings`: the values to use unless the user sets others, by the names of options and in their form."""

    volume_size: SizeText | None = None
    test_size: SizeText | None = None
    access_mode: AccessModeText | None = None
    rebuild_size: SizeText | None = None
    rebuild_timeout: TimeText | None = None
    failover_timeout: TimeText | None = None
    durability_time: TimeText | None = None
    sustained_time: TimeText | None = None
    timeout: TimeText | None = None
    # Named like their options; formerly they were `price_of` and `expect`, as among the settings.
    price_of: Annotated[tuple[str, ...], BeforeValidator(pods_of)] | None = Field(
        default=None, validation_alias=AliasChoices("resource_overhead_of", "price_of")
    )
    expect: tuple[Capability, ...] | None = Field(
        default=None, validation_alias=AliasChoices("require_capability", "expect")
    )

    @property
    def explicit_values(self) -> dict[str, Any]:
        """The values that are set, as if a user had typed them."""
        return self.model_dump(exclude_none=True)
