"""`limits`: shows the limits of a tier, the differences between two tiers, and limits that good runs would meet."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acceptance.commands.command import Commands
from acceptance.commands.limits_suggest import add_suggest
from acceptance.limits.asked import asked_limit, with_limits
from acceptance.limits.editor_schema import editor_schema
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
from acceptance.wording.requirements import describe_requirement

DEFAULT = "baseline"


def add_limits(commands: Commands) -> None:
    """Add the command to the command line."""
    limits = commands.add_parser("limits", help="show what a tier requires, compare tiers, suggest limits from runs")
    limits.add_argument("--tier", metavar="NAME", help=f"default: {DEFAULT}, or the only tier of a file")
    limits.add_argument("--thresholds", metavar="FILE[:FILE...]", help="default: the shipped limits")
    limits.add_argument(
        "--profiles", type=Path, metavar="DIR", help="folder of your own profiles that the limits refer to"
    )
    limits.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="LIMIT",
        help="a limit instead of the tier's own, like --storage-limit",
    )
    limits.add_argument(
        "--for",
        action="append",
        default=[],
        dest="workloads",
        choices=WORKLOADS,
        metavar="WORKLOAD",
        help=f"also show what a workload requires, like --storage-for: {', '.join(WORKLOADS)}",
    )
    limits.add_argument("--because", action="store_true", help="also show the reason for each limit, and its sources")
    limits.add_argument(
        "--diff",
        nargs=2,
        metavar=("A", "B"),
        help="show the differences between two tiers: production, builtin/production, FILE or FILE:TIER",
    )
    limits.add_argument("--schema", action="store_true", help="print a JSON schema of limits files, for editors")
    limits.add_argument(
        "--sources",
        action="store_true",
        help="list the sources, their addresses, and how many limits name them",
    )
    limits.set_defaults(command=_limits)
    add_suggest(limits)


def _limits(options: argparse.Namespace) -> int:
    if options.schema:
        print(editor_schema(), end="")
        return 0
    workload_profiles = {
        name: [path.stem for path in profile_files(workload_folder(name))] for name in options.workloads
    }
    suite = ShippedSuite.of(options.profiles, workload_profiles=workload_profiles.values())
    if options.diff:
        return _diff(*(_find_tier(name, suite) for name in options.diff), names=options.diff)
    paths = _paths(options.thresholds or str(suite.limits))
    file = suite.read(paths)
    if options.sources:
        return _sources(file)
    tier = file.tier(options.tier or _only(file))
    tiers = family_of(tier, file)
    workloads = [load_workload(name, profiles=profiles, tiers=tiers) for name, profiles in workload_profiles.items()]
    tier = with_workloads(tier, workloads)
    tier = with_limits(
        tier,
        [_parse_limit(text) for text in options.limit],
        profiles=suite.profiles,
        missing=missing_in(suite.readable),
    )
    _print_tier(tier, file, workloads, because=options.because)
    return 0


@dataclass(frozen=True, kw_only=True)
class ShippedSuite:
    """The limits that come with the suite, and the names of all profiles; `readable`: profiles without a mistake."""

    limits: Path
    profiles: Collection[str]
    readable: Mapping[str, Profile]

    @classmethod
    def of(cls, own_profiles: Path | None, *, workload_profiles: Iterable[Collection[str]] = ()) -> ShippedSuite:
        """Return the shipped limits with all profiles, those of your own folder and of the workloads included."""
        folder = shipped_folder()
        folders = [
            profile_folder for profile_folder in (folder / "profiles", own_profiles) if profile_folder is not None
        ]
        names = {path.stem for profile_folder in folders for path in profile_files(profile_folder)}
        readable: dict[str, Profile] = {}
        for profile_folder in folders:
            readable |= read_folder(profile_folder)[0]  # the command `profiles` reports the errors of the others
        return cls(limits=folder / "thresholds.yaml", profiles=names.union(*workload_profiles), readable=readable)

    def read(self, paths: Sequence[Path]) -> LimitsFile:
        """Return the limits of these files, which may extend the shipped tiers."""
        missing = missing_in(self.readable)
        return load_limits(paths, profiles=self.profiles, shipped_path=self.limits, missing=missing)


def _print_tier(tier: Tier, file: LimitsFile, workloads: Sequence[WorkloadLimits], *, because: bool) -> None:
    from acceptance.report.plain_table import print_table  # imports rich: slow, and not needed by others

    print(sanitize(f"tier {tier.name} of {file.source}: {tier.description}"))
    print(sanitize(f"tiers of this file: {', '.join(file.tiers)}\n"))
    heads = ("on", "required", "set by", *(["because"] if because else []))
    origins: dict[Limit, str] = {limit: f"for {workload.name}" for workload in workloads for limit in workload.limits}
    rows = _rows(tier, origins | dict(file.origins.get(tier.name, {})))
    print_table(heads, [row[: len(heads)] for row in rows])
    sources = [*file.sources.items(), *(pair for workload in workloads for pair in workload.sources.items())]
    if because and sources:
        print("\nSources:")
        for key, source in sources:
            print(sanitize(on_one_line(f"  {key}: {source.about}{f': {source.address}' if source.address else ''}")))


def _sources(file: LimitsFile) -> int:
    """Print three lines per source; one of them is the address alone, so that other programs can read it.

    A limit that other tiers inherit counts once.
    """
    own = [limit for name, origins in file.origins.items() for limit, origin in origins.items() if origin == name]
    counts = Counter(key for limit in own for key in sources_of(limit.because))
    for key, source in file.sources.items():
        count = f"{counts[key]} limit{'s' * (counts[key] != 1)}"
        for indent, text in (("", f"{key} ({count})"), ("  ", source.about), ("  ", source.address or "no address")):
            print(indent + sanitize(on_one_line(text)))
    return 0


def _rows(tier: Tier, origins: Mapping[Limit, str]) -> Iterator[tuple[str, str, str, str]]:
    for limit in _all(tier):
        yield (
            limit.profile,
            describe_requirement(limit.requirement),
            origins.get(limit, "--storage-limit"),
            limit.because,
        )
    for test in tier.requires:
        yield "a pass of", test, "", "required for a pass of the tier"


def _diff(first: Tier, second: Tier, *, names: Sequence[str]) -> int:
    from acceptance.report.plain_table import print_table

    first_limits, second_limits = ({same_limit(limit): limit for limit in _all(tier)} for tier in (first, second))
    rows = [
        (limit.profile, _describe(first_limits.get(key)), _describe(second_limits.get(key)))
        for key, limit in (first_limits | second_limits).items()
        if _describe(first_limits.get(key)) != _describe(second_limits.get(key))
    ]
    tests = sorted(set(first.requires) ^ set(second.requires))
    for test in tests:
        first_test, second_test = (test if test in tier.requires else "-" for tier in (first, second))
        rows.append(("a pass of", first_test, second_test))
    if rows:
        print_table(("on", *names), rows)
    else:
        print(sanitize(f"{names[0]} and {names[1]} require the same."))
    return 0


def _describe(limit: Limit | None) -> str:
    return "-" if limit is None else describe_requirement(limit.requirement)


def _all(tier: Tier) -> tuple[Limit, ...]:
    return tier.asked_with(ALL_OPTIONS)


def _find_tier(name: str, suite: ShippedSuite) -> Tier:
    """Return a shipped tier by its name, or one of a file: `FILE:TIER`, or `FILE` if it has one tier."""
    builtin = suite.read([suite.limits])
    if name.removeprefix(BUILTIN) in builtin.tiers:
        return builtin.tier(name.removeprefix(BUILTIN))
    path, _, tier = (name, "", "") if Path(name).is_file() else name.rpartition(":")
    if not path or not Path(path).is_file():
        tier_names = ", ".join(f"{BUILTIN}{tier_name}" for tier_name in builtin.tiers)
        raise WrongUsage(
            f"expected a shipped tier ({tier_names}), FILE or FILE:TIER, found {name!r}, which is none of them"
        )
    file = suite.read([Path(path)])
    return file.tier(tier or _only(file))


def _only(file: LimitsFile) -> str:
    """Return the name of the tier that counts if the user names none."""
    if DEFAULT in file.tiers or len(file.tiers) != 1:
        return DEFAULT
    return next(iter(file.tiers))


def _paths(text: str) -> Sequence[Path]:
    try:
        return limits_files(text)
    except ValueError as error:
        raise WrongUsage(f"--thresholds: {error}") from error


def _parse_limit(text: str) -> Limit:
    try:
        return asked_limit(text)
    except ValueError as error:
        raise WrongUsage(f"--limit: {error}; correct it") from error
