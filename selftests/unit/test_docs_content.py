"""What the docs quote and show, held against the suite: words of a report, rules, files of limits and targets."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from acceptance.limits.declared import CONTROL_PLANE, PROVISIONING
from acceptance.limits.file import load_limits
from acceptance.limits.rebuilds import Kind as RebuildKind
from acceptance.limits.scaling import Kind as ScalingKind
from acceptance.limits.speed import RuleKind
from acceptance.loads.profile_folder import find_profiles
from acceptance.results.ramps import StopKind
from acceptance.results.requirement import Operator
from acceptance.settings.target_file import read_target
from acceptance.statistics.interim_analyses import plan_for
from selftests.unit.docs_pages import PAGES, ROOT, unfenced

TIER = (
    "limits",
    "comparison",
    "scaling",
    "control_plane",
    "rebuild",
    "failover",
    "disturbances",
    "operations",
    "many_files",
    "provisioning",
    "sustained",
    "latency_under_load",
    "resource_overhead",
    "history",
)
SECTIONS = tuple(f"{each}:" for each in ("version", "about", "node_failure", "disturb", *TIER))


def yaml_blocks() -> Iterator[tuple[str, str]]:
    """Indented blocks of the docs that a file of limits or of a target may hold, with the name of their page."""
    for page, text in PAGES.items():
        for block in re.findall(r"(?:^(?: {4}.*)?\n)+", unfenced(text), re.MULTILINE):
            content = textwrap.dedent(block).strip("\n")
            if content.startswith(SECTIONS):
                yield page, content


BLOCKS = list(yaml_blocks())


def test_blocks_are_looked_for() -> None:
    assert len(BLOCKS) > 8


@pytest.mark.parametrize(
    "content", [pytest.param(content, id=f"{page}-{n}") for n, (page, content) in enumerate(BLOCKS)]
)
def test_limits_and_targets_that_are_shown_are_valid(content: str, tmp_path: Path) -> None:
    """As they stand; what is a section of a tier, in a tier."""
    file = tmp_path / "shown.yaml"
    if any(f"{section}:" in content for section in ("driver", "node_failure", "disturb")):
        file.write_text(content, encoding="utf-8")
        read_target(file)
        return
    tier = f"version: 1\ntiers:\n  shown:\n{textwrap.indent(content, '    ')}\n"
    file.write_text(content if content.startswith("version:") else tier, encoding="utf-8")
    profiles = {*find_profiles(ROOT / "profiles"), "order-log"}
    load_limits(file, profiles=profiles, shipped_path=ROOT / "thresholds.yaml")


def words_of(tree: ast.AST) -> Iterator[str]:
    """Each string of a source file as one text, docstrings left out; what is put into it stands as a line break."""
    passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    passed |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\n" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed:
            yield node.value


@cache
def said() -> str:
    """All that the suite may say."""
    files = [file for folder in ("acceptance", "fixtures") for file in sorted((ROOT / folder).rglob("*.py"))]
    words = [word for file in files for word in words_of(ast.parse(file.read_text(encoding="utf-8")))]
    templates = sorted((ROOT / "acceptance").rglob("*.jinja"))
    return "\n".join([*words, *(template.read_text(encoding="utf-8") for template in templates)])


QUOTES = re.findall(r"\*\*\"(.+?)\"\*\*", " ".join(PAGES["docs/verdicts.md"].split()))


def test_quotes_are_looked_for() -> None:
    assert len(QUOTES) > 30


@pytest.mark.parametrize("quote", QUOTES)
def test_the_words_of_a_report_that_are_quoted_are_the_suites_own(quote: str) -> None:
    """Between what differs from run to run (`...`), each piece of a quotation stands in the source as it is."""
    pieces = [piece.strip(" :;,.()") for piece in quote.split("...")]
    assert [piece for piece in pieces if piece not in said()] == []


RULES = {
    *get_args(Operator),
    *get_args(RuleKind),
    *get_args(ScalingKind),
    *(
        argument.partition("_")[0] if argument.startswith("foreground") else argument
        for argument in get_args(RebuildKind)
    ),
    *(bound.rule for _, bound in PROVISIONING.bounds.values()),
    *(f"{side}_sustained" for side in get_args(Operator)),
    *(each.replace("-", "_") for each in CONTROL_PLANE.bounds),
    *(argument.replace("_", " ") for argument in get_args(StopKind)),
    "not_worse_than_before_by",
}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_each_rule_is_explained(rule: str) -> None:
    assert f"`{rule}`" in PAGES["docs/verdicts.md"]


def test_the_tests_that_the_coverage_names_exist() -> None:
    named = re.findall(r"`(test_\w+\.py)(?:::(test_\w+))?`", PAGES["docs/coverage.md"])
    assert len(named) > 15
    for file, test in named:
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert not test or f"def {test}(" in text, f"{file}::{test}"


def test_the_tutorial_counts_the_limits_that_a_run_without_further_options_is_judged_by() -> None:
    tier = load_limits(ROOT / "thresholds.yaml", profiles=set(find_profiles(ROOT / "profiles"))).tier("baseline")
    asked = tier.asked_with(())
    assert set(re.findall(r"3 of (\d+) limits and rules", PAGES["docs/tutorial.md"])) == {str(len(asked))}


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("in_turn", [True, False])
def test_the_looks_that_the_page_on_statistics_lists_are_those_of_the_plans(durable: bool, in_turn: bool) -> None:
    name = ", ".join(["durable"] * durable + ["in turn" if in_turn else "alone"])
    (row,) = re.findall(rf"^\| {name} \|.*$", PAGES["docs/statistics.md"], re.MULTILINE)
    early, further = (re.findall(r"\d+", re.sub(r"\(.*?\)", "", each)) for each in row.split("|")[3:5])
    assert [int(each) for each in (*early, *further)] == list(plan_for(durable=durable, in_turn=in_turn).looks)


def test_users_are_told_to_type_the_command_that_they_have() -> None:
    """By every page but the one for work on the suite, and by all that the suite prints."""
    others = re.compile(r"\.venv/bin/pytest|python3? -m (?:acceptance|pytest|storage_acceptance)\b")
    pages = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")} - {ROOT / "docs/development.md"}
    engine = [
        ROOT / "acceptance/__main__.py",
        ROOT / "acceptance/commands/__init__.py",
    ]  # `python -m acceptance` itself
    code = {path for folder in ("acceptance", "fixtures") for path in (ROOT / folder).rglob("*.py")} - {*engine}
    found = {path: others.findall(path.read_text(encoding="utf-8")) for path in sorted(pages | code)}
    assert {str(path.relative_to(ROOT)): words for path, words in found.items() if words} == {}
