"""`limits`: what a tier asks for, what differs between two tiers, and what limits good runs would bear."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from acceptance.commands.command import Commands
from acceptance.commands.limits_suggest import add_suggest
from acceptance.limits.asked import asked_limit, with_asked
from acceptance.limits.editor_schema import NAME as SCHEMA
from acceptance.limits.file import BUILTIN, load_limits
from acceptance.limits.limit import Limit, same_limit
from acceptance.limits.reasons import sources_of
from acceptance.limits.shipped import shipped_folder
from acceptance.limits.tiers import ALL_OPTIONS, LimitsFile, Tier
from acceptance.limits.workloads import WorkloadLimits, family_of, load_workload, with_workloads, workload_folder
from acceptance.loads.profile_folder import missing_in, profile_files, read_folder
from acceptance.loads.profiles import Profile
from acceptance.results.workloads import WORKLOADS
from acceptance.settings.values import limits_files
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import on_one_line, sanitize
from acceptance.wording.requirements import described

DEFAULT = "baseline"


def add_limits(commands: Commands) -> None:
    """Add the command to the command line."""
    limits = commands.add_parser("limits", help="show what a tier asks for, compare tiers, suggest limits from runs")
    limits.add_argument("--tier", metavar="NAME", help=f"default: {DEFAULT}, or the only one of a file")
    limits.add_argument("--thresholds", metavar="FILE[:FILE...]", help="default: the shipped limits")
    limits.add_argument(
        "--profiles", type=Path, metavar="DIR", help="folder of your own profiles that the limits are on"
    )
    limits.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="LIMIT",
        help="instead of the tier's own, like --storage-limit",
    )
    limits.add_argument(
        "--for",
        action="append",
        default=[],
        dest="workloads",
        choices=WORKLOADS,
        metavar="WORKLOAD",
        help=f"with what a workload asks for, like --storage-for: {', '.join(WORKLOADS)}",
    )
    limits.add_argument("--because", action="store_true", help="show each limit's reason too, and its sources")
    limits.add_argument(
        "--diff",
        nargs=2,
        metavar=("A", "B"),
        help="what differs between two tiers: production, builtin/production, FILE or FILE:TIER",
    )
    limits.add_argument("--schema", action="store_true", help="print a JSON schema of limits files, for editors")
    limits.add_argument(
        "--sources",
        action="store_true",
        help="list the sources, their addresses, and how many limits name them",
    )
    limits.set_defaults(command=_limits)
    add_suggest(limits)


def _limits(chosen: argparse.Namespace) -> int:
    if chosen.schema:
        print(files("acceptance.limits").joinpath(SCHEMA).read_text(encoding="utf-8"), end="")
        return 0
    carried = {name: [path.stem for path in profile_files(workload_folder(name))] for name in chosen.workloads}
    shipped = Shipped.of(chosen.profiles, carried=carried.values())
    if chosen.diff:
        return _diff(*(_named(each, shipped) for each in chosen.diff), names=chosen.diff)
    paths = _paths(chosen.thresholds or str(shipped.limits))
    found = shipped.read(paths)
    if chosen.sources:
        return _sources(found)
    tier = found.tier(chosen.tier or _only(found))
    tiers = family_of(tier, found)
    workloads = [load_workload(name, profiles=some, tiers=tiers) for name, some in carried.items()]
    tier = with_workloads(tier, workloads)
    tier = with_asked(
        tier, [_asked(each) for each in chosen.limit], profiles=shipped.profiles, missing=missing_in(shipped.readable)
    )
    _print_tier(tier, found, workloads, because=chosen.because)
    return 0


@dataclass(frozen=True, kw_only=True)
class Shipped:
    """What comes with the suite, and the names of all profiles; `readable` are those without a mistake."""

    limits: Path
    profiles: Collection[str]
    readable: Mapping[str, Profile]

    @classmethod
    def of(cls, own_profiles: Path | None, *, carried: Iterable[Collection[str]] = ()) -> Shipped:
        """With the profiles of a folder of one's own, too, and those of workloads (`carried`)."""
        folder = shipped_folder()
        folders = [each for each in (folder / "profiles", own_profiles) if each is not None]
        names = {path.stem for each in folders for path in profile_files(each)}
        readable: dict[str, Profile] = {}
        for each in folders:
            readable |= read_folder(each)[0]  # the command `profiles` reports what is wrong with the others
        return cls(limits=folder / "thresholds.yaml", profiles=names.union(*carried), readable=readable)

    def read(self, paths: Sequence[Path]) -> LimitsFile:
        """The limits of these files, which may extend the shipped tiers."""
        missing = missing_in(self.readable)
        return load_limits(paths, profiles=self.profiles, shipped=self.limits, missing=missing)


