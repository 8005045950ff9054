"""`completion`: prints a script with which bash, zsh or fish completes the command line.

The scripts are built from the existing commands and options, and contain all of them: completing starts no program.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from acceptance.__main__ import command_parser
from acceptance.planning.presets import shipped_presets
from acceptance.results.workloads import WORKLOADS
from acceptance.settings.offered import HEADINGS
from acceptance.settings.option import Group, Option
from acceptance.settings.run import Settings
from acceptance.text.errors import WrongUsage
from acceptance.text.program import PROGRAM
from acceptance.trials.features.trying import CAPABILITIES

TESTING = ("run", "gate", "nightly", "qualification", "quick", "smoke", "host", "list", "plan")
"""The commands that take the suite's options, and pytest's."""
PYTEST = {"-k": "only tests whose names match", "-m": "only tests with these marks", "-x": "end at the first failure"}
_KNOWN_VALUES: Mapping[str, Sequence[str]] = {
    "require-capability": CAPABILITIES,
    "tier": ("baseline", "production"),
    "for": WORKLOADS,
    "preset": tuple(shipped_presets()),
}
"""The values of those options of the suite whose settings do not list them by their type."""
WORDS = {
    "cluster": ("up", "down", "status"),
    "completion": ("bash", "zsh", "fish"),
    "limits": ("suggest",),
    "presets": tuple(shipped_presets()),
}
"""The words that may follow a command's name, if the user does not choose them freely."""


@dataclass(frozen=True, kw_only=True)
class CommandOption:
    """One option of a command. `values`: its known values; `files`: its value may be the name of a file."""

    option: str
    about: str
    takes: bool = False
    values: Sequence[str] = ()
    files: bool = False


def completion(words: Sequence[str], commands: Mapping[str, str]) -> int:
    """Print the script for the shell that the words name; `commands`: what each is for, by name."""
    if list(words) not in [[shell] for shell in SHELLS]:
        actual = " ".join(words) or "nothing"
        names = ", ".join(SHELLS)
        print(
            f"error: expected one of the shells {names}, found {actual}: `{PROGRAM} completion bash`", file=sys.stderr
        )
        return WrongUsage.exit_status
    print(SHELLS[words[0]](commands, options_of(commands)))
    return 0


def options_of(commands: Mapping[str, str]) -> dict[str, list[CommandOption]]:
    """Return the options by command."""
    suite = [
        _of_group(option) if isinstance(option, Group) else _of_option(option)
        for options in HEADINGS.values()
        for option in options
    ]
    pytest = [CommandOption(option=option, about=about, takes=option != "-x") for option, about in PYTEST.items()]
    engine = dict(_engine())
    return {name: [*suite, *pytest] if name in TESTING else engine.get(name, []) for name in commands}


def _of_option(option: Option) -> CommandOption:
    return CommandOption(
        option=option.words[0],
        about=option.help,
        takes=option.kind != "flag",
        values=_KNOWN_VALUES.get(option.name) or _choices(option.name),
        files=_is_file(option.metavar),
    )


def _of_group(group: Group) -> CommandOption:
    parts = [part if options[0].kind == "flag" else f"{part}=" for part, options in group.parts.items()]
    return CommandOption(option=group.words[0], about=group.help, takes=True, values=parts)


def _choices(option: str) -> Sequence[str]:
    """Return the values of the setting of that name; nothing if its values are not a fixed set."""
    field = Settings.model_fields.get(option.replace("-", "_"))
    return () if field is None else _literal(field.annotation)


def _literal(annotation: Any) -> Sequence[str]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((words for argument in get_args(annotation) if (words := _literal(argument))), ())


def _engine() -> Iterator[tuple[str, list[CommandOption]]]:
    """Yield the commands that need no pytest."""
    for action in command_parser(PROGRAM)._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, parser in action.choices.items():
                yield name, list(_parser_options(parser))


def _parser_options(parser: argparse.ArgumentParser) -> Iterator[CommandOption]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from (inner_option for inner_option in _parser_options(inner) if inner_option.option != "--help")
        for option in action.option_strings[-1:]:
            metavar = action.metavar if isinstance(action.metavar, str) else ""
            takes = action.nargs != 0
            yield CommandOption(
                option=option,
                about=action.help or "",
                takes=takes,
                values=tuple(map(str, action.choices or ())),
                files=takes and _is_file(metavar),
            )


