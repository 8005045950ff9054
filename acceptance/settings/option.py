"""What an option is called: among the settings, on the command line, in ini files and in the environment."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, kw_only=True)
class Option:
    """One setting that can be asked for, as `--storage-NAME` or, in a group, as `--storage-GROUP PART=VALUE`.

    `kind`: what follows it: a value, several values, or nothing. `default`: as one would write it; `otherwise`: in
    words, where it depends on something. `part`: of one in a group, which says its `group`; its own name is known too.
    `formerly`: the name that it had, which goes on being understood everywhere. `setting`: its name among the settings,
    where that is another one: the name in results stays what it was.
    """

    name: str
    help: str
    metavar: str = ""
    kind: str = "value"
    default: str = ""
    otherwise: str = ""
    group: str = ""
    part: str = ""
    formerly: str = ""
    setting: str = ""

    @property
    def key(self) -> str:
        """The name among the settings."""
        return self.setting or self.name.replace("-", "_")

    @property
    def spelled(self) -> str:
        """How it is asked for: `--storage-timeout`, `--storage-scale window`."""
        return f"--storage-{self.group} {self.part}" if self.group else self.words[0]

    @property
    def described(self) -> str:
        """The help with the default."""
        default = self.otherwise or self.default
        return f"{self.help} (default: {default})" if default else self.help

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its own that may be typed, the present name first."""
        return tuple(f"--storage-{each}" for each in (self.name, self.formerly) if each)

    @property
    def inis(self) -> tuple[str, ...]:
        """What may stand in an ini file, the present name first."""
        return tuple(_key(word) for word in self.words)

    @property
    def variables(self) -> tuple[str, ...]:
        """What may stand in the environment, the present name first."""
        return tuple(ini.upper() for ini in self.inis)


@dataclass(frozen=True, kw_only=True)
class Group(Option):
    """Options of one subject, which share `--storage-NAME PART=VALUE`, given as often as there are parts to ask for."""

    metavar: str = "PART=VALUE"
    kind: str = "values"
    options: tuple[Option, ...] = field(default=())

    def __post_init__(self) -> None:
        """Name the group in its options."""
        object.__setattr__(self, "options", tuple(replace(option, group=self.name) for option in self.options))

    @property
    def parts(self) -> dict[str, list[Option]]:
        """The options by their parts: a part without a value may be a flag, and with one a setting beside it."""
        found: dict[str, list[Option]] = {}
        for option in self.options:
            found.setdefault(option.part, []).append(option)
        return found

    @property
    def described(self) -> str:
        """The help with all parts."""
        return f"{self.help}; repeatable. {'. '.join(self.described_parts)}"

    @property
    def described_parts(self) -> list[str]:
        """What each part is: `window=TIME: how long each step is measured at first (default: 8s)`."""
        return [_described_part(part, options) for part, options in self.parts.items()]


def _described_part(part: str, options: list[Option]) -> str:
    flag = next((option for option in options if option.kind == "flag"), None)
    value = next((option for option in options if option.kind != "flag"), None)
    if flag is None and value is not None:
        return f"{part}={value.metavar}: {value.described}"
    alone = part if flag is None else f"{part}: {flag.help}"
    return alone if value is None else alone.replace(part, f"{part}[={value.metavar}]", 1) + f"; {value.described}"


def _key(word: str) -> str:
    return word.removeprefix("--").replace("-", "_")
