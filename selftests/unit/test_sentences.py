"""Sentences are rendered from data in one place, and no program reads them back."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from acceptance import __version__
from acceptance.judging.rejudging import contradictions
from acceptance.results.file import read_results
from acceptance.results.requirement import Outcome
from acceptance.wording import MODULES, sentence, what_follows
from selftests.unit.compared_runs import measured, run_of
from selftests.unit.docs_pages import ROOT
from selftests.unit.flat_verdicts import flat_verdict

# They render sentences, read those of older suites, or take apart what users write.
MAY = ("acceptance/wording/", "acceptance/results/version_1.py", "acceptance/results/version_2.py")
SENTENCES = ("reason", "because")
READS = frozenset(
    {"startswith", "endswith", "split", "rsplit", "partition", "rpartition", "find", "rfind", "index"}
    | {"removeprefix", "removesuffix", "search", "match", "fullmatch", "findall", "finditer", "sub"}
)
SOURCES = [
    path
    for folder in ("acceptance", "fixtures")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not str(path.relative_to(ROOT)).startswith(MAY)
]


def is_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


def read_back(tree: ast.AST) -> Iterator[int]:
    """The lines that compare a verdict's sentence, look into it, or hand it to what looks into it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            constants = [
                operand for operand in operands if isinstance(operand, ast.Constant) and operand.value in (None, "")
            ]
            if any(map(is_sentence, operands)) and not constants:
                yield node.lineno
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in READS
            and any(map(is_sentence, [node.func.value, *node.args]))
        ):
            yield node.lineno


def test_no_module_reads_a_sentence() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in SOURCES
        for line in read_back(ast.parse(path.read_text(encoding="utf-8")))
    ]
    # A document whose sentence is not that of its data was changed: this is the one comparison.
    assert [each for each in found if not each.startswith("acceptance/judging/rejudging.py:")] == []


@pytest.mark.parametrize(
    "code",
    [
        "if verdict.reason == 'held': pass",
        "a = 'outside' in each.reason",
        "b = each.reason.partition(':')",
        "c = PATTERN.search(verdict.reason)",
    ],
)
def test_what_reads_one_is_found(code: str) -> None:
    assert list(read_back(ast.parse(code))) == [1]


def test_a_code_of_a_stranger_runs_nothing() -> None:
    for code in ("os.system", "limit", "limit.__doc__", "requirements.describe_requirement", ""):
        with pytest.raises(KeyError):
            sentence(flat_verdict().model_copy(update={"outcome": Outcome(code=code)}))


@pytest.mark.parametrize("value", [None, True, 5, -1.0, "x", [], [[1]], {"a": 1}])
def test_facts_that_are_none_of_its_code_are_a_change_and_no_traceback(value: JsonValue) -> None:
    """Of each code, with each of its facts of another type."""
    verdict = flat_verdict(reason="said otherwise")
    whole = run_of(measured({"write.iops": 1000.0}))
    whole = whole.model_copy(update={"run": whole.run.model_copy(update={"suite_version": __version__})})
    for name in sorted(MODULES):
        for code, said in getattr(importlib.import_module(f"acceptance.wording.{name}"), "SENTENCES", {}).items():
            facts = dict.fromkeys(list(inspect.signature(said).parameters)[1:], value)
            changed = verdict.model_copy(update={"outcome": Outcome(code=f"{name}.{code}", facts=facts)})
            found = list(contradictions(whole.model_copy(update={"verdicts": [changed]})))
            assert any("has a reason that does not match its outcome" in each for each in found), (name, code)
            what_follows(changed)


EVIDENCE = next((ROOT / "docs/evidence").glob("*/results.json"), None)


def test_a_document_of_version_2_is_read_with_its_verdicts_as_data() -> None:
    """A run of Longhorn of an older suite."""
    assert EVIDENCE is not None and '"schema_version": 2' in EVIDENCE.read_text(encoding="utf-8")[:100]
    verdicts = read_results(Path(EVIDENCE)).verdicts
    assert all(verdict.outcome is not None and sentence(verdict) == verdict.reason for verdict in verdicts)
    on_limits = [
        verdict for verdict in verdicts if verdict.rule in ("at_least", "at_most") and verdict.subject == "speed"
    ]
    assert on_limits and all(on_limit.requirement.bound is not None for on_limit in on_limits)
    steps = {verdict.id: verdict.requirement.at for verdict in verdicts if verdict.rule == "per_volume"}
    assert steps and all(int(id_.rpartition("-")[2]) == at["pods"] for id_, at in steps.items())
