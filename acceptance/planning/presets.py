"""Presets: files that name a job's tests, options, time budget and required consents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, field_validator, model_validator

from acceptance.limits.shipped import digest_of, shipped_folder
from acceptance.results.conditions import CarriedPreset
from acceptance.settings.offered import GROUPS, OPTIONS
from acceptance.settings.option import Group, Option
from acceptance.settings.run import read_settings
from acceptance.settings.strict_file import read_strict
from acceptance.settings.target_settings import Strict
from acceptance.settings.values import Duration
from acceptance.text.errors import WrongUsage
from acceptance.trials.features.trying import CAPABILITIES

SUFFIX = ".yaml"
Consent = Literal["destructive", "claim-at-most", "kill-pods"]
"""Options that only the user may set, because they allow harm or cost."""
NOT_IN_A_PRESET = ("destructive", "claim-at-most", "kill-pods", "preset", "budget", "plan", "keep")
_OFFERED: Mapping[str, Option | Group] = {
    option.name: option
    for option in (*GROUPS, *(option for option in OPTIONS if not option.group))
    if option.name not in NOT_IN_A_PRESET
}


def shipped_presets() -> dict[str, Path]:
    """Return the shipped presets, by name."""
    return {path.stem: path for path in sorted((shipped_folder() / "presets").glob(f"*{SUFFIX}"))}


def preset_path(preset: str) -> Path:
    """Return the file of a preset, for its path or its name. Raises WrongUsage if it is neither.

    A bare word is a name; `./nightly` is a file.
    """
    paths = shipped_presets()
    if preset in paths:
        return paths[preset]
    path = Path(preset).expanduser()
    if path.is_file():
        return path
    raise WrongUsage(
        f"--storage-preset: expected one of {', '.join(paths)}, or the path of a preset file, found {preset!r}; "
        "correct it"
    )


def _listed(value: Any) -> Any:
    """Return the value as a list: a single value needs no brackets."""
    return value if isinstance(value, list) else [value]


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class TestChoice(Strict):
    """An entry of `tests`: the tests that all of its keys apply to.

    `cases`: parts of the name in brackets, of which a test has one; `without`: marks that a test does not have.
    """

    __test__ = False  # pytest does not collect it

    mark: str | None = None
    file: str | None = None
    capability: str | None = None
    test: str | None = None
    cases: Texts = ()
    without: Texts = ()

    @field_validator("mark", "without", "file", "capability", "test")
    @classmethod
    def _is_known(cls, value: str | tuple[str, ...] | None, info: Any) -> str | tuple[str, ...] | None:
        known = _known_names()["mark" if info.field_name == "without" else info.field_name]
        for name in (value,) if isinstance(value, str) else value or ():
            if name not in known:
                raise ValueError(f"expected one of {', '.join(sorted(known))}, found {name!r}; correct it")
        return value

    @model_validator(mode="after")
    def _chooses(self) -> Self:
        if not (self.mark or self.file or self.capability or self.test):
            raise ValueError("expected mark, file, capability or test, found none of them; add one")
        return self

    def __str__(self) -> str:
        """Return the entry in words."""
        keys = {"mark": self.mark, "capability": self.capability}
        words = [name for name in (self.file, self.test) if name]
        words += [f"{key} {name}" for key, name in keys.items() if name]
        words += [f"of {', '.join(self.cases)}"] if self.cases else []
        return " ".join([*words, *(f"without {mark}" for mark in self.without)])


def _known_names() -> dict[str, frozenset[str]]:
    """Return the names that an entry may have, by its key: those of the shipped tests."""
    marks: set[str] = set()
    names: set[str] = set()
    for path in (shipped_folder() / "tests").glob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        marks |= set(re.findall(r"\bpytest\.mark\.(\w+)", text))
        functions = re.findall(r"^def (test_\w+)", text, re.MULTILINE)
        names |= {f"tests/{path.name}", *(f"tests/{path.name}::{function}" for function in functions)}
    return {
        "mark": frozenset(marks),
        "file": frozenset(name for name in names if "::" not in name),
        "test": frozenset(name for name in names if "::" in name),
        "capability": frozenset(CAPABILITIES),
    }


def _known_options(value: Any) -> Any:
    """Return the options by their keys among the settings. Raises ValueError with all that no preset may have."""
    if not isinstance(value, dict):
        raise ValueError(f"expected options by their names, such as `test-size: 1Gi`, found {value!r}; correct it")
    values: dict[str, Any] = {}
    problems = []
    for name, content in value.items():
        try:
            values |= _as_given(name, content)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ValueError("\n".join(problems))
    return values


def _as_given(name: str, content: Any) -> dict[str, Any]:
    """Return an option's values as the command line has them, by their keys among the settings."""
    if name in get_args(Consent):
        raise ValueError(f"--storage-{name} is a consent, which only the user gives; list {name} under `consents`")
    if name not in _OFFERED:
        raise ValueError(f"expected one of {', '.join(_OFFERED)}, found {name!r}; correct or remove it")
    option = _OFFERED[name]
    if option.kind == "flag":
        if content is not True:
            raise ValueError(f"{name}: expected true, found {content!r}; correct it, or leave it out")
        return {option.key: True}
    texts = content if isinstance(content, list) and option.kind == "values" else [content]
    if not texts or any(isinstance(text, bool | list | dict | None) for text in texts):
        raise ValueError(f"{name}: expected {_FORMS[option.kind]}, found {content!r}; correct it")
    if isinstance(option, Group):
        return _of_group(option, [str(text) for text in texts])
    return {option.key: [str(text) for text in texts] if option.kind == "values" else str(content)}


