"""Sections of a file of limits: each is declared once; its entries, its schema and its limits follow from that."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Annotated, Any, Protocol

from pydantic import BeforeValidator, Field, create_model

from acceptance.limits.limit import Limit
from acceptance.limits.values import Entry, MetricRule, Sentence, Time, TimeLimit, tell_metric
from acceptance.results.requirement import FigureUnit, Operator

ALWAYS: frozenset[str] = frozenset()
"""asked for in every run; others with the options, by their keys in the settings, that must all be given"""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """One limit, at its key. `entry`: what stands there; `path`: what verdicts have for a metric, unless the keys.

    `rule`, `profile`, `asked_with`: unless they are the side of the bound, and those of its section. `words`: what it
    is on, with `{wanted}` in the place of what it wants; `counts`: it limits how often or how much of all, and a bound
    of 0 is none; `per`: in what time its unit is. `tile`: its title on the report's first screen, if it stands there.
    """

    entry: type[Entry] = TimeLimit
    unit: FigureUnit = "s"
    words: str = ""
    counts: bool = False
    per: str = ""
    tile: str = ""
    path: str = ""
    rule: str = ""
    profile: str = ""
    asked_with: frozenset[str] | None = None

    @property
    def side(self) -> Operator:
        """On which side of it values must lie."""
        return "at_least" if "at_least" in self.entry.model_fields else "at_most"


def entry_of(name: str, about: str | None = None, value: Any = Time, *, side: Operator = "at_most") -> type[Entry]:
    """The model of `{at_most: 60s, because: ...}`. `name`, `about`: as the schema has them; `value`: its type."""
    fields: dict[str, Any] = {side: (value, ...), "because": (Sentence, ...)}
    return create_model(name, __base__=Entry, __doc__=about, **fields)


@dataclass(frozen=True, kw_only=True)
class Keys:
    """A mapping of limits, and of such mappings, by their keys: one of them at least.

    `name`, `about`: as the schema has them. `settings`: what stands before them, with type and default, of which those
    with a default are conditions of all limits, and the others may stand alone.
    """

    name: str
    about: str
    parts: Mapping[str, Bound | Keys]
    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    @cached_property
    def entry(self) -> type[Entry]:
        """The model of the mapping."""
        parts = {key: (each.entry | None, None) for key, each in self.parts.items()}
        fields: dict[str, Any] = {**self.settings, **parts}
        made = create_model(self.name, __base__=Entry, __doc__=self.about, **fields)
        made.some_of = (*(key for key in self.settings if key not in self.conditions), *self.parts)
        return made

    @property
    def conditions(self) -> tuple[str, ...]:
        """Settings that all limits are about."""
        return tuple(key for key, (_, default) in self.settings.items() if default is not None)

    def bounds(self, *above: str) -> Iterator[tuple[tuple[str, ...], Bound]]:
        """All limits that there can be, with the keys on the way to them."""
        for key, each in self.parts.items():
            yield from each.bounds(*above, key) if isinstance(each, Keys) else [((*above, key), each)]


@dataclass(frozen=True, kw_only=True)
class Inherited:
    """What holds for all limits of a section, also for those of a parent: the youngest tier that sets it decides."""

    time_limit_s: float
    runs: int


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of a tier. `form`: of what stands at its key, or at each profile in it (`by_profile`).

    `limits` reads the limits of that. `asked_with`: the options, by their keys in the settings, that must all be given.
    `of_figures`: its limits are on figures of a `FiguresRecord`, and a test with the argument KEY_limit is about each.
    """

    key: str
    form: Any
    limits: Callable[[Any, str, Inherited], Iterator[Limit]]
    by_profile: bool = False
    asked_with: frozenset[str] = ALWAYS
    keys: Keys | None = None
    """where it is declared by its keys"""
    profile: str = ""
    """what verdicts have for one where it is not by profile"""
    of_figures: bool = False

    @property
    def field(self) -> tuple[Any, Any]:
        """Of the model of a tier."""
        return (dict[str, self.form], Field(default_factory=dict)) if self.by_profile else (self.form | None, None)  # type: ignore[name-defined]

    def read(self, said: Any, inherited: Inherited) -> Iterator[Limit]:
        """The limits of what a tier says in this section."""
        by_profile = said if self.by_profile else {} if said is None else {"": said}
        for profile, entry in by_profile.items():
            yield from self.limits(entry, profile, inherited)

    @cached_property
    def bounds(self) -> Mapping[str, tuple[str, Bound]]:
        """Of a section with fixed keys: by what verdicts have for a metric, the last key and what stands there."""
        return {} if self.keys is None else {_path(keys, each): (keys[-1], each) for keys, each in self.keys.bounds()}

    def limit(
        self, path: str, value: float, *, because: str, profile: str = "", at: Mapping[str, float] | None = None
    ) -> Limit:
        """A limit of a section with fixed keys. `path`: what verdicts have for a metric."""
        _, bound = self.bounds[path]
        return Limit(
            section=self.key,
            rule=bound.rule or bound.side,
            profile=bound.profile or self.profile or profile,
            path=path,
            operator=bound.side,
            bound=float(value),
            unit=bound.unit,
            at=at or {},
            because=because,
        )

    @property
    def options(self) -> frozenset[str]:
        """All with which limits of this section are asked for."""
        return self.asked_with.union(*(bound.asked_with or ALWAYS for _, bound in self.bounds.values()))

    def asked(self, limit: Limit) -> frozenset[str]:
        """The options with which a limit of this section is asked for."""
        own = self.bounds[limit.path][1].asked_with if limit.path in self.bounds else None
        return self.asked_with if own is None else own