def _print_tier(tier: Tier, found: LimitsFile, workloads: Sequence[WorkloadLimits], *, because: bool) -> None:
    from acceptance.report.plain_table import print_table  # with rich, which others need not wait for

    print(sanitize(f"tier {tier.name} of {found.source}: {tier.description}"))
    print(sanitize(f"tiers of this file: {', '.join(found.tiers)}\n"))
    heads = ("on", "asked for", "said by", *(["because"] if because else []))
    origins: dict[Limit, str] = {limit: f"for {each.name}" for each in workloads for limit in each.limits}
    rows = _rows(tier, origins | dict(found.origins.get(tier.name, {})))
    print_table(heads, [row[: len(heads)] for row in rows])
    sources = [*found.sources.items(), *(pair for workload in workloads for pair in workload.sources.items())]
    if because and sources:
        print("\nSources:")
        for key, each in sources:
            print(sanitize(on_one_line(f"  {key}: {each.about}{f': {each.address}' if each.address else ''}")))


def _sources(found: LimitsFile) -> int:
    """Three lines for each key, of which one is the address alone, so that other programs can take it from there.

    A limit that other tiers inherit counts once.
    """
    own = [limit for name, some in found.origins.items() for limit, origin in some.items() if origin == name]
    named = Counter(key for limit in own for key in sources_of(limit.because))
    for key, each in found.sources.items():
        count = f"{named[key]} limit{'s' * (named[key] != 1)}"
        for indent, text in (("", f"{key} ({count})"), ("  ", each.about), ("  ", each.address or "no address")):
            print(indent + sanitize(on_one_line(text)))
    return 0


def _rows(tier: Tier, origins: Mapping[Limit, str]) -> Iterator[tuple[str, str, str, str]]:
    for each in _all(tier):
        yield each.profile, described(each.requirement), origins.get(each, "--storage-limit"), each.because
    for test in tier.requires:
        yield "a pass of", test, "", "required for a pass of the tier"


def _diff(first: Tier, second: Tier, *, names: Sequence[str]) -> int:
    from acceptance.report.plain_table import print_table

    ours, theirs = ({same_limit(each): each for each in _all(tier)} for tier in (first, second))
    rows = [
        (one.profile, _told(ours.get(key)), _told(theirs.get(key)))
        for key, one in (ours | theirs).items()
        if _told(ours.get(key)) != _told(theirs.get(key))
    ]
    tests = sorted(set(first.requires) ^ set(second.requires))
    for test in tests:
        ours_too, theirs_too = (test if test in each.requires else "-" for each in (first, second))
        rows.append(("a pass of", ours_too, theirs_too))
    if rows:
        print_table(("on", *names), rows)
    else:
        print(sanitize(f"{names[0]} and {names[1]} ask for the same."))
    return 0


def _told(limit: Limit | None) -> str:
    return "-" if limit is None else described(limit.requirement)


def _all(tier: Tier) -> tuple[Limit, ...]:
    return tier.asked_with(ALL_OPTIONS)


def _named(name: str, shipped: Shipped) -> Tier:
    """A shipped tier by its name, or one of a file: `FILE:TIER`, or `FILE` where it has one tier."""
    builtin = shipped.read([shipped.limits])
    if name.removeprefix(BUILTIN) in builtin.tiers:
        return builtin.tier(name.removeprefix(BUILTIN))
    path, _, tier = (name, "", "") if Path(name).is_file() else name.rpartition(":")
    if not path or not Path(path).is_file():
        known = ", ".join(f"{BUILTIN}{each}" for each in builtin.tiers)
        raise WrongUsage(f"wanted a shipped tier ({known}), FILE or FILE:TIER, found {name!r}, which is none of them")
    found = shipped.read([Path(path)])
    return found.tier(tier or _only(found))


def _only(found: LimitsFile) -> str:
    """The tier that is meant where none is named."""
    if DEFAULT in found.tiers or len(found.tiers) != 1:
        return DEFAULT
    return next(iter(found.tiers))


def _paths(text: str) -> Sequence[Path]:
    try:
        return limits_files(text)
    except ValueError as error:
        raise WrongUsage(f"--thresholds: {error}") from error


def _asked(text: str) -> Limit:
    try:
        return asked_limit(text)
    except ValueError as error:
        raise WrongUsage(f"--limit: {error}; correct it") from error
