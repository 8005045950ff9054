"""Count names that say nothing of what they hold (pronouns and participles), and docstrings that begin like questions.

Run `python -m selftests.language` to print both by folder. `unit/test_language.py` compares them with the limits here.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_EMPTY_NAMES = 0.02
"""Share of all bound names."""
MOST_QUESTIONS = 50
FOLDERS = ("acceptance", "benchmarks", "embedded_cluster", "fixtures", "release", "storage_acceptance", "tests")
PRONOUNS = """
    any anything both each either everything it its mine neither none nothing one ones other others ours she some
    something that theirs them these they this those what which who whom whose yours
"""
PARTICIPLES = """
    asked begun bought broken brought built caught chosen done drawn driven fallen felt found given gone grown heard
    held kept known laid led left lent lost made meant met ordered paid put said seen sent shown spent stood taken
    taught thought told understood woken worn written
"""
NOUNS = "speed seed feed embed bed shed breed need expected"
"""Words that end like a participle and are none; `expected` is what the field calls it."""
PRIVATE_WORDS = {
    "anew": "again",
    "at the least": "at least",
    "behaviour": "behavior",
    "beside": "next to, during, compared with",
    "beyond all bounds": "no upper bound",
    "colour": "color",
    "hears of": "is notified of",
    "in vain": "without success",
    "is told": "is reported",
    "neighbour": "neighbor",
    "nobody": "no user, no process",
    "of one moment": "crash-consistent",
    "one's own": "your own",
    "so many": "the number",
    "somebody": "a user",
    "stand-ins": "substitutes",
    "surroundings": "environment",
    "whoever": "the caller, the user",
}
"""Words and phrases that nobody in the field uses or finds by search, and what to write."""
_EMPTY = {*PRONOUNS.split(), *PARTICIPLES.split()}
_PRIVATE = re.compile(rf"\b(?:{'|'.join(map(re.escape, PRIVATE_WORDS))})\b", re.IGNORECASE)
QUESTIONS = re.compile(r"(What|How|Whether|The same)\b")


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Yield each name that a tree binds: variables, parameters, functions and classes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def is_empty(name: str) -> bool:
    """Return whether a name is a pronoun or a participle and nothing else."""
    word = name.strip("_").lower()
    return word in _EMPTY or (word.endswith("ed") and word not in NOUNS.split())


def docstrings(tree: ast.AST) -> Iterator[str]:
    """Yield the docstrings of a module, its classes and its functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def texts(tree: ast.AST) -> Iterator[str]:
    """Yield all strings with more than one word: docstrings, messages and comments of attributes, but no patterns."""
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and " " in text.strip() and "(?P<" not in text:
            yield text


def private_words(text: str) -> list[str]:
    """Return the words and phrases of a text, code in backticks aside, that `PRIVATE_WORDS` replaces, in order."""
    prose = re.sub(r"`[^`]*`", "", " ".join(text.split()))
    return [match.group().lower() for match in _PRIVATE.finditer(prose)]


def trees() -> Iterator[tuple[Path, ast.Module]]:
    """Yield each file of the product, relative to the root of the repository, with its tree."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


@cache
def counts() -> tuple[Counter[Path], Counter[Path], Counter[Path]]:
    """Return all bound names, the empty ones and the docstrings that begin like questions, each by file."""
    names: Counter[Path] = Counter()
    empty: Counter[Path] = Counter()
    questions: Counter[Path] = Counter()
    for path, tree in trees():
        bound = list(bound_names(tree))
        names[path] = len(bound)
        empty[path] = sum(map(is_empty, bound))
        questions[path] = sum(bool(QUESTIONS.match(docstring)) for docstring in docstrings(tree))
    return names, empty, questions


def main() -> None:
    """Print the counts of each folder, and of all."""
    names, empty, questions = counts()
    for folder in [*FOLDERS, "."]:
        paths = [path for path in names if path.is_relative_to(folder)]
        total, bare = sum(names[path] for path in paths), sum(empty[path] for path in paths)
        docstring_count = sum(questions[path] for path in paths)
        print(f"{folder:20} {bare:5} of {total:6} names ({bare / total:.1%}), {docstring_count:4} docstrings")


if __name__ == "__main__":
    main()
