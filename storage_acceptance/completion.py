"""`completion`: what a shell needs to complete the command line, as a script for bash, zsh or fish.

The scripts are made from the commands and options that there are, and hold all of them: completing starts no program.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from acceptance.__main__ import command_parser
from acceptance.results.workloads import WORKLOADS
from acceptance.settings.offered import HEADINGS
from acceptance.settings.option import Group, Option
from acceptance.settings.run import Settings
from acceptance.text.errors import WrongUsage
from acceptance.text.program import PROGRAM
from acceptance.trials.features.trying import CAPABILITIES

TESTING = ("run", "quick", "smoke", "host", "list", "plan")
"""The commands that take the suite's options, and pytest's."""
PYTEST = {"-k": "only tests whose names match", "-m": "only tests with such marks", "-x": "end at the first failure"}
_KNOWN: Mapping[str, Sequence[str]] = {
    "require-capability": CAPABILITIES,
    "tier": ("baseline", "production"),
    "for": WORKLOADS,
}
"""What may follow options of the suite whose settings do not say so by their type."""
WORDS = {"cluster": ("up", "down", "status"), "completion": ("bash", "zsh", "fish"), "limits": ("suggest",)}
"""What follows a command's name, where it is none of the user's own."""


@dataclass(frozen=True, kw_only=True)
class Offered:
    """One option of a command. `values`: what may follow it, where that is known; `files`: a name of one may."""

    option: str
    about: str
    takes: bool = False
    values: Sequence[str] = ()
    files: bool = False


def completion(words: Sequence[str], commands: Mapping[str, str]) -> int:
    """Print the script for the shell that the words name; `commands`: what each is for, by name."""
    if list(words) not in [[shell] for shell in SHELLS]:
        found = " ".join(words) or "nothing"
        names = ", ".join(SHELLS)
        print(f"error: wanted one of the shells {names}, found {found}: `{PROGRAM} completion bash`", file=sys.stderr)
        return WrongUsage.exit_status
    print(SHELLS[words[0]](commands, options_of(commands)))
    return 0


def options_of(commands: Mapping[str, str]) -> dict[str, list[Offered]]:
    """By command."""
    suite = [
        _of_group(each) if isinstance(each, Group) else _of_option(each) for some in HEADINGS.values() for each in some
    ]
    pytest = [Offered(option=option, about=about, takes=option != "-x") for option, about in PYTEST.items()]
    engine = dict(_engine())
    return {name: [*suite, *pytest] if name in TESTING else engine.get(name, []) for name in commands}


def _of_option(option: Option) -> Offered:
    return Offered(
        option=option.words[0],
        about=option.help,
        takes=option.kind != "flag",
        values=_KNOWN.get(option.name) or _choices(option.name),
        files=_is_file(option.metavar),
    )


def _of_group(group: Group) -> Offered:
    parts = [part if options[0].kind == "flag" else f"{part}=" for part, options in group.parts.items()]
    return Offered(option=group.words[0], about=group.help, takes=True, values=parts)


def _choices(option: str) -> Sequence[str]:
    """The words of which the setting of that name is one; none where it is none of a few."""
    field = Settings.model_fields.get(option.replace("-", "_"))
    return () if field is None else _literal(field.annotation)


def _literal(annotation: Any) -> Sequence[str]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return next((found for argument in get_args(annotation) if (found := _literal(argument))), ())


def _engine() -> Iterator[tuple[str, list[Offered]]]:
    """The commands that need no pytest."""
    for action in command_parser(PROGRAM)._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, parser in action.choices.items():
                yield name, list(_offered(parser))


def _offered(parser: argparse.ArgumentParser) -> Iterator[Offered]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from (each for each in _offered(inner) if each.option != "--help")
        for option in action.option_strings[-1:]:
            metavar = action.metavar if isinstance(action.metavar, str) else ""
            takes = action.nargs != 0
            yield Offered(
                option=option,
                about=action.help or "",
                takes=takes,
                values=tuple(map(str, action.choices or ())),
                files=takes and _is_file(metavar),
            )


def _is_file(metavar: str) -> bool:
    return re.search("FILE|DIR|PATH|FOLDER|HISTORY|RUN", metavar) is not None


def _bash(commands: Mapping[str, str], options: Mapping[str, Sequence[Offered]]) -> str:
    offered, values = [], []
    for name in commands:
        words = " ".join(f"{each.option}{'=' if _glued(each) else ''}" for each in options[name])
        offered.append(f'            {name}) words="{words}" ;;')
        for each in options[name]:
            if each.values:
                values.append(f'        "{name} {each.option}") words="{" ".join(each.values)}" ;;')
    following = [f'            {name}) words="{" ".join(words)}" ;;' for name, words in WORDS.items()]
    return _BASH.format(
        program=PROGRAM,
        commands=" ".join(commands),
        values="\n".join(values),
        offered="\n".join(offered),
        following="\n".join(following),
    )


def _zsh(commands: Mapping[str, str], options: Mapping[str, Sequence[Offered]]) -> str:
    named = [f"            {_quoted(name + ':' + about.replace(':', ' -'))}" for name, about in commands.items()]
    offered = []
    for name in commands:
        specs = "\n".join(f"                {_zsh_option(each)}" for each in options[name])
        words = f"({' '.join(WORDS[name])})" if name in WORDS else "_files"
        offered.append(
            f"        {name})\n            words_of={_quoted(words)}\n            options=(\n{specs}\n            ) ;;"
        )
    return _ZSH.format(program=PROGRAM, commands="\n".join(named), offered="\n".join(offered))


def _zsh_option(each: Offered) -> str:
    about = re.sub(r"[\[\]:]", " ", each.about)
    values = f"({' '.join(each.values)})" if each.values else "_files" if each.files else " "
    return _quoted(f"*{each.option}{'=' if _glued(each) else ''}[{about}]" + (f":value:{values}" if each.takes else ""))


def _fish(commands: Mapping[str, str], options: Mapping[str, Sequence[Offered]]) -> str:
    lines = [f"# fish: {PROGRAM} completion fish | source"]
    for name, about in commands.items():
        lines.append(f"complete -c {PROGRAM} -f -n __fish_use_subcommand -a {name} -d {_quoted(about)}")
        inside = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {name}'"
        if name in WORDS:
            lines.append(f"{inside} -f -a {_quoted(' '.join(WORDS[name]))}")
        for each in options[name]:
            key = f"-l {each.option[2:]}" if each.option.startswith("--") else f"-s {each.option[1:]}"
            after = f" -x -a {_quoted(' '.join(each.values))}" if each.values else " -r" if each.takes else ""
            lines.append(f"{inside} {key}{after} -d {_quoted(each.about)}")
    return "\n".join(lines)


def _glued(each: Offered) -> bool:
    """Whether its value follows after `=`."""
    return each.takes and each.option.startswith("--storage-")


def _quoted(text: str) -> str:
    """In single quotes; without those that are in it, which the three shells do not escape alike."""
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
    # Where = parts words, it is one of its own.
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
SHELLS: Mapping[str, Callable[[Mapping[str, str], Mapping[str, Sequence[Offered]]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
