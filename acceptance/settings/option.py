"""The names of an option: among the settings, on the command line, in ini files and in the environment."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, kw_only=True)
class Option:
    """One setting that a user can set, as `--storage-NAME` or, in a group, as `--storage-GROUP PART=VALUE`.

    `kind`: its argument: a value, several values, or none. `default`: as a user would write it; `otherwise`: in words,
    if it depends on something. `part`: its name in its `group`; its own name is accepted too. `formerly`,
    `former_part`: its former names, still accepted everywhere. `setting`: its name among the settings, if that differs:
    the name in results does not change.
    """

    name: str
    help: str
    metavar: str = ""
    kind: str = "value"
    default: str = ""
    otherwise: str = ""
    group: str = ""
    part: str = ""
    former_part: str = ""
    formerly: str = ""
    setting: str = ""

    @property
    def key(self) -> str:
        """The name of the option among the settings."""
        return self.setting or self.name.replace("-", "_")

    @property
    def spelling(self) -> str:
        """The option as a user writes it: `--storage-timeout`, `--storage-scale window`."""
        return f"--storage-{self.group} {self.part}" if self.group else self.words[0]

    @property
    def part_names(self) -> tuple[str, ...]:
        """The names of its part in its group, the current one first."""
        return tuple(filter(None, (self.part, self.former_part)))

    @property
    def description(self) -> str:
        """The help with the default."""
        default = self.otherwise or self.default
        return f"{self.help} (default: {default})" if default else self.help

    @property
    def words(self) -> tuple[str, ...]:
        """The option's own words on the command line, the current name first."""
        return tuple(f"--storage-{name}" for name in (self.name, self.formerly) if name)

    @property
    def inis(self) -> tuple[str, ...]:
        """The names in an ini file, the current name first."""
        return tuple(_key(word) for word in self.words)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names in the environment, the current name first."""
        return tuple(ini.upper() for ini in self.inis)


@dataclass(frozen=True, kw_only=True)
class Group(Option):
    """Options of one subject, which share `--storage-NAME PART=VALUE`; it can be given once for each part."""

    metavar: str = "PART=VALUE"
    kind: str = "values"
    options: tuple[Option, ...] = field(default=())

    def __post_init__(self) -> None:
        """Set the name of the group in its options."""
        object.__setattr__(self, "options", tuple(replace(option, group=self.name) for option in self.options))

    @property
    def parts(self) -> dict[str, list[Option]]:
        """The options by their parts: a part may be a flag without a value, and another setting with a value."""
        options_by_part: dict[str, list[Option]] = {}
        for option in self.options:
            options_by_part.setdefault(option.part, []).append(option)
        return options_by_part

    def options_of(self, part: str) -> list[Option]:
        """Return the options of a part by its present or former name; none if no part has that name."""
        return [option for option in self.options if part in option.part_names]

    @property
    def description(self) -> str:
        """The help with all parts."""
        return f"{self.help}; repeatable. {'. '.join(self.part_descriptions)}"

    @property
    def part_descriptions(self) -> list[str]:
        """The description of each part: `window=TIME: how long each step is measured at first (default: 8s)`."""
        return [_describe_part(part, options) for part, options in self.parts.items()]


def _describe_part(part: str, options: list[Option]) -> str:
    flag = next((option for option in options if option.kind == "flag"), None)
    value = next((option for option in options if option.kind != "flag"), None)
    if flag is None and value is not None:
        return f"{part}={value.metavar}: {value.description}"
    alone = part if flag is None else f"{part}: {flag.help}"
    return alone if value is None else alone.replace(part, f"{part}[={value.metavar}]", 1) + f"; {value.description}"


def _key(word: str) -> str:
    return word.removeprefix("--").replace("-", "_")