def declared(
    key: str,
    about: str,
    parts: Mapping[str, Bound | Keys],
    *,
    profile: str | None,
    asked_with: Collection[str] = ALWAYS,
    settings: Mapping[str, tuple[Any, Any]] | None = None,
    of_figures: bool = False,
) -> Section:
    """A section whose limits stand at fixed keys: `about`, `parts` and `settings` are those of its `Keys`.

    `profile`: what verdicts have for one; None: it is by profiles. `of_figures`: as a `Section` has it.
    """
    name = "".join(part.capitalize() for part in key.split("_"))
    keys = Keys(name=f"{name}Entry", about=about, parts=parts, settings=settings or {})

    def limits(said: Any, of: str, _: Inherited) -> Iterator[Limit]:
        at = {name: getattr(said, name) for name in keys.conditions}
        for path, bound in keys.bounds():
            entry = reduce(lambda entry, name: getattr(entry, name, None), path, said)
            if entry is not None:
                value = getattr(entry, bound.side)
                yield section.limit(_path(path, bound), value, because=entry.because, profile=of, at=at)

    section = Section(
        key=key,
        form=keys.entry,
        limits=limits,
        by_profile=profile is None,
        asked_with=frozenset(asked_with),
        keys=keys,
        profile=profile or "",
        of_figures=of_figures,
    )
    return section


def _path(keys: tuple[str, ...], bound: Bound) -> str:
    return bound.path or ".".join(keys)


class ByMetric(Protocol):
    """An entry that stands at a metric of a profile."""

    def limits(self, profile: str) -> Iterator[Limit]:
        """Of that profile."""


def by_metric(key: str, entry: type[MetricRule], *, asked_with: Collection[str] = ALWAYS) -> Section:
    """A section with an entry for each metric of each profile, which has a method `limits`."""

    def limits(said: Mapping[str, ByMetric], profile: str, _: Inherited) -> Iterator[Limit]:
        for each in said.values():
            yield from each.limits(profile)

    form = Annotated[dict[str, entry], BeforeValidator(tell_metric)]  # type: ignore[valid-type]
    return Section(key=key, form=form, limits=limits, by_profile=True, asked_with=frozenset(asked_with))