def _is_file(metavar: str) -> bool:
    return re.search("FILE|DIR|PATH|FOLDER|HISTORY|RUN", metavar) is not None


def _bash(commands: Mapping[str, str], options: Mapping[str, Sequence[CommandOption]]) -> str:
    cases, values = [], []
    for name in commands:
        words = " ".join(f"{option.option}{'=' if _joins_with_equals(option) else ''}" for option in options[name])
        cases.append(f'            {name}) words="{words}" ;;')
        for option in options[name]:
            if option.values:
                values.append(f'        "{name} {option.option}") words="{" ".join(option.values)}" ;;')
    following = [f'            {name}) words="{" ".join(words)}" ;;' for name, words in WORDS.items()]
    return _BASH.format(
        program=PROGRAM,
        commands=" ".join(commands),
        values="\n".join(values),
        offered="\n".join(cases),
        following="\n".join(following),
    )


def _zsh(commands: Mapping[str, str], options: Mapping[str, Sequence[CommandOption]]) -> str:
    command_lines = [f"            {_quote(name + ':' + about.replace(':', ' -'))}" for name, about in commands.items()]
    cases = []
    for name in commands:
        specs = "\n".join(f"                {_zsh_option(option)}" for option in options[name])
        words = f"({' '.join(WORDS[name])})" if name in WORDS else "_files"
        cases.append(
            f"        {name})\n            words_of={_quote(words)}\n            options=(\n{specs}\n            ) ;;"
        )
    return _ZSH.format(program=PROGRAM, commands="\n".join(command_lines), offered="\n".join(cases))


def _zsh_option(option: CommandOption) -> str:
    about = re.sub(r"[\[\]:]", " ", option.about)
    values = f"({' '.join(option.values)})" if option.values else "_files" if option.files else " "
    return _quote(
        f"*{option.option}{'=' if _joins_with_equals(option) else ''}[{about}]"
        + (f":value:{values}" if option.takes else "")
    )


def _fish(commands: Mapping[str, str], options: Mapping[str, Sequence[CommandOption]]) -> str:
    lines = [f"# fish: {PROGRAM} completion fish | source"]
    for name, about in commands.items():
        lines.append(f"complete -c {PROGRAM} -f -n __fish_use_subcommand -a {name} -d {_quote(about)}")
        inside = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {name}'"
        if name in WORDS:
            lines.append(f"{inside} -f -a {_quote(' '.join(WORDS[name]))}")
        for option in options[name]:
            key = f"-l {option.option[2:]}" if option.option.startswith("--") else f"-s {option.option[1:]}"
            after = f" -x -a {_quote(' '.join(option.values))}" if option.values else " -r" if option.takes else ""
            lines.append(f"{inside} {key}{after} -d {_quote(option.about)}")
    return "\n".join(lines)


def _joins_with_equals(option: CommandOption) -> bool:
    """Return whether its value follows after `=`."""
    return option.takes and option.option.startswith("--storage-")


def _quote(text: str) -> str:
    """Quote in single quotes; remove those inside, because the three shells do not escape them alike."""
    return "'" + text.replace("\\", "").replace("'", "") + "'"


_BASH = """\
# bash: source <({program} completion bash)
_storage_acceptance() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=""
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "{commands} --help --version" -- "$cur"))
        return 0
    fi
    # If the shell splits words at =, the = is a word of its own.
    [[ $cur == "=" ]] && cur=""
    [[ $option == "=" ]] && option=${{COMP_WORDS[COMP_CWORD-2]}}
    case "$command $option" in
{values}
    esac
    if [[ -z $words && $cur == -* ]]; then
        case $command in
{offered}
        esac
    elif [[ -z $words && $option == "$command" ]]; then
        case $command in
{following}
        esac
    fi
    [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$cur"))
    [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}}
complete -o bashdefault -o default -F _storage_acceptance {program}"""
_ZSH = """\
#compdef {program}
# zsh: source <({program} completion zsh), after compinit
_storage_acceptance() {{
    local -a commands options
    local words_of=_files
    if (( CURRENT == 2 )); then
        commands=(
{commands}
        )
        _describe command commands
        return
    fi
    case $words[2] in
{offered}
    esac
    shift words
    (( CURRENT-- ))
    _arguments $options "*:word:$words_of"
}}
compdef _storage_acceptance {program}"""
SHELLS: Mapping[str, Callable[[Mapping[str, str], Mapping[str, Sequence[CommandOption]]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