_FORMS = {"value": "one value", "values": "a value, or a list of values"}


def _of_group(group: Group, texts: list[str]) -> dict[str, Any]:
    """Return the values of a group's parts by their keys among the settings."""
    values: dict[str, Any] = {}
    for text in texts:
        part, equals, content = text.partition("=")
        flags = [option for option in group.options_of(part) if option.kind == "flag"]
        others = [option for option in group.options_of(part) if option.kind != "flag"]
        if not (others if equals and content else flags if not equals else ()):
            parts = ", ".join(group.parts)
            raise ValueError(f"{group.name}: expected PART=VALUE with a PART of {parts}, found {text!r}; correct it")
        values |= {option.key: True for option in flags}
        for option in others if equals else ():
            values[option.key] = [*values.get(option.key, ()), content] if option.kind == "values" else content
    return values


class Preset(Strict):
    """The content of a preset's file. `tests`: None for all shipped tests; `budget`: in s."""

    about: str
    budget: Duration
    consents: tuple[Consent, ...] = ()
    tests: Annotated[tuple[TestChoice, ...] | None, BeforeValidator(lambda value: None if value == "all" else value)]
    options: Annotated[dict[str, Any], BeforeValidator(_known_options)] = Field(default={})

    @field_validator("tests")
    @classmethod
    def _has_tests(cls, value: tuple[TestChoice, ...] | None) -> tuple[TestChoice, ...] | None:
        if value == ():
            raise ValueError("expected entries with mark, file, capability or test, or `all`, found none; add one")
        return value

    @field_validator("options")
    @classmethod
    def _can_be_read(cls, value: dict[str, Any]) -> dict[str, Any]:
        """Check the values of the options as those of the command line are checked."""
        files = {name: shipped_folder() / name for name in ("thresholds.yaml", "profiles")}
        try:
            read_settings({"thresholds": files["thresholds.yaml"], "profiles": files["profiles"]} | value)
        except WrongUsage as error:
            raise ValueError(str(error)) from error
        return value


class NamedPreset(Strict):
    """A preset with its name and the digest of its file."""

    name: str
    digest: str
    content: Preset

    @property
    def budget(self) -> str:
        """The time budget, as a user writes it."""
        return f"{self.content.budget:g}s"

    @property
    def record(self) -> CarriedPreset:
        """The preset, for the results."""
        return CarriedPreset(name=self.name, digest=self.digest)


def read_preset(preset: str) -> NamedPreset:
    """Return the preset of that name or file. Raises WrongUsage with all errors in it."""
    path = preset_path(preset)
    content = read_strict(path, Preset, expectation=f"expected a preset in {path}")
    return NamedPreset(name=path.stem, digest=digest_of(path.read_text(encoding="utf-8")), content=content)
