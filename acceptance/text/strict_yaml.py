"""YAML read strictly: no duplicate keys, no surprising types, and the line of every value.

Scalars are resolved by the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema), so `on` and
`1:30` stay text and `1e3` is a number, where PyYAML's own loader has them the other way round. Keys are always text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

Path = tuple[str | int, ...]
Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]

# libyaml's parser if PyYAML has it: ten times as fast as that in Python, which takes 0.15 s of each start of a run.
_Parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULL = {"", "~", "null", "Null", "NULL"}
_INTEGER = re.compile(r"[-+]?[0-9]{1,300}")  # longer ones are read as floats: Python refuses very long ints
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN = {".nan", ".NaN", ".NAN"}


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One error in a file: its line, counted from 1, and the path of the value."""

    line: int
    path: Path
    text: str


@dataclass(frozen=True, kw_only=True)
class Document:
    """The content of a file. If there are `problems`, `data` is only the part that could be read in spite of them."""

    data: Value
    problems: tuple[Problem, ...]
    lines: Mapping[Path, int] = field(repr=False)

    def line_of(self, path: Path) -> int:
        """Return the line of the key or list item at `path`; of its nearest ancestor if the path does not exist."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def load(text: str) -> Document:
    """Parse `text`, one YAML document, and report its problems: syntax, duplicate keys, aliases, tags, keys not text.

    Of duplicate keys the first is kept. It raises nothing: the caller must check `problems` first.
    """
    reader = _Reader()
    try:
        for event in yaml.parse(text, Loader=_Parser):
            tag = getattr(event, "tag", None)
            if tag is not None:
                line = event.start_mark.line + 1 if event.start_mark else 1
                reader.report(line, (), f"expected a plain value, found the tag {tag}; remove the tag")
        node = yaml.compose(text, Loader=_Parser)
        return reader.document(None if node is None else reader.read(node, ()))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(part for part in (error.context, error.problem) if part)
        reader.report(
            mark.line + 1 if mark else 1, (), f"expected one valid YAML document, found: {message}; correct it"
        )
        return reader.document(None)
    except (yaml.YAMLError, RecursionError) as error:
        reader.report(1, (), f"expected one valid YAML document, found: {error}; correct it")
        return reader.document(None)


class _Reader:
    """A converter of a document's nodes into plain values, which also collects lines and problems."""

    def __init__(self) -> None:
        self._lines: dict[Path, int] = {}
        self._problems: list[Problem] = []
        self._node_ids: set[int] = set()

    def document(self, data: Value) -> Document:
        return Document(data=data, problems=tuple(self._problems), lines=self._lines)

    def report(self, line: int, path: Path, text: str) -> None:
        self._problems.append(Problem(line=line, path=path, text=text))

    def read(self, node: yaml.Node, path: Path) -> Value:
        line = self._lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self._node_ids:  # the composer hands out the anchor's own node again for each alias
            self.report(line, path, "expected the value itself, found an alias (*name); write the value out")
            return None
        self._node_ids.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*path, number)) for number, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Value]:
        mapping: dict[str, Value] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self.report(line, path, "expected a key that is text, found a list or a mapping; write text")
                continue
            here = (*path, str(key.value))
            if key.value in mapping:
                first = self._lines[here]
                self.report(line, here, f"expected each key once, found it on line {first} as well; remove one of them")
                continue
            self._lines[here] = line
            mapping[key.value] = self.read(value, here)
        return mapping

    @staticmethod
    def _scalar(node: yaml.Node) -> Value:
        text = str(node.value)
        plain = not getattr(node, "style", None)  # "" from libyaml's parser, None from Python's
        return _resolve(text) if plain else text


def _resolve(text: str) -> Value:
    """Return the value of a plain scalar by the core schema of YAML 1.2."""
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return -math.inf if text.startswith("-") else math.inf
    return math.nan if text in _NAN else text
