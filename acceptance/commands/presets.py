"""`presets`: lists the jobs that a run can do by name, with their time budgets, or shows the content of one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from acceptance.commands.command import Commands
from acceptance.planning.budget import budget_in_words
from acceptance.planning.presets import NamedPreset, read_preset, shipped_presets
from acceptance.report.plain_table import table_text
from acceptance.settings.offered import BY_KEY
from acceptance.text.sanitizing import sanitize


def add_presets(commands: Commands) -> None:
    """Add the command to the command line."""
    presets = commands.add_parser("presets", help="list the presets with their time budgets, or show one")
    presets.add_argument("preset", nargs="?", metavar="NAME|FILE", help="the preset to show")
    presets.set_defaults(command=_presets)


def _presets(options: argparse.Namespace) -> int:
    if options.preset is None:
        presets = [read_preset(name) for name in shipped_presets()]
        rows = [(preset.name, budget_in_words(preset.content.budget), preset.content.about) for preset in presets]
        print(table_text(("preset", "budget", "content"), rows))
    else:
        print(sanitize("\n".join(_content(read_preset(options.preset)))))
    return 0


def _content(preset: NamedPreset) -> Iterator[str]:
    """Yield the content of a preset, line by line."""
    yield f"{preset.name}: {preset.content.about}"
    yield f"sha256: {preset.digest}"
    yield f"budget: {budget_in_words(preset.content.budget)}"
    consents = [BY_KEY[consent.replace("-", "_")].spelling for consent in preset.content.consents]
    yield f"consents that a run needs: {', '.join(consents) or 'none'}"
    yield "options, unless you set others:"
    for key, value in preset.content.options.items():
        yield f"  {BY_KEY[key].spelling}" + ("" if value is True else f"={_in_words(value)}")
    yield "tests:"
    yield from ("  all",) if preset.content.tests is None else (f"  {choice}" for choice in preset.content.tests)


def _in_words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
