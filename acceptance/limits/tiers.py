"""The requirements on storage: limits, grouped into tiers. `limits.file` reads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from acceptance.limits.declared import BY_KEY, CONTROL_PLANE, FAILOVER, ON_PROFILES, SECTIONS
from acceptance.limits.history import HISTORY
from acceptance.limits.limit import Limit
from acceptance.limits.ramps import RampRules
from acceptance.limits.rebuilds import TIME_LIMIT_S
from acceptance.limits.sections import Section
from acceptance.text.errors import WrongUsage

ALL_OPTIONS = frozenset().union(*(section.options for section in SECTIONS))
"""The options with which all limits are judged."""
_ORDER = "", "sustained", "latency_under_load", "noisy_neighbours", "operations", "kill_pods", "many_files", "price"
"""The order of limits: by the last of the options that their sections require; then limits of other options."""


def _place(section: Section) -> tuple[int, bool, bool, bool]:
    places = [_ORDER.index(option) for option in section.asked_with or [""] if option in _ORDER]
    return max(places, default=len(_ORDER)), section is HISTORY, section is FAILOVER, section is CONTROL_PLANE


_SECTION_ORDER = sorted(SECTIONS, key=_place)


@dataclass(frozen=True, kw_only=True)
class Tier:
    """A named set of limits, inherited ones included."""

    name: str
    description: str
    extends: str | None
    limits: tuple[Limit, ...]
    """The limits of all sections."""
    ramp: RampRules | None = None
    rebuild_time_s: float = TIME_LIMIT_S
    """The longest allowed time of a rebuild."""
    requires: tuple[str, ...] = ()
    """Tests that a pass of the tier requires: files, or tests in them, as pytest names them."""

    def of(self, section: str, *, profile: str | None = None) -> tuple[Limit, ...]:
        """Return the limits of a section, on one profile if it is named. A profile without limits is not judged."""
        return tuple(
            limit for limit in self.limits if limit.section == section and (profile is None or limit.profile == profile)
        )

    def asked_with(self, options: Collection[str]) -> tuple[Limit, ...]:
        """Return the limits that apply with these options, by their keys in the settings; without any, the fewest."""
        option_set = set(options)
        limits = (limit for section in _SECTION_ORDER for limit in self.of(section.key))
        return tuple(limit for limit in limits if BY_KEY[limit.section].options_for(limit) <= option_set)

    @property
    def profiles(self) -> set[str]:
        """Return the names of the profiles that the tier has limits on."""
        return {limit.profile for limit in self.limits if limit.section in ON_PROFILES}


@dataclass(frozen=True, kw_only=True)
class Source:
    """The source of limits; `address` is a URL, or empty if it is not on the web."""

    about: str
    address: str = ""


@dataclass(frozen=True, kw_only=True)
class LimitsFile:
    """All tiers of one file, or of several together. `sources` by the keys that limits name them by."""

    source: str
    tiers: Mapping[str, Tier]
    sources: Mapping[str, Source] = field(default_factory=dict)
    origins: Mapping[str, Mapping[Limit, str]] = field(default_factory=dict)
    """The tier in which each limit was written, by tier."""

    def tier(self, name: str) -> Tier:
        """Return the tier of this name. Raise WrongUsage, which names the available tiers, if it does not exist."""
        if name not in self.tiers:
            raise WrongUsage(
                f"{self.source}: expected one of the tiers {', '.join(self.tiers)}, found {name!r}; "
                "name one of them, or add it to the file"
            )
        return self.tiers[name]
