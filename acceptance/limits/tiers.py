"""What storage must do: limits, grouped into tiers. `limits.file` reads them."""

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

ALL_OPTIONS = frozenset().union(*(each.options for each in SECTIONS))
"""with which all limits are asked for"""
_ORDER = "", "sustained", "latency_under_load", "noisy_neighbours", "operations", "kill_pods", "many_files", "price"
"""Limits are listed by the last of the options with which their sections are asked for; then those of other options."""


def _place(section: Section) -> tuple[int, bool, bool, bool]:
    places = [_ORDER.index(each) for each in section.asked_with or [""] if each in _ORDER]
    return max(places, default=len(_ORDER)), section is HISTORY, section is FAILOVER, section is CONTROL_PLANE


_LISTED = sorted(SECTIONS, key=_place)


@dataclass(frozen=True, kw_only=True)
class Tier:
    """A named set of limits, inherited ones included."""

    name: str
    description: str
    extends: str | None
    limits: tuple[Limit, ...]
    """of all sections"""
    ramp: RampRules | None = None
    rebuild_time_s: float = TIME_LIMIT_S
    """the longest that a rebuild may take"""
    requires: tuple[str, ...] = ()
    """tests without which a pass is none of the tier: files, or tests in them, as pytest names them"""

    def of(self, section: str, *, profile: str | None = None) -> tuple[Limit, ...]:
        """The limits of a section, on one profile if it is named. On profiles without one nothing is judged."""
        return tuple(
            limit for limit in self.limits if limit.section == section and (profile is None or limit.profile == profile)
        )

    def asked_with(self, options: Collection[str]) -> tuple[Limit, ...]:
        """All that a class is asked for with these options, by their keys in the settings; without any, the least."""
        known = set(options)
        listed = (limit for section in _LISTED for limit in self.of(section.key))
        return tuple(each for each in listed if BY_KEY[each.section].asked(each) <= known)

    @property
    def profiles(self) -> set[str]:
        """The names of the profiles that it has limits on."""
        return {limit.profile for limit in self.limits if limit.section in ON_PROFILES}


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where limits are from; `address` is a URL, or empty where it is not on the web."""

    about: str
    address: str = ""


@dataclass(frozen=True, kw_only=True)
class LimitsFile:
    """All tiers of one file, or of several together. `sources` by the keys that limits name them by."""

    source: str
    tiers: Mapping[str, Tier]
    sources: Mapping[str, Source] = field(default_factory=dict)
    origins: Mapping[str, Mapping[Limit, str]] = field(default_factory=dict)
    """by tier, the tier in which each of its limits was written"""

    def tier(self, name: str) -> Tier:
        """The tier of this name. Raises WrongUsage, naming the tiers there are, when there is none."""
        if name not in self.tiers:
            raise WrongUsage(
                f"{self.source}: wanted one of the tiers {', '.join(self.tiers)}, found {name!r}; "
                "name one of them, or add it to the file"
            )
        return self.tiers[name]
