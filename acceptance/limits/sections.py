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
"""The options of a limit that every run judges; other limits name the options that they all require, by their keys."""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """One limit, at its key. `entry`: the model of its value; `path`: the metric's path in verdicts, if not the keys.

    `rule`, `profile`, `asked_with`: if they are not the side of the bound, and those of its section. `words`: its
    subject, with `{wanted}` in place of the bound; `counts`: it limits a number or a share of all, and a bound of 0
    means none; `per`: the time that its unit refers to. `tile`: its title on the report's first screen, if it has one.
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
        """Return the side of the bound on which values must lie."""
        return "at_least" if "at_least" in self.entry.model_fields else "at_most"


def entry_of(name: str, about: str | None = None, value: Any = Time, *, side: Operator = "at_most") -> type[Entry]:
    """Return the model of `{at_most: 60s, because: ...}`. `name`, `about`: those of the schema; `value`: its type."""
    fields: dict[str, Any] = {side: (value, ...), "because": (Sentence, ...)}
    return create_model(name, __base__=Entry, __doc__=about, **fields)


@dataclass(frozen=True, kw_only=True)
class Keys:
    """A mapping of limits, and of such mappings, by their keys; at least one of them must be present.

    `name`, `about`: those of the schema. `settings`: further keys before them, with type and default; those with a
    default are conditions of all limits, and the others may be present alone.
    """

    name: str
    about: str
    parts: Mapping[str, Bound | Keys]
    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    @cached_property
    def entry(self) -> type[Entry]:
        """Return the model of the mapping."""
        parts = {key: (part.entry | None, None) for key, part in self.parts.items()}
        fields: dict[str, Any] = {**self.settings, **parts}
        model = create_model(self.name, __base__=Entry, __doc__=self.about, **fields)
        model.some_of = (*(key for key in self.settings if key not in self.conditions), *self.parts)
        return model

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the settings that are conditions of all limits."""
        return tuple(key for key, (_, default) in self.settings.items() if default is not None)

    def bounds(self, *above: str) -> Iterator[tuple[tuple[str, ...], Bound]]:
        """Yield all possible limits, with the keys that lead to them."""
        for key, part in self.parts.items():
            yield from part.bounds(*above, key) if isinstance(part, Keys) else [((*above, key), part)]


@dataclass(frozen=True, kw_only=True)
class SectionSettings:
    """The settings of whole sections, parents' limits included: the youngest tier that sets one decides."""

    time_limit_s: float
    runs: int


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of a tier. `form`: the type of the value at its key, or at each profile in it (`by_profile`).

    `limits` reads the limits of that value. `asked_with`: the required options, by their keys in the settings.
    `of_figures`: its limits are on figures of a `FiguresRecord`, and a test with the argument KEY_limit covers each.
    `formerly`: its former key, which files of limits may still contain.
    """

    key: str
    form: Any
    limits: Callable[[Any, str, SectionSettings], Iterator[Limit]]
    by_profile: bool = False
    asked_with: frozenset[str] = ALWAYS
    keys: Keys | None = None
    """The keys of a section that is declared by them."""
    profile: str = ""
    """The profile in verdicts of a section that is not by profile."""
    of_figures: bool = False
    formerly: str = ""

    @property
    def field(self) -> tuple[Any, Any]:
        """Return the field of the section in the model of a tier."""
        return (dict[str, self.form], Field(default_factory=dict)) if self.by_profile else (self.form | None, None)  # type: ignore[name-defined]

    def read(self, content: Any, settings: SectionSettings) -> Iterator[Limit]:
        """Yield the limits of a tier's content in this section."""
        by_profile = content if self.by_profile else {} if content is None else {"": content}
        for profile, entry in by_profile.items():
            yield from self.limits(entry, profile, settings)

    @cached_property
    def bounds(self) -> Mapping[str, tuple[str, Bound]]:
        """Return the last key and the bound by the path in verdicts, for a section with fixed keys."""
        return {} if self.keys is None else {_path(keys, part): (keys[-1], part) for keys, part in self.keys.bounds()}

    def limit(
        self, path: str, value: float, *, because: str, profile: str = "", at: Mapping[str, float] | None = None
    ) -> Limit:
        """Return a limit of a section with fixed keys. `path`: that of the metric in verdicts."""
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
        """Return all options that limits of this section require."""
        return self.asked_with.union(*(bound.asked_with or ALWAYS for _, bound in self.bounds.values()))

    def options_for(self, limit: Limit) -> frozenset[str]:
        """Return the options that a limit of this section requires."""
        own = self.bounds[limit.path][1].asked_with if limit.path in self.bounds else None
        return self.asked_with if own is None else own


def declare_section(
    key: str,
    about: str,
    parts: Mapping[str, Bound | Keys],
    *,
    profile: str | None,
    asked_with: Collection[str] = ALWAYS,
    settings: Mapping[str, tuple[Any, Any]] | None = None,
    of_figures: bool = False,
    formerly: str = "",
) -> Section:
    """Return a section whose limits have fixed keys: `about`, `parts` and `settings` are those of its `Keys`.

    `profile`: the profile in verdicts; None: the section is by profiles. `of_figures`, `formerly`: as in `Section`.
    """
    name = "".join(part.capitalize() for part in key.split("_"))
    keys = Keys(name=f"{name}Entry", about=about, parts=parts, settings=settings or {})

    def limits(content: Any, of: str, _: SectionSettings) -> Iterator[Limit]:
        at = {name: getattr(content, name) for name in keys.conditions}
        for path, bound in keys.bounds():
            entry = reduce(lambda entry, name: getattr(entry, name, None), path, content)
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
        formerly=formerly,
    )
    return section


def _path(keys: tuple[str, ...], bound: Bound) -> str:
    return bound.path or ".".join(keys)


class ByMetric(Protocol):
    """An entry at a metric of a profile."""

    def limits(self, profile: str) -> Iterator[Limit]:
        """Yield the limits on that profile."""


def by_metric(
    key: str, entry: type[MetricRule], *, asked_with: Collection[str] = ALWAYS, formerly: str = ""
) -> Section:
    """Return a section with an entry for each metric of each profile; the entry has a method `limits`.

    `formerly`: as in `Section`.
    """

    def limits(rules: Mapping[str, ByMetric], profile: str, _: SectionSettings) -> Iterator[Limit]:
        for rule in rules.values():
            yield from rule.limits(profile)

    form = Annotated[dict[str, entry], BeforeValidator(tell_metric)]  # type: ignore[valid-type]
    return Section(
        key=key, form=form, limits=limits, by_profile=True, asked_with=frozenset(asked_with), formerly=formerly
    )
